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
		t.Errorf("an empty directory is refused as \"is not a run directory\": got %v", err)
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
			t.Errorf("a run under way is running, with a lock: got %s, locked %v", p.State, p.Locked)
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
		t.Fatalf("a run that ended is finished and has no lock: got %s, locked %v, %v", p.State, p.Locked, err)
	}
	if err := checkProgress(p, seen); err != nil {
		t.Fatal(err)
	}
	run := benchtest.ReadRun(t, path)
	if p.Debates != len(run.Outcomes) || p.Expected != p.Debates {
		t.Errorf("at the end all %d debates of the result are there: got %d of %d",
			len(run.Outcomes), p.Debates, p.Expected)
	}
	tokens := 0
	if _, err := rundir.EachGeneration(path, func(_ rundir.Header, g rundir.Generation) {
		tokens += g.Reply.Tokens
	}); err != nil || p.Count.Tokens != tokens {
		t.Errorf("%d tokens, want %d (%v)", p.Count.Tokens, tokens, err)
	}
	status, err := rundir.ReadStatus(path)
	if err != nil || status.Debates != p.Debates || status.Generations != p.Generations || status.Bytes != p.Bytes ||
		status.State != p.State || status.Failed != p.Failed {
		t.Errorf("status and progress say the same: got %+v and %+v, %v", status, p.Status, err)
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
	if p.Debates != len(seen) || p.Failed != failed {
		return fmt.Errorf("%d debates, %d failed; %d were held, of which %d failed", p.Debates, p.Failed, len(seen),
			failed)
	}
	return nil
}

// TestFollowAWiderRun: debates count under the last header, and a directory that took the place of the one that was
// followed is read anew.
func TestFollowAWiderRun(t *testing.T) {
	path, run := benchtest.Finished(t)
	f := rundir.Follow(path)
	defer f.Close()
	if p, err := f.Read(); err != nil || p.Debates != len(run.Outcomes) {
		t.Fatalf("%+v, %v, want %d debates", p.Status, err, len(run.Outcomes))
	}
	d := benchtest.OpenDirectory(t, path)
	wider := run.Header
	wider.Questions++
	wider.Debates += len(wider.Conditions)
	if err := d.Begin(wider); err != nil {
		t.Fatal(err)
	}
	if p, err := f.Read(); err != nil || p.Debates != 0 || p.Expected != wider.Debates {
		t.Fatalf("%+v, %v, want none of %d debates", p.Status, err, wider.Debates)
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
		t.Fatalf("a wider run is followed to its last debate: got %+v, %v, want %d debates", p.Status, err,
			len(run.Outcomes))
	}
}
