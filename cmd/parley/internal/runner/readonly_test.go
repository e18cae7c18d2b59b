//go:build !windows

package runner_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestReadOnlyDirectory is refused before a model is looked for, also where the files in it could be written.
func TestReadOnlyDirectory(t *testing.T) {
	parley, parent := reachable(t)
	closed := filepath.Join(parent, "closed")
	if err := os.Mkdir(closed, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"parley.lock", "generations.jsonl.zst", "debates.jsonl.zst"} {
		if err := os.WriteFile(filepath.Join(closed, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(closed, name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(closed, 0o555); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{closed, filepath.Join(closed, "below"),
		filepath.Join(closed, "parley.lock", "below")} {
		t.Run(fmt.Sprintf("%.60s", out), func(t *testing.T) {
			cmd := exec.Command(parley, "compare", "--generated", "2", "--model", "nowhere.gguf", "--out", out)
			if os.Geteuid() == 0 { // may write everywhere
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			}
			text, err := cmd.CombinedOutput()
			if code := parleytest.ExitCode(err); code != exit.CodeUsage || !strings.Contains(string(text),
				"run directory") ||
				!strings.Contains(string(text), "name another one") {
				t.Errorf("a directory %s that cannot be written ended with status %d (%v), want %d and to name "+
					"another one: %s", out, code, err, exit.CodeUsage, text)
			}
		})
	}
}

// reachable is a copy of the program where any user can run it, and the directory in which it is.
func reachable(t *testing.T) (program, directory string) {
	t.Helper()
	directory, err := os.MkdirTemp("", "parley")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		os.Chmod(filepath.Join(directory, "closed"), 0o755)
		os.RemoveAll(directory)
	})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text := datatest.Read(t, self)
	program = filepath.Join(directory, "parley") // by this name a test binary is the program, see TestMain
	if err := os.WriteFile(program, text, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(directory, 0o755); err != nil {
		t.Fatal(err)
	}
	return program, directory
}
