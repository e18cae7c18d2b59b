package llamacpp_test

import (
	"bufio"
	"encoding/binary"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/parley-debate/parley/models/modeltest"
)

// half is a number in F16, to which ties go that are even.
func half(x float64) float64 {
	_, exponent := math.Frexp(x)
	unit := math.Ldexp(1, max(exponent, -13)-11)
	return math.RoundToEven(x/unit) * unit
}

// rowOf is a row of a tensor in F32, Q4_1 or Q8_0, in whose blocks of 32 numbers the last two are written.
func rowOf(f *modeltest.File, t modeltest.Tensor, row int) []float64 {
	n := int(t.Dims[0])
	out, data := make([]float64, n), f.Data[t.Offset:]
	number := func(at int) float64 { return fromHalf(binary.LittleEndian.Uint16(data[at:])) }
	switch t.Kind {
	case 0:
		for i := range out {
			out[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4*(row*n+i):])))
		}
	case 3:
		for i := range out {
			at := (row*n + i) / 32 * 20
			scale, least, bits := number(at), number(at+2), data[at+4+i%16]
			if i%32 >= 16 {
				bits >>= 4
			}
			out[i] = scale*float64(bits&15) + least
		}
	case 8:
		for i := range out {
			at := (row*n + i) / 32 * 34
			out[i] = number(at) * float64(int8(data[at+2+i%32]))
		}
	default:
		panic("a type that the model is not known to have")
	}
	return out
}

func fromHalf(bits uint16) float64 {
	fraction, exponent := float64(bits&0x3FF), int(bits>>10&31)
	if exponent > 0 {
		fraction, exponent = fraction+1024, exponent-1
	}
	if bits>>15 == 1 {
		fraction = -fraction
	}
	return math.Ldexp(fraction, exponent-24)
}

// writeF32 writes a copy with all weights in F32. They are rounded from float64, which products of two halves and sums
// of these fit into nearly always.
func writeF32(t *testing.T, f *modeltest.File, path string) {
	t.Helper()
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	head := &modeltest.File{Pairs: f.Pairs}
	offset := uint64(0)
	for _, from := range f.Tensors {
		to := from
		to.Kind, to.Offset = 0, offset
		head.Tensors = append(head.Tensors, to)
		offset += (4*elements(to) + 31) / 32 * 32
	}
	w := bufio.NewWriterSize(out, 1<<20)
	w.Write(head.Bytes())
	for _, from := range f.Tensors {
		n, buffer := elements(from), []byte(nil)
		for row := range n / from.Dims[0] {
			buffer = buffer[:0]
			for _, x := range rowOf(f, from, int(row)) {
				buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(float32(x)))
			}
			w.Write(buffer)
		}
		w.WriteString(strings.Repeat("\x00", int(-(4*n)&31)))
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
}

func elements(t modeltest.Tensor) uint64 {
	n := uint64(1)
	for _, d := range t.Dims {
		n *= d
	}
	return n
}
