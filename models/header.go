package models

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
)

// header is what a GGUF file says before its weights. The format is described in ggml's docs/gguf.md. Model files are
// hostile until parsed: every count and length is checked against the size of the file before anything is allocated,
// and every tensor must lie within the file. github.com/ollama/ollama/fs/gguf does not check them, so we do not use it.
type header struct {
	values    map[string]any // uint64, int64, float64, bool, string, or array
	tensors   []tensor
	alignment int64
	data      int64 // offset of the first tensor
	size      int64 // of the file, or of all parts of the model
}

// array describes an array value. Its elements are not kept, only their extremes: of the numbers, or of the lengths of
// the strings in bytes.
type array struct {
	kind              uint32
	count             uint64
	least, most, last float64
	first             []float64 // up to three
	odd               bool      // a number is not finite, or a string looks like that of a byte (<0x0A>) and is none
}

// Types of GGUF values.
const (
	kindInt    = 5
	kindFloat  = 6
	kindString = 8
	kindArray  = 9
)

// addString enters a string by its length in bytes. A string that looks like a byte's (<0x0A>) and has no two hex
// digits makes the array odd.
func (a *array) addString(s string) {
	a.add(float64(len(s)))
	if len(s) == 6 && strings.HasPrefix(s, "<0x") && s[5] == '>' {
		_, err := hex.DecodeString(s[3:5])
		a.odd = a.odd || err != nil
	}
}

// add enters a number. The extremes leave out numbers that are not finite, which make the array odd.
func (a *array) add(x float64) {
	if len(a.first) < 3 {
		a.first = append(a.first, x)
	}
	if a.last = x; math.IsNaN(x) || math.IsInf(x, 0) {
		a.odd = true
		return
	}
	a.least, a.most = min(a.least, x), max(a.most, x)
}

// tensor is a row of the table of tensors: where its weights lie and of which type they are.
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
	// bytes before the weights: a sparse file costs nothing however large it is, but its strings would cost memory
	maxHeader = 1 << 27
)

// readHeader reads the header of a file. Errors name the file and what to do.
func readHeader(path string) (*header, error) {
	h, _, err := readKeeping(path, "")
	return h, err
}

// readKeeping reads the header of a file with all elements of an array of strings, none if it has no such key.
func readKeeping(path, key string) (*header, []string, error) {
	f, size, err := openModel(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	r := &reader{in: bufio.NewReaderSize(f, 1<<16), pos: 8, limit: min(size, maxHeader), keep: key}
	h := &header{values: make(map[string]any), size: size, alignment: 32}
	if err := h.read(r); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("cut off: it ends within its header, after %d bytes", size)
		}
		return nil, nil, fmt.Errorf("model %q: %w; copy or download it again", path, err)
	}
	return h, r.kept, nil
}

// openModel opens a regular, non-empty file. For anything else the error says what it is.
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
		return nil, 0, fmt.Errorf("model %q: is not a regular file; name a .gguf file", path)
	case info.Size() == 0:
		return nil, 0, fmt.Errorf("model %q: is empty; copy or download it again", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, fmt.Errorf("model %q: %w", path, err)
	}
	head := make([]byte, 8)
	n, _ := io.ReadFull(f, head)
	if err := checkMagic(head[:n]); err != nil {
		f.Close()
		return nil, 0, fmt.Errorf("model %q: %w", path, err)
	}
	return f, info.Size(), nil
}

// checkMagic looks at the first 8 bytes of a file: "GGUF" and the version.
func checkMagic(head []byte) error {
	if !bytes.HasPrefix(head, []byte("GGUF")) {
		return fmt.Errorf("not a GGUF file: it begins with %q; name a .gguf file", head[:min(4, len(head))])
	}
	if len(head) < 8 {
		return fmt.Errorf("cut off: it ends within its header, after %d bytes; copy or download it again", len(head))
	}
	switch version := binary.LittleEndian.Uint32(head[4:]); {
	case version == 2 || version == 3:
		return nil
	case version&0xFFFF == 0:
		return errors.New("written for big-endian machines; convert or download it for little-endian ones")
	default:
		return fmt.Errorf("GGUF version %d: only versions 2 and 3 can be read; convert the model again with a current "+
			"llama.cpp", version)
	}
}

// read reads what follows magic and version.
func (h *header) read(r *reader) error {
	nTensors, nKeys := r.count(maxTensors, 24), r.count(maxKeys, 12)
	for range nKeys {
		key := r.string(maxName)
		r.key = key
		value := r.value(r.uint32())
		if r.err != nil {
			return r.err
		}
		if _, twice := h.values[key]; twice {
			return fmt.Errorf("key %.60q occurs twice", key)
		}
		h.values[key] = value
	}
	if a, ok := h.integer("general.alignment"); ok {
		if a < 1 || a > 1<<20 || a&(a-1) != 0 {
			return fmt.Errorf("alignment of %d bytes: must be a power of two, at most 1,048,576", a)
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

// checkTensors makes sure that all weights are in the file, one after the other and aligned, as ggml requires.
func (h *header) checkTensors() error {
	end := h.data
	for _, t := range h.tensors {
		bytes, begin := t.bytes(), h.data+t.offset
		switch {
		case bytes < 0:
			return fmt.Errorf("damaged: tensor %.60q of %v elements is not a whole number of blocks of type %d", t.name,
				t.dims, t.kind)
		case begin < 0 || begin > h.size-bytes:
			return fmt.Errorf("cut off or damaged: tensor %.60q is not within the file bounds of %d bytes: its %d "+
				"bytes begin at %d", t.name, h.size, bytes, begin)
		case begin < end:
			return fmt.Errorf("damaged: tensor %.60q begins at %d, but what comes before it ends at %d", t.name, begin,
				end)
		}
		end = begin + bytes
	}
	return nil
}

// integer returns a whole number that is not negative.
func (h *header) integer(key string) (int64, bool) {
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

// text returns a string value, "" if there is none.
func (h *header) text(key string) string {
	s, _ := h.values[key].(string)
	return s
}
