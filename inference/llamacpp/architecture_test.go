package llamacpp_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/models"
)

// TestArchitectures: the library itself knows those that the list says.
func TestArchitectures(t *testing.T) {
	load(t)
	known, err := llamacpp.Architectures()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range models.Architectures() {
		if !slices.Contains(known, a) {
			t.Errorf("%s is listed, and the library does not know it, want it known", a)
		}
	}
	if !slices.Contains(known, "qwen2") {
		t.Errorf("known: %q, want %v in it", known, "qwen2")
	}
}

// TestUnknownArchitecture is refused with its name, what the build is, and what to do.
func TestUnknownArchitecture(t *testing.T) {
	load(t)
	err := llamacpp.CheckArchitecture("brand-new")
	if err == nil {
		t.Fatal("the architecture brand-new is accepted, want an error")
	}
	for _, part := range []string{`"brand-new"`, llamacpp.Build().Llama, "make build SOURCE=DIR"} {
		t.Run(part, func(t *testing.T) {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%v; want %q in it", err, part)
			}
		})
	}
	if err := llamacpp.CheckArchitecture("qwen2"); err != nil {
		t.Error(err)
	}
}
