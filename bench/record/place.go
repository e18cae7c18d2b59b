package record

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
)

// Place is where a journal has a record: PlaceReader finds it there without reading what is before it.
type Place struct {
	Offset int64  // of its frame
	Sum    uint64 // of the record and all before it: a hash, which no other record has, there or in another journal
}

// Mark is a Place, and how large the records of a journal are up to the end of that frame; ContinueFrom goes on there.
type Mark struct {
	Place
	Lines, Objects int64
}

// ErrMoved means that a journal does not have a record at its place.
var ErrMoved = errors.New("the record is not at its place")

// sum returns the Sum of a record, which its own hash follows in the journal.
func sum(content []byte, hash chain) uint64 {
	both := hash.after(content)
	return binary.LittleEndian.Uint64(both[:])
}

// PlaceReader reads single records of a journal. Several goroutines may use it, and another one may append.
type PlaceReader struct {
	file    io.ReaderAt
	decoder *zstd.Decoder // one at a time, since a frame may become large
}

// NewPlaceReader returns a reader of an open journal, which stays the caller's.
func NewPlaceReader(file io.ReaderAt) (*PlaceReader, error) {
	decoder, err := newDecoder()
	return &PlaceReader{file, decoder}, err
}

// Read returns the record at a place, or ErrMoved: whatever it returns is what was written there.
func (r *PlaceReader) Read(at Place) (line []byte, err error) {
	s := scanner{file: r.file, size: math.MaxInt64, decoder: r.decoder, in: bufio.NewReader(nil)}
	line, _, err = s.goTo(at)
	return line, err
}

// Close frees the decoder.
func (r *PlaceReader) Close() { r.decoder.Close() }

// goTo reads the frame of a place, and returns the record there. last is whether the frame ends with it; the chain then
// goes on behind it.
func (s *scanner) goTo(at Place) (content []byte, last bool, err error) {
	if at.Offset < 0 {
		return nil, false, ErrMoved
	}
	s.seek(at.Offset)
	lines, size, err := s.frame()
	if err != nil {
		return nil, false, fmt.Errorf("%w: byte %d: %w", ErrMoved, at.Offset, err)
	}
	s.offset += size
	for line := range bytes.Lines(lines) {
		c, hash, linked := unlink(bytes.TrimSuffix(line, []byte("\n")))
		if last = linked && sum(c, hash) == at.Sum; last {
			content, s.last, s.begun = c, hash, true
		}
	}
	if content == nil {
		return nil, false, fmt.Errorf("%w: the frame at byte %d has other records", ErrMoved, at.Offset)
	}
	return content, last, nil
}

// mark returns the mark of the last record of a frame that begins at an offset and ends with the extent.
func (e extent) mark(offset int64, content []byte, hash chain) Mark {
	return Mark{Place{offset, sum(content, hash)}, e.lines, e.objects}
}

// lastLine returns the last of lines that each end in a line feed, without it.
func lastLine(lines []byte) []byte {
	lines = bytes.TrimSuffix(lines, []byte("\n"))
	return lines[bytes.LastIndexByte(lines, '\n')+1:]
}

// Last returns the mark of the last record that Append has written.
func (j *Journal) Last() Mark {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.end
}

// ContinueFrom is Continue that reads a journal behind a mark alone, which is of the last record of a frame, and passes
// on the mark of each record. With no mark, all is read. What is before a mark is not checked, but for its record: if
// that is not there, the error is ErrMoved.
func ContinueFrom(path string, from Mark, f func(line []byte, at Mark) error) (j *Journal, torn int64, err error) {
	return continueFrom(path, from, func(s *scanner, line []byte) error {
		return f(line, s.extent.mark(s.offset, line, s.last))
	})
}

// readFrom is readAll behind a mark.
func (s *scanner) readFrom(path string, from Mark, f func(s *scanner, line []byte) error) (torn int64, err error) {
	if from != (Mark{}) {
		_, last, err := s.goTo(from.Place)
		if err == nil && !last {
			err = fmt.Errorf("%w: others follow it at byte %d", ErrMoved, from.Offset)
		}
		if err != nil {
			s.decoder.Close()
			return 0, fmt.Errorf("journal %q: %w", path, err)
		}
		s.extent = extent{s.offset, from.Lines, from.Objects}
	}
	return readAll(path, s, func(line []byte) error { return f(s, line) })
}
