// Package record keeps what a run did: append-only files of JSON lines in zstd frames. docs/format.md describes them byte
// by byte.
//
// Lifecycle: Create or Continue, Append as things happen, Close. Read gives the records back, and cuts off what a crash tore.
package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Journal is a file that grows by whole frames. It may be used by several goroutines.
type Journal struct {
	mu      sync.Mutex // guards all fields
	file    *os.File
	encoder *zstd.Encoder
	buffer  []byte
	err     error // the first failure; nothing is written after it
}

// Create makes a new journal, whose place in its directory survives a loss of power. It never overwrites one.
func Create(path string) (*Journal, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
	switch {
	case errors.Is(err, os.ErrExist):
		return nil, fmt.Errorf("journal %q: is already there; name another directory, or remove it", path)
	case err != nil:
		return nil, fmt.Errorf("journal: %w", err)
	}
	syncDirectory(filepath.Dir(path))
	return open(file)
}

// syncDirectory makes the names in a directory durable, on file systems that can do that.
func syncDirectory(path string) {
	if directory, err := os.Open(path); err == nil {
		_ = directory.Sync()
		directory.Close()
	}
}

// Continue opens a journal to go on with it: f is called with every record that it has, as Read does, and what a crash tore off its last
// frame is cut away, torn bytes of it.
func Continue(path string, f func(line []byte) error) (j *Journal, torn int64, err error) {
	if torn, err = Read(path, f); err != nil {
		return nil, 0, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, 0, fmt.Errorf("journal: %w", err)
	}
	if torn > 0 {
		size, err := file.Seek(0, io.SeekEnd)
		if err == nil {
			err = file.Truncate(size - torn)
		}
		if err != nil {
			file.Close()
			return nil, 0, fmt.Errorf("journal %q: cut %d torn bytes: %w", path, torn, err)
		}
	}
	j, err = open(file)
	return j, torn, err
}

func newEncoder() (*zstd.Encoder, error) {
	// One goroutine and a fixed level: equal records are equal bytes.
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderCRC(true))
}

func open(file *os.File) (*Journal, error) {
	encoder, err := newEncoder()
	if err != nil {
		file.Close()
		return nil, err
	}
	return &Journal{file: file, encoder: encoder}, nil
}

// Append writes records as one frame, one line of JSON each, in one write to the operating system, and has it made durable: when it returns
// they survive a loss of power. A group of more than 64 MiB, or one that is not JSON, is refused and leaves the journal as it was. After a
// failure to write every call returns it.
func (j *Journal) Append(records ...any) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return j.err
	}
	lines, err := encode(records)
	if err != nil {
		return err
	}
	j.buffer = j.encoder.EncodeAll(lines, j.buffer[:0])
	if n, err := j.file.Write(j.buffer); err != nil {
		j.err = fmt.Errorf("journal: %d of the %d bytes of a record were written: %w; all records before it are safe; free space there, then go on with the run", n, len(j.buffer), err)
		return j.err
	}
	return j.sync()
}

// encode makes lines of records.
func encode(records []any) (lines []byte, err error) {
	for _, r := range records {
		line, err := marshal(r)
		if err != nil {
			return nil, fmt.Errorf("journal: record %T: %w", r, err)
		}
		lines = append(append(lines, line...), '\n')
	}
	if len(lines) > maxLinesBytes {
		return nil, fmt.Errorf("journal: %d records of %d bytes, at most %d go into one append; append fewer at a time", len(records), len(lines), maxLinesBytes)
	}
	return lines, nil
}

// marshal is JSON on one line, with <, > and & as they are: texts of models are full of them.
func marshal(value any) ([]byte, error) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(line.Bytes(), []byte("\n")), nil
}

// sync has what was written made durable. After a failure nobody knows what is, so that it is final.
func (j *Journal) sync() error {
	if err := j.file.Sync(); err != nil && j.err == nil {
		j.err = fmt.Errorf("journal: records are written, but not safe from a loss of power: %w", err)
	}
	return j.err
}

// Close syncs and closes the file.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if errors.Is(j.err, os.ErrClosed) {
		return nil
	}
	err := j.sync()
	j.encoder.Close()
	if closeErr := j.file.Close(); err == nil && closeErr != nil {
		err = fmt.Errorf("journal: %w", closeErr)
	}
	j.err = os.ErrClosed
	return err
}
