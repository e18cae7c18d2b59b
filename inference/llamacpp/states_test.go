package llamacpp_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/models"
	"github.com/parley-debate/parley/models/modeltest"
)

// recurrentModels opens a small model of each kind that this build's llama.cpp knows: the recurrent miniatures, and two
// models of the first Mamba, alone and beside attention.
func recurrentModels(t *testing.T) map[string]*llamacpp.Model {
	t.Helper()
	all := make(map[string]*llamacpp.Model)
	for _, s := range models.Miniatures() {
		if known, _ := llamacpp.Knows(s.Family); known && s.Recurrent() {
			all[s.Name] = miniature(t, s, usual())
		}
	}
	for _, name := range []string{"mamba", "jamba"} {
		path := datatest.File(t, name+".gguf", modeltest.Small(name, "llama").Bytes())
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
				t.Fatalf("the model is recurrent: %v, with states of %d bytes, want true and some", m.Recurrent(),
					m.StateBytes())
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

// TestRecurrentBesideOthers: our kernels compute the products with weights of all sequences of a graph at once, whose
// rows stand in a third dimension there. A sequence is then computed as it is alone: to the bit if llama.cpp computes
// nothing in an order that depends on the batch.
func TestRecurrentBesideOthers(t *testing.T) {
	needsKernels(t)
	equal := 0
	for name, m := range recurrentModels(t) {
		t.Run(name, func(t *testing.T) {
			o := llamacpp.ContextOptions{Cells: 512, Sequences: 4, Threads: 1}
			tokens, alone := counting(m, 60), newContext(t, m, o)
			step(t, alone, prompt(tokens, 0, 0, llamacpp.Start{}))
			want := alone.Logits(len(tokens) - 1)
			for _, length := range []int{1, 20, 60} {
				c := newContext(t, m, o)
				step(t, c, prompt(tokens[:20], 0, 0, llamacpp.Start{}))
				b := prompt(tokens, 0, 20, llamacpp.Start{})
				last := len(b.Rows) - 1
				for seq := llamacpp.SeqID(1); seq < 4; seq++ {
					b.Rows = append(b.Rows, prompt(tokens[60-length:], seq, 0, llamacpp.Start{}).Rows...)
				}
				step(t, c, b)
				got, exact := c.Logits(last), true
				for _, op := range c.Operations() {
					exact = exact && op.By != llamacpp.ByBatch
					if op.By == llamacpp.ByBatch && strings.HasPrefix(op.Name, "MUL_MAT f16") {
						t.Errorf("a product is left to llama.cpp, want ours: %+v", op)
					}
				}
				if exact {
					equal++
				}
				if e := squaredError(got, want); !(e < tolerance) || exact && !slices.Equal(got, want) {
					t.Errorf("beside sequences of %d: the squared error of the logits is %.2g of their square",
						length, e)
				}
			}
		})
	}
	if equal < 3*5 {
		t.Errorf("bits were compared %d times, want at least %d", equal, 3*5)
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
				t.Errorf("%s, %+v: %v, want an error with %v", name, op, err, want)
			}
		}
	}
}

// TestStateBytes, worked by hand: 4 bytes x recurrent layers x (last inputs of the convolution x its width + state x
// inner size).
func TestStateBytes(t *testing.T) {
	all := recurrentModels(t)
	known, most := 0, map[string]int64{
		"mini-qwen3-next": 4 * 3 * (3*(128+2*2*32) + 32*128), // 4 heads of 32, 2 groups
		"mini-qwen3.5":    4 * 3 * (3*(128+2*2*32) + 32*128), "mini-qwen3.5-moe": 4 * 3 * (3*(128+2*2*32) + 32*128),
		"mini-mamba2":    4 * 2 * (3*(256+2*2*32) + 32*256), // 2 groups
		"mini-jamba":     4 * 3 * (3*256 + 16*256),
		"mini-granite4":  4 * 3 * (3*(256+2*1*32) + 32*256),
		"mini-falcon-h1": 4 * 2 * (3*(256+2*1*32) + 32*256),
		"mini-lfm2":      4 * 3 * (2 * 128),        // a convolution over 3 tokens
		"mini-rwkv7":     4 * 2 * (2*128 + 128*64), // the token before, in both halves of a layer, and heads of 64
		"mamba":          4 * 2 * (3*64 + 16*64), "jamba": 4 * 1 * (3*64 + 16*64),
	}
	for name, want := range most {
		m, ok := all[name]
		if !ok {
			continue
		}
		known++
		c := newContext(t, m, llamacpp.ContextOptions{Cells: 256, Sequences: 3})
		if m.StateBytes() != want || c.StateBytes() != 3*want || c.Memory().States != 3*want {
			t.Errorf("%s: %d bytes, want %d", name, m.StateBytes(), want)
		}
	}
	if known != len(all) || known < 8 {
		t.Errorf("the states of %d models of %d were compared, want all, at least 8", known, len(all))
	}
	for name, want := range map[string]int64{ // attention layers x (keys + values) x heads x width x 2 bytes
		"mini-qwen3-next": 1 * 2 * 2 * 32 * 2, "mini-mamba2": 0, "mini-granite4": 1 * 2 * 2 * 32 * 2,
		"mini-falcon-h1": 2 * 2 * 2 * 32 * 2, "mini-rwkv7": 0, "mamba": 0, "jamba": 1 * 2 * 1 * 16 * 2,
	} {
		t.Run(name, func(t *testing.T) {
			if got := all[name].KVBytesPerCell(llamacpp.KVF16, llamacpp.KVF16); got != want {
				t.Errorf("%s: %d bytes a cell, want %d", name, got, want)
			}
		})
	}
}
