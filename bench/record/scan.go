package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Loss is a damaged part of a journal: bytes that are not a frame, or a record in a whole frame that cannot be trusted.
type Loss struct {
	Offset  int64 // of the bytes, or of the frame, in the file
	Bytes   int64 // that are not a frame; 0 if the frame is whole
	Records int   // of a whole frame; 0 for lost bytes, whose records nobody can count
	Why     error
}

// scanner reads a journal frame by frame and continues after damage. Read hands out no record after the first Loss and
// reports what it found; Salvage hands out all intact records and every Loss.
//
// Three things can be wrong, and they are told apart:
//   - the file ends within a frame, or in zeros after one: a crash tore the last append. It is cut off, and no Loss.
//   - bytes are not a frame, and a whole frame follows: they are lost up to that frame.
//   - a frame is whole, and a record in it does not follow from the one before: that record is lost.
//
// After lost bytes, one record cannot be checked against the chain (gap) and is taken as it is; the records after it
// are checked against its hash.
type scanner struct {
	file    io.ReaderAt
	size    int64 // of the file when it was opened
	takeOld bool  // accept records of the previous version, which have no hashes: Salvage converts them

	decoder *zstd.Decoder
	in      *bufio.Reader
	offset  int64 // of the next frame, and the position of in
	tried   int64 // bytes that looked like frames and were not; bounds the search in a hostile file
	extent  extent
	last    chain
	gap     bool // the record before the next one is lost: its hash is unknown
	begun   bool // a record was seen
	old     bool // the first record is of the previous version, so all of the file is
}

func newScanner(file io.ReaderAt, size int64) (*scanner, error) {
	decoder, err := newDecoder()
	if err != nil {
		return nil, err
	}
	s := &scanner{file: file, size: size, decoder: decoder, in: bufio.NewReaderSize(nil, 1<<16)}
	s.seek(0)
	return s, nil
}

// newDecoder returns a decoder of one frame at a time, which refuses one that expands beyond the bounds.
func newDecoder() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxLinesBytes))
}

// seek continues at an offset.
func (s *scanner) seek(offset int64) {
	s.offset = offset
	s.in.Reset(io.NewSectionReader(s.file, offset, s.size-offset))
}

// run calls found with the content of every intact record and lost with every damaged part, in the order of the file.
// torn is the number of bytes of a torn last frame. run returns the first error of either function. It closes the
// decoder, so a scanner runs only once.
func (s *scanner) run(found func(content []byte) error, lost func(Loss) error) (torn int64, err error) {
	defer s.decoder.Close()
	return s.walk(found, lost)
}

// walk is run from the current offset on, and leaves the decoder open: a Tail goes on where it ended.
func (s *scanner) walk(found func(content []byte) error, lost func(Loss) error) (torn int64, err error) {
	for s.offset < s.size {
		lines, size, err := s.frame()
		switch {
		case errors.Is(err, errRead):
		case err != nil:
			torn, err = s.skip(err, lost)
		default:
			err = s.records(lines, found, lost)
			s.offset += size
		}
		if err != nil || torn > 0 {
			return torn, err
		}
	}
	return 0, nil
}

// frame reads the next frame, which takes size bytes of the file.
func (s *scanner) frame() (lines []byte, size int64, err error) {
	frame, err := nextFrame(s.in)
	if err == nil {
		lines, err = s.decoder.DecodeAll(frame, nil)
	}
	if err == nil {
		s.extent, err = s.extent.with(len(frame), lines)
	}
	return lines, int64(len(frame)), err
}

// skip passes over bytes that are not a frame, up to the next whole frame, and reports them as lost. If no frame
// follows and the bytes are the beginning of one, they are the torn end instead, and nothing is lost. A frame that
// expands beyond the bounds ends the journal: skip reads nothing that follows it in a hostile file.
func (s *scanner) skip(why error, lost func(Loss) error) (torn int64, err error) {
	next := s.size
	if !errors.Is(why, errExpands) {
		if next, err = s.nextIntact(); err != nil {
			return 0, err
		}
		if next == s.size && s.tornFrom(s.offset) {
			return s.size - s.offset, nil
		}
	}
	from := s.offset
	s.gap = true
	s.seek(next)
	return 0, lost(Loss{Offset: from, Bytes: next - from, Why: why})
}

// records checks the records of a frame one by one. A record that does not follow from the one before it is lost, and
// the next one is checked against its hash: a single changed record costs one record and not the rest of the journal.
func (s *scanner) records(lines []byte, found func(content []byte) error, lost func(Loss) error) error {
	for line := range bytes.Lines(lines) {
		content, err := s.check(bytes.TrimSuffix(line, []byte("\n")))
		switch {
		case errors.Is(err, ErrVersion):
		case err != nil:
			err = lost(Loss{Offset: s.offset, Records: 1, Why: err})
		default:
			err = found(content)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// check returns the content of a line, with an error if it cannot be trusted. It moves the chain to the hash of the
// line even then, so that the next record is compared with what this line claims.
func (s *scanner) check(line []byte) (content []byte, err error) {
	content, hash, linked := unlink(line)
	if !s.begun {
		s.begun, s.old = true, !linked && versionOf(content) == unchained
	}
	switch version := 0; {
	case !linked:
		version = versionOf(content)
		if s.takeOld && s.old && version == unchained {
			return content, nil
		}
		if s.gap = true; version != 0 && version != Version {
			return nil, wrongVersion(version)
		}
		return nil, errors.New("a record has no hash")
	case !s.gap && s.last.after(content) != hash:
		err = errors.New("a record does not follow from the one before it: one of the two was changed, or records " +
			"between them were removed")
	}
	s.last, s.gap = hash, false
	return content, err
}

// nextIntact returns the offset of the next whole frame after the current offset, or the end of the file. It gives up
// once the bytes that looked like frames exceed a multiple of the file size; a file full of magic numbers would
// otherwise take quadratic time.
func (s *scanner) nextIntact() (int64, error) {
	at, err := s.findMagic(s.offset + 1)
	for ; err == nil && at < s.size && s.tried < s.size+4*maxFrameBytes; at, err = s.findMagic(at + 1) {
		frame, err := nextFrame(bufio.NewReaderSize(io.NewSectionReader(s.file, at, s.size-at), 1<<12))
		if errors.Is(err, errRead) {
			return 0, err
		}
		var lines []byte
		if err == nil {
			if lines, err = s.decoder.DecodeAll(frame, nil); err == nil {
				return at, nil
			}
		}
		s.tried += int64(len(frame) + len(lines))
	}
	return s.size, err
}

// findMagic returns the first offset, from the given one on, at which a frame may begin, or the end of the file.
func (s *scanner) findMagic(offset int64) (int64, error) {
	const overlap = 3 // a magic number that begins in one piece and ends in the next
	piece := make([]byte, 1<<16)
	for ; offset < s.size; offset += int64(len(piece)) - overlap {
		n, err := s.file.ReadAt(piece, offset)
		if at := bytes.Index(piece[:n], frameMagic); at >= 0 {
			return offset + int64(at), nil
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, fmt.Errorf("%w: %w", errRead, err)
		}
	}
	return s.size, nil
}

// tornFrom reports whether the bytes from an offset to the end are the beginning of a frame. After a crash, a file
// system may have left zeros instead of the rest.
func (s *scanner) tornFrom(offset int64) bool {
	end, piece := s.size, make([]byte, 1<<16)
	for end > offset {
		from := max(offset, end-int64(len(piece)))
		n, err := s.file.ReadAt(piece[:end-from], from)
		if err != nil && !errors.Is(err, io.EOF) {
			return false
		}
		written := bytes.TrimRight(piece[:n], "\x00")
		if end = from + int64(len(written)); len(written) > 0 {
			break
		}
	}
	_, err := nextFrame(bufio.NewReader(io.NewSectionReader(s.file, offset, end-offset)))
	return errors.Is(err, io.EOF)
}
