package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"parley/bench"
)

// staged is an experiment with all that a run can have: several tasks, repeats, a sweep, controls that cost what the debate has cost, and agents that
// hear a pool.
const staged = `
name: staged
tasks:
  - {name: few, generated: 1}
  - {name: more, generated: 3}
reference: mad/agents=2
repeats: 2
conditions:
  - {name: mad, protocol: society, sweep: {agents: [2, 3]}}
  - {name: pool, protocol: self-consistency, set: {agents: 8}, once: true}
  - {name: heard, protocol: reversal-alternating, set: {most: 2, prompts: tiny}, sweep: {agents: 1..2}, after: pool, candidates: 0.05}
`

func runStaged(file, out string, more ...string) *exec.Cmd {
	return exec.Command("parley", append([]string{"run", file, "--json", "--out", out}, more...)...)
}

// TestExperimentKilled kills an experiment at six random points. What it comes to in the end is what it comes to undisturbed; with one more
// repeat it computes no more than that repeat.
func TestExperimentKilled(t *testing.T) {
	needsLlama(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	file, whole := filepath.Join(t.TempDir(), "staged.yaml"), filepath.Join(t.TempDir(), "whole")
	if err := os.WriteFile(file, []byte(staged), 0o644); err != nil {
		t.Fatal(err)
	}
	started := time.Now()
	if out, err := runStaged(file, whole).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	took := time.Since(started)
	random := rand.New(rand.NewPCG(3, 4))
	out := filepath.Join(t.TempDir(), "killed")
	for kills := 0; kills < 6; {
		out = filepath.Join(t.TempDir(), "killed")
		for !endsWithin(t, runStaged(file, out), time.Duration(random.Float64()*float64(took))) {
			kills++
		}
		sameResults(t, out, whole)
	}

	fresh := filepath.Join(t.TempDir(), "fresh")
	for _, cmd := range []*exec.Cmd{runStaged(file, out, "--repeats", "3"), runStaged(file, fresh, "--repeats", "3")} {
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	sameResults(t, out, fresh)
	for _, task := range []string{"few", "more"} {
		all, first, added := lastSession(t, fresh, task), lastSession(t, whole, task), lastSession(t, out, task)
		if added.Generations != all.Generations-first.Generations || added.Restored == 0 {
			t.Errorf("%s: the third repeat took %d generations and %d were known; with all three there are %d, with two %d", task, added.Generations, added.Restored, all.Generations, first.Generations)
		}
	}
}

func sameResults(t *testing.T, directory, other string) {
	t.Helper()
	for _, task := range []string{"few", "more"} {
		got, err := os.ReadFile(filepath.Join(directory, task, "result.json"))
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join(other, task, "result.json"))
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s: %v\n%s\nwant\n%s", task, err, got, want)
		}
	}
}

// lastSession is what the engine did for a task from the start of the last program to its end.
func lastSession(t *testing.T, directory, task string) (s struct{ Generations, Restored int }) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(directory, task, "engine.json"))
	if err != nil {
		t.Fatal(err)
	}
	var sessions []bench.Session
	if err := json.Unmarshal(text, &sessions); err != nil || len(sessions) == 0 {
		t.Fatalf("%v: %s", err, text)
	}
	last := sessions[len(sessions)-1].Stats
	s.Generations, s.Restored = last.Generations, last.Restored
	return s
}
