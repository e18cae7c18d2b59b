package llamacpp_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/models"
)

// TestArchitectures: the library itself knows those that the list says, and no others of it. An installed library may
// be newer than the list, and know more.
func TestArchitectures(t *testing.T) {
	load(t)
	known, err := llamacpp.Architectures()
	if err != nil {
		t.Fatal(err)
	}
	carrier := strings.HasPrefix(llamacpp.Build().Carrier, "github.com/")
	for _, a := range models.Architectures() {
		listed := models.InListedLlama(a)
		if carrier {
			listed = models.InCarrier(a)
		}
		if is := slices.Contains(known, a); is != listed {
			t.Errorf("%s: the library of this build knows it: %v, the list says %v", a, is, listed)
		}
	}
	newer, err := llamacpp.NewerArchitectures()
	if err != nil || carrier != slices.Contains(newer, "qwen35") || slices.Contains(newer, "llama") {
		t.Errorf("newer than this build: %q, %v", newer, err)
	}
}

// TestUnknownArchitecture is refused with its name, what the build is, and what to do.
func TestUnknownArchitecture(t *testing.T) {
	load(t)
	err := llamacpp.CheckArchitecture("brand-new")
	if err == nil {
		t.Fatal("accepted")
	}
	for _, part := range []string{`"brand-new"`, llamacpp.Build().Carrier, "does not know it either", "make llama"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v; want %q in it", err, part)
		}
	}
	if err := llamacpp.CheckArchitecture("qwen2"); err != nil {
		t.Error(err)
	}
	newer, err := llamacpp.NewerArchitectures()
	if err != nil || len(newer) == 0 {
		t.Skip("this build knows all that is listed", err)
	}
	err = llamacpp.CheckArchitecture("qwen35")
	if err == nil || !strings.Contains(err.Error(), "llama.cpp "+models.ListedLlama+" knows it; ") ||
		!strings.Contains(err.Error(), "deepseek4") || strings.Count(err.Error(), "qwen35,") != 0 {
		t.Error(err)
	}
}
