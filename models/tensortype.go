package models

import "math"

// tensorType is one of ggml's element types: the elements of a block and the bytes that they are stored in.
type tensorType struct {
	name         string
	block, bytes int64
}

// tensorTypes by ggml's number (enum ggml_type; sizes from ggml-common.h).
var tensorTypes = map[uint32]tensorType{
	0: {"F32", 1, 4}, 1: {"F16", 1, 2}, 2: {"Q4_0", 32, 18}, 3: {"Q4_1", 32, 20}, 6: {"Q5_0", 32, 22},
	7: {"Q5_1", 32, 24},
	8: {"Q8_0", 32, 34}, 9: {"Q8_1", 32, 36}, 10: {"Q2_K", 256, 84}, 11: {"Q3_K", 256, 110}, 12: {"Q4_K", 256, 144},
	13: {"Q5_K", 256, 176}, 14: {"Q6_K", 256, 210}, 15: {"Q8_K", 256, 292}, 16: {"IQ2_XXS", 256, 66},
	17: {"IQ2_XS", 256, 74},
	18: {"IQ3_XXS", 256, 98}, 19: {"IQ1_S", 256, 50}, 20: {"IQ4_NL", 32, 18}, 21: {"IQ3_S", 256, 110},
	22: {"IQ2_S", 256, 82},
	23: {"IQ4_XS", 256, 136}, 24: {"I8", 1, 1}, 25: {"I16", 1, 2}, 26: {"I32", 1, 4}, 27: {"I64", 1, 8},
	28: {"F64", 1, 8},
	29: {"IQ1_M", 256, 56}, 30: {"BF16", 1, 2}, 34: {"TQ1_0", 256, 54}, 35: {"TQ2_0", 256, 66}, 39: {"MXFP4", 32, 17},
}

// fileTypes are llama.cpp's names for general.file_type (enum llama_ftype).
var fileTypes = map[int64]string{
	0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S", 12: "Q3_K_M",
	13: "Q3_K_L",
	14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K", 19: "IQ2_XXS", 20: "IQ2_XS", 21: "Q2_K_S",
	22: "IQ3_XS",
	23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL", 26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S", 29: "IQ2_M", 30: "IQ4_XS",
	31: "IQ1_M",
	32: "BF16", 36: "TQ1_0", 37: "TQ2_0", 38: "MXFP4",
}

// elements is the number of weights, -1 if it overflows.
func (t tensor) elements() int64 {
	n := int64(1)
	for _, d := range t.dims {
		if d > 0 && n > math.MaxInt64/d {
			return -1
		}
		n *= d
	}
	return n
}

// bytes is the size of the tensor, -1 if it overflows or does not fill whole blocks. For a type that is unknown here,
// it is a lower bound: one bit for each element.
func (t tensor) bytes() int64 {
	kind, known := tensorTypes[t.kind]
	if !known {
		kind = tensorType{block: 1, bytes: 1}
	}
	n := t.elements()
	if n < 0 || len(t.dims) == 0 || t.dims[0]%kind.block != 0 || n/kind.block > math.MaxInt64/kind.bytes {
		return -1
	}
	if !known {
		return n / 8
	}
	return n / kind.block * kind.bytes
}

// quantization is the name of the file's type, or else of the tensor type that most weights have.
func (h *header) quantization() string {
	if n, ok := h.Int("general.file_type"); ok && fileTypes[n] != "" {
		return fileTypes[n]
	}
	weights, best := map[uint32]int64{}, uint32(0)
	for _, t := range h.tensors {
		weights[t.kind] += max(0, t.elements())
	}
	for kind, n := range weights {
		if n > weights[best] || (n == weights[best] && kind < best) {
			best = kind
		}
	}
	if len(h.tensors) == 0 {
		return "none"
	}
	if kind, ok := tensorTypes[best]; ok {
		return kind.name
	}
	return "unknown"
}
