package runner

import (
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/program"
	"github.com/parley-debate/parley/internal/bounds"
)

// jobFlags have a run written as jobs of a cluster, one for each shard, instead of computing it here.
type jobFlags struct {
	shards int // 0: compute here
	submit bool
}

func (j *jobFlags) register(set *pflag.FlagSet) {
	flags.Number(set, &j.shards, "slurm", "", 0, bounds.From(1, trial.MostShards),
		"compute nothing, and write an array job of Slurm with this many shards into --out.jobs, with a job that "+
			"merges them; also for GNU parallel and Kubernetes")
	set.BoolVar(&j.submit, "submit", false, "with --slurm: also submit both jobs")
}

// AsJobs reports whether jobs of the run are to be written.
func (r *Runner) AsJobs() bool { return r.job.shards > 0 }

// submit submits the array job, and the job that merges after it. The second runs however the shards end (afterany), so
// that what is there is merged even if a shard failed.
func submit(cmd command.Line, directory string) (array, merge string, err error) {
	sbatch := func(words ...string) (string, error) {
		sbatch := exec.CommandContext(cmd.Context, "sbatch", append([]string{"--parsable"}, words...)...)
		sbatch.Stderr = cmd.Err
		text, err := sbatch.Output()
		if err != nil {
			return "", fmt.Errorf("sbatch %s: %w; the scripts are written: submit them where Slurm is",
				strings.Join(words, " "), err)
		}
		id, _, _ := strings.Cut(strings.TrimSpace(string(text)), ";") // a cluster may follow
		return id, nil
	}
	if array, err = sbatch(filepath.Join(directory, "slurm.sh")); err != nil {
		return "", "", err
	}
	merge, err = sbatch("--dependency=afterany:"+array, filepath.Join(directory, "finish.sh"))
	return array, merge, err
}

// jobName is a name that Kubernetes and Slurm take.
func jobName(name string) string {
	name = regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower("parley-"+name), "-")
	return strings.Trim(name[:min(len(name), 50)], "-")
}

// jobTemplates holds the scripts of the jobs by the names that they get in the directory of the jobs.
//
//go:embed jobs
var jobTemplates embed.FS

// jobScript is what a script says of a run. All texts are quoted for a shell, those with JSON for JSON.
type jobScript struct {
	Name                     string // of the job
	Shards                   int
	Directory, Jobs, Out     string
	Program, Command         string
	DirectoryJSON, WordsJSON string
}

// jobScript is what manifest and scripts say of the command.
func (r *Runner) jobScript(cmd command.Line, name string) (m manifest, s jobScript, err error) {
	if m.Directory, err = os.Getwd(); err != nil {
		return m, s, err
	}
	self, err := os.Executable()
	if err != nil {
		return m, s, err
	}
	if m.Out, err = filepath.Abs(r.out); err != nil {
		return m, s, err
	}
	m.Parley = program.Line()
	m.Command = cmd.Again(m.Out, "slurm", "submit")
	for i := range r.job.shards {
		m.Shards = append(m.Shards, rundir.ShardDirectory(m.Out, &trial.Shard{Index: i + 1, Of: r.job.shards}))
	}
	words := cmd.Words(m.Out, "slurm", "submit")
	pod, err := json.Marshal(append(words, fmt.Sprintf("--shard=auto/%d", r.job.shards)))
	if err != nil {
		return m, s, err
	}
	where, err := json.Marshal(m.Directory)
	words[0] = self
	return m, jobScript{Name: jobName(name), Shards: r.job.shards, Directory: wording.Shell(m.Directory),
		Jobs: wording.Shell(m.Out + ".jobs"), Out: wording.Shell(m.Out), Program: wording.Shell(self),
		Command: wording.Shell(words...), DirectoryJSON: string(where), WordsJSON: string(pod)}, err
}
