package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/parley-debate/parley/internal/outfile"
)

// Rewrite has copy write a new journal, and renames it to the path of a damaged one. The damaged file gets another name
// first, durably, which is returned: whenever the machine stops, the path leads to the damaged journal or to the
// complete new one, and the damaged one is not lost. What was killed is repeated by the next call.
func Rewrite(path string, copy func(to *Journal) error) (backup string, err error) {
	fresh := path + ".repaired"
	left := outfile.Kind{Name: "journal of a repair that was killed", Ours: begun}
	if err := outfile.Check(outfile.File{Kind: left, Path: fresh}); err != nil {
		return "", err
	}
	if err := os.Remove(fresh); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	to, err := Create(fresh)
	if err != nil {
		return "", err
	}
	err = errors.Join(copy(to), to.Close())
	if err == nil {
		backup, err = keepDamaged(path)
	}
	if err == nil {
		SyncDirectory(filepath.Dir(path))
		err = os.Rename(fresh, path)
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(fresh))
	}
	SyncDirectory(filepath.Dir(path))
	return backup, nil
}

// keepDamaged gives a file a second name and returns it.
func keepDamaged(path string) (string, error) {
	for i := 1; ; i++ {
		name := path + ".damaged"
		if i > 1 {
			name += fmt.Sprintf("-%d", i)
		}
		switch err := os.Link(path, name); {
		case err == nil || sameFile(path, name): // linked by a killed repair
			return name, nil
		case !errors.Is(err, os.ErrExist):
			return "", fmt.Errorf("keep the damaged journal: %w", err)
		}
	}
}

// sameFile reports whether two paths lead to one file.
func sameFile(a, b string) bool {
	one, err := os.Lstat(a)
	if err != nil {
		return false
	}
	other, err := os.Lstat(b)
	return err == nil && os.SameFile(one, other)
}
