package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMeter measures what a journal of the same records is, to the byte.
func TestMeter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewMeter()
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range [][]any{{item{}}, {map[string]int{"a": 1}, item{Text: strings.Repeat("<&>", 1000)}},
		{item{N: 3}}} {
		if err := j.Append(group...); err != nil {
			t.Fatal(err)
		}
		if err := m.Append(group...); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() != m.Bytes() {
		t.Errorf("as many bytes are measured as are written, %d: got %d", info.Size(), m.Bytes())
	}
	if err := m.Append(func() {}); err == nil {
		t.Error("a function was measured, want an error")
	}
}
