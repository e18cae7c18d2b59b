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

// Loss is a part of a journal that is damaged.
type Loss struct {
	Offset  int64 // of the frame in the file
	Bytes   int64 // that are no frame; 0 where the frame is whole
	Records int   // of the frame that are not what was written; how many there were in lost bytes nobody knows
	Why     error
}

// scanner goes over a journal frame by frame, past what is damaged.
type scanner struct {
	file    io.ReaderAt
	size    int64 // of the file when it was opened
	takeOld bool  // records of the version that had no hashes are taken as they are

	decoder *zstd.Decoder
	in      *bufio.Reader
	offset  int64 // of the next frame, where in stands
	tried   int64 // bytes that were taken for frames and were none
	extent  extent
	last    chain
	gap     bool // what was before the next record is lost
	begun   bool // a record was seen
	old     bool // and it had no hash
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

// run calls found with the content of every record that is intact, and lost with all that is not. It returns how many
// bytes at the end a crash tore. An error of either ends it.
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

// skip goes on behind a frame that is none, to the next one that is whole, or finds that it is the end, torn by a
// crash.
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

// records checks the records of a frame, one by one. One that does not follow from the one before it is lost; the next
// one may follow from it.
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
		err = errors.New("a record does not follow from the one before it: one of the two was changed, or records between them were removed")
	}
	s.last, s.gap = hash, false
	return content, err
}

// nextIntact is where the next whole frame begins behind the current place, or the end of the file. It gives up after
// frames that turn out to be none of many times the bytes of the file.
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

// findMagic is where the next frame may begin, at offset or behind it, or the end of the file.
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

// tornFrom reports whether what is at an offset up to the end is the beginning of a frame, of which a crash may have
// left zeros in the place of the rest.
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

// errRead marks that the file cannot be read, so that nobody knows what is there.
var errRead = errors.New("cannot be read")

// nextFrame reads one zstd frame (RFC 8878, section 3.1.1) by its headers. At the end of the file it returns io.EOF
// with what was there of a frame; any other failure to read is errRead.
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

// headerBytes is the length of a frame header behind its descriptor.
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
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF): // torn after the first byte is as torn as before it
			r.err = io.EOF
		default:
			r.err = fmt.Errorf("%w: %w", errRead, err)
		}
	}
	return r.bytes[from:]
}
