package models

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// reader reads little-endian values and remembers its first error.
type reader struct {
	in         *bufio.Reader
	pos, limit int64 // offset in the file; no count may lead beyond limit
	err        error
	buffer     [8]byte
	// keep names the array of strings whose elements are kept, key the one that is read
	keep, key string
	kept      []string
}

// bytes reads up to eight bytes into the reader's buffer, which the next call overwrites. After an error it returns
// what is there, so that callers need to check the error only where a number decides how much is read.
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

// count reads how many items follow, each of at least `least` bytes. It refuses more than `most`, or than fit.
func (r *reader) count(most uint64, least int64) uint64 {
	n := r.uint64()
	if r.err == nil && (n > most || int64(n) > (r.limit-r.pos)/least) {
		r.err = fmt.Errorf("cut off or damaged: %d items are announced at byte %d, with room for %d bytes", n, r.pos-8,
			max(0, r.limit-r.pos))
	}
	if r.err != nil {
		return 0
	}
	return n
}

// string reads a text after its length. Memory is taken only after the length was held against what the file has left.
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

// scalar is one of GGUF's types of a fixed size: its bytes, and how they are read. As a key's value, a whole number is
// an int64 or, without a sign, a uint64.
type scalar struct {
	bytes int
	value func(b []byte) any
}

// scalars are GGUF's scalar types by number (enum gguf_type).
var scalars = map[uint32]scalar{
	0:         {1, func(b []byte) any { return uint64(b[0]) }},
	1:         {1, func(b []byte) any { return int64(int8(b[0])) }},
	2:         {2, func(b []byte) any { return uint64(binary.LittleEndian.Uint16(b)) }},
	3:         {2, func(b []byte) any { return int64(int16(binary.LittleEndian.Uint16(b))) }},
	4:         {4, func(b []byte) any { return uint64(binary.LittleEndian.Uint32(b)) }},
	kindInt:   {4, func(b []byte) any { return int64(int32(binary.LittleEndian.Uint32(b))) }},
	kindFloat: {4, func(b []byte) any { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) }},
	7:         {1, func(b []byte) any { return b[0] != 0 }},
	10:        {8, func(b []byte) any { return binary.LittleEndian.Uint64(b) }},
	11:        {8, func(b []byte) any { return int64(binary.LittleEndian.Uint64(b)) }},
	12:        {8, func(b []byte) any { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }},
}

// number returns a value as an element of an array.
func (s scalar) number(b []byte) float64 {
	switch v := s.value(b).(type) {
	case uint64:
		return float64(v)
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return float64(b[0]) // a truth value, whatever byte stands for it
}

// value reads a value of one of GGUF's types.
func (r *reader) value(kind uint32) any {
	switch s, is := scalars[kind]; {
	case is:
		return s.value(r.bytes(s.bytes))
	case kind == kindString:
		return r.string(maxString)
	case kind == kindArray:
		return r.array()
	}
	if r.err == nil {
		r.err = fmt.Errorf("damaged: value of unknown type %d at byte %d", kind, r.pos)
	}
	return nil
}

// array reads an array of numbers or strings. Arrays of arrays are refused, as they could nest without end.
func (r *reader) array() array {
	a := array{kind: r.uint32(), least: math.Inf(1), most: math.Inf(-1)}
	switch s, is := scalars[a.kind]; {
	case is:
		a.count = r.count(math.MaxInt32, int64(s.bytes))
		for range a.count {
			if a.add(s.number(r.bytes(s.bytes))); r.err != nil {
				break
			}
		}
	case a.kind == kindString:
		a.count = r.count(math.MaxInt32, 8)
		for range a.count {
			s := r.string(maxString)
			if a.addString(s); r.err != nil {
				break
			}
			if r.keep != "" && r.key == r.keep {
				r.kept = append(r.kept, s)
			}
		}
	case r.err == nil:
		r.err = fmt.Errorf("damaged: array of type %d at byte %d", a.kind, r.pos)
	}
	return a
}

// tensor reads a row of the table of tensors.
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
