package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
)

// Bounds on one frame: a journal is hostile until parsed. Append keeps to them, so that what it accepts can be read.
const (
	maxLinesBytes = 64 << 20                          // before compression
	maxFrameBytes = maxLinesBytes + maxLinesBytes>>10 // what does not compress grows by 3 bytes a block of 128 KiB, and the ends
)

// frameMagic begins every zstd frame.
var frameMagic = []byte{0x28, 0xB5, 0x2F, 0xFD}

// Read calls f with every record of a journal, one line of JSON each, in order. A frame at the end that a crash tore is
// left out, and its size in bytes returned. A damaged frame elsewhere is an error, after all records before it. An error
// of f ends the reading.
func Read(path string, f func(line []byte) error) (torn int64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("journal: %w", err)
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return 0, fmt.Errorf("journal %q: is a directory; name a .jsonl.zst file in it", path)
	}
	return readFrames(path, file, f)
}

// readFrames is Read of a file that is open; path is for errors.
func readFrames(path string, file io.Reader, f func(line []byte) error) (torn int64, err error) {
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxLinesBytes))
	if err != nil {
		return 0, err
	}
	defer decoder.Close()
	in, offset := bufio.NewReaderSize(file, 1<<20), int64(0)
	for {
		lines, size, err := nextLines(in, decoder)
		if errors.Is(err, io.EOF) {
			return size, nil
		}
		if err != nil {
			return 0, fmt.Errorf("journal %q: at byte %d: %w; the records before it were read", path, offset, err)
		}
		for line := range bytes.Lines(lines) {
			if err := f(bytes.TrimSuffix(line, []byte("\n"))); err != nil {
				return 0, err
			}
		}
		offset += size
	}
}

// nextLines decodes the next frame, of size bytes. At the end it returns io.EOF with the size of what a crash left of a
// frame, or 0. A crash tears the last frame only: one that runs to the end over others has lost its length.
func nextLines(in *bufio.Reader, decoder *zstd.Decoder) (lines []byte, size int64, err error) {
	frame, err := nextFrame(in)
	if errors.Is(err, io.EOF) && bytes.LastIndex(frame, frameMagic) > 0 {
		err = errors.New("damaged: a frame without an end has others within it")
	}
	if err != nil {
		return nil, int64(len(frame)), err
	}
	if lines, err = decoder.DecodeAll(frame, nil); err != nil {
		err = fmt.Errorf("damaged: %w", err)
	}
	return lines, int64(len(frame)), err
}

// nextFrame reads one zstd frame (RFC 8878, section 3.1.1) by its headers. At the end of the file it returns io.EOF with
// what was there of a frame; any other failure to read is returned as it is, for then nobody knows what is there.
func nextFrame(in *bufio.Reader) ([]byte, error) {
	frame := &frameReader{in: in}
	frame.take(len(frameMagic))
	if !bytes.HasPrefix(frameMagic, frame.bytes) {
		return nil, errors.New("damaged: no zstd frame begins here")
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
			return nil, errors.New("damaged: reserved block type")
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
		r.err = fmt.Errorf("damaged: frame of more than %d bytes", maxFrameBytes)
	}
	if r.err != nil {
		return nil
	}
	r.bytes = append(r.bytes, make([]byte, n)...)
	read, err := io.ReadFull(r.in, r.bytes[from:])
	if err != nil {
		r.bytes = r.bytes[:from+read]
		if r.err = err; errors.Is(err, io.ErrUnexpectedEOF) {
			r.err = io.EOF // torn after the first byte is as torn as before it
		}
	}
	return r.bytes[from:]
}

// WithoutTimes drops the fields "ms" and "time" of a record, at any depth: what is left is equal in two runs of the same
// experiment on the same machine and build. Keys come back sorted.
func WithoutTimes(line []byte) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("record: more than one JSON value in a line of %d bytes", len(line))
	}
	return marshal(dropTimes(value))
}

func dropTimes(value any) any {
	switch v := value.(type) {
	case map[string]any:
		delete(v, "ms")
		delete(v, "time")
		for key, inner := range v {
			v[key] = dropTimes(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = dropTimes(inner)
		}
	}
	return value
}
