package models_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestUnknownArchitectureIsMarked in the list, which names such models and what helps once below, and refused by
// whatever loads the file.
func TestUnknownArchitectureIsMarked(t *testing.T) {
	parleytest.NeedsLlama(t)
	t.Parallel()
	model := datatest.Read(t, parleytest.TinyFile)
	dir := t.TempDir()
	path := filepath.Join(dir, "new.gguf")
	for file, name := range map[string]string{path: "qwenX", filepath.Join(dir, "other.gguf"): "qwenY"} {
		datatest.Write(t, file, bytes.ReplaceAll(model, []byte("qwen2"), []byte(name)))
	}
	code, stdout, stderr := parleytest.Ran("models", dir)
	if code != 0 || !strings.Contains(stdout, "qwenX (unknown)") ||
		!strings.Contains(stderr, "2 of these 3 models cannot be run by this build") ||
		!strings.Contains(stderr, "new (qwenX), other (qwenY)") || strings.Count(stderr, "make build SOURCE=") != 1 {
		t.Errorf("models ended with status %d, want 0, qwenX marked and both architectures said once:\n%s%s", code,
			stdout, stderr)
	}
	code, stdout, _ = parleytest.Ran("doctor", "--model", path)
	if code != 1 || !strings.Contains(stdout, `unknown architecture "qwenX"`) ||
		!strings.Contains(stdout, " are known; parley") {
		t.Errorf("doctor of an unknown architecture ended with status %d, want 1 and what is known:\n%s", code, stdout)
	}
}
