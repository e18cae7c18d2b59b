package rundir_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
)

// TestFollow looks at a run after each of its debates: the counts are those of the debates that were observed so far,
// and at the end those of the result. One question fails in all conditions.
func TestFollow(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 3, 2)
	questions.Questions = questions.Questions[:6]
	path := filepath.Join(t.TempDir(), "run")
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	f := rundir.Follow(path)
	defer f.Close()
	if _, err := f.Read(); err == nil || !strings.Contains(err.Error(), "is not a run directory") {
		t.Errorf("an empty directory: %v", err)
	}
	var seen []trial.Outcome
	var p rundir.Progress
	look := func(o trial.Outcome) error { // before o is recorded
		var err error
		p, err = f.Read()
		if err != nil {
			return err
		}
		if err := checkProgress(p, seen); err != nil {
			return err
		}
		if p.State != rundir.StateRunning || p.Locked.IsZero() {
			t.Errorf("state %s, locked %v", p.State, p.Locked)
		}
		seen = append(seen, o)
		return nil
	}
	engine := &benchtest.Mute{Engine: benchtest.Crowd(questions), Question: questions.Questions[2].Text}
	err := benchtest.RecordIn(t, path, bench.Options{Run: spec.Run{Repeats: 2},
		Task: questions, Conditions: conditions, Engine: engine, Observe: look})
	if err != nil {
		t.Fatal(err)
	}
	if p, err = f.Read(); err != nil || p.State != rundir.StateFinished || !p.Locked.IsZero() {
		t.Fatalf("%s, %v, %v: %+v, want err == nil && p.State == rundir.StateFinished && p.Locked.IsZero()",
			p.State, p.Locked, err, p.Conditions)
	}
	if err := checkProgress(p, seen); err != nil {
		t.Fatal(err)
	}
	run, err := rundir.ReadRun(path)
	if err != nil {
		t.Fatal(err)
	}
	checkConditions(t, p, run)
	tokens := 0
	if _, err := rundir.EachGeneration(path, func(_ rundir.Header, g rundir.Generation) {
		tokens += g.Reply.Tokens
	}); err != nil || p.Count.Tokens != tokens {
		t.Errorf("%d tokens, want %d (%v)", p.Count.Tokens, tokens, err)
	}
	status, err := rundir.ReadStatus(path)
	if err != nil || status.Debates != p.Debates || status.Generations != p.Generations || status.Bytes != p.Bytes ||
		status.State != p.State || status.Failed != p.Failed {
		t.Errorf("status %+v, progress %+v, %v", status, p.Status, err)
	}
}

// checkConditions compares what has been followed with the result of the run.
func checkConditions(t *testing.T, p rundir.Progress, run rundir.Run) {
	t.Helper()
	expected := 0
	for i, c := range p.Conditions {
		row := run.Comparison.Rows[i]
		if c.Name != row.Condition || c.N != row.N || c.Failed != row.Failed || c.Right != row.Right ||
			c.Accuracy != row.Accuracy || c.Interval != row.Interval || c.Failed == 0 {
			t.Errorf("%+v, the result has %+v", c, row)
		}
		if expected += c.Expected; c.Expected != c.N+c.Failed {
			t.Errorf("%s: %d of %d debates", c.Name, c.N+c.Failed, c.Expected)
		}
	}
	if expected != p.Expected {
		t.Errorf("conditions have %d debates, the run %d", expected, p.Expected)
	}
}

// checkProgress compares what is counted with the debates that were held.
func checkProgress(p rundir.Progress, seen []trial.Outcome) error {
	failed := 0
	for _, o := range seen {
		if o.Failed() {
			failed++
		}
	}
	if p.Debates != len(seen) || p.Failed != failed ||
		len(p.Last) != min(len(seen), rundir.LastKept) {
		return fmt.Errorf("%d debates, %d failed, %d of them listed; %d were held", p.Debates, p.Failed,
			len(p.Last), len(seen))
	}
	right := 0
	for _, c := range p.Conditions {
		right += c.Right
	}
	for _, o := range seen {
		if o.Score == task.Right {
			right--
		}
	}
	if right != 0 {
		return fmt.Errorf("%d more right debates than were held", right)
	}
	if len(seen) == 0 {
		return nil
	}
	last, is := p.Last[len(p.Last)-1], seen[len(seen)-1]
	if last.Case != is.Case() || last.Condition != is.Condition || last.Score != is.Score ||
		last.Decision != is.Transcript.Decision.Answer.Text || last.Error != is.Error {
		return fmt.Errorf("the last debate is %+v, want %s, %s", last, is.Case(), is.Condition)
	}
	if !is.Failed() && !strings.Contains(last.Asked, is.Asked[:60]) {
		return fmt.Errorf("%s: asked %q, want the beginning of %q", is.Condition, last.Asked, is.Asked)
	}
	return nil
}

// TestFollowAWiderRun: debates count under the last header, and a directory that took the place of the one that was
// followed is read anew.
func TestFollowAWiderRun(t *testing.T) {
	path, run := benchtest.Finished(t)
	f := rundir.Follow(path)
	defer f.Close()
	if p, err := f.Read(); err != nil || p.Debates != len(run.Outcomes) || len(p.Last) != rundir.LastKept {
		t.Fatalf("%+v, %v, want err == nil && p.Debates == len(run.Outcomes) && len(p.Last) == rundir.LastKept",
			p.Status, err)
	}
	d, err := rundir.OpenDirectory(path)
	if err != nil {
		t.Fatal(err)
	}
	wider := run.Header
	wider.Questions++
	wider.Debates += len(wider.Conditions)
	if err := d.Begin(wider); err != nil {
		t.Fatal(err)
	}
	if p, err := f.Read(); err != nil || p.Debates != 0 || len(p.Last) != 0 || p.Expected != wider.Debates ||
		p.Conditions[0].N != 0 {
		t.Fatalf("%+v, %v, want err == nil && p.Debates == 0 && len(p.Last) == 0 && p.Expected == wider.Debates "+
			"&& p.Conditions[0].N == 0",
			p.Status, err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	other, _ := benchtest.Finished(t)
	for _, name := range []string{rundir.GenerationsFile, rundir.DebatesFile} {
		if err := os.Rename(filepath.Join(other, name), filepath.Join(path, name)); err != nil {
			t.Fatal(err)
		}
	}
	if p, err := f.Read(); err != nil || p.Debates != len(run.Outcomes) {
		t.Fatalf("%+v, %v, want err == nil && p.Debates == len(run.Outcomes)", p.Status, err)
	}
}
