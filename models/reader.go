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
	a := array{kind: r.uint32(), least: math.Inf(1), most: math.Inf(-1)}
	switch size, scalar := scalarBytes[a.kind]; {
	case scalar:
		a.count = r.count(math.MaxInt32, size)
		for range a.count {
			if a.add(number(a.kind, r.bytes(int(size)))); r.err != nil {
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

// number is a value of one of GGUF's scalar types.
func number(kind uint32, b []byte) float64 {
	switch kind {
	case 0, 7:
		return float64(b[0])
	case 1:
		return float64(int8(b[0]))
	case 2:
		return float64(binary.LittleEndian.Uint16(b))
	case 3:
		return float64(int16(binary.LittleEndian.Uint16(b)))
	case 4:
		return float64(binary.LittleEndian.Uint32(b))
	case 5:
		return float64(int32(binary.LittleEndian.Uint32(b)))
	case kindFloat:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case 10:
		return float64(binary.LittleEndian.Uint64(b))
	case 11:
		return float64(int64(binary.LittleEndian.Uint64(b)))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b))
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
