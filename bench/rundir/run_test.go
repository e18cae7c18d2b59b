package rundir_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestTextsAreSharedWhenRead: a reply that several debates have, and what several agents were sent, is in memory once.
func TestTextsAreSharedWhenRead(t *testing.T) {
	_, run := benchtest.Finished(t)
	places := make(map[string]map[*byte]bool)
	for _, o := range run.Outcomes {
		for _, turn := range trial.Turns(o.Transcript) {
			texts := []string{turn.Reply.Text, turn.Reply.Key}
			for _, m := range turn.Messages {
				texts = append(texts, m.Content)
			}
			for _, text := range texts {
				if places[text] == nil {
					places[text] = make(map[*byte]bool)
				}
				places[text][unsafe.StringData(text)] = true
			}
		}
	}
	for text, at := range places {
		if len(at) > 1 {
			t.Errorf("%.60q is in memory %d times, want once", text, len(at))
		}
	}
}

func TestReadRunTakesTheLastHeader(t *testing.T) {
	path, run := benchtest.Finished(t)
	if len(run.Outcomes) != 10*len(run.Header.Conditions) {
		t.Errorf("a run of 10 questions has %d debates: got %d", 10*len(run.Header.Conditions), len(run.Outcomes))
	}
	d := benchtest.OpenDirectory(t, path)
	wider := run.Header
	wider.Questions++
	if err := errors.Join(d.Begin(wider), d.Close()); err != nil {
		t.Fatal(err)
	}
	if again, err := rundir.ReadRun(path); err != nil || again.Header.Questions != wider.Questions ||
		again.Outcomes != nil {
		t.Errorf("the last header counts, with %d questions and no debate yet: got %d questions, %d debates, %v",
			wider.Questions, again.Header.Questions, len(again.Outcomes), err)
	}
	if _, err := rundir.ReadRun(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is not a run directory") {
		t.Errorf("an empty directory is refused, as \"is not a run directory\": got %v", err)
	}
}

// TestBegunTwice: a run that was killed after the generations got its header, and before the debates did, gets no
// second one there when it begins again. A wider run does.
func TestBegunTwice(t *testing.T) {
	_, run := benchtest.Finished(t)
	path := filepath.Join(t.TempDir(), "run")
	begin := func(h rundir.Header) {
		t.Helper()
		d := benchtest.OpenDirectory(t, path)
		if err := errors.Join(d.Begin(h), d.Close()); err != nil {
			t.Fatal(err)
		}
	}
	headers := func(file string) (n int) {
		t.Helper()
		if _, err := record.Read(filepath.Join(path, file), func(line []byte) error {
			n += bytes.Count(line, []byte(`"kind":"header"`))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	const generations, debates = "generations.jsonl.zst", "debates.jsonl.zst"
	begin(run.Header)
	if err := os.Remove(filepath.Join(path, debates)); err != nil {
		t.Fatal(err)
	}
	begin(run.Header)
	begin(run.Header)
	if g, d := headers(generations), headers(debates); g != 1 || d != 1 {
		t.Errorf("%d headers of generations, %d of debates; want 1 and 1", g, d)
	}
	wider := run.Header
	wider.Questions++
	begin(wider)
	if g, d := headers(generations), headers(debates); g != 2 || d != 2 {
		t.Errorf("wider: %d headers of generations, %d of debates; want 2 and 2", g, d)
	}
}

// TestFailedDebatesAreHeldAgain: a run whose failed debate goes on when it is resumed has it as it then went, and all
// others as they were, whichever it is. Another resumption adds nothing.
func TestFailedDebatesAreHeldAgain(t *testing.T) {
	_, run := benchtest.Finished(t)
	for _, failed := range []int{0, 3, len(run.Outcomes) - 1} {
		path := filepath.Join(t.TempDir(), "run")
		size := int64(0)
		for session := range 3 {
			d := benchtest.OpenDirectory(t, path)
			if err := d.Begin(run.Header); err != nil {
				t.Fatal(err)
			}
			for i, o := range run.Outcomes {
				if session == 0 && i == failed {
					o = trial.Outcome{Question: o.Question, Repeat: o.Repeat, Condition: o.Condition, Target: o.Target,
						Score: task.Failed, Error: "the server refused it"}
				}
				if err := d.Outcome(o); err != nil {
					t.Fatalf("session %d: debate %d is recorded: got %v, want no error", session, i, err)
				}
			}
			if n := d.Count(); n.Debates != len(run.Outcomes) || (n.Failed == 1) != (session == 0) {
				t.Errorf("session %d: all %d debates count, with 1 failed in session 0 alone: got %+v",
					session, len(run.Outcomes), n)
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(filepath.Join(path, "debates.jsonl.zst"))
			if err != nil || session == 2 && info.Size() != size {
				t.Fatalf("session %d: where nothing is left to do the journal keeps its %d bytes: got %+v, %v",
					session, size, info, err)
			}
			size = info.Size()
		}
		got, err := rundir.ReadRun(path)
		if err != nil || len(got.Outcomes) != len(run.Outcomes) {
			t.Fatalf("%d outcomes, %v; want %v and no error", len(got.Outcomes), err, len(run.Outcomes))
		}
		for i, o := range got.Outcomes {
			if o.Case() != run.Outcomes[i].Case() || o.Score != run.Outcomes[i].Score {
				t.Errorf("%d: %s %s, want %s %s", i, o.Case(), o.Score, run.Outcomes[i].Case(), run.Outcomes[i].Score)
			}
		}
	}
}

// TestForeignJournals: what is at the path of a journal, and no journal of a run, stays as it is; a first record that
// is torn is cut off where the lock tells that a run was begun.
func TestForeignJournals(t *testing.T) {
	from, _ := benchtest.Finished(t)
	whole := datatest.Read(t, filepath.Join(from, rundir.GenerationsFile))
	for _, content := range [][]byte{[]byte(`{"precious":1}`), make([]byte, 100), whole[:20]} {
		t.Run(fmt.Sprintf("%.20q", content), func(t *testing.T) {
			for _, name := range []string{rundir.GenerationsFile, rundir.DebatesFile} {
				path := t.TempDir()
				file := filepath.Join(path, name)
				datatest.Write(t, file, content)
				if _, err := rundir.OpenDirectory(path); err == nil || !strings.Contains(err.Error(), file) {
					t.Errorf("%q as %s is no journal, and refused with its path: got %v", content, name, err)
				}
				if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, content) {
					t.Errorf("a file that was refused stays as it was, %q: got %q, %v", content, got, err)
				}
				entries, _ := os.ReadDir(path)
				if len(entries) != 1 {
					t.Errorf("%q as %s: there is %v, want 1 of them", content, name, entries)
				}
			}
		})
	}
	path := t.TempDir()
	for name, content := range map[string][]byte{rundir.LockFile: nil, rundir.GenerationsFile: whole[:20],
		rundir.DebatesFile: nil} {
		datatest.Write(t, filepath.Join(path, name), content)
	}
	d, err := rundir.OpenDirectory(path)
	if err != nil || d.Torn != 20 {
		t.Fatalf("a torn record of 20 bytes at the end is left out: got %d bytes, %v", d.Torn, err)
	}
	if err := d.Discard(); err != nil {
		t.Error(err)
	}
}
