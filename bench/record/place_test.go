package record

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/internal/datatest"
)

// TestCheckPlace: a file that holds no record may be anybody's, unless a lock or another journal tells that journals
// were written beside it.
func TestCheckPlace(t *testing.T) {
	from, _ := write(t)
	whole := datatest.Read(t, from)
	torn := whole[:20]
	for name, c := range map[string]struct {
		journal, beside, lock []byte // nil is no file
		refused               bool
	}{
		"nothing":           {},
		"empty":             {journal: []byte{}},
		"whole":             {journal: whole},
		"whole, then torn":  {journal: append(bytes.Clone(whole), torn...)},
		"text":              {journal: []byte(`{"precious":1}`), refused: true},
		"zeros":             {journal: make([]byte, 100), refused: true},
		"another's frame":   {journal: append(bytes.Clone(frameMagic), "\x04\x00precious"...), refused: true},
		"torn":              {journal: torn, refused: true},
		"torn, with a lock": {journal: torn, lock: []byte{}},
		"torn, with others": {journal: torn, beside: whole},
		"two that are torn": {journal: torn, beside: torn, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			at := func(file string) string { return filepath.Join(dir, file) }
			for file, content := range map[string][]byte{"journal": c.journal, "beside": c.beside, "lock": c.lock} {
				if content == nil {
					continue
				}
				datatest.Write(t, at(file), content)
			}
			err := CheckPlace(at("lock"), at("journal"), at("beside"))
			if (err != nil) != c.refused || err != nil && !strings.Contains(err.Error(), dir) {
				t.Errorf("%s: refused %v, want %v, with the place %s: %v", name, err != nil, c.refused, dir, err)
			}
			if got, _ := os.ReadFile(at("journal")); !bytes.Equal(got, c.journal) {
				t.Errorf("%s: a journal in a place that is refused stays as it was: got %q, want %q",
					name, got, c.journal)
			}
		})
	}
}
