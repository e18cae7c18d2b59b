package runner

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/inference"
)

// under is a run in the middle, with texts that a terminal would obey.
func under() Watched {
	r := Watched{tokensPerSecond: 1234.5, elapsed: 75 * time.Second, left: 3*time.Minute + 400*time.Millisecond}
	r.Status = rundir.Status{State: rundir.StateRunning, Process: "process 7 on host",
		Header: &rundir.Header{Run: spec.Run{Task: "puzzles", Questions: 12},
			Model: inference.ModelInfo{Name: "tiny\x1b[2J"}}}
	r.Count = rundir.Count{Debates: 7, Failed: 1, Expected: 24, Generations: 1300, Tokens: 54_321,
		PromptTokens: 200_000, CachedTokens: 150_999}
	return r
}

// TestRates works the numbers by hand: 600 tokens and 4 debates in 20 seconds, with 10 debates of an earlier process.
func TestRates(t *testing.T) {
	began := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	locked := began.Add(time.Hour)
	at := func(seconds, debates, tokens int, header time.Time) (rundir.Progress, time.Time) {
		p := rundir.Progress{Locked: locked, Count: rundir.Count{Debates: debates, Expected: 20, Tokens: tokens,
			Generations: 3 * debates, Held: 3 * debates}}
		p.State, p.Process = rundir.StateRunning, "process 1 on x"
		p.Header = &rundir.Header{Time: header.Format(time.RFC3339)}
		return p, locked.Add(time.Duration(seconds) * time.Second)
	}
	var w pace
	if r := w.watched(at(10, 10, 5000, began)); r.tokensPerSecond != -1 || r.left != -1 || r.elapsed != 10*time.Second {
		t.Errorf("after one reading the pace is %+v, want nothing known but 10 s elapsed", r)
	}
	// 6 debates are left, at 5 seconds each
	if r := w.watched(at(30, 14, 5600, began)); r.tokensPerSecond != 30 || r.left != 30*time.Second ||
		r.elapsed != 30*time.Second {
		t.Errorf("resumed: %v tokens a second and %v left, want 30 and 30 s", r.tokensPerSecond, r.left)
	}
	// The same process began the run: 14 debates took 30 seconds.
	var own pace
	if r := own.watched(at(30, 14, 5600, locked)); r.left != 6*30*time.Second/14 {
		t.Errorf("where one process held all debates, %v are left, want %v", r.left, 6*30*time.Second/14)
	}
	// A process that resumes a run of the same second did not hold the debates that it found: one takes 10 seconds.
	var second pace
	for i, want := range []time.Duration{-1, 50 * time.Second} {
		p, now := at(10*(i+1), 14+i, 5600, locked)
		p.Resumes = true
		if r := second.watched(p, now); r.left != want {
			t.Errorf("resumed within a second, reading %d: %v left, want %v", i, r.left, want)
		}
	}
	// The window has the last 30 seconds: from second 30 on.
	w.watched(at(50, 14, 5600, began))
	if r := w.watched(at(60, 15, 5900, began)); r.tokensPerSecond != 10 {
		t.Errorf("%v tokens/s, want 10", r.tokensPerSecond)
	}
	p, now := at(70, 15, 5900, began)
	p.Locked = locked.Add(time.Minute)
	if r := w.watched(p, now); r.tokensPerSecond != -1 || r.left != -1 || r.elapsed != 10*time.Second {
		t.Errorf("of another process, %v tokens a second and %v left, want neither known (-1)", r.tokensPerSecond,
			r.left)
	}
}

// TestLine: a run's line says how far it is, how fast, and how long it will take.
func TestLine(t *testing.T) {
	r := under()
	r.name = "task\x1bx"
	want := `task\u001bx: running, 7 of 24 debates (1 failed), 54,321 tokens (1,234/s), 1,300 generations, 75 % of ` +
		"prompt tokens saved, 1m15s, about 3m0s left"
	if got := r.Line(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestWatch follows a run of an experiment that the real runner writes: it says that nothing is recorded, then has a
// snapshot whenever a minute has passed, with what was recorded until then, and one of the end.
func TestWatch(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 2, 1)
	questions.Questions = questions.Questions[:2]
	directory := t.TempDir()
	path := filepath.Join(directory, "task")
	d := benchtest.OpenDirectory(t, path)
	now, ticks := time.Now(), make(chan time.Time)
	lines, ended := make(chan string, 100), make(chan error, 1)
	go func() {
		ended <- Watch(t.Context(), directory, time.Minute, now, ticks, func(r Watched) error {
			lines <- r.Line()
			return nil
		})
	}()
	tick := func(later time.Duration) {
		now = now.Add(later)
		ticks <- now
	}
	if line := <-lines; !strings.HasPrefix(line, "task: running, nothing is recorded yet") {
		t.Errorf("before the first record, the line begins with the task and that nothing is recorded: got %q", line)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	n := 0
	look := func(trial.Outcome) error { // before the outcome is recorded
		tick(59 * time.Second)
		tick(time.Second)
		if line, want := <-lines, fmt.Sprintf("task: running, %d of 8 debates, ", n); !strings.HasPrefix(line, want) {
			t.Errorf("got %s, want %s", line, want)
		}
		n++
		return nil
	}
	options := bench.Options{Task: questions, Conditions: conditions[:4], Engine: benchtest.Crowd(questions),
		Observe: look}
	if err := benchtest.RecordIn(t, path, options); err != nil {
		t.Fatal(err)
	}
	for range quiet {
		tick(time.Second)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if line := <-lines; !strings.HasPrefix(line, "task: finished, 8 of 8 debates, ") || len(lines) > 0 {
		t.Errorf("%s; %d more; want %q at its beginning and 0", line, len(lines), "task: finished, 8 of 8 debates, ")
	}
}
