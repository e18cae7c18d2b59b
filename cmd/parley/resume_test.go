package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"parley/bench"
)

// runLines is a comparison of two conditions on eight puzzles, in a directory.
func runLines(out string, more ...string) *exec.Cmd {
	return exec.Command("parley", append([]string{"compare", "--generated", "8", "--conditions", "madc,truth-last", "--seed", "3", "--out", out}, more...)...)
}

// TestKilled kills a process at 20 random points, and goes on with its run until it ends: the result is that of a run that nobody disturbed,
// byte for byte.
func TestKilled(t *testing.T) {
	needsLlama(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	whole := filepath.Join(t.TempDir(), "whole")
	started := time.Now()
	if out, err := runLines(whole).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	took := time.Since(started)
	want, err := os.ReadFile(filepath.Join(whole, "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	kills, restored := 0, 0
	for kills < 20 {
		out := filepath.Join(t.TempDir(), "killed")
		for !endsWithin(t, runLines(out), time.Duration(random.Float64()*float64(took))) {
			kills++
		}
		got, err := os.ReadFile(filepath.Join(out, "result.json"))
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("after %d kills: %v\n%s\nwant\n%s", kills, err, got, want)
		}
		restored += restoredIn(t, out)
	}
	if restored == 0 {
		t.Error("no generation was taken from a journal: nothing was tested")
	}
}

// endsWithin reports whether a process ends by itself; it is killed after the delay otherwise.
func endsWithin(t *testing.T, cmd *exec.Cmd, delay time.Duration) bool {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killed := time.AfterFunc(delay, func() { cmd.Process.Kill() })
	err := cmd.Wait()
	killed.Stop()
	if err != nil && cmd.ProcessState.ExitCode() >= 0 {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	return err == nil
}

// exitCode is that of a process that was run, 0 without an error.
func exitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}

func restoredIn(t *testing.T, directory string) (restored int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(directory, "engine.json"))
	if err != nil {
		t.Fatal(err)
	}
	var sessions []bench.Session
	if err := json.Unmarshal(text, &sessions); err != nil {
		t.Fatal(err)
	}
	for _, s := range sessions {
		restored += s.Stats.Restored
	}
	return restored
}

// TestWidened: one more round computes only what is new; another seed is refused.
func TestWidened(t *testing.T) {
	needsLlama(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	out, fresh := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "fresh")
	for _, cmd := range []*exec.Cmd{runLines(out), runLines(out, "--rounds", "3"), runLines(fresh, "--rounds", "3")} {
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	widened, err := os.ReadFile(filepath.Join(out, "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(fresh, "result.json"))
	if err != nil || !bytes.Equal(widened, whole) {
		t.Errorf("%v\n%s\nwant\n%s", err, widened, whole)
	}
	if restoredIn(t, out) == 0 {
		t.Error("nothing of the two rounds was used")
	}
	text, err := runLines(out, "--temperature", "0.5").CombinedOutput()
	if code := exitCode(err); code != exitUsage || !bytes.Contains(text, []byte("holds another run:\n  temperature was 1 and is 0.5\n")) {
		t.Errorf("exit %d: %s", code, text)
	}
}
