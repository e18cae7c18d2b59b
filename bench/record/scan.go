package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// frameMagic begins every zstd frame.
var frameMagic = []byte{0x28, 0xB5, 0x2F, 0xFD}

// Loss is a damaged part of a journal.
type Loss struct {
	Offset  int64 // of the frame in the file
	Bytes   int64 // that are not a frame; 0 if the frame is whole
	Records int   // of a whole frame that are not what was written; of lost bytes the number is unknown
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
// After lost bytes the chain cannot be checked for one record, which is taken as it is (gap); the records after it are
// checked against it.
type scanner struct {
	file    io.ReaderAt
	size    int64 // of the file when it was opened
	takeOld bool  // records of the version without hashes are accepted unchecked: Salvage converts them

	decoder *zstd.Decoder
	in      *bufio.Reader
	offset  int64 // of the next frame, and the position of in
	tried   int64 // bytes that looked like frames and were not; bounds the search in a hostile file
	extent  extent
	last    chain
	gap     bool // the record before the next one is lost: its hash is unknown
	begun   bool // a record was seen
	old     bool // and the first one had no hash: all of the file is of the version before
}

func newScanner(file io.ReaderAt, size int64) (*scanner, error) {
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxLinesBytes))
	if err != nil {
		return nil, err
	}
	s := &scanner{file: file, size: size, decoder: decoder, in: bufio.NewReaderSize(nil, 1<<16)}
	s.seek(0)
	return s, nil
}

func (s *scanner) seek(offset int64) {
	s.offset = offset
	s.in.Reset(io.NewSectionReader(s.file, offset, s.size-offset))
}

// run calls found with the content of every intact record, in order, and lost with every damaged part. torn is the
// number of bytes at the end that a crash tore. An error of either function ends the run and is returned. It closes the
// decoder, so a scanner runs once.
func (s *scanner) run(found func(content []byte) error, lost func(Loss) error) (torn int64, err error) {
	defer s.decoder.Close()
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

// frame reads the next frame, of size bytes.
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

// skip continues after bytes that are not a frame, at the next whole frame. If there is none, and the bytes are the
// beginning of a frame, they are the torn end. A frame that would expand beyond the bounds ends the journal: what
// follows it in a hostile file is not read.
func (s *scanner) skip(why error, lost func(Loss) error) (torn int64, err error) {
	next := s.size
	if !errors.Is(why, errTooMuch) {
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

// check returns the content of a line, with an error if it cannot be trusted, and moves the chain to its hash.
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

// nextIntact is the offset of the next whole frame after the current one, or the end of the file. It gives up once the
// bytes that looked like frames exceed a multiple of the file: else a file full of magic numbers would take quadratic
// time.
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

// findMagic is the first offset, from the given one, at which a frame may begin, or the end of the file.
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

// errRead marks a failure of the device. It is neither damage nor the end: nothing may be cut off after it.
var errRead = errors.New("cannot be read")

// nextFrame reads one zstd frame (RFC 8878, section 3.1.1) by its headers, without unpacking it. If the file ends
// first, it returns io.EOF with the bytes that are there; any other failure to read is errRead.
func nextFrame(in *bufio.Reader) ([]byte, error) {
	frame := &frameReader{in: in}
	frame.take(len(frameMagic))
	if !bytes.HasPrefix(frameMagic, frame.bytes) {
		return nil, errors.New("no zstd frame begins here")
	}
	head := frame.take(1)
	if frame.err != nil {
		return frame.bytes, frame.err
	}
	descriptor := head[0]
	frame.take(headerBytes(descriptor))
	for {
		block := frame.take(3)
		if frame.err != nil {
			return frame.bytes, frame.err
		}
		b := uint32(block[0]) | uint32(block[1])<<8 | uint32(block[2])<<16
		size := int(b >> 3)
		if kind := b >> 1 & 3; kind == 1 {
			size = 1 // one byte, repeated
		} else if kind == 3 {
			return frame.bytes, errors.New("reserved block type")
		}
		frame.take(size)
		if b&1 == 1 {
			break
		}
	}
	if descriptor&4 != 0 {
		frame.take(4) // checksum
	}
	return frame.bytes, frame.err
}

// headerBytes is the length of a frame header after its descriptor.
func headerBytes(descriptor byte) int {
	single := descriptor >> 5 & 1
	size := []int{0, 2, 4, 8}[descriptor>>6]
	if size == 0 && single == 1 {
		size = 1
	}
	return size + 1 - int(single) + []int{0, 1, 2, 4}[descriptor&3]
}

// frameReader collects the bytes of a frame and remembers its first error.
type frameReader struct {
	in    *bufio.Reader
	bytes []byte
	err   error
}

func (r *frameReader) take(n int) []byte {
	from := len(r.bytes)
	if r.err == nil && from+n > maxFrameBytes {
		r.err = fmt.Errorf("frame of more than %d bytes", maxFrameBytes)
	}
	if r.err != nil {
		return nil
	}
	r.bytes = append(r.bytes, make([]byte, n)...)
	read, err := io.ReadFull(r.in, r.bytes[from:])
	if err != nil {
		r.bytes = r.bytes[:from+read]
		switch {
		// Input that ends after the first byte is as torn as input that ends before it.
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			r.err = io.EOF
		default:
			r.err = fmt.Errorf("%w: %w", errRead, err)
		}
	}
	return r.bytes[from:]
}
