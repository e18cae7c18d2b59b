package llamacpp_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference/llamacpp"
)

// TestContexts answers the question in every layout and element type of the KV cache, on the last sequence of four.
func TestContexts(t *testing.T) {
	m := load(t)
	for name, o := range map[string]llamacpp.ContextOptions{
		"default":    {},
		"separate":   {SeparateKV: true},
		"f32":        {KeyType: llamacpp.KVF32, ValueType: llamacpp.KVF32},
		"q8_0":       {KeyType: llamacpp.KVQ8_0, ValueType: llamacpp.KVQ8_0},
		"one thread": {Threads: 1},
		"spinning":   {Threads: 2, Poll: 100},
	} {
		t.Run(name, func(t *testing.T) {
			o.Cells, o.Sequences = 2048, 4
			c := newContext(t, m, o)
			tokens := tokenize(t, m, question)
			first := step(t, c, prompt(tokens, 3, 0, llamacpp.Start{}))[0]
			if text := textOf(m, generate(t, c, m, 3, len(tokens), first, 200)); !strings.HasSuffix(text,
				"The answer is: (C).") {
				t.Errorf("said %q, want %q at its end", text, "The answer is: (C).")
			}
			bytes := m.KVBytesPerCell(o.KeyType, o.ValueType)
			if want := map[llamacpp.KVType]int64{llamacpp.KVF16: 2048, llamacpp.KVF32: 4096,
				llamacpp.KVQ8_0: 1088}[o.KeyType]; bytes != want || c.MemoryBytes() != bytes*int64(c.Cells()) {
				t.Errorf("%d bytes a cell, want %d; %d in all", bytes, want, c.MemoryBytes())
			}
			if c.Threads() < 1 || c.Sequences() != 4 || c.Cells() < 2048 {
				t.Errorf("%d threads, %d sequences, %d cells; want at least 1, 4 and at least 2048",
					c.Threads(), c.Sequences(), c.Cells())
			}
		})
	}
	plain := loadWith(t, llamacpp.ModelOptions{Kernels: llamacpp.KernelsPlain})
	if _, err := plain.NewContext(llamacpp.ContextOptions{ValueType: llamacpp.KVQ8_0}); err == nil {
		t.Error("quantised values without flash attention were accepted")
	}
}

// TestSmallContexts take as many rows at once as they have cells, whatever llama.cpp rounds their number to.
func TestSmallContexts(t *testing.T) {
	m := load(t)
	for _, cells := range []int{1, 255, 256, 257, 270, 511} {
		t.Run(fmt.Sprint(cells), func(t *testing.T) {
			c := newContext(t, m, llamacpp.ContextOptions{Cells: cells, Batch: 512})
			step(t, c, prompt(counting(m, min(c.Cells(), 512)), 0, 0, llamacpp.Start{}))
			if c.Cells() < cells {
				t.Errorf("%d cells, want at least the %d that were asked for", c.Cells(), cells)
			}
			tooMany := prompt(counting(m, c.Cells()+1), 0, 0, llamacpp.Start{})
			if err := c.Step(t.Context(), tooMany, make([]llamacpp.Sampled, 1)); err == nil {
				t.Errorf("a context of %d cells took a step of %d rows, want an error", c.Cells(), len(tooMany.Rows))
			}
		})
	}
}

// TestCellsTakeMemoryOnceUsed: of many cells, none takes memory until a step stores something in it, on systems that
// say what does.
func TestCellsTakeMemoryOnceUsed(t *testing.T) {
	resident := func() (bytes int64) {
		text, err := os.ReadFile("/proc/self/statm")
		fields := strings.Fields(string(text))
		if err != nil {
			t.Skip("this system does not say how much memory is in use: ", err)
		}
		pages, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return pages * int64(os.Getpagesize())
	}
	m := loadWith(t, llamacpp.ModelOptions{})
	before := resident()
	c := newContext(t, m, llamacpp.ContextOptions{Cells: 1 << 17, Batch: 16, Threads: 1})
	made, most := resident()-before, c.MemoryBytes()/2
	step(t, c, prompt(tokenize(t, m, "Hello"), 0, 0, llamacpp.Start{}))
	if now := resident() - before; made > most || now > most {
		t.Errorf("%d bytes of cells: %d taken when they were made, %d after a step, want less than %d", c.MemoryBytes(),
			made, now, most)
	}
}
