package modeltest

import (
	"bytes"
	"fmt"
	"slices"
)

// Altered is a file of which one tensor is not what it should be.
type Altered struct {
	Tensor string
	What   string // the tensor, and what is wrong with it
	file   *File
	at     int
	to     *Tensor // it is nil if the tensor is left out
}

// LeftOut reports whether the tensor is left out.
func (a Altered) LeftOut() bool { return a.to == nil }

// blocks are the numbers and bytes of a block, by the number of the type.
var blocks = map[uint32][2]uint64{0: {1, 4}, 1: {1, 2}, 2: {32, 18}, 8: {32, 34}, 12: {256, 144}, 30: {1, 2}}

// Alter lists, for each tensor, the file without it, with it in other types, and in other shapes, each also in a type
// that vectors do not have.
func (f *File) Alter() (all []Altered) {
	add := func(at int, what string, dims []uint64, kind uint32) {
		block, known := blocks[kind]
		if !known || dims[0]%block[0] != 0 || slices.Contains(dims, 0) {
			return
		}
		name := f.Tensors[at].Name
		what = fmt.Sprintf("%s,%s,type-%d", name, what, kind)
		all = append(all, Altered{name, what, f, at, &Tensor{Name: name, Dims: dims, Kind: kind}})
	}
	for i, t := range f.Tensors {
		all = append(all, Altered{t.Name, t.Name + ",left-out", f, i, nil})
		for kind := range uint32(31) {
			if kind != t.Kind {
				add(i, "as-it-is", t.Dims, kind)
			}
		}
		for _, dims := range shapes(t.Dims) {
			for _, kind := range slices.Compact([]uint32{t.Kind, 30}) {
				add(i, fmt.Sprintf("of-%v", dims), dims, kind)
			}
		}
	}
	return all
}

// shapes are others than dims: with a dimension more or less, in another order, and larger or smaller.
func shapes(dims []uint64) (list [][]uint64) {
	size := uint64(1)
	for _, d := range dims {
		size *= d
	}
	last := len(dims) - 1
	list = append(list, []uint64{size}, []uint64{1, size}, []uint64{size, 1}, append(slices.Clone(dims), 1),
		append([]uint64{1}, dims...))
	reversed, twice, half, more := slices.Clone(dims), slices.Clone(dims), slices.Clone(dims), slices.Clone(dims)
	slices.Reverse(reversed)
	twice[0] *= 2
	half[last] /= 2
	more[last]++
	list = append(list, reversed, twice, half, more)
	return slices.DeleteFunc(list, func(other []uint64) bool {
		return slices.Equal(other, dims) || len(other) > 4
	})
}

// Bytes returns the file. The numbers of a tensor with another type or shape are small in all types.
func (a Altered) Bytes() []byte {
	f := &File{Pairs: a.file.Pairs}
	for i, t := range a.file.Tensors {
		end := uint64(len(a.file.Data))
		if i+1 < len(a.file.Tensors) {
			end = a.file.Tensors[i+1].Offset
		}
		data := a.file.Data[t.Offset:end]
		if i == a.at {
			if a.to == nil {
				continue
			}
			t = *a.to
			bytesOf := blocks[t.Kind][1]
			for _, d := range t.Dims {
				bytesOf *= d
			}
			bytesOf /= blocks[t.Kind][0]
			data = bytes.Repeat([]byte{0x11}, int(bytesOf))
		}
		t.Offset = uint64(len(f.Data))
		f.Tensors = append(f.Tensors, t)
		f.Data = append(f.Data, data...)
		f.Data = append(f.Data, make([]byte, -len(f.Data)&31)...)
	}
	return f.Bytes()
}
