package runner

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/program"
)

// Locate chooses the run directory where --out names none; a dry run needs none.
func (r *Runner) Locate(name string) error {
	switch {
	case r.Engine.Choices > 1 && r.shard.Of > 0:
		return exit.Usage(errors.New("--choices has replies depend on which others wait, and parley merge refuses " +
			"shards that do not repeat each other's replies: leave --choices out, or compute the whole run at once"))
	case r.fork != "" && r.out == "":
		return exit.Usage(errors.New("--fork needs the directory of the run to reuse: --out DIRECTORY --fork NEW"))
	case r.fork != "" && r.shard.Of > 0:
		return exit.Usage(errors.New("--fork starts a whole run: merge the shards first, or leave out --shard"))
	case r.Dry || r.out != "":
		return nil
	case r.shard.Of > 0:
		return exit.Usage(errors.New("--shard needs --out DIR, the same in all shards: shard 2/8 is computed in " +
			"DIR.shard-2-of-8"))
	}
	r.out = DefaultDirectory(name)
	return nil
}

// Runs is the directory of the runs for which --out names none.
const Runs = "parley-runs"

// DefaultDirectory returns the directory of a run for which --out names none.
func DefaultDirectory(what string) string {
	return filepath.Join(Runs, what+time.Now().Format("-20060102-150405"))
}

// resumable returns the --out with which the same command resumes the run.
func (r *Runner) resumable() string { return cmp.Or(r.fork, r.out) }

// Place returns the directory that the run writes to: that of the fork if there is one, and that of the shard if
// --shard divides the run.
func (r *Runner) Place() string { return rundir.ShardDirectory(r.resumable(), r.shard.part()) }

// line is the command that goes on with the run in a directory.
func (r *Runner) line(cmd command.Line, directory string) (l rundir.Line) {
	l.Command = cmd.Words(r.resumable())
	l.Out, _ = filepath.Rel(directory, r.resumable())
	l.Directory, _ = os.Getwd()
	l.Parley = program.Version()
	return l
}

// openDirectory opens and locks the directory of a run. A task that the forked experiment has not begun starts empty.
func (r *Runner) openDirectory(part string) (*rundir.Directory, error) {
	from := filepath.Join(rundir.ShardDirectory(r.out, r.shard.part()), part)
	if r.fork == "" {
		return rundir.OpenDirectory(from)
	}
	if _, err := os.Stat(from); part != "" && errors.Is(err, os.ErrNotExist) {
		return rundir.OpenDirectory(filepath.Join(r.fork, part))
	}
	return rundir.ForkDirectory(from, filepath.Join(r.fork, part))
}

// writeHeader begins a run by its header, unless the directory holds another run.
func (r *Runner) writeHeader(d *rundir.Directory, header rundir.Header, spec Spec) error {
	d.LeaveOut = r.leaveOut
	if err := d.Begin(header); err != nil {
		if errors.As(err, new(rundir.AnotherRun)) {
			err = exit.Usage(err)
		}
		return err
	}
	if spec.File == nil {
		return nil
	}
	return ExperimentFile(r.Place(), spec.File, []string{spec.Part}).Write(spec.File)
}
