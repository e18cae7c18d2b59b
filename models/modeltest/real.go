package modeltest

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/parley-debate/parley/internal/datatest"
)

// Embedded copies the embedded model into a directory of its own, by the name that it has in caches, and returns its
// path.
func Embedded(t testing.TB) (path string) {
	t.Helper()
	content := datatest.Read(t, filepath.Join(datatest.Root(t), "models/tiny/tiny.gguf"))
	hash := sha256.Sum256(content)
	return datatest.File(t, fmt.Sprintf("tiny-%x.gguf", hash[:6]), content)
}

// The real models that tools/real-models.sh brings.
const (
	SmolLM2 = "smollm2-135m-instruct.q4_1.gguf" // SmolLM2 135M Instruct: a chat model of the architecture llama
	Gemma3  = "gemma3-270m.q4_k_m.gguf"         // Gemma 3 270M: a base model, with windows of 512 tokens
)

// Real returns the path of a real model. The test is skipped unless PARLEY_REAL names the directory with the models, as
// `make real` does: such tests take minutes.
func Real(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("PARLEY_REAL")
	if dir == "" {
		t.Skip("PARLEY_REAL names no directory with real models; make real does")
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		t.Fatal("PARLEY_REAL:", err)
	}
	return path
}
