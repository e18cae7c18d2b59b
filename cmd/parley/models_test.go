package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnknownArchitectureIsMarked in the list, and refused by whatever loads the file.
func TestUnknownArchitectureIsMarked(t *testing.T) {
	needsLlama(t)
	t.Parallel()
	model, err := os.ReadFile(tinyFile)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "new.gguf")
	if err := os.WriteFile(path, bytes.ReplaceAll(model, []byte("qwen2"), []byte("qwenX")), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := ran("models", dir)
	if code != 0 || !strings.Contains(stdout, "qwenX (unknown)") ||
		!strings.Contains(stderr, `unknown architecture "qwenX"`) || !strings.Contains(stderr, "make llama SOURCE=") {
		t.Errorf("models: exit %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, _ = ran("doctor", "--model", path)
	if code != 1 || !strings.Contains(stdout, `unknown architecture "qwenX"`) ||
		!strings.Contains(stdout, " are known; parley") {
		t.Errorf("doctor: exit %d\n%s", code, stdout)
	}
}
