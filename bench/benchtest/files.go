package benchtest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/parley-debate/parley/bench/record"
)

// BytesOf returns the contents of the files of a directory by name.
func BytesOf(t *testing.T, directory string) map[string]string {
	t.Helper()
	files, err := os.ReadDir(directory)
	if err != nil {
		t.Fatal(err)
	}
	content := make(map[string]string)
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(directory, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		content[f.Name()] = string(text)
	}
	return content
}

// WriteFrames writes lines into whole frames without hashes, as a careless forger would.
func WriteFrames(t testing.TB, path string, lines ...[]byte) {
	t.Helper()
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	var content []byte
	for _, line := range lines {
		content = encoder.EncodeAll(append(bytes.Clone(line), '\n'), content)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// WriteJournals makes a run directory of any records with valid hashes, as a careful forger would.
func WriteJournals(t testing.TB, directory string, generations, debates []any) {
	t.Helper()
	if err := os.MkdirAll(directory, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, records := range map[string][]any{"generations.jsonl.zst": generations,
		"debates.jsonl.zst": debates} {
		j, err := record.Create(filepath.Join(directory, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			if err := j.Append(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
