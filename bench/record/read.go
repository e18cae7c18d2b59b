package record

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// ErrDamaged means that a journal is not as it was written; see Damage.
var ErrDamaged = errors.New("damaged journal")

// Damage is the error of a damaged journal: where the first damage is, and how much of the journal is intact.
type Damage struct {
	Path          string
	Loss                 // the first one
	Before, After int    // intact records
	Then          string // what becomes of the others; "" where the command that made the run computes them
}

// Error names the command that rescues the intact records.
func (d Damage) Error() string {
	return fmt.Sprintf("journal %q: damaged at byte %d: %v; %d records before it and %d after it are intact: parley "+
		"repair %q keeps them, and %s", d.Path, d.Offset, d.Why, d.Before, d.After, filepath.Dir(d.Path),
		cmp.Or(d.Then, "the command that made the run then computes what is missing"))
}

// Unwrap returns ErrDamaged.
func (d Damage) Unwrap() error { return ErrDamaged }

// Read calls f with every record of a journal in order, each as one line of JSON without its hash. It omits a torn last
// frame, and zeros in its place, and returns the number of these bytes. If the journal is damaged elsewhere, or a
// record does not follow from the one before it, Read passes on the records before that place and returns a Damage. An
// error of f ends it.
func Read(path string, f func(line []byte) error) (torn int64, err error) {
	file, size, err := openToRead(path)
	if err != nil {
		return 0, fmt.Errorf("journal: %w", err)
	}
	defer file.Close()
	s, err := newScanner(file, size)
	if err != nil {
		return 0, err
	}
	return readAll(path, s, f)
}

// readAll is Read of an open file. After the first damage it only counts the intact records. path is for errors.
func readAll(path string, s *scanner, f func(line []byte) error) (torn int64, err error) {
	defer s.decoder.Close()
	return readOn(path, s, f)
}

// readOn is readAll from the current offset on; the decoder stays open.
func readOn(path string, s *scanner, f func(line []byte) error) (torn int64, err error) {
	var damage *Damage
	before := 0
	torn, err = s.walk(func(content []byte) error {
		if damage != nil {
			damage.After++
			return nil
		}
		before++
		return f(content)
	}, func(l Loss) error {
		if damage == nil {
			damage = &Damage{Path: path, Loss: l, Before: before}
		}
		return nil
	})
	switch {
	case errors.Is(err, errRead), errors.Is(err, ErrVersion):
		return 0, fmt.Errorf("journal %q: %w", path, err)
	case err == nil && damage != nil:
		return 0, *damage
	}
	return torn, err
}

// Salvage calls f with every intact record of a journal and lost with every damaged part, in the order of the file. It
// accepts a journal of the previous version, whose records have no hashes, unchecked; old reports that.
func Salvage(path string, f func(line []byte) error, lost func(Loss) error) (torn int64, old bool, err error) {
	file, size, err := openToRead(path)
	if err != nil {
		return 0, false, fmt.Errorf("journal: %w", err)
	}
	defer file.Close()
	s, err := newScanner(file, size)
	if err != nil {
		return 0, false, err
	}
	s.takeOld = true
	torn, err = s.run(f, lost)
	if errors.Is(err, errRead) || errors.Is(err, ErrVersion) {
		err = fmt.Errorf("journal %q: %w", path, err)
	}
	return torn, s.old, err
}

// First returns the first intact record of a journal, of this version or the previous one; io.EOF if there is none.
func First(path string) (line []byte, err error) {
	_, _, err = Salvage(path, func(first []byte) error {
		line = first
		return errFound
	}, func(Loss) error { return nil })
	switch {
	case errors.Is(err, errFound):
		return line, nil
	case err == nil:
		return nil, io.EOF
	}
	return nil, err
}

// errFound ends the reading of First.
var errFound = errors.New("found")

// openToRead opens a regular file and returns its size. It neither accepts a pipe nor waits for somebody to write to
// it.
func openToRead(path string) (*os.File, int64, error) {
	return openRegular(os.OpenFile, path, os.O_RDONLY|syscall.O_NONBLOCK)
}

// openRegular opens a regular file by os.OpenFile or platform.OpenOwn.
func openRegular(open func(string, int, os.FileMode) (*os.File, error), path string, flags int) (
	*os.File, int64, error) {
	file, err := open(path, flags, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = fmt.Errorf("%q: is a directory; name a file in it", path)
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%q: is not a regular file", path)
	}
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, info.Size(), nil
}
