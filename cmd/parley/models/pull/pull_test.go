package pull_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/models/stores"
)

// TestPullKilled kills a download by SIGKILL, and interrupts another one. What goes on asks for the rest only, and ends
// with the same bytes.
func TestPullKilled(t *testing.T) {
	for _, kill := range []syscall.Signal{syscall.SIGKILL, syscall.SIGINT} {
		t.Run(kill.String(), func(t *testing.T) {
			s := parleytest.ShelfFor(t)
			const pause = 3_000_000
			s.Pause(pause)
			path := filepath.Join(stores.OwnDir(), "parley", "tiny", "tiny-f16.gguf")
			cmd := exec.Command("parley", "models", "pull", "hf:parley/tiny")
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for arrived := int64(0); arrived < int64(pause); time.Sleep(5 * time.Millisecond) {
				if part, err := os.Stat(path + ".part"); err == nil {
					arrived = part.Size()
				}
			}
			_ = cmd.Process.Signal(kill)
			err := cmd.Wait()
			says := "2.9 MiB have arrived and are kept in " + path + ".part; to go on: " +
				"parley models pull hf:parley/tiny\n"
			if kill == syscall.SIGINT && (cmd.ProcessState.ExitCode() != exit.CodeInterrupted ||
				!strings.Contains(stderr.String(), says)) {
				t.Errorf("a download that SIGINT stops ends with %d and says %q: %v, got %s", exit.CodeInterrupted,
					says, err, stderr.String())
			}
			if _, err := os.Stat(path); !os.IsNotExist(err) {
				t.Fatalf("half a file has its name (%v), want none of that name yet", err)
			}
			s.Pause(0)
			code, stdout, said := parleytest.Ran("models", "pull", "hf:parley/tiny")
			got, err := os.ReadFile(path)
			if code != 0 || err != nil || !bytes.Equal(got, s.Model) || !strings.Contains(stdout, "as announced") {
				t.Errorf("a pull that goes on ended with status %d and %d bytes (%v), want 0 and the model as "+
					"announced:\n%s%s", code, len(got), err, stdout, said)
			}
			if ranges, sent := s.Asked(); len(ranges) != 1 || ranges[0] != "bytes=3000000-" ||
				sent != len(s.Model)-pause {
				t.Errorf("asked for %q and got %d bytes, want one range from 3000000 on and %d bytes", ranges, sent,
					len(s.Model)-pause)
			}
		})
	}
}
