package inference

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/parley-debate/parley/inference/llamacpp"
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
		weights := "weights"
		if !m.options.model.NoMmap {
			weights = "mapped weights"
		}
		add(whose+weights, m.model.SizeBytes())
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

// memory is what models share: that of the machine, or of a device.
type memory struct {
	host   bool
	device string // llamacpp.ModelOptions.Device
	free   int64  // bytes; 0 if nobody knows
}

// layers says where those of a model lie.
type layers struct {
	device    string  // llamacpp.ModelOptions.Device
	offloaded float64 // share that lies there; the rest is in the machine's memory
}

// in returns the share of the layers in a memory. Where no device is named, it may be any of them.
func (l layers) in(m memory) float64 {
	switch {
	case m.host:
		return 1 - l.offloaded
	case m.device == l.device || m.device == "" || l.device == "":
		return l.offloaded
	}
	return 0
}

// layers says where those of the model lie, also before it is loaded.
func (m *instance) layers() layers {
	o := m.options.model
	return layers{o.Device, o.Offloaded(m.file.Layers)}
}

// largePages says whether a model's file is read into memory in large pages, instead of mapped. In small ones, the
// processor has to find a page for every 4 KiB of weights in each step, and a single reply takes up to 1.3 times as
// long. Mapped weights are shared by processes, so that four times as much must be free: several may start at once.
func (m *instance) largePages() bool {
	return runtime.GOOS == "linux" && m.layers().offloaded == 0 && 4*m.file.SizeBytes <= machine.AvailableMemory()
}

// memories returns the memories in which layers of the models lie, with what the loaded weights leave of them.
func (l *Local) memories() []memory {
	host := memory{host: true, free: machine.AvailableMemory()}
	var devices []memory
	for _, m := range l.models {
		where := m.layers()
		if m.model != nil && !m.options.model.NoMmap && host.free > 0 { // mapped files count as available
			host.free = max(1, host.free-int64(where.in(host)*float64(m.model.SizeBytes())))
		}
		if where.offloaded > 0 && !slices.ContainsFunc(devices, func(known memory) bool {
			return known.device == where.device
		}) {
			devices = append(devices, memory{device: where.device, free: llamacpp.DeviceMemory(where.device)})
		}
	}
	return append([]memory{host}, devices...)
}

// room returns how many bytes of cells of layers that lie so there is room for, or 0 if nobody knows.
func (l layers) room(memories []memory) (bytes int64) {
	for _, m := range memories {
		if share := l.in(m); share > 0 && m.free > 0 {
			if room := max(1, int64(float64(m.free)/share)); bytes == 0 || room < bytes {
				bytes = room
			}
		}
	}
	return bytes
}

// demand is the memory that one model wants for its cells, and takes for its states.
type demand struct {
	layers
	name   string
	cells  int
	bytes  int64 // of one cell
	states int64 // of all sequences
	given  bool  // cells are given by the user: not to be changed
}

func (d demand) all() int64 { return int64(d.cells)*d.bytes + d.states }

// leastCells is what a context has where memory is short.
const leastCells = 2048

// divide makes do with the memories that are free beside the weights: where one is short, all models with layers in it
// get the same share of what they want, and no model less than leastCells. Several models that do not fit then are
// refused. One model is tried: what it maps may be given back by others.
func divide(memories []memory, demands []demand) error {
	wanted := slices.Clone(demands)
	for _, m := range memories {
		m.scale(wanted, demands)
	}
	for _, m := range memories {
		if err := m.check(demands); err != nil && len(demands) > 1 {
			return err
		}
	}
	return nil
}

// usable returns how much of a memory cells can take beside the states of the models, and how much they want.
func (m memory) usable(demands []demand) (usable, wanted float64) {
	usable = 0.8 * float64(m.free)
	for _, d := range demands {
		usable -= d.in(m) * float64(d.states)
		wanted += d.in(m) * float64(d.all()-d.states)
	}
	return usable, wanted
}

// scale lowers demands to what a memory can give all models, of what they wanted first.
func (m memory) scale(first, demands []demand) {
	usable, wanted := m.usable(first)
	if m.free == 0 || wanted <= usable {
		return
	}
	for i := range demands {
		if d := &demands[i]; !d.given && d.in(m) > 0 {
			part := max(0, usable) / wanted * float64(first[i].cells)
			d.cells = min(d.cells, max(leastCells, int(part)/256*256))
		}
	}
}

// check refuses demands for which there is too little of a memory.
func (m memory) check(demands []demand) error {
	usable, wanted := m.usable(demands)
	if m.free == 0 || wanted <= usable {
		return nil
	}
	var all int64
	var parts []string
	for _, d := range demands {
		if share := d.in(m); share > 0 {
			bytes := int64(share * float64(d.all()))
			all += bytes
			parts = append(parts, fmt.Sprintf("%s %s (%s cells)", d.name, humanize.IBytes(uint64(bytes)),
				humanize.Comma(int64(d.cells))))
		}
	}
	return fmt.Errorf("the KV cells of %s need at least %s%s, and %s are free beside their weights: %s; lower "+
		"--context, choose --kv q8_0, or have fewer or smaller models in the teams",
		english.Plural(len(parts), "model", ""), humanize.IBytes(uint64(all)), m.where(),
		humanize.IBytes(uint64(m.free)), strings.Join(parts, ", "))
}

// where names a device behind an amount of memory.
func (m memory) where() string {
	switch {
	case m.host:
		return ""
	case m.device == "":
		return " on GPUs"
	}
	return " on " + m.device
}

// checkWeights refuses several models whose weights alone are more than the memory that is free, before anything is
// loaded.
func (l *Local) checkWeights() error {
	if len(l.models) == 1 {
		return nil
	}
	for _, memory := range l.memories() {
		var all int64
		var parts []string
		for _, m := range l.models {
			if share := m.layers().in(memory); share > 0 {
				bytes := int64(share * float64(m.file.SizeBytes))
				all += bytes
				parts = append(parts, m.info.Name+" "+humanize.IBytes(uint64(bytes)))
			}
		}
		if memory.free > 0 && all >= memory.free {
			return fmt.Errorf("the weights of %s take %s%s, and %s of memory are free: %s; have fewer or smaller "+
				"models in the teams, or other quantisations of them", english.Plural(len(parts), "model", ""),
				humanize.IBytes(uint64(all)), memory.where(), humanize.IBytes(uint64(memory.free)),
				strings.Join(parts, ", "))
		}
	}
	return nil
}
