package runner_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/cmd/parley/internal/cli"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/internal/datatest"
)

// staged is an experiment with all that a run can have: several tasks, repeats, a sweep, controls that cost what the
// debate has cost, and agents that hear a pool.
const staged = `
name: staged
tasks:
  - {name: few, generated: 2}
  - {name: more, generated: 3}
reference: mad/agents=2
repeats: 2
conditions:
  - {name: mad, protocol: society, sweep: {agents: [2, 3]}}
  - {name: pool, protocol: self-consistency, set: {agents: 8}, once: true}
  - {name: heard, protocol: reversal-alternating, set: {most: 2, prompts: tiny}, sweep: {agents: 1..2}, after: pool,
	candidates: 0.2}
`

func stagedFile(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "staged.yaml")
	datatest.Write(t, path, staged)
	return path
}

func runStaged(file, out string, more ...string) *exec.Cmd {
	return exec.Command("parley", append([]string{"run", file, "--json", "--out", out}, more...)...)
}

// TestExperimentWidened: with one more repeat an experiment computes no more than that repeat, and comes to what it
// comes to with all of them at once.
func TestExperimentWidened(t *testing.T) {
	t.Parallel()
	file, out := stagedFile(t), filepath.Join(t.TempDir(), "out")
	whole, _ := parleytest.SharedRun(t, "staged", func(out string) *exec.Cmd { return runStaged(file, out) })
	if err := os.CopyFS(out, os.DirFS(whole)); err != nil {
		t.Fatal(err)
	}
	fresh := filepath.Join(t.TempDir(), "fresh")
	for _, cmd := range []*exec.Cmd{runStaged(file, out, "--repeats", "3"), runStaged(file, fresh, "--repeats", "3")} {
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("an experiment or its wider one failed: %v, want no error:\n%s", err, text)
		}
	}
	for _, task := range []string{"few", "more"} {
		sameFiles(t, filepath.Join(out, task), filepath.Join(fresh, task), "result.json")
	}
	for _, task := range []string{"few", "more"} {
		all, first, added := lastSession(t, fresh, task), lastSession(t, whole, task), lastSession(t, out, task)
		if added.Generations != all.Generations-first.Generations || added.Restored == 0 {
			t.Errorf("%s: the third repeat took %d generations and %d were known; with all three there are %d, with "+
				"two %d", task, added.Generations, added.Restored, all.Generations, first.Generations)
		}
	}
}

// lastSession is what the engine did for a task from the start of the last program to its end.
func lastSession(t *testing.T, directory, task string) (s struct{ Generations, Restored int }) {
	t.Helper()
	text := datatest.Read(t, filepath.Join(directory, task, "engine.json"))
	var sessions []rundir.Session
	if err := json.Unmarshal(text, &sessions); err != nil || len(sessions) == 0 {
		t.Fatalf("sessions of a run are recorded: %v, got %s", err, text)
	}
	last := sessions[len(sessions)-1].Stats
	s.Generations, s.Restored = last.Generations, last.Restored
	return s
}

// TestLineThatGoesOn: of a run that was killed, parley status prints a line with which a shell comes to its end, from
// another directory too. No flag of the commands that compute runs takes a secret, which the record would keep.
func TestLineThatGoesOn(t *testing.T) {
	t.Parallel()
	parleytest.WarmCache(t)
	dir := t.TempDir()
	begin := exec.Command("parley", "compare", "--generated=40", "--conditions=single,mad", "--out=it's one")
	begin.Dir = dir
	if endsWithin(t, begin, 2*time.Second) {
		t.Skip("it ended before it was killed")
	}
	out := filepath.Join(dir, "it's one")
	read := func() (s rundir.Status) {
		text, err := exec.Command("parley", "status", "--json", out).Output()
		if err = errors.Join(err, json.Unmarshal(text, &s)); err != nil {
			t.Fatalf("parley status --json failed: %v, want JSON:\n%s", err, text)
		}
		return s
	}
	before := read()
	if before.State != rundir.StateEnded || before.Session == nil || !before.Session.End.IsZero() {
		t.Fatalf("%+v, want a run that was killed", before)
	}
	if text, err := exec.Command("sh", "-c", before.Resume).CombinedOutput(); err != nil {
		t.Fatalf("the line that goes on, %s, failed: %v, want no error:\n%s", before.Resume, err, text)
	}
	if after := read(); after.State != rundir.StateFinished || after.Session.Reason != rundir.ReasonFinished ||
		after.Resume != "" {
		t.Errorf("%+v, want a finished run", after)
	}
	for _, name := range []string{"compare", "run", "demo"} {
		cmd, _, err := cli.New().Find([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			for _, secret := range []string{"key", "password", "secret"} {
				if strings.Contains(f.Name, secret) {
					t.Errorf("%s --%s: the record would have it; see rundir.Line", name, f.Name)
				}
			}
		})
	}
}
