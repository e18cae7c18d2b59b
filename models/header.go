package models

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// header is what a GGUF file says before its weights. The format is described in ggml's docs/gguf.md; our reader is
// strict because model files are hostile until parsed: every count and length is checked against the size of the file
// before anything is allocated, and every tensor must lie within it. github.com/ollama/ollama/fs/gguf, which we would have
// liked to use, trusts them.
type header struct {
	values    map[string]any // uint64, int64, float64, bool, string, or array
	tensors   []tensor
	alignment int64
	data      int64 // offset of the first tensor
	size      int64 // of the file
}

// array stands for an array value; only its shape is kept.
type array struct {
	kind  uint32
	count uint64
}

type tensor struct {
	name   string
	dims   []int64 // fastest first
	kind   uint32
	offset int64 // from header.data
}

// Bounds on what a header may hold. Real files have some 50 keys and at most a few thousand tensors.
const (
	maxKeys    = 1 << 16
	maxTensors = 1 << 17
	maxName    = 1 << 10
	maxString  = 1 << 24
)

// readHeader reads the header of a file. Errors name the file and what to do.
func readHeader(path string) (*header, error) {
	f, size, err := openModel(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := &reader{in: bufio.NewReaderSize(f, 1<<16), size: size}
	h := &header{values: make(map[string]any), size: size, alignment: 32}
	if err := h.read(r); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("cut off: it ends within its header, after %d bytes", size)
		}
		return nil, fmt.Errorf("model %q: %w; copy or download it again", path, err)
	}
	return h, nil
}

// openModel opens a regular, non-empty file, and says in plain words what else it is.
func openModel(path string) (*os.File, int64, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, 0, fmt.Errorf("model %q: no such file; name a .gguf file, or see `parley models`", path)
	case err != nil:
		return nil, 0, fmt.Errorf("model %q: %w", path, err)
	case info.IsDir():
		return nil, 0, fmt.Errorf("model %q: is a directory; name a .gguf file in it", path)
	case !info.Mode().IsRegular():
		return nil, 0, fmt.Errorf("model %q: is no regular file; name a .gguf file", path)
	case info.Size() == 0:
		return nil, 0, fmt.Errorf("model %q: is empty; copy or download it again", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, fmt.Errorf("model %q: %w", path, err)
	}
	head := make([]byte, 4)
	n, _ := io.ReadFull(f, head)
	if string(head) != "GGUF" {
		f.Close()
		return nil, 0, fmt.Errorf("model %q: not a GGUF file: it begins with %q; name a .gguf file", path, head[:n])
	}
	return f, info.Size(), nil
}

func (h *header) read(r *reader) error {
	r.pos = 4 // the magic was read by openModel
	version := r.uint32()
	if r.err == nil && (version < 2 || version > 3) {
		return fmt.Errorf("GGUF version %d, versions 2 and 3 can be read", version)
	}
	nTensors, nKeys := r.count(maxTensors, 24), r.count(maxKeys, 12)
	for range nKeys {
		key := r.string(maxName)
		value := r.value(r.uint32())
		if r.err != nil {
			return r.err
		}
		if _, twice := h.values[key]; twice {
			return fmt.Errorf("key %.60q is there twice", key)
		}
		h.values[key] = value
	}
	if a, ok := h.Int("general.alignment"); ok {
		if a < 1 || a > 1<<20 || a&(a-1) != 0 {
			return fmt.Errorf("alignment of %d bytes is no power of two", a)
		}
		h.alignment = a
	}
	for range nTensors {
		h.tensors = append(h.tensors, r.tensor())
		if r.err != nil {
			return r.err
		}
	}
	if r.err != nil {
		return r.err
	}
	h.data = (r.pos + h.alignment - 1) / h.alignment * h.alignment
	return h.checkTensors()
}

// checkTensors makes sure that all weights are in the file.
func (h *header) checkTensors() error {
	for _, t := range h.tensors {
		bytes, known := t.bytes()
		end := h.data + t.offset
		if end < 0 || (known && (bytes < 0 || end > h.size-bytes)) || end > h.size {
			return fmt.Errorf("cut off or damaged: tensor %.60q is not within the file bounds of %d bytes: its %d bytes begin at %d", t.name, h.size, bytes, end)
		}
	}
	return nil
}

// Int returns a whole number that is not negative.
func (h *header) Int(key string) (int64, bool) {
	switch v := h.values[key].(type) {
	case uint64:
		if v <= math.MaxInt64 {
			return int64(v), true
		}
	case int64:
		return v, v >= 0
	}
	return 0, false
}

// Text returns a string value, "" if there is none.
func (h *header) Text(key string) string {
	s, _ := h.values[key].(string)
	return s
}

// reader reads little-endian values and remembers its first error.
type reader struct {
	in        *bufio.Reader
	pos, size int64
	err       error
	buffer    [8]byte
}

func (r *reader) bytes(n int) []byte {
	if r.err != nil {
		return r.buffer[:n]
	}
	var read int
	read, r.err = io.ReadFull(r.in, r.buffer[:n])
	r.pos += int64(read)
	return r.buffer[:n]
}

func (r *reader) uint32() uint32 { return binary.LittleEndian.Uint32(r.bytes(4)) }
func (r *reader) uint64() uint64 { return binary.LittleEndian.Uint64(r.bytes(8)) }

// count reads how many items of at least so many bytes follow.
func (r *reader) count(most uint64, least int64) uint64 {
	n := r.uint64()
	if r.err == nil && (n > most || int64(n) > (r.size-r.pos)/least) {
		r.err = fmt.Errorf("damaged: %d items are announced at byte %d of %d", n, r.pos-8, r.size)
	}
	if r.err != nil {
		return 0
	}
	return n
}

func (r *reader) string(most uint64) string {
	n := r.count(most, 1)
	if r.err != nil {
		return ""
	}
	b := make([]byte, n)
	_, r.err = io.ReadFull(r.in, b)
	r.pos += int64(n)
	return string(b)
}

func (r *reader) skip(n int64) {
	if r.err == nil {
		_, r.err = io.CopyN(io.Discard, r.in, n)
		r.pos += n
	}
}

// value reads a value of one of GGUF's types.
func (r *reader) value(kind uint32) any {
	switch kind {
	case 0:
		return uint64(r.bytes(1)[0])
	case 1:
		return int64(int8(r.bytes(1)[0]))
	case 2:
		return uint64(binary.LittleEndian.Uint16(r.bytes(2)))
	case 3:
		return int64(int16(binary.LittleEndian.Uint16(r.bytes(2))))
	case 4:
		return uint64(r.uint32())
	case 5:
		return int64(int32(r.uint32()))
	case 6:
		return float64(math.Float32frombits(r.uint32()))
	case 7:
		return r.bytes(1)[0] != 0
	case 8:
		return r.string(maxString)
	case 9:
		return r.array()
	case 10:
		return r.uint64()
	case 11:
		return int64(r.uint64())
	case 12:
		return math.Float64frombits(r.uint64())
	}
	if r.err == nil {
		r.err = fmt.Errorf("damaged: value of unknown type %d at byte %d", kind, r.pos)
	}
	return nil
}

var scalarBytes = map[uint32]int64{0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}

func (r *reader) array() array {
	a := array{kind: r.uint32()}
	switch size, scalar := scalarBytes[a.kind]; {
	case scalar:
		a.count = r.count(math.MaxInt32, size)
		r.skip(int64(a.count) * size)
	case a.kind == 8:
		a.count = r.count(math.MaxInt32, 8)
		for range a.count {
			if r.skip(int64(r.count(maxString, 1))); r.err != nil {
				break
			}
		}
	case r.err == nil:
		r.err = fmt.Errorf("damaged: array of type %d at byte %d", a.kind, r.pos)
	}
	return a
}

func (r *reader) tensor() tensor {
	t := tensor{name: r.string(maxName)}
	n := r.uint32()
	if r.err == nil && n > 4 {
		r.err = fmt.Errorf("damaged: tensor %.60q has %d dimensions", t.name, n)
	}
	for range n {
		if d := r.uint64(); r.err == nil && (d == 0 || d > math.MaxInt32) {
			r.err = fmt.Errorf("damaged: tensor %.60q has a dimension of %d", t.name, d)
		} else if r.err == nil {
			t.dims = append(t.dims, int64(d))
		} else {
			return t
		}
	}
	t.kind = r.uint32()
	t.offset = int64(r.uint64())
	if r.err == nil && t.offset < 0 {
		r.err = fmt.Errorf("damaged: tensor %.60q begins at %d", t.name, t.offset)
	}
	return t
}
