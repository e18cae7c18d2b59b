package llamacpp

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/parley-debate/parley/internal/unknown"
	"github.com/parley-debate/parley/models"
)

// Architectures lists what this build's llama.cpp knows of models.Architectures.
func Architectures() (known []string, err error) {
	for _, a := range models.Architectures() {
		is, err := Knows(a)
		if err != nil {
			return nil, err
		}
		if is {
			known = append(known, a)
		}
	}
	return known, nil
}

// CheckArchitecture refuses an architecture that this build's llama.cpp does not know. Where nothing can be found out,
// it refuses nothing.
func CheckArchitecture(architecture string) error {
	if is, err := Knows(architecture); is || err != nil {
		return nil
	}
	return fmt.Errorf("unknown architecture %q: this build has llama.cpp %s; %s", architecture, Build().Llama,
		NewerLlama)
}

// NewerLlama says what helps where a model's architecture is not known.
const NewerLlama = "a newer one may know it, and `make build SOURCE=DIR` takes its sources (docs/models.md)"

// QuantizationTypes lists the names that Quantize accepts.
func QuantizationTypes() []string { return slices.Sorted(maps.Keys(models.Quantizations())) }

// CheckQuantization refuses a name that Quantize does not accept, and lists those that it does.
func CheckQuantization(name string) error {
	if _, ok := models.Quantizations()[strings.ToLower(name)]; !ok {
		return unknown.Name("quantization", name, QuantizationTypes())
	}
	return nil
}
