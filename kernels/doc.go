// Package kernels has the code that computes most of a model on the CPU: products of weights with a batch of
// activations, attention over cells that many sequences share, and what sampling does to every logit. It is C++ that
// knows nothing of llama.cpp or Go; package llamacpp puts it into llama.cpp's graphs and calls it by matmul.hpp,
// attention.hpp and targets.hpp. This package tells Go what there is.
//
// One source (source.hpp) is compiled for several targets, sets of vector instructions, and which of them computes is
// decided when the program runs. All targets give the same bits. The formats of weights are a table (formats.hpp) with
// a row for each.
//
// How it is tested: check/ is a program that needs no llama.cpp (`make kernels`, `make asan`).
package kernels

// EnvironmentVariable names a target where nobody else does: for tests and for those who suspect one.
const EnvironmentVariable = "PARLEY_KERNELS"

// Target is a set of vector instructions that the kernels are compiled for.
type Target struct {
	Name  string // avx512vnni, avxvnni, avx2, neoni8mm, neon, scalar
	Needs string // the instructions, in words
	Runs  bool   // this processor has them

	// Products says whether it computes products with weights. The portable target does so only if it is asked for by
	// name: llama.cpp is faster.
	Products bool

	Index int // in the list that C++ has (kernels::compiled)
}

// Format is how a kind of weights is stored.
type Format struct {
	Name           string // as ggml names it: q4_0, q2_K, f16
	Type           uint32 // its number in GGUF files
	Bytes, Weights int    // of a block
	Halves         []int  // places of F16 numbers in a block
}

// Speed is the peak rate of a machine, with all threads together.
type Speed struct {
	Bytes         float64 `json:"bytes_per_second"`          // read from memory
	FloatProducts float64 `json:"float_products_per_second"` // multiplied and added, 32 bits
	ByteProducts  float64 `json:"byte_products_per_second"`  // multiplied and added, 8 bits
}

// Best takes the higher of each rate, since a machine that is slowed down for a moment is measured too low.
func (s Speed) Best(other Speed) Speed {
	return Speed{max(s.Bytes, other.Bytes), max(s.FloatProducts, other.FloatProducts),
		max(s.ByteProducts, other.ByteProducts)}
}
