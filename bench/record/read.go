package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// ErrDamaged is the error of a journal that is not as it was written, see Damage.
var ErrDamaged = errors.New("damaged journal")

// Damage says where a journal is damaged first, and what of it is intact.
type Damage struct {
	Path          string
	Loss              // the first one
	Before, After int // intact records
}

// Error names the command that keeps what is intact.
func (d Damage) Error() string {
	return fmt.Sprintf("journal %q: damaged at byte %d: %v; %d records before it and %d after it are intact: parley "+
		"repair %q keeps them, and the command that made the run then computes what is missing",
		d.Path, d.Offset, d.Why, d.Before, d.After, filepath.Dir(d.Path))
}

// Unwrap makes it ErrDamaged.
func (d Damage) Unwrap() error { return ErrDamaged }

// Read calls f with every record of a journal, one line of JSON each without its hash, in order. A frame at the end
// that a crash tore is left out, as are zeros there, and their bytes are returned. A frame that is damaged elsewhere,
// or a record that does not follow from the one before it, is a Damage, after all records before it. An error of f ends
// the reading.
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

// readAll is Read of a file that is open; path is for errors.
func readAll(path string, s *scanner, f func(line []byte) error) (torn int64, err error) {
	var damage *Damage
	before := 0
	torn, err = s.run(func(content []byte) error {
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

// Salvage calls f with every record of a journal that is intact, whatever is between them, and lost with what is not.
// Records of the version before this one, which have no hashes, are taken as they are; old says that there are such.
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

// First is the first record of a journal that is intact, of this version or the one before it; io.EOF if there is none.
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

var errFound = errors.New("found")

// openToRead opens what has to be a file: what waits for somebody to write into it is none.
func openToRead(path string) (*os.File, int64, error) {
	return openRegular(path, os.O_RDONLY|syscall.O_NONBLOCK)
}

func openRegular(path string, flags int) (*os.File, int64, error) {
	file, err := os.OpenFile(path, flags, 0)
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

// WithoutTimes drops the fields "ms" and "time" of a record, at any depth, and others that are named: what is left is
// equal in two runs of the same experiment on the same machine and build. Keys come back sorted.
func WithoutTimes(line []byte, others ...string) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("record: more than one JSON value in a line of %d bytes", len(line))
	}
	return Marshal(without(value, append(others, "ms", "time")))
}

func without(value any, names []string) any {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range names {
			delete(v, name)
		}
		for key, inner := range v {
			v[key] = without(inner, names)
		}
	case []any:
		for i, inner := range v {
			v[i] = without(inner, names)
		}
	}
	return value
}
