package inference

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/parley-debate/parley/inference/machine"
	"github.com/parley-debate/parley/models"
)

// Memory is what an engine takes, in bytes.
type Memory struct {
	Weights int64 `json:"weights"`
	Cells   int64 `json:"cells"`          // keys and values, and the states of recurrent models
	Free    int64 `json:"free,omitempty"` // what the weights left when the engine was opened; 0 if unknown
	Peak    int64 `json:"peak,omitempty"` // the most that the whole process has held so far
}

// Memory says what this engine takes.
func (l *Local) Memory() Memory {
	all := Memory{Free: l.models[0].plan.free, Peak: machine.PeakMemory(os.Getpid())}
	for _, m := range l.models {
		all.Weights += m.model.SizeBytes()
		all.Cells += m.context.MemoryBytes() + m.context.StateBytes()
	}
	return all
}

// MemoryUse is the memory that serves one purpose, in bytes.
type MemoryUse struct {
	Purpose string
	Bytes   int64
}

// MemoryUses returns what an engine has allocated, by purpose, and by model where it has several: first what llama.cpp
// and our kernels hold, then what Go does. Purposes without a known size are left out. The last two entries are totals
// that include others: the whole Go heap, and the most that the process has held so far, with the mapped weights that
// were read. The rest of the process is mostly llama.cpp's vocabulary and bookkeeping, whose sizes it does not report.
// Any goroutine may ask, before Close.
func (l *Local) MemoryUses() (known []MemoryUse) {
	add := func(purpose string, bytes int64) {
		if bytes > 0 {
			known = append(known, MemoryUse{purpose, bytes})
		}
	}
	for i, m := range l.models {
		whose, c, s := "", m.context.Memory(), l.driver.Memory(i)
		if len(l.models) > 1 {
			whose = m.info.Name + ": "
		}
		add(whose+"weights", m.model.SizeBytes())
		add(whose+fmt.Sprintf("%s KV cells", humanize.Comma(int64(m.context.Cells()))), c.Cells)
		add(whose+fmt.Sprintf("states of %s sequences", humanize.Comma(int64(m.context.Sequences()))), c.States)
		add(whose+"compute buffers", c.Compute)
		add(whose+"logits", c.Logits)
		add(whose+"kernels", c.Kernels)
		add(whose+"sampling", c.Sampling)
		add(whose+"prompts", s.Prompts)
		add(whose+"replies kept", s.Replies)
		add(whose+"prefix tree", s.Tree)
	}
	var heap runtime.MemStats
	runtime.ReadMemStats(&heap)
	add("Go heap in all", int64(heap.HeapInuse))
	add("process at its peak", machine.PeakMemory(os.Getpid()))
	return known
}

// MemoryLine writes MemoryUses in a line, for a terminal.
func (l *Local) MemoryLine() string {
	var parts []string
	for _, use := range l.MemoryUses() {
		parts = append(parts, use.Purpose+" "+humanize.IBytes(uint64(use.Bytes)))
	}
	return strings.Join(parts, ", ")
}

// Fit says whether a model fits into the memory that is free now, on the CPU and with default options.
type Fit struct {
	Fits   bool  `json:"fits"`
	Cells  int   `json:"cells"`          // of the KV cache that it would get: fewer than Wanted where memory is short
	Wanted int   `json:"cells_wanted"`   // cells by default
	Bytes  int64 `json:"bytes"`          // weights and those cells
	Free   int64 `json:"free,omitempty"` // before the model is loaded; 0 if nobody knows, and then it fits
}

// FitOf foresees the plan of Open from the header of a file.
func FitOf(info models.Info) Fit {
	return fitIn(machine.AvailableMemory(), info)
}

func fitIn(free int64, info models.Info) Fit {
	wanted := usualCells(info.Embedded)
	left := free - info.SizeBytes
	_, sequences := sequencesOf(UsualParallel, false, info.StateBytes, left)
	demands := []demand{{name: info.Name, cells: wanted, bytes: max(1, info.KVBytesPerToken(2)),
		states: int64(sequences) * info.StateBytes}}
	f := Fit{Fits: true, Wanted: wanted, Free: free}
	if free > 0 {
		f.Fits = divide([]memory{{host: true, free: max(1, left)}}, demands) == nil && demands[0].all() <= max(0, left)
	}
	f.Cells, f.Bytes = demands[0].cells, info.SizeBytes+demands[0].all()
	return f
}
