package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/models/stores"
)

// TestModelNamesComplete: the shell is offered the names of models that are found, and of benchmark files.
func TestModelNamesComplete(t *testing.T) {
	s := parleytest.ShelfFor(t)
	path := filepath.Join(stores.OwnDir(), "a", "b", "m-Q8_0.gguf")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	datatest.Write(t, path, s.Model)
	for line, want := range map[string]string{"debate --model ": "hf:a/b:Q8_0\n", "doctor --model ": "tiny\n",
		"similarity --model ": "hf:a/b:Q8_0\n", "data pull ": "gsm8k\tMIT\n"} {
		t.Run(line, func(t *testing.T) {
			args := append([]string{"__complete"}, strings.Split(line, " ")...)
			if code, stdout, stderr := parleytest.Ran(args...); code != 0 || !strings.Contains(stdout, want) {
				t.Errorf("%s: exit %d: %s%s, want 0 and %q in it", line, code, stdout, stderr, want)
			}
		})
	}
}
