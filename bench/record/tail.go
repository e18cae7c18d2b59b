package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// ErrReplaced means that a journal is no longer the file whose records a Tail has passed on: a repair or another run
// took its place. A new Tail reads it from the beginning.
var ErrReplaced = errors.New("the journal was replaced")

// Tail reads a journal that another process is writing. It takes no lock. Close it after use.
//
// Each Read passes on the records that were added since the one before, and checks that they follow from those. A frame
// that is being written is torn until it is complete, and is passed on by a later Read. After an error other than
// ErrNotExist, a Tail has nothing more to say.
type Tail struct {
	path    string
	scanner *scanner    // it is nil before the file existed
	is      os.FileInfo // of the file when it was last read
	torn    int64
}

// NewTail returns the tail of a journal, which need not exist yet.
func NewTail(path string) *Tail { return &Tail{path: path} }

// Size returns the size of the journal when it was last read, in bytes.
func (t *Tail) Size() int64 {
	if t.is == nil {
		return 0
	}
	return t.is.Size()
}

// Modified returns when the journal was last written before it was last read; zero if it did not exist.
func (t *Tail) Modified() time.Time {
	if t.is == nil {
		return time.Time{}
	}
	return t.is.ModTime()
}

// Read calls f with the records since the last Read, as the function Read does with those of a whole journal, and with
// the same errors. torn is the number of bytes of the last frame that are no record yet.
func (t *Tail) Read(f func(line []byte) error) (torn int64, err error) {
	file, _, err := openToRead(t.path)
	switch {
	case errors.Is(err, os.ErrNotExist) && t.is != nil:
		return 0, fmt.Errorf("journal %q: %w", t.path, ErrReplaced)
	case err != nil:
		return 0, fmt.Errorf("journal: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return 0, fmt.Errorf("journal: %w", err)
	}
	if t.is != nil {
		switch {
		case !os.SameFile(t.is, info), info.Size() < t.scanner.offset:
			return 0, fmt.Errorf("journal %q: %w", t.path, ErrReplaced)
		case info.Size() == t.is.Size() && info.ModTime().Equal(t.is.ModTime()):
			return t.torn, nil
		}
	}
	if t.scanner == nil {
		if t.scanner, err = newScanner(nil, 0); err != nil {
			return 0, err
		}
	}
	t.is = info
	t.torn, err = t.readFrom(file, info.Size(), f)
	return t.torn, err
}

func (t *Tail) readFrom(file io.ReaderAt, size int64, f func(line []byte) error) (torn int64, err error) {
	t.scanner.file, t.scanner.size, t.scanner.tried = file, size, 0
	t.scanner.seek(t.scanner.offset)
	return readOn(t.path, t.scanner, f)
}

// Close frees the decoder.
func (t *Tail) Close() {
	if t.scanner != nil {
		t.scanner.decoder.Close()
	}
}
