package llamacpp

import (
	"fmt"
	"slices"
	"strings"

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

// NewerArchitectures lists what models.ListedLlama knows and this build's llama.cpp does not.
func NewerArchitectures() ([]string, error) {
	known, err := Architectures()
	return slices.DeleteFunc(models.Architectures(), func(a string) bool {
		return slices.Contains(known, a) || !models.InListedLlama(a)
	}), err
}

// Newer tells how to get a newer llama.cpp than that of this build.
const Newer = "`make llama SOURCE=DIR` builds a newer one from its sources or an archive of them, and `make build " +
	"LLAMA=build/llama` uses it"

// CheckArchitecture refuses an architecture that this build's llama.cpp does not know. It names those that a newer one
// knows. Where nothing can be found out, it refuses nothing.
func CheckArchitecture(architecture string) error {
	if is, err := Knows(architecture); is || err != nil {
		return nil
	}
	newer, err := NewerArchitectures()
	if err != nil {
		return nil
	}
	does := "does not know it either"
	if slices.Contains(newer, architecture) {
		does = "knows it"
	}
	if others := slices.DeleteFunc(newer, func(a string) bool { return a == architecture }); len(others) > 0 {
		does += "; what it knows besides is " + strings.Join(others, ", ")
	}
	return fmt.Errorf("unknown architecture %q: this build has llama.cpp from %s; llama.cpp %s %s; %s", architecture,
		Build().Carrier, models.ListedLlama, does, Newer)
}
