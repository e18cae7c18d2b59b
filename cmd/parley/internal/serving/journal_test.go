package serving

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/parley-debate/parley/inference/serve"
)

// TestJournalGoesOn: a journal goes on where a process was killed before or within its first record.
func TestJournalGoesOn(t *testing.T) {
	torn := []byte("\x28\xb5\x2f\xfd\x04\x00")
	for i, content := range [][]byte{nil, torn} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string][]byte{"replies.jsonl.zst": content, "parley.lock": nil} {
				if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r, err := openReplies(dir)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(r.Keep(serve.Record{Key: "k"}), r.Close()); err != nil {
				t.Error(err)
			}
			r, err = openReplies(dir)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(r.known); n != 1 {
				t.Errorf("after %q, %d replies are kept, want 1", content, n)
			}
			r.Close()
		})
	}
}
