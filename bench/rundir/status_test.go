package rundir_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/rundir"
)

// TestStatus looks at a run before, while and after it is written.
func TestStatus(t *testing.T) {
	path, run := benchtest.Finished(t)
	s, err := rundir.ReadStatus(path)
	if err != nil || s.State != rundir.StateFinished || s.Process != "" || s.Debates != len(run.Outcomes) ||
		s.Expected != s.Debates || s.Generations == 0 || s.Bytes == 0 || s.Torn != 0 {
		t.Fatalf("a finished run has all its %d debates, and no process: got %+v, %v", len(run.Outcomes), s, err)
	}
	d := benchtest.OpenDirectory(t, path)
	defer d.Close()
	wider := run.Header
	wider.Questions++
	wider.Debates += len(wider.Conditions)
	if err := d.Begin(wider); err != nil {
		t.Fatal(err)
	}
	tear(t, filepath.Join(path, "debates.jsonl.zst"))
	if s, err = rundir.ReadStatus(path); err != nil || s.State != rundir.StateRunning ||
		!strings.HasPrefix(s.Process, "process ") ||
		s.Debates != 0 || s.Expected != 11*len(run.Header.Conditions) || s.Torn != 5 {
		t.Errorf("a run under way has a process, none of %d debates and a torn record of 5 bytes: got %+v, %v",
			11*len(run.Header.Conditions), s, err)
	}
	var out strings.Builder
	if err := s.Write(&out, s.Written.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"running, by process ", "done     0 of 176 debates", "(1 minute ago)",
		"torn     5 bytes", "model    script"} {
		t.Run(text, func(t *testing.T) {
			if !strings.Contains(out.String(), text) {
				t.Errorf("the status has %q: got\n%s", text, out.String())
			}
		})
	}
	d.Close()
	if s, err = rundir.ReadStatus(path); err != nil || s.State != rundir.StateEnded {
		t.Errorf("a run whose process is gone has ended: got %s, %v", s.State, err)
	}
}

// tear leaves the beginning of a frame at the end of a journal.
func tear(t *testing.T, path string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write([]byte{0x28, 0xB5, 0x2F, 0xFD, 0x24}); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestStatusOfABeginning(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	d := benchtest.OpenDirectory(t, path)
	defer d.Close()
	s, err := rundir.ReadStatus(path)
	if err != nil || s.State != rundir.StateRunning || s.Header != nil || s.Expected != 0 {
		t.Fatalf("a run that begins is running, without a header and a number of debates: got %+v, %v", s, err)
	}
	if err := s.Write(io.Discard, time.Now()); err != nil {
		t.Error(err)
	}
	if _, err := rundir.ReadRun(path); err == nil || !strings.Contains(err.Error(), "no run has begun") {
		t.Errorf("a directory whose run has not begun is refused, as \"no run has begun\": got %v", err)
	}
	if _, err := rundir.ReadStatus(t.TempDir()); err == nil ||
		!strings.Contains(err.Error(), "is not a run directory") {
		t.Errorf("an empty directory is refused, as \"is not a run directory\": got %v", err)
	}
	if _, err := rundir.ReadStatus(filepath.Join(path, "none")); err == nil {
		t.Error("a directory that does not exist has a status, want an error")
	}
}

// TestStatusWhileWritten looks at a run again and again while debates are recorded: never an error, and never fewer
// than before.
func TestStatusWhileWritten(t *testing.T) {
	path, run := benchtest.Finished(t)
	d := benchtest.OpenDirectory(t, path)
	defer d.Close()
	wider := run.Header
	wider.Questions += 100
	wider.Debates += 100 * len(wider.Conditions)
	if err := d.Begin(wider); err != nil {
		t.Fatal(err)
	}
	written, seen := make(chan error, 1), make(chan bool)
	go func() {
		var err error
		for i := 0; i < 5*len(run.Outcomes) && err == nil; i++ {
			if i > 0 && i%len(run.Outcomes) == 0 {
				<-seen
			}
			o := run.Outcomes[i%len(run.Outcomes)]
			o.Repeat = i / len(run.Outcomes)
			err = d.Outcome(o)
		}
		written <- err
	}()
	between, told := 0, 0 // readings that saw a part; debates in that of which the writer knows
	for before, done := 0, false; !done; {
		select {
		case err := <-written:
			if done = true; err != nil {
				t.Fatal(err)
			}
		default:
		}
		s, err := rundir.ReadStatus(path)
		if err != nil || s.Debates < before || s.State != rundir.StateRunning ||
			done && s.Debates != 5*len(run.Outcomes) {
			t.Fatalf("a run that is written has no fewer debates than before, %d, is running, and has all at the "+
				"end (%t): got %+v, %v", before, done, s, err)
		}
		if s.Debates > before && !done {
			between++
		}
		if s.Debates > told {
			select {
			case seen <- true:
				told = s.Debates
			default:
			}
		}
		before = s.Debates
	}
	if between < 4 {
		t.Errorf("4 readings or more see something new while it is written: got %d", between)
	}
}
