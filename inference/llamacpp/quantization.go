package llamacpp

import (
	"maps"
	"slices"
	"strings"

	"github.com/parley-debate/parley/internal/unknown"
)

// fileTypes are the file types (enum llama_ftype) that llama.cpp can quantise to without an importance matrix, by name.
var fileTypes = map[string]int{
	"f32": 0, "f16": 1, "bf16": 32, "q4_0": 2, "q4_1": 3, "q5_0": 8, "q5_1": 9, "q8_0": 7, "q2_k": 10, "q3_k_s": 11,
	"q3_k_m": 12, "q3_k_l": 13, "q4_k_s": 14, "q4_k_m": 15, "q5_k_s": 16, "q5_k_m": 17, "q6_k": 18, "iq4_nl": 25,
	"iq4_xs": 30, "mxfp4_moe": 38, // experts in MXFP4, as in gpt-oss, all else in Q8_0
}

// QuantizationTypes lists the names that Quantize accepts.
func QuantizationTypes() []string { return slices.Sorted(maps.Keys(fileTypes)) }

// CheckQuantization refuses a name that Quantize does not accept, and lists those that it does.
func CheckQuantization(name string) error {
	if _, ok := fileTypes[strings.ToLower(name)]; !ok {
		return unknown.Name("quantization", name, QuantizationTypes())
	}
	return nil
}
