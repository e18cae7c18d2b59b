// Package outfile writes the files that people name: each whole or not at all, and only where nothing is lost by it. At
// its path there is nothing yet, or an earlier file of the same kind; whatever else is there stays as it is.
package outfile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"

	"github.com/parley-debate/parley/internal/platform"
)

// Kind is a kind of files that the program writes, and may write again.
type Kind struct {
	Name string // as in "is no report"
	// Ours reports whether a file is of the kind. It reads from the beginning; nil is a kind of which each file is new.
	Ours func(file *os.File) bool
	// Sure reports whether a file of the kind tells that others were written with it; nil is a kind that does not.
	Sure func(file *os.File) bool
}

// openingBytes is how much of a file Opening looks at.
const openingBytes = 4096

// Opening recognizes files by their first bytes, up to 4,096 of them.
func Opening(pattern string) func(file *os.File) bool {
	opening := regexp.MustCompile(`^(?:` + pattern + `)`)
	return func(file *os.File) bool {
		start, err := io.ReadAll(io.LimitReader(file, openingBytes))
		return err == nil && opening.Match(start)
	}
}

// File is a file to be written.
type File struct {
	Kind
	Path string
}

// Foreign is the error of a path at which there is a file of another kind.
type Foreign struct{ File }

// Error says what to do.
func (f Foreign) Error() string {
	return fmt.Sprintf("%s exists and is no %s, so that it stays as it is: remove it, or name another file", f.Path,
		f.Name)
}

// Check refuses paths at which something else is than an earlier output of the same kind; empty files, pipes and
// devices have nothing to lose. Of files that are written together, the first tells whether the others are of an
// earlier output, or one that is sure: without these, none of them may be there.
func Check(files ...File) error {
	earlier := slices.ContainsFunc(files, File.sure)
	for i, f := range files {
		if i > 0 && !earlier {
			f.Ours = nil
		}
		there, err := f.check()
		if err != nil {
			return err
		}
		earlier = earlier || i == 0 && there
	}
	return nil
}

// sure reports whether the file tells that others were written with it.
func (f File) sure() bool {
	if f.Sure == nil {
		return false
	}
	f.Ours = f.Sure
	there, err := f.check()
	return there && err == nil
}

// check reports whether an earlier file of the kind is there, or refuses what is there.
func (f File) check() (there bool, err error) {
	info, err := os.Stat(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case info.IsDir():
		return false, fmt.Errorf("%s is a directory: name a file in it", f.Path)
	case !info.Mode().IsRegular() || info.Size() == 0:
		return false, nil
	case f.Ours == nil:
		return false, Foreign{f}
	}
	file, err := os.Open(f.Path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	if !f.Ours(file) {
		return false, Foreign{f}
	}
	return true, nil
}

// Create begins a file that CloseAtomicallyReplace gives its path. It refuses what Check refuses, and what is no
// regular file.
func (f File) Create() (*platform.Pending, error) {
	if err := Check(f); err != nil {
		return nil, err
	}
	if f.stream() {
		return nil, fmt.Errorf("%s is no regular file: name another one", f.Path)
	}
	file, err := platform.Replace(f.Path, false)
	if err != nil { // the name in it is that of a temporary file
		return nil, fmt.Errorf("%s cannot be written: %w", f.Path, cmp.Or(errors.Unwrap(err), err))
	}
	return file, nil
}

// Write writes a file. It refuses what Check refuses, and writes into a device, or a pipe that somebody reads.
func (f File) Write(content []byte) (err error) {
	if f.stream() {
		stream, err := platform.OpenStream(f.Path)
		if err != nil {
			return err
		}
		_, err = stream.Write(content)
		return errors.Join(err, stream.Close())
	}
	return f.Fill(func(out io.Writer) error {
		_, err := out.Write(content)
		return err
	})
}

// Fill writes a file as its content comes, whole or not at all. It refuses what Create refuses.
func (f File) Fill(write func(out io.Writer) error) error {
	file, err := f.Create()
	if err != nil {
		return err
	}
	defer file.Cleanup()
	if err := write(file); err != nil {
		return err
	}
	return file.CloseAtomicallyReplace()
}

// stream reports whether there is a pipe or a device at the path.
func (f File) stream() bool {
	info, err := os.Stat(f.Path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// Remove removes an earlier file of the kind, if there is one. It refuses what Check refuses.
func (f File) Remove() error {
	if there, err := f.check(); !there || err != nil {
		return err
	}
	return os.Remove(f.Path)
}
