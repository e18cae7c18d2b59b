package llamacpp_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/internal/soak"
	"github.com/parley-debate/parley/models"
	"github.com/parley-debate/parley/models/modeltest"
)

// TestTensors loads the miniature of each family with each tensor left out, in other types and in other shapes: each
// file is refused by an error that names the tensor, or generates; no process ends. Each tensor is left out once, and
// has some of the types and shapes; in a soak it has all of them.
func TestTensors(t *testing.T) {
	list := alteredMiniatures(t)
	if first, is := ofProcess(); is {
		useMutants(t, first, func(i int) mutant {
			if i >= len(list) {
				return mutant{}
			}
			about := list[i].Tensor
			if strings.HasSuffix(list[i].What, "ffn_gate_inp.weight,left-out") {
				about, _, _ = strings.Cut(about, "_inp") // which chooses among experts; without it, there are none
			}
			return mutant{list[i].of + "," + list[i].What, list[i].Bytes(), about}
		})
		return
	}
	load(t)
	accepted, crashes := 0, 0
	for next := 0; next < len(list) && crashes < 20; {
		last, ok, problem := runMutants(t, next)
		if problem != "" {
			t.Errorf("file %d: %s, want a file that opens or an error", last, problem)
			crashes++
		}
		next, accepted = last+1, accepted+ok
	}
	t.Logf("%d files, of which %d generated", len(list), accepted)
}

// altered is one of alteredMiniatures.
type altered struct {
	of string
	modeltest.Altered
}

// someTypes is how many of the files with other types or shapes there are for one that is tried outside of soaks.
const someTypes = 37

func alteredMiniatures(t *testing.T) (list []altered) {
	t.Helper()
	n := 0
	add := func(name string, f *modeltest.File) {
		for _, a := range f.Alter() {
			if n++; soak.On() || a.LeftOut() || n%someTypes == 0 {
				list = append(list, altered{name, a})
			}
		}
	}
	for _, architecture := range modeltest.Architectures {
		add(architecture, modeltest.Small(architecture, "llama"))
	}
	for _, s := range models.Miniatures() {
		if known, _ := llamacpp.Knows(s.Family); !known {
			continue
		}
		path := filepath.Join(t.TempDir(), "miniature.gguf")
		if err := models.WriteSynthetic(path, models.Synthetic{Shape: s, Seed: 1}); err != nil {
			t.Fatal(err)
		}
		content := datatest.Read(t, path)
		add(s.Name, modeltest.Parse(content))
	}
	return list
}
