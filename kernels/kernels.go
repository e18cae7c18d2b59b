//go:build cgo && !llama_none

package kernels

// #cgo CXXFLAGS: -std=c++17 -Wno-psabi
// #include <stdlib.h>
// #include "kernels.h"
import "C"

import (
	"errors"
	"unsafe"
)

// Targets lists what this program is compiled for, the fastest first. The last runs everywhere.
func Targets() (targets []Target) {
	for i := range C.parley_target_count() {
		t := C.parley_target_get(i)
		targets = append(targets, Target{Name: C.GoString(t.name), Needs: C.GoString(t.needs), Runs: bool(t.runs),
			Index: int(i)})
	}
	return targets
}

// Choose finds a target by its name. Without one it is that of the environment variable or, if that is not set either,
// the fastest that runs here. The error says what this processor can run.
func Choose(name string) (Target, error) {
	var why [256]C.char
	var products C.bool
	asked := C.CString(name)
	defer C.free(unsafe.Pointer(asked))
	i := C.parley_target_choose(asked, &products, &why[0], C.int32_t(len(why)))
	if i < 0 {
		return Target{}, errors.New("kernels: " + C.GoString(&why[0]))
	}
	t := Targets()[i]
	t.Products = bool(products)
	return t, nil
}

// Formats lists the formats of weights that the kernels read.
func Formats() (formats []Format) {
	for i := range C.parley_format_count() {
		f := C.parley_format_get(i)
		format := Format{Name: C.GoString(f.name), Type: uint32(f._type), Bytes: int(f.bytes), Weights: int(f.weights)}
		for _, at := range f.halves {
			if at >= 0 {
				format.Halves = append(format.Halves, int(at))
			}
		}
		formats = append(formats, format)
	}
	return formats
}

// Measure measures the peak rates of the machine with some number of threads. It takes about a second. It returns zeros
// where memory (100 MB a thread) or threads are not to be had.
func (t Target) Measure(threads int) Speed {
	s := C.parley_measure(C.int32_t(t.Index), C.int32_t(threads))
	return Speed{Bytes: float64(s.bytes), FloatProducts: float64(s.float_products),
		ByteProducts: float64(s.byte_products)}
}
