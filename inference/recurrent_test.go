package inference_test

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/models"
	"github.com/parley-debate/parley/models/modeltest"
)

// recurrentFiles writes a small model of each kind that this build's llama.cpp knows: the recurrent miniatures, and two
// models of the first Mamba, alone and beside attention, whose weights are less regular.
func recurrentFiles(t *testing.T) map[string]string {
	t.Helper()
	directory, paths := t.TempDir(), make(map[string]string)
	for _, s := range models.Miniatures() {
		if known, _ := llamacpp.Knows(s.Family); !known || !s.Recurrent() {
			continue
		}
		paths[s.Name] = filepath.Join(directory, s.Name+".gguf")
		if err := models.WriteSynthetic(paths[s.Name], models.Synthetic{Shape: s, Seed: 1}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"mamba", "jamba"} {
		paths[name] = filepath.Join(directory, name+".gguf")
		file := modeltest.Small(name, "llama").Set(name+".context_length", uint32(4096)).Set("tokenizer.chat_template",
			"{% for m in messages %}<{{ m.role }}>{{ m.content }}\n{% endfor %}<assistant>")
		datatest.Write(t, paths[name], file.Bytes())
	}
	return paths
}

func openRecurrent(t *testing.T, path string, o ...inference.Option) *inference.Local {
	t.Helper()
	l, err := inference.Open(path, append(append(usual(), inference.Context(1024)), o...)...)
	if errors.Is(err, llamacpp.ErrNoCgo) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// recurrentDebate is two rounds of three agents who have rules in common. In the second, each has its own reply and one
// of another; what is asked of the last one does not have its reply, so that it begins within its first prompt.
func recurrentDebate(t *testing.T, hold func(requests ...inference.Request) []inference.Reply) (all []inference.Reply,
	requests []inference.Request) {
	t.Helper()
	rules := inference.Message{Role: "system", Content: "Be brief, and give reasons for what you say."}
	var rounds [2][]inference.Request
	for agent := range 3 {
		asked := fmt.Sprintf("Is a tomato a fruit? You are agent %d.", agent)
		rounds[0] = append(rounds[0], inference.Request{Agent: agent, MaxTokens: 10,
			Messages: []inference.Message{rules, {Role: "user", Content: asked}}})
	}
	first := hold(rounds[0]...)
	for agent, r := range rounds[0] {
		own := first[agent].Text
		if agent == 2 {
			own = "Botanists say so."
		}
		r.Messages = append(r.Messages[:2:2], inference.Message{Role: "assistant", Content: own},
			inference.Message{Role: "user", Content: "Another agent says: " + first[(agent+1)%3].Text})
		rounds[1] = append(rounds[1], r)
	}
	return append(first, hold(rounds[1]...)...), append(rounds[0], rounds[1]...)
}

// TestRecurrent: greedy replies from the tree are those of an engine that has computed nothing before, one at a time;
// prompt tokens stay near the least that there are. Where bits do not depend on the batch, they are equal.
func TestRecurrent(t *testing.T) {
	for name, path := range recurrentFiles(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := openRecurrent(t, path, inference.Parallel(4))
			found, err := l.Invariance(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			exact := found.Err() == nil
			replies, requests := recurrentDebate(t, func(r ...inference.Request) []inference.Reply {
				return generate(t, l, r...)
			})
			for i, r := range requests {
				alone := openRecurrent(t, path, inference.Parallel(1))
				sameGreedy(t, fmt.Sprint("request ", i), replies[i], generate(t, alone, r)[0], exact)
				if alone.Stats().PromptComputed != replies[i].PromptTokens {
					t.Errorf("alone, %+v, want all %d prompt tokens computed", alone.Stats(), replies[i].PromptTokens)
				}
				alone.Close()
			}
			s, cached := l.Stats(), 0
			for _, r := range replies {
				cached += r.CachedTokens
			}
			if cached == 0 || s.PromptComputed != s.PromptAsked-cached || s.PromptRepeated > 40 || s.Drafted > 0 {
				t.Errorf("%d prompt tokens are cached, want some, the rest computed, at most 40 repeated and no "+
					"drafts: %+v", cached, s)
			}
			t.Logf("%d of %d prompt tokens computed, %d repeated", s.PromptComputed, s.PromptAsked, s.PromptRepeated)
			if plan := l.Plan(); !strings.Contains(plan, "recurrent: 256 sequences keep a state of ") {
				t.Errorf(`%v, want a text with "recurrent: 256 sequences keep a state of "`, plan)
			}
		})
	}
}

// sameGreedy compares two greedy replies: their tokens, and their probabilities, unless exact within what the sizes of
// batches change.
func sameGreedy(t *testing.T, what string, got, want inference.Reply, exact bool) {
	t.Helper()
	off := math.Abs(got.LogProb - want.LogProb)
	if got.Err != nil || got.Text != want.Text || off > 2e-3*math.Abs(want.LogProb) || exact && off > 0 {
		t.Errorf("%s: %v, %q with log-probability %v, alone %q with %v", what, got.Err, got.Text, got.LogProb,
			want.Text, want.LogProb)
	}
}

// TestRecurrentPreempted: with few cells, generations are interrupted, and go on from a state that was kept or computed
// again, as if nothing had happened.
func TestRecurrentPreempted(t *testing.T) {
	for name, exact := range map[string]bool{"mini-jamba": true, "jamba": false} {
		t.Run(name, func(t *testing.T) {
			path, known := recurrentFiles(t)[name]
			if !known {
				return // in builds without llama.cpp, where an engine on the other is refused
			}
			few := openRecurrent(t, path, inference.Parallel(6), inference.Context(768))
			many := openRecurrent(t, path, inference.Parallel(6), inference.Context(4096))
			var requests []inference.Request
			for i := range 12 {
				r := inference.Request{Agent: i, MaxTokens: 20, Messages: []inference.Message{{Role: "user",
					Content: fmt.Sprintf("Count from %d.", i)}}, Sampling: inference.Sampling{IgnoreEnd: true}}
				if i > 5 {
					r.MaxTokens = 220
				}
				requests = append(requests, r)
			}
			got, want := generate(t, few, requests...), generate(t, many, requests...)
			for i := range requests {
				sameGreedy(t, fmt.Sprintf("%s, request %d", name, i), got[i], want[i], exact && modeltest.GPU() == "")
			}
			if few.Stats().Preempted == 0 || many.Stats().Preempted > 0 {
				t.Errorf("%s: preempted %d times with few cells, want some, and %d with many, want none", name,
					few.Stats().Preempted, many.Stats().Preempted)
			}
		})
	}
}

// TestRecurrentReproducible: recurrent models run in mode reproducible, unless some operation depends on the batch,
// which is named: gated delta nets in chunks, and attention and products of a size that our kernels do not know.
func TestRecurrentReproducible(t *testing.T) {
	refused := map[string]string{"jamba": "FLASH_ATTN_EXT", "mamba": "MUL_MAT f32"}
	for name, path := range recurrentFiles(t) {
		l, err := inference.Open(path, inference.Mode(inference.Reproducible), inference.Threads(1),
			inference.Context(512))
		if errors.Is(err, llamacpp.ErrNoCgo) {
			t.Skip(err)
		}
		why, isRefused := refused[name]
		switch {
		case !isRefused && err != nil:
			t.Errorf("%s: refused with why its results depend on the batch, %q: got %v", name, why, err)
		case !isRefused:
			l.Close()
		case err == nil || !strings.Contains(err.Error(), "whose results depend on the batch") ||
			!strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), "use --mode fast"):
			t.Errorf("%s: the mode is refused with %v, want it to say %q and \"use --mode fast\"", name, err, why)
		}
	}
}
