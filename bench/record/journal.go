// Package record keeps what a run did in journals: append-only files of JSON lines in zstd frames, each linked to the
// one before by a hash. docs/format.md describes them byte by byte.
//
// Lifecycle: Create or Continue opens a Journal, Append writes and syncs one record, Close ends it. Read returns the
// records, leaves out a last one that a crash tore, and refuses a file that was changed; Salvage returns what is intact
// in such a file.
package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/klauspost/compress/zstd"
)

// Journal is a file that grows by whole frames. It may be used by several goroutines.
type Journal struct {
	mu      sync.Mutex // guards all fields
	file    *os.File
	encoder *zstd.Encoder
	buffer  []byte
	last    chain
	extent  extent
	err     error // the first failure; nothing is written after it
}

// Create makes a new journal, whose place in its directory survives a loss of power. It never overwrites one, nor what
// a link points to.
func Create(path string) (*Journal, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
	switch {
	case errors.Is(err, os.ErrExist):
		return nil, fmt.Errorf("journal %q: exists already; name another directory, or remove the file", path)
	case err != nil:
		return nil, fmt.Errorf("journal: %w", err)
	}
	SyncDirectory(filepath.Dir(path))
	return open(file)
}

// SyncDirectory makes the names in a directory durable, on file systems that can do that.
func SyncDirectory(path string) {
	if directory, err := os.Open(path); err == nil {
		_ = directory.Sync()
		directory.Close()
	}
}

// Continue opens a journal to go on with it: f is called with every record that it has, as Read does, and what a crash
// tore off its last frame is cut away, torn bytes of it. A journal that is a link, or has another name too, is refused:
// what is elsewhere stays as it is.
func Continue(path string, f func(line []byte) error) (j *Journal, torn int64, err error) {
	file, size, err := openRegular(path, os.O_RDWR|os.O_APPEND|syscall.O_NOFOLLOW|syscall.O_NONBLOCK)
	switch {
	case errors.Is(err, syscall.ELOOP):
		return nil, 0, fmt.Errorf("journal %q: is a link, and a run continues only in its own files; replace the "+
			"link with the file",
			path)
	case err != nil:
		return nil, 0, fmt.Errorf("journal: %w", err)
	}
	s, err := newScanner(file, size)
	if err == nil {
		torn, err = readAll(path, s, f)
	}
	if err == nil {
		err = alone(file)
	}
	if err == nil && torn > 0 {
		if err = file.Truncate(size - torn); err != nil {
			err = fmt.Errorf("journal %q: cut %d torn bytes: %w", path, torn, err)
		}
	}
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	if j, err = open(file); err == nil {
		j.last, j.extent = s.last, s.extent
	}
	return j, torn, err
}

// alone refuses a file with several names.
func alone(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if names := links(info); names > 1 {
		return fmt.Errorf("journal %q: the file has %d names, and writing would change it under all of them; "+
			"replace it with a copy", file.Name(), names)
	}
	return nil
}

// links is how many names a file has, 1 where the system does not say.
func links(info os.FileInfo) uint64 {
	if status, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(status.Nlink)
	}
	return 1
}

func newEncoder() (*zstd.Encoder, error) {
	// One goroutine and a fixed level: equal records are equal bytes.
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault),
		zstd.WithEncoderCRC(true))
}

func open(file *os.File) (*Journal, error) {
	encoder, err := newEncoder()
	if err != nil {
		file.Close()
		return nil, err
	}
	return &Journal{file: file, encoder: encoder}, nil
}

// Append writes records as one frame, one JSON object each on its line with its hash, in one write to the operating
// system, and has it made durable: when it returns they survive a loss of power. A group of more than 64 MiB, or one
// that is not JSON objects, is refused and leaves the journal as it was. After a failure to write every call returns
// it.
func (j *Journal) Append(records ...any) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.write(records); err != nil {
		return err
	}
	return j.sync()
}

// write is Append without durability.
func (j *Journal) write(records []any) error {
	if j.err != nil {
		return j.err
	}
	lines, last, err := encode(j.last, records)
	if err != nil {
		return err
	}
	j.buffer = j.encoder.EncodeAll(lines, j.buffer[:0])
	extent, err := j.extent.with(len(j.buffer), lines)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if n, err := j.file.Write(j.buffer); err != nil {
		j.err = fmt.Errorf("journal: %d of the %d bytes of a record were written: %w; all earlier records are safe; "+
			"free some space and resume the run", n, len(j.buffer), err)
		return j.err
	}
	j.last, j.extent = last, extent
	return nil
}

// encode makes lines of records, and gives the hash of the last one.
func encode(last chain, records []any) (lines []byte, next chain, err error) {
	for _, r := range records {
		content, err := Marshal(r)
		if err == nil {
			lines, err = last.link(lines, content)
		}
		if err != nil {
			return nil, last, fmt.Errorf("journal: record %T: %w", r, err)
		}
	}
	if len(lines) > maxLinesBytes {
		return nil, last, fmt.Errorf("journal: %d records of %d bytes exceed the %d bytes of one append; append "+
			"fewer at a time", len(records), len(lines), maxLinesBytes)
	}
	return lines, last, nil
}

// Marshal is JSON on one line, with <, > and & as they are: texts of models are full of them.
func Marshal(value any) ([]byte, error) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(line.Bytes(), []byte("\n")), nil
}

// sync has what was written made durable. After a failure nobody knows what is, so that it is final; so it is where the
// file was removed.
func (j *Journal) sync() error {
	if err := j.file.Sync(); err != nil && j.err == nil {
		j.err = fmt.Errorf("journal: records were written, but may be lost in a power failure: %w", err)
	}
	if info, err := j.file.Stat(); err == nil && links(info) == 0 && j.err == nil {
		j.err = fmt.Errorf("%w: %q was removed while it was written", ErrGone, j.file.Name())
	}
	return j.err
}

// ErrGone is the error of a journal that is not at its place any more.
var ErrGone = errors.New("the journal is gone")

// Placed is ErrGone unless the journal is still the file of its name.
func (j *Journal) Placed() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.placed()
}

func (j *Journal) placed() error {
	path := j.file.Name()
	there, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrGone, err)
	}
	if is, err := j.file.Stat(); err != nil || !os.SameFile(is, there) {
		return fmt.Errorf("%w: %q is another file now", ErrGone, path)
	}
	return nil
}

// Close syncs and closes the file. It is ErrGone if that is not at its place any more.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if errors.Is(j.err, os.ErrClosed) {
		return nil
	}
	err := j.sync()
	if err == nil {
		err = j.placed()
	}
	j.encoder.Close()
	if closeErr := j.file.Close(); err == nil && closeErr != nil {
		err = fmt.Errorf("journal: %w", closeErr)
	}
	j.err = os.ErrClosed
	return err
}
