package outfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/parley-debate/parley/internal/platform"
)

// Writable refuses a path at which no file can be written, before anything is computed for it. What is there stays as
// it is.
func Writable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a directory: name a file in it", path)
	case err == nil:
		file, err := platform.OpenStream(path)
		if err != nil {
			return err
		}
		return file.Close()
	case !errors.Is(err, os.ErrNotExist):
		return err
	}
	probe, err := os.CreateTemp(filepath.Dir(path), ".parley-*")
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, errors.Unwrap(err))
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}
