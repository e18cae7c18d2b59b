package runner

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/engine"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/inference"
)

// Instead is what is done with a run in the place of holding it, by the command that holds it.
type Instead struct {
	Run     rundir.Run // the run, whose settings the command must have
	Path    string     // its directory, absolute
	Records engine.Recorder
	Do      func(ctx context.Context, options bench.Options, engine inference.Running) error

	done bool
}

// Done reports whether Do was called.
func (i *Instead) Done() bool { return i.done }

type insteadKey struct{}

// With returns a context in which commands do this with the run, and pass over others. They are given --dry-run, so
// that they write nothing.
func (i *Instead) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, insteadKey{}, i)
}

func insteadIn(ctx context.Context) *Instead {
	i, _ := ctx.Value(insteadKey{}).(*Instead)
	return i
}

// take prepares the run on its model, refuses one that is another than was recorded, and does what is done instead.
func (i *Instead) take(r *Runner, cmd command.Line, spec Spec) error {
	if place, err := filepath.Abs(filepath.Join(r.Place(), spec.Part)); err != nil || place != i.Path {
		return err
	}
	p, err := r.prepare(cmd, spec, i.Records)
	if err != nil {
		return err
	}
	defer p.engine.Close()
	if d := i.Run.Header.Decides(p.header); len(d) > 0 {
		var list []string
		for _, d := range d {
			list = append(list, fmt.Sprintf("%s: %v then, %v now", d.Name, d.First, d.Second))
		}
		return exit.Input(fmt.Errorf("what was recorded is another run than the same command makes now: %s",
			strings.Join(list, "; ")))
	}
	i.done = true
	return i.Do(cmd.Context, p.options, p.engine)
}
