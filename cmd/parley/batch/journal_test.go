package batch_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestForeignJournal: serve and batch keep their replies in no file that somebody else has written.
func TestForeignJournal(t *testing.T) {
	torn := []byte("\x28\xb5\x2f\xfd\x04\x00")
	requests := datatest.File(t, "requests.jsonl", batchLines(1))
	for _, content := range [][]byte{[]byte(`{"precious":1}`), make([]byte, 100), torn} {
		t.Run(fmt.Sprintf("%.20q", content), func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "replies.jsonl.zst")
			datatest.Write(t, file, content)
			for _, command := range []string{"serve", "batch --in " + requests} {
				code, _, stderr := parleytest.Ran(append(strings.Fields(command), "--journal", dir)...)
				if code != exit.CodeInput || !strings.Contains(stderr, file) {
					t.Errorf("%s: exit %d: %s, want %v and %q in it", command, code, stderr, exit.CodeInput, file)
				}
			}
			if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, content) {
				t.Errorf("a foreign file of %q is now %q (%v), want it as it was", content, got, err)
			}
		})
	}
}
