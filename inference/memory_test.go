package inference_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference"
)

// TestMemoryUses: memory is known by purpose, from the first step on, and its parts are not larger than the process.
// Weights are read on Linux, and else mapped. Prompts are not kept when they have been answered.
func TestMemoryUses(t *testing.T) {
	l := open(t, inference.Threads(1), inference.Context(2048))
	before := uses(l)
	weights := before["weights"]
	if runtime.GOOS != "linux" {
		weights = before["mapped weights"]
	}
	if weights < 1<<20 || before["2,048 KV cells"] == 0 || before["compute buffers"] != 0 {
		t.Errorf("before the first step the memory is %v, want weights of 1 MiB and more, 2,048 KV cells and no "+
			"compute buffers", before)
	}
	generate(t, l, greedy(puzzles[0]), greedy(puzzles[1]))
	after := uses(l)
	for _, purpose := range []string{"compute buffers", "logits", "sampling", "replies kept", "prefix tree",
		"Go heap in all", "process at its peak"} {
		t.Run(purpose, func(t *testing.T) {
			if after[purpose] <= 0 {
				t.Errorf("%s: %d bytes, want more than 0", purpose, after[purpose])
			}
		})
	}
	if bytes, known := after["prompts"]; known {
		t.Errorf("%d bytes of prompts are kept, want none", bytes)
	}
	if sum := after["2,048 KV cells"] + after["compute buffers"] + after["logits"]; sum > after["process at its peak"] {
		t.Errorf("the parts of the memory are larger than the whole, want them within it: %v", after)
	}
	if line := l.MemoryLine(); !strings.Contains(line, "weights ") || strings.Count(line, ", ") < 7 {
		t.Errorf("the line on memory has the weights and 7 more parts: got %s", line)
	} else {
		t.Log(line)
	}
}

func uses(l *inference.Local) map[string]int64 {
	all := map[string]int64{}
	for _, use := range l.MemoryUses() {
		all[use.Purpose] = use.Bytes
	}
	return all
}
