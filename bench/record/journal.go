// Package record keeps what a run did in journals: append-only files of JSON records in zstd frames, each record linked
// to the one before it by a hash. docs/format.md describes the files byte by byte.
//
// Lifecycle: Create or Continue opens a Journal, Append writes and syncs records, Close ends it. Read passes on the
// records, omits a torn last frame, and refuses a file that was changed; Salvage passes on whatever is intact in it.
//
// What holds: a record whose Append returned survives a loss of power. A crash can tear only the last frame, which
// Continue cuts off before anything is appended. Read passes on no record behind damage.
package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/parley-debate/parley/internal/platform"
)

// Journal is a file that grows by whole frames. Several goroutines may use it; a second Journal of the same file would
// break the hash chain, so the caller locks the directory.
type Journal struct {
	mu      sync.Mutex // guards all fields
	file    *os.File
	encoder *zstd.Encoder
	buffer  []byte // the frame being written, reused
	last    chain  // of the last record written
	extent  extent // of all records written
	end     Mark   // of the last one that Append wrote
	err     error  // the first failure; nothing is written after it, or a torn end would become damage in the middle
}

// Create makes a new journal and its directory entry durable. It overwrites no file and follows no link.
func Create(path string) (*Journal, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
	switch {
	case errors.Is(err, os.ErrExist):
		return nil, fmt.Errorf("journal %q: exists already; name another directory, or remove the file", path)
	case err != nil:
		return nil, fmt.Errorf("journal: %w", err)
	}
	SyncDirectory(filepath.Dir(path))
	return newJournal(file)
}

// SyncDirectory makes the names in a directory durable: after a loss of power, a new or renamed file is otherwise
// missing although its content was synced. Errors are ignored, because some file systems cannot sync a directory.
func SyncDirectory(path string) {
	if directory, err := os.Open(path); err == nil {
		_ = directory.Sync()
		directory.Close()
	}
}

// Continue opens a journal for appending. Like Read, it calls f with every record; then it cuts off a torn last frame
// of torn bytes. It refuses a link and a file with several hard links, because appending would change a file elsewhere.
func Continue(path string, f func(line []byte) error) (j *Journal, torn int64, err error) {
	return continueFrom(path, Mark{}, func(_ *scanner, line []byte) error { return f(line) })
}

// continueFrom is ContinueFrom that passes on the scanner instead of marks.
func continueFrom(path string, from Mark, f func(s *scanner, line []byte) error) (j *Journal, torn int64, err error) {
	file, size, err := openRegular(platform.OpenOwn, path, os.O_RDWR|os.O_APPEND)
	switch {
	case errors.Is(err, platform.ErrLink):
		return nil, 0, fmt.Errorf("journal %q: is a link, and a run continues only in its own files; replace the "+
			"link with the file",
			path)
	case err != nil:
		return nil, 0, fmt.Errorf("journal: %w", err)
	}
	s, err := newScanner(file, size)
	if err == nil {
		torn, err = s.readFrom(path, from, f)
	}
	if err == nil {
		err = checkSingleLink(file)
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
	if j, err = newJournal(file); err == nil {
		j.last, j.extent = s.last, s.extent
	}
	return j, torn, err
}

// CheckPlace refuses files at the paths of journals where nothing tells that they are such: they are not empty, none of
// them holds a whole record, and there is no file at lock, which whoever writes the journals makes first. Continue
// would take zeros, or the beginning of any zstd frame, for a torn first record, and cut it off.
func CheckPlace(lock string, journals ...string) error {
	if _, err := os.Lstat(lock); !errors.Is(err, os.ErrNotExist) {
		return nil
	}
	foreign := ""
	for _, path := range journals {
		info, err := os.Lstat(path)
		if err != nil || info.Size() == 0 || !info.Mode().IsRegular() {
			continue // Continue refuses what it cannot open
		}
		switch _, err := First(path); {
		case err == nil:
			return nil
		case errors.Is(err, io.EOF):
			foreign = path
		}
	}
	if foreign == "" {
		return nil
	}
	return fmt.Errorf("%q holds no record, and nothing tells that it is a journal of ours, so that it stays as it is: "+
		"remove it, or name another directory", foreign)
}

// checkSingleLink refuses a file with several hard links.
func checkSingleLink(file *os.File) error {
	if n := platform.Links(file); n > 1 {
		return fmt.Errorf("journal %q: the file has %d hard links, and writing would change it under every name; "+
			"replace it with a copy", file.Name(), n)
	}
	return nil
}

func newEncoder() (*zstd.Encoder, error) {
	// With one goroutine and a fixed level, equal records make equal bytes.
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault),
		zstd.WithEncoderCRC(true))
}

// newJournal wraps an open file, and closes it if there is no encoder: the caller then has nothing to close.
func newJournal(file *os.File) (*Journal, error) {
	encoder, err := newEncoder()
	if err != nil {
		file.Close()
		return nil, err
	}
	return &Journal{file: file, encoder: encoder}, nil
}

// Append writes records as one frame, each a JSON object on its own line with its hash, and syncs the file: when it
// returns nil, the records survive a loss of power. The frame is one write to the operating system, so a killed process
// leaves all of it or a torn last frame. A group that exceeds 64 MiB or is not JSON objects is refused and changes
// nothing. After a failure to write or sync, every call returns that failure.
func (j *Journal) Append(records ...any) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.write(records); err != nil {
		return err
	}
	return j.sync()
}

// write is Append without the sync. Only the caller that holds mu may call it.
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
		return fmt.Errorf("journal: %w: %w", ErrTooLarge, err)
	}
	if n, err := j.file.Write(j.buffer); err != nil {
		j.err = fmt.Errorf("journal: %d of the %d bytes of a record were written: %w; all earlier records are safe; "+
			"free some space, and run the command again", n, len(j.buffer), err)
		return j.err
	}
	if len(lines) > 0 {
		content, _, _ := unlink(lastLine(lines))
		j.end = extent.mark(j.extent.file, content, last)
	}
	j.last, j.extent = last, extent
	return nil
}

// encode returns the lines of records and the chain after the last of them.
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
		return nil, last, fmt.Errorf("journal: %w: %d records of %d bytes exceed the %d bytes of one append; append "+
			"fewer at a time", ErrTooLarge, len(records), len(lines), maxLinesBytes)
	}
	return lines, last, nil
}

// sync makes the written records durable. A failure is final: the system may have dropped the pages, and a second sync
// would report success. A file without a name is a failure too, since its records are gone when it is closed.
func (j *Journal) sync() error {
	if err := j.file.Sync(); err != nil && j.err == nil {
		j.err = fmt.Errorf("journal: records were written, but may be lost in a power failure: %w", err)
	}
	if platform.Links(j.file) == 0 && j.err == nil {
		j.err = fmt.Errorf("%w: %q was removed while it was written", ErrGone, j.file.Name())
	}
	return j.err
}

// ErrGone means that a journal's path no longer leads to its file.
var ErrGone = errors.New("the journal is gone")

// Placed returns ErrGone if the path of the journal no longer leads to its file.
func (j *Journal) Placed() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.checkPlace()
}

// checkPlace is Placed for a caller that holds mu.
func (j *Journal) checkPlace() error {
	path := j.file.Name()
	there, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrGone, err)
	}
	if own, err := j.file.Stat(); err != nil || !os.SameFile(own, there) {
		return fmt.Errorf("%w: %q is another file now", ErrGone, path)
	}
	return nil
}

// Close syncs and closes the file. It returns the first failure to write, or ErrGone if the file was moved or removed.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if errors.Is(j.err, os.ErrClosed) {
		return nil
	}
	err := j.sync()
	if err == nil {
		err = j.checkPlace()
	}
	j.encoder.Close()
	if closeErr := j.file.Close(); err == nil && closeErr != nil {
		err = fmt.Errorf("journal: %w", closeErr)
	}
	j.err = os.ErrClosed
	return err
}
