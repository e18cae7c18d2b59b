package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// frameMagic begins every zstd frame.
var frameMagic = []byte{0x28, 0xB5, 0x2F, 0xFD}

// begun reports whether a file begins as a journal does, or as much of it as is there.
func begun(file *os.File) bool {
	start := make([]byte, len(frameMagic))
	n, _ := io.ReadFull(file, start)
	return bytes.HasPrefix(frameMagic, start[:n])
}

// errRead marks a failure of the device. It is neither damage nor the end of the journal: if it were taken for a torn
// end, Continue would cut off records that are intact.
var errRead = errors.New("cannot be read")

// nextFrame reads one zstd frame (RFC 8878, section 3.1.1) by its headers, without unpacking it. If the file ends
// within the frame, it returns io.EOF with the bytes that are there; any other failure to read is errRead.
func nextFrame(in *bufio.Reader) ([]byte, error) {
	frame := &frameReader{in: in}
	frame.readNext(len(frameMagic))
	if !bytes.HasPrefix(frameMagic, frame.bytes) {
		return nil, errors.New("no zstd frame begins here")
	}
	head := frame.readNext(1)
	if frame.err != nil {
		return frame.bytes, frame.err
	}
	descriptor := head[0]
	frame.readNext(headerBytes(descriptor))
	for {
		block := frame.readNext(3)
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
		frame.readNext(size)
		if b&1 == 1 {
			break
		}
	}
	if descriptor&4 != 0 {
		frame.readNext(4) // checksum
	}
	return frame.bytes, frame.err
}

// headerBytes returns the length of a frame header after its descriptor byte: window, dictionary and content size.
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

// readNext reads n more bytes of the frame and returns them, or nil after an error.
func (r *frameReader) readNext(n int) []byte {
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
		// io.EOF, without a byte, and io.ErrUnexpectedEOF, after some, mean the same here: the frame is torn.
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			r.err = io.EOF
		default:
			r.err = fmt.Errorf("%w: %w", errRead, err)
		}
	}
	return r.bytes[from:]
}
