package runner_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/internal/datatest"
)

// longRun is a comparison that takes some seconds.
func longRun(out string) []string {
	return []string{"compare", "--generated", "4", "--conditions", "madc,truth-last", "--seed", "3", "--out", out}
}

// undisturbed is such a run that has come to its end, with its result.
func undisturbed(t *testing.T) (directory string, result []byte) {
	t.Helper()
	directory, _ = parleytest.SharedRun(t, "compare", func(out string) *exec.Cmd {
		return exec.Command("parley",
			longRun(out)...)
	})
	return directory, readResult(t, directory)
}

func readResult(t *testing.T, directory string) []byte {
	t.Helper()
	return datatest.Read(t, filepath.Join(directory, "result.json"))
}

// startUntil starts a process and waits until a file has more than so many bytes.
func startUntil(t *testing.T, cmd *exec.Cmd, file string, size int64) (stderr *bytes.Buffer) {
	t.Helper()
	stderr = new(bytes.Buffer)
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	for range 30_000 {
		if info, err := os.Stat(file); err == nil && info.Size() > size {
			return stderr
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s did not grow within five minutes, want more than %d bytes", file, size)
	return nil
}

// TestInterrupted stops a run in its middle by Ctrl-C and goes on with the command that it names: the result is that of
// a run that nobody disturbed.
func TestInterrupted(t *testing.T) {
	_, want := undisturbed(t)
	out := filepath.Join(t.TempDir(), "it's stopped")
	cmd := exec.Command("parley", longRun(out)...)
	stderr := startUntil(t, cmd, filepath.Join(out, "generations.jsonl.zst"), 2000)
	cmd.Process.Signal(os.Interrupt)
	if code := parleytest.ExitCode(cmd.Wait()); code != exit.CodeInterrupted ||
		!strings.Contains(stderr.String(), "interrupted; finishing the current step") {
		t.Fatalf("an interrupted run ended with status %d, want %d and the current step finished: %s", code,
			exit.CodeInterrupted, stderr)
	}
	message := regexp.MustCompile(
		`interrupted; (\d+) generations and (\d+) debates are recorded in .*; to resume: (.*)\n$`)
	said := message.FindStringSubmatch(stderr.String())
	status, err := rundir.ReadStatus(out)
	if err != nil || said == nil || said[1] != fmt.Sprint(status.Generations) ||
		said[2] != fmt.Sprint(status.Debates) || status.Torn != 0 || status.State != rundir.StateEnded {
		t.Fatalf("an interrupted run says what it has recorded, and nothing is torn: %v, directory %+v, said\n%s", err,
			status, stderr)
	}
	if text, err := exec.Command("sh", "-c", said[3]).CombinedOutput(); err != nil {
		t.Fatalf("the command to resume, %s, failed: %v, want no error:\n%s", said[3], err, text)
	}
	if got := readResult(t, out); !bytes.Equal(got, want) || restoredIn(t, out) == 0 {
		t.Errorf("%d replies were restored\n%s\nwant\n%s", restoredIn(t, out), got, want)
	}
}

// TestInterruptedTwice ends a process at once, while it measures what a step costs and would not look at the first
// signal before that is done.
func TestInterruptedTwice(t *testing.T) {
	parleytest.NeedsLlama(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	out := filepath.Join(t.TempDir(), "run")
	cmd := exec.Command("parley", longRun(out)...)
	startUntil(t, cmd, filepath.Join(out, "parley.lock"), 0)
	cmd.Process.Signal(os.Interrupt)
	time.Sleep(20 * time.Millisecond) // two signals at the same time are one
	cmd.Process.Signal(os.Interrupt)
	if code := parleytest.ExitCode(cmd.Wait()); code != exit.CodeInterrupted {
		t.Errorf("exit %d, want %v", code, exit.CodeInterrupted)
	}
}

// TestFullDisk runs where files may only grow to half of what the journal needs: the run ends with what to do, and the
// same command ends it where they may grow, with the result of a run that had space all the time.
func TestFullDisk(t *testing.T) {
	whole, want := undisturbed(t)
	info, err := os.Stat(filepath.Join(whole, "generations.jsonl.zst"))
	if err != nil {
		t.Fatal(err)
	}
	torn := false
	for less := int64(0); less < 3 && !torn; less++ { // a limit may be where a record ends
		out := filepath.Join(t.TempDir(), "full")
		limited := exec.Command("sh", append([]string{"-c",
			fmt.Sprintf(`ulimit -f %d && exec parley "$@"`, info.Size()/2/512-less), "sh"}, longRun(out)...)...)
		text, err := limited.CombinedOutput()
		for _, part := range []string{"generations.jsonl.zst: file too large",
			"all earlier records are safe; free some space",
			" debates are recorded in " + out + "; to resume: parley compare "} {
			if parleytest.ExitCode(err) != exit.CodeFailed || !strings.Contains(string(text), part) {
				t.Fatalf("a run on a full disk ended with %v, want status %d and %q:\n%s", err, exit.CodeFailed, part,
					text)
			}
		}
		if text, err = exec.Command("parley", longRun(out)...).CombinedOutput(); err != nil {
			t.Fatalf("resuming with room on the disk failed: %v, want no error:\n%s", err, text)
		}
		torn = bytes.Contains(text, []byte("were cut off"))
		if got := readResult(t, out); !bytes.Equal(got, want) || restoredIn(t, out) == 0 {
			t.Errorf("%d replies were restored\n%s\nwant\n%s", restoredIn(t, out), got, want)
		}
	}
	if !torn {
		t.Error("no torn record is reported, want one")
	}
}

// TestGone takes the directory of a run away while it is written: the run ends with that, and says nothing of records
// that are there.
func TestGone(t *testing.T) {
	t.Parallel()
	parleytest.WarmCache(t)
	for name, take := range map[string]func(path string) error{
		"removed":  os.RemoveAll,
		"moved":    func(path string) error { return os.Rename(path, path+".old") },
		"replaced": func(path string) error { return errors.Join(os.Rename(path, path+".old"), os.Mkdir(path, 0o755)) },
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "run")
			cmd := runLines(out, "--generated", "3")
			stderr := startUntil(t, cmd, filepath.Join(out, "generations.jsonl.zst"), 2000)
			if err := take(out); err != nil {
				t.Fatal(err)
			}
			if code := parleytest.ExitCode(cmd.Wait()); code != exit.CodeFailed ||
				!strings.Contains(stderr.String(), "was removed, moved or replaced during the run") ||
				strings.Contains(stderr.String(), "are in "+out) {
				t.Errorf("%s: a run whose directory is gone ended with status %d, want %d and why: %s", name, code,
					exit.CodeFailed, stderr)
			}
		})
	}
}
