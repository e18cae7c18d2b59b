package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/internal/outfile"
	"github.com/parley-debate/parley/internal/platform"
)

// manifest says which jobs compute a run. Its paths are absolute.
type manifest struct {
	Parley    string   `json:"parley"`
	Command   string   `json:"command"` // of the whole run
	Directory string   `json:"directory"`
	Out       string   `json:"out"`
	Questions int      `json:"questions"`
	Shards    []string `json:"shards"` // their directories, by number
	Slurm     string   `json:"slurm_job,omitempty"`
	Merge     string   `json:"slurm_merge_job,omitempty"`
}

const manifestFile = "manifest.json"

// Jobs writes the jobs of a run with so many questions, and submits them if that is asked for.
func (r *Runner) Jobs(cmd command.Line, name string, questions int) error {
	switch {
	case r.out == "":
		return exit.Usage(errors.New("--slurm needs --out DIR: the jobs are written into DIR.jobs, and compute DIR"))
	case r.shard.Of > 0 || r.fork != "" || r.Dry || r.stop.Condition != "":
		return exit.Usage(errors.New("--slurm writes the jobs of a whole run: leave out --shard, --fork, --dry-run " +
			"and " +
			"--stop-when"))
	case r.Engine.Choices > 1:
		return exit.Usage(errChoicesInShards)
	case r.job.shards > questions:
		return exit.Usage(fmt.Errorf("--slurm %d: there are %s, so that there can be at most as many shards",
			r.job.shards,
			wording.Count(questions, "question")))
	}
	m, s, err := r.jobScript(cmd, name)
	if err != nil {
		return err
	}
	m.Questions = questions
	directory := m.Out + ".jobs"
	scripts, err := template.ParseFS(jobTemplates, "jobs/*")
	if err != nil {
		return err
	}
	files := jobFiles(directory, scripts)
	if err := outfile.Check(files...); err != nil {
		return exit.Usage(err)
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return err
	}
	// The manifest comes first: with it, another call knows the scripts for those of this one.
	if err := rundir.WriteJSON(directory, manifestFile, m); err != nil {
		return err
	}
	for _, t := range scripts.Templates() {
		var text strings.Builder
		if err := t.Execute(&text, s); err != nil {
			return err
		}
		if err := platform.WriteFile(filepath.Join(directory, t.Name()), []byte(text.String()), 0o755); err != nil {
			return err
		}
	}
	if r.job.submit {
		if m.Slurm, m.Merge, err = submit(cmd, directory); err != nil {
			return err
		}
		if err := rundir.WriteJSON(directory, manifestFile, m); err != nil {
			return err
		}
	}
	return r.sayJobs(cmd, m, directory)
}

// jobFiles are the files of the jobs: the manifest, and the scripts, which are those of earlier jobs if it is.
func jobFiles(directory string, scripts *template.Template) []outfile.File {
	file := func(name, opening string) outfile.File {
		return outfile.File{Kind: outfile.Kind{Name: "job that parley has written", Ours: outfile.Opening(opening)},
			Path: filepath.Join(directory, name)}
	}
	files := []outfile.File{file(manifestFile, `\{\s*"parley": `)}
	for _, t := range scripts.Templates() {
		files = append(files, file(t.Name(), ""))
	}
	return files
}

// sayJobs says what was written, and what to do with it.
func (r *Runner) sayJobs(cmd command.Line, m manifest, directory string) error {
	if r.JSON {
		return json.NewEncoder(cmd.Out).Encode(m)
	}
	d := wording.Shell(directory)
	text := fmt.Sprintf("jobs for %s are in %s\n", wording.Count(len(m.Shards), "shard"), directory)
	if m.Slurm != "" {
		text += fmt.Sprintf("submitted array job %s, and job %s, which merges after it\n", m.Slurm, m.Merge)
	} else {
		text += fmt.Sprintf("Slurm       job=$(sbatch --parsable %s/slurm.sh); "+
			"sbatch --dependency=afterany:$job %[1]s/finish.sh\n"+
			"parallel    sh %[1]s/parallel.sh --jobs 1\n"+
			"Kubernetes  kubectl apply -f %[1]s/kubernetes.yaml\n", d)
	}
	_, err := fmt.Fprintf(cmd.Out, "%sprogress    parley status %s\n", text, d)
	return err
}

// ShardsIn lists the shards of a run that is named by its directory, by that of its jobs or by their manifest, and
// finds the run's own directory.
func ShardsIn(path string) (whole string, shards []string) {
	file := path
	if filepath.Base(path) != manifestFile {
		file = filepath.Join(path, manifestFile)
	}
	var m manifest
	if err := record.ReadJSON(file, &m); err == nil && m.Out != "" {
		return m.Out, m.Shards
	}
	return path, rundir.ShardsOf(path)
}
