package runner_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/internal/datatest"
)

// runLines is a comparison of two conditions on eight puzzles, in a directory.
func runLines(out string, more ...string) *exec.Cmd {
	line := []string{"compare", "--conditions", "madc,truth-last", "--seed", "3", "--out", out}
	if !slices.Contains(more, "--generated") {
		line = append(line, "--generated", "8")
	}
	return exec.Command("parley", append(line, more...)...)
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
		t.Fatalf("a run ends by itself or by the signal, not by a failure: %v\n%s", err, stderr.String())
	}
	return err == nil
}

func sessionsOf(t *testing.T, directory string) (sessions []rundir.Session) {
	t.Helper()
	text := datatest.Read(t, filepath.Join(directory, "engine.json"))
	if err := json.Unmarshal(text, &sessions); err != nil {
		t.Fatal(err)
	}
	return sessions
}

func restoredIn(t *testing.T, directory string) (restored int) {
	t.Helper()
	for _, s := range sessionsOf(t, directory) {
		restored += s.Stats.Restored
	}
	return restored
}

// TestWidened: more conditions, or more puzzles, compute only what is new; other rounds, or another temperature, are
// refused.
func TestWidened(t *testing.T) {
	t.Parallel()
	parleytest.WarmCache(t)
	few := []string{"--generated", "2"}
	for _, wider := range [][]string{append(slices.Clone(few), "--conditions", "single"), {"--generated", "3"}} {
		t.Run(fmt.Sprint(wider), func(t *testing.T) {
			out, fresh := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "fresh")
			for _, cmd := range []*exec.Cmd{runLines(out, few...), runLines(out, wider...), runLines(fresh, wider...)} {
				if text, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("a run or its wider one failed: %v, want no error:\n%s", err, text)
				}
			}
			widened := datatest.Read(t, filepath.Join(out, "result.json"))
			whole, err := os.ReadFile(filepath.Join(fresh, "result.json"))
			if err != nil || !bytes.Equal(widened, whole) {
				t.Errorf("%v: %v\n%s\nwant\n%s", wider, err, widened, whole)
			}
			if restoredIn(t, out) == 0 {
				t.Errorf("%v: nothing that there was is used, want some generations restored", wider)
			}
			text, err := runLines(out, append(slices.Clone(wider), "--temperature", "0.5")...).CombinedOutput()
			if code := parleytest.ExitCode(err); code != exit.CodeUsage ||
				!bytes.Contains(text, []byte("holds another run:\n  temperature was 1 and is 0.5\n")) {
				t.Errorf("resuming with another temperature ended with status %d, want %d and what differs: %s", code,
					exit.CodeUsage, text)
			}
			text, err = runLines(out, append(slices.Clone(wider), "--rounds", "3")...).CombinedOutput()
			if code := parleytest.ExitCode(err); code != exit.CodeUsage ||
				!bytes.Contains(text, []byte("holds another run:\n  rounds was 2 and is 3\n")) {
				t.Errorf("resuming with other rounds ended with status %d, want %d and what differs: %s", code,
					exit.CodeUsage, text)
			}
		})
	}
}

// TestReasoningOfResumedRuns: a run goes on with its reasoning shown instead of hidden, which changes no prompt. It
// does not where agents would hear the reasoning of others, or no longer hear it.
func TestReasoningOfResumedRuns(t *testing.T) {
	t.Parallel()
	parleytest.WarmCache(t)
	for _, c := range []struct{ first, same, other, says string }{
		{"hide", "show", "share", "reasoning was kept from others and is shared with others"},
		{"share", "share", "hide", "reasoning was shared with others and is kept from others"},
	} {
		t.Run(c.first, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), c.first)
			for _, mode := range []string{c.first, c.same} {
				if text, err := runLines(out, "--generated", "1", "--reasoning", mode).CombinedOutput(); err != nil {
					t.Fatalf("--reasoning %s, then %s, failed: %v, want no error:\n%s", c.first, mode, err, text)
				}
			}
			if sessions := sessionsOf(t, out); len(sessions) > 1 && sessions[1].Stats.Generations > 0 {
				t.Errorf("--reasoning %s, then %s, computed anew, want nothing generated: %+v", c.first, c.same,
					sessions[1].Stats)
			}
			text, err := runLines(out, "--generated", "1", "--reasoning", c.other).CombinedOutput()
			if code := parleytest.ExitCode(err); code != exit.CodeUsage ||
				!bytes.Contains(text, []byte("holds another run:\n  "+c.says+"\n")) {
				t.Errorf("--reasoning %s, then %s, ended with status %d, want %d and %q: %s", c.first, c.other, code,
					exit.CodeUsage, c.says, text)
			}
		})
	}
}
