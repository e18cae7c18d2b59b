package modeltest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"reflect"
	"slices"
)

// File is a GGUF file taken apart, so that a test can change it. Nothing is checked: Bytes writes what a test has put
// in, however wrong it is.
type File struct {
	Pairs   []Pair
	Tensors []Tensor
	Data    []byte // the weights, from the first multiple of 32 bytes after the table of tensors
}

// Pair is one entry of the metadata. Value is a number of fixed size, a bool, a string, or a slice of one of these.
type Pair struct {
	Key   string
	Value any
}

// Tensor is one row of the table of tensors.
type Tensor struct {
	Name   string
	Dims   []uint64
	Kind   uint32
	Offset uint64
}

// kinds has a value of each of GGUF's types, by number. Type 9 is an array of another type.
var kinds = []any{uint8(0), int8(0), uint16(0), int16(0), uint32(0), int32(0), float32(0), false, "", nil, uint64(0),
	int64(0), float64(0)}

const arrayKind = 9

// Parse takes a valid file apart. It panics on others.
func Parse(content []byte) *File {
	r := &fileReader{bytes.NewReader(content[8:])}
	nTensors, nPairs := r.number(), r.number()
	f := &File{}
	for range nPairs {
		f.Pairs = append(f.Pairs, Pair{r.value(reflect.TypeFor[string]()).(string), r.readTyped()})
	}
	for range nTensors {
		t := Tensor{Name: r.value(reflect.TypeFor[string]()).(string)}
		for range r.value(reflect.TypeFor[uint32]()).(uint32) {
			t.Dims = append(t.Dims, r.number())
		}
		t.Kind, t.Offset = r.value(reflect.TypeFor[uint32]()).(uint32), r.number()
		f.Tensors = append(f.Tensors, t)
	}
	head := len(content) - r.in.Len()
	f.Data = content[(head+31)/32*32:]
	return f
}

type fileReader struct{ in *bytes.Reader }

func (r *fileReader) number() uint64 { return r.value(reflect.TypeFor[uint64]()).(uint64) }

func (r *fileReader) readTyped() any {
	kind := r.value(reflect.TypeFor[uint32]()).(uint32)
	if kind != arrayKind {
		return r.value(reflect.TypeOf(kinds[kind]))
	}
	element := reflect.TypeOf(kinds[r.value(reflect.TypeFor[uint32]()).(uint32)])
	n := int(r.number())
	list := reflect.MakeSlice(reflect.SliceOf(element), n, n)
	for i := range n {
		list.Index(i).Set(reflect.ValueOf(r.value(element)))
	}
	return list.Interface()
}

func (r *fileReader) value(t reflect.Type) any {
	if t.Kind() == reflect.String {
		text := make([]byte, r.number())
		if _, err := io.ReadFull(r.in, text); err != nil {
			panic(err)
		}
		return string(text)
	}
	v := reflect.New(t)
	if err := binary.Read(r.in, binary.LittleEndian, v.Interface()); err != nil {
		panic(err)
	}
	return v.Elem().Interface()
}

// Clone returns a copy whose pairs and tensors can be changed without changing f. Values and weights are shared.
func (f *File) Clone() *File {
	c := &File{Pairs: slices.Clone(f.Pairs), Tensors: slices.Clone(f.Tensors), Data: f.Data}
	for i := range c.Tensors {
		c.Tensors[i].Dims = slices.Clone(c.Tensors[i].Dims)
	}
	return c
}

// Set changes the value of a key, or adds the key. A nil value removes it.
func (f *File) Set(key string, value any) *File {
	i := slices.IndexFunc(f.Pairs, func(p Pair) bool { return p.Key == key })
	switch {
	case i < 0 && value != nil:
		f.Pairs = append(f.Pairs, Pair{key, value})
	case i >= 0 && value == nil:
		f.Pairs = slices.Delete(f.Pairs, i, i+1)
	case i >= 0:
		f.Pairs[i].Value = value
	}
	return f
}

// Get returns the value of a key, nil if there is none.
func (f *File) Get(key string) any {
	for _, p := range f.Pairs {
		if p.Key == key {
			return p.Value
		}
	}
	return nil
}

// Bytes returns the file.
func (f *File) Bytes() []byte {
	var b bytes.Buffer
	b.WriteString("GGUF")
	put(&b, uint32(3), uint64(len(f.Tensors)), uint64(len(f.Pairs)))
	for _, p := range f.Pairs {
		put(&b, p.Key)
		putTyped(&b, p.Value)
	}
	for _, t := range f.Tensors {
		put(&b, t.Name, uint32(len(t.Dims)), t.Dims, t.Kind, t.Offset)
	}
	b.Write(make([]byte, (32-b.Len()%32)%32))
	b.Write(f.Data)
	return b.Bytes()
}

// putTyped writes the type of a value and the value.
func putTyped(to *bytes.Buffer, value any) {
	if v := reflect.ValueOf(value); v.Kind() == reflect.Slice {
		put(to, uint32(arrayKind), kindOf(v.Type().Elem()), uint64(v.Len()))
		for i := range v.Len() {
			put(to, v.Index(i).Interface())
		}
		return
	}
	put(to, kindOf(reflect.TypeOf(value)), value)
}

func kindOf(t reflect.Type) uint32 {
	i := slices.IndexFunc(kinds, func(k any) bool { return reflect.TypeOf(k) == t })
	if i < 0 {
		panic(fmt.Sprintf("no GGUF type for %v", t))
	}
	return uint32(i)
}
