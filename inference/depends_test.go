package inference_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/kernels"
	"github.com/parley-debate/parley/models/modeltest"
)

// TestFastSaysWhatDepends: an engine in mode Fast says why its replies may depend on the batch where they do, and looks
// for that once; other engines say nothing. The record has it.
func TestFastSaysWhatDepends(t *testing.T) {
	if modeltest.GPU() != "" {
		t.Skip("the self-test is for what the CPU computes")
	}
	dir := t.TempDir()
	describe := func(o ...inference.Option) inference.ModelInfo {
		l := open(t, append(o, inference.Context(512), inference.Threads(2), inference.StepCost(8))...)
		defer l.Close()
		return l.Model()
	}
	if m := describe(inference.Calibrated(dir)); m.Depends != "" && inference.OurProducts() {
		t.Errorf("with our kernels a reply depends on %q, want nothing", m.Depends)
	}
	m := describe(inference.Calibrated(dir), inference.Kernels("flash"))
	if !strings.Contains(m.Depends, "left to llama.cpp") || !strings.Contains(m.Depends, "were asked for") ||
		!strings.Contains(m.About(), "mode fast, in which its") {
		t.Errorf("with llama.cpp's kernels a reply depends on %q, said as %s; want what is left to llama.cpp and the "+
			"mode", m.Depends, m.About())
	}
	if record, err := json.Marshal(m); err != nil || !strings.Contains(string(record), `"depends":"`) {
		t.Errorf("a record of mode fast says on what its bits depend: got %s, %v", record, err)
	}
	if m := describe(inference.Kernels("flash")); m.Depends != "" {
		t.Errorf("without a place to keep what is found, replies depend on %q, want nothing said", m.Depends)
	}
	path := filepath.Join(dir, "invariance.json")
	kept := datatest.Read(t, path)
	changed := strings.ReplaceAll(string(kept), "left to llama.cpp", "kept")
	datatest.Write(t, path, changed)
	if m := describe(inference.Calibrated(dir), inference.Kernels("flash")); !strings.Contains(m.Depends, "kept") {
		t.Errorf("what depends is %q, want what was kept of an earlier opening", m.Depends)
	}
}

// TestForcedInstructions: instructions that the kernels are told to use change no reply and no identity, and are in the
// record; such that there are not are refused with those that there are.
func TestForcedInstructions(t *testing.T) {
	plain := open(t, inference.StepCost(8))
	defer plain.Close()
	for _, target := range kernels.Targets() {
		if !target.Runs {
			continue
		}
		forced := open(t, inference.StepCost(8), inference.Kernels("parley:"+target.Name))
		defer forced.Close()
		was, is := plain.Model(), forced.Model()
		if is.Kernels != "parley" || is.Target != target.Name || was.Target != "" {
			t.Errorf("%s: recorded as %q with target %q; without a name as %q", target.Name, is.Kernels, is.Target,
				was.Target)
		}
		if was.Identity("x") != is.Identity("x") {
			t.Errorf("%s: the identity is %+v; want %+v", target.Name, is.Identity("x"), was.Identity("x"))
		}
	}
	path := modeltest.Embedded(t)
	for _, name := range []string{"parley:sse9", "flash:avx2", "parley:"} {
		t.Run(name, func(t *testing.T) {
			if l, err := inference.Open(path, inference.Kernels(name)); err == nil {
				l.Close()
				t.Errorf("the kernels %s were accepted, want an error", name)
			} else if !strings.Contains(err.Error(), "change --kernels") {
				t.Errorf("%s: %v; want what to change", name, err)
			}
		})
	}
}
