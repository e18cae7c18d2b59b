package llamacpp

import (
	"maps"
	"slices"
	"strings"

	"github.com/parley-debate/parley/internal/unknown"
	"github.com/parley-debate/parley/models"
)

// QuantizationTypes lists the names that Quantize accepts.
func QuantizationTypes() []string { return slices.Sorted(maps.Keys(models.Quantizations())) }

// CheckQuantization refuses a name that Quantize does not accept, and lists those that it does.
func CheckQuantization(name string) error {
	if _, ok := models.Quantizations()[strings.ToLower(name)]; !ok {
		return unknown.Name("quantization", name, QuantizationTypes())
	}
	return nil
}
