package llamacpp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/models"
	"github.com/parley-debate/parley/models/modeltest"
)

// recurrentModels opens a small model of each kind: gated delta nets beside attention, Mamba alone, Mamba beside
// attention.
func recurrentModels(t *testing.T) map[string]*llamacpp.Model {
	t.Helper()
	all := make(map[string]*llamacpp.Model)
	shape, err := models.ShapeNamed("mini-qwen3-next")
	if err != nil {
		t.Fatal(err)
	}
	all["qwen3next"] = miniature(t, shape, usual())
	for _, name := range []string{"mamba", "jamba"} {
		path := filepath.Join(t.TempDir(), name+".gguf")
		if err := os.WriteFile(path, modeltest.Small(name, "llama").Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		all[name] = open(t, path, usual())
	}
	return all
}

// TestStates: a sequence of a recurrent model that began as a copy of another goes on as one that computed all by
// itself, in a batch with sequences of other lengths whose numbers are neither in order nor without gaps.
func TestStates(t *testing.T) {
	for name, m := range recurrentModels(t) {
		t.Run(name, func(t *testing.T) {
			if !m.Recurrent() || m.StateBytes() == 0 {
				t.Fatalf("recurrent: %v, states of %d bytes", m.Recurrent(), m.StateBytes())
			}
			o := llamacpp.ContextOptions{Cells: 512, Sequences: 7, Threads: 1}
			c, shared, tokens := newContext(t, m, o), 60, counting(m, 90)
			step(t, c, prompt(tokens[:shared], 0, 0, llamacpp.Start{}))
			b := llamacpp.Batch{Memory: []llamacpp.MemoryOp{
				{Kind: llamacpp.MemoryCopy, Src: 0, Dst: 5, To: int32(shared)},
				{Kind: llamacpp.MemoryCopy, Src: 5, Dst: 2, To: int32(shared)},
			}}
			rest := map[llamacpp.SeqID][]llamacpp.Token{5: tokens[10:40], 0: tokens[shared:61], 2: tokens[30:37],
				3: tokens[5:20]}
			for _, seq := range []llamacpp.SeqID{5, 0, 2, 3} {
				from := shared
				if seq == 3 {
					from = 0
				}
				for i, token := range rest[seq] {
					b.Rows = append(b.Rows, llamacpp.Row{Token: token, Pos: int32(from + i), Seq: seq})
				}
				b.Samples = append(b.Samples, llamacpp.Sample{Row: int32(len(b.Rows) - 1), Seq: seq,
					Start: &llamacpp.Start{}})
			}
			step(t, c, &b)
			for i, seq := range []llamacpp.SeqID{5, 0, 2, 3} {
				whole := append(append([]llamacpp.Token{}, tokens[:shared]...), rest[seq]...)
				if seq == 3 {
					whole = rest[seq]
				}
				alone := newContext(t, m, o)
				step(t, alone, prompt(whole, 0, 0, llamacpp.Start{}))
				got, want := c.Logits(int(b.Samples[i].Row)), alone.Logits(len(whole)-1)
				if e := squaredError(got, want); !(e < tolerance) {
					t.Errorf("sequence %d: the squared error of the logits is %.2g of their square", seq, e)
				}
			}
		})
	}
}

// TestPartsOfStates are refused: llama.cpp would copy the state after the last token, or remove nothing.
func TestPartsOfStates(t *testing.T) {
	for name, m := range recurrentModels(t) {
		for _, op := range []llamacpp.MemoryOp{
			{Kind: llamacpp.MemoryCopy, Src: 0, Dst: 1, To: 19},
			{Kind: llamacpp.MemoryCopy, Src: 0, Dst: 1, From: 1, To: 20},
			{Dst: 0, From: 19, To: -1}, {Dst: 0, To: 19},
		} {
			c := newContext(t, m, llamacpp.ContextOptions{Cells: 256, Sequences: 2, Threads: 1})
			step(t, c, prompt(counting(m, 20), 0, 0, llamacpp.Start{}))
			err := c.Step(t.Context(), &llamacpp.Batch{Memory: []llamacpp.MemoryOp{op}}, nil)
			const want = "ends at 20: such a sequence can be copied or removed only as a whole"
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %+v: %v", name, op, err)
			}
		}
	}
}

// TestStateBytes, worked by hand: 4 bytes x recurrent layers x (last inputs of the convolution x its width + state x
// inner size).
func TestStateBytes(t *testing.T) {
	all := recurrentModels(t)
	for name, want := range map[string]int64{
		"qwen3next": 4 * 3 * (3*(128+2*2*32) + 32*128), // 4 heads of 32, 2 groups
		"mamba":     4 * 2 * (3*64 + 16*64), "jamba": 4 * 1 * (3*64 + 16*64),
	} {
		m := all[name]
		c := newContext(t, m, llamacpp.ContextOptions{Cells: 256, Sequences: 3})
		if m.StateBytes() != want || c.StateBytes() != 3*want || c.Memory().States != 3*want {
			t.Errorf("%s: %d bytes, want %d", name, m.StateBytes(), want)
		}
	}
	for name, want := range map[string]int64{ // attention layers x (keys + values) x heads x width x 2 bytes
		"qwen3next": 1 * 2 * 2 * 32 * 2, "mamba": 0, "jamba": 1 * 2 * 1 * 16 * 2,
	} {
		if got := all[name].KVBytesPerCell(llamacpp.KVF16, llamacpp.KVF16); got != want {
			t.Errorf("%s: %d bytes a cell, want %d", name, got, want)
		}
	}
}
