package inference

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/dustin/go-humanize"

	"parley/inference/llamacpp"
)

// Memory is what an engine takes, in bytes.
type Memory struct {
	Weights int64 `json:"weights"`
	Cells   int64 `json:"cells"`          // keys and values
	Free    int64 `json:"free,omitempty"` // beside the weights, when the engine was opened; 0 where nobody tells
	Peak    int64 `json:"peak,omitempty"` // of the process so far, all of it
}

// Memory says what this engine takes.
func (l *Local) Memory() Memory {
	return Memory{Weights: l.model.SizeBytes(), Cells: l.context.MemoryBytes(), Free: l.plan.free,
		Peak: llamacpp.PeakMemory(os.Getpid())}
}

// MemoryUse is the memory that serves one purpose, in bytes.
type MemoryUse struct {
	Purpose string
	Bytes   int64
}

// MemoryUses is what an engine has allocated, by purpose: first what llama.cpp and our kernels hold, then what Go does.
// Purposes of which nothing is known are left out. The last two contain others: all of Go's heap, and the most that the
// process has held so far, mapped weights that were read included. What is missing between them is chiefly llama.cpp's
// vocabulary and its bookkeeping, which it does not tell. Any goroutine may ask, before Close.
func (l *Local) MemoryUses() []MemoryUse {
	c, s := l.context.Memory(), l.driver.Memory()
	var heap runtime.MemStats
	runtime.ReadMemStats(&heap)
	uses := []MemoryUse{
		{"weights", l.model.SizeBytes()},
		{fmt.Sprintf("%s KV cells", humanize.Comma(int64(l.context.Cells()))), c.Cells},
		{"compute buffers", c.Compute},
		{"logits", c.Logits},
		{"kernels", c.Kernels},
		{"sampling", c.Sampling},
		{"prompts kept", s.Prompts},
		{"replies kept", s.Replies},
		{"prefix tree", s.Tree},
		{"Go heap in all", int64(heap.HeapInuse)},
		{"process at its peak", llamacpp.PeakMemory(os.Getpid())},
	}
	known := uses[:0]
	for _, use := range uses {
		if use.Bytes > 0 {
			known = append(known, use)
		}
	}
	return known
}

// MemoryLine is MemoryUses in a line, for a terminal.
func (l *Local) MemoryLine() string {
	var parts []string
	for _, use := range l.MemoryUses() {
		parts = append(parts, use.Purpose+" "+humanize.IBytes(uint64(use.Bytes)))
	}
	return strings.Join(parts, ", ")
}
