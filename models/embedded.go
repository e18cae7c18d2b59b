package models

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/parley-debate/parley/internal/platform"
)

// EmbeddedName is the name of the embedded model on the command line.
const EmbeddedName = "tiny"

// tiny is a model of 2.6M parameters, trained for this project; tiny/README.md says how, and what it can do.
//
//go:embed tiny/tiny.gguf
var tiny []byte

var tinyHash = sync.OnceValue(func() string {
	sum := sha256.Sum256(tiny)
	return hex.EncodeToString(sum[:])
})

// Embedded returns the path of the embedded model. If the file in dir is missing or differs, it is written first. An
// empty dir stands for the user's cache, or for the directory of temporary files if the cache cannot be written.
// Several processes may do this at once.
func Embedded(dir string) (path string, err error) {
	if dir != "" {
		return writeEmbedded(dir)
	}
	var errs []error
	if cache, err := os.UserCacheDir(); err == nil {
		path, err := writeEmbedded(filepath.Join(cache, "parley"))
		if err == nil {
			return path, nil
		}
		errs = append(errs, err)
	}
	path, err = writeEmbedded(filepath.Join(os.TempDir(), "parley"))
	if err != nil {
		return "", errors.Join(append(errs, err)...)
	}
	return path, nil
}

func embeddedFile() string { return "tiny-" + tinyHash()[:12] + ".gguf" }

// isEmbedded reports whether a file is the embedded model. Its name is looked at first: only a file of that name is
// hashed.
func isEmbedded(path string) bool {
	if filepath.Base(path) != embeddedFile() {
		return false
	}
	hash, err := Hash(path)
	return err == nil && hash == tinyHash()
}

// writeEmbedded writes the embedded model into a directory unless it is there, as a whole: other processes see the old
// file or the new one, never a part.
func writeEmbedded(dir string) (string, error) {
	path := filepath.Join(dir, embeddedFile())
	if isEmbedded(path) {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("the embedded model needs %d bytes of disk in %q: %w", len(tiny), dir, err)
	}
	if err := platform.WriteFile(path, tiny, 0o644); err != nil {
		return "", fmt.Errorf("the embedded model needs %d bytes of disk in %q: %w", len(tiny), dir, err)
	}
	return path, nil
}

// IsEmbeddedName reports whether a user means the embedded model.
func IsEmbeddedName(name string) bool { return name == "" || strings.EqualFold(name, EmbeddedName) }
