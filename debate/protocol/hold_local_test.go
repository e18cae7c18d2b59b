//go:build cgo && !llama_none

package protocol_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/debatetest"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/internal/soak"
	"github.com/parley-debate/parley/models"
	"github.com/parley-debate/parley/models/modeltest"
)

// onGPU has all layers computed by the GPU that modeltest.GPU names, if it names one.
func onGPU() []inference.Option {
	if device := modeltest.GPU(); device != "" {
		return []inference.Option{inference.GPULayers(-1), inference.Device(device)}
	}
	return nil
}

// TestHoldOnTheEmbeddedModel: the front door holds a debate on a real engine, with the prompts of its model. What it
// decides hangs on the processor's rounding, since replies are drawn at temperature 1: only that what an agent said in
// the end is decided.
func TestHoldOnTheEmbeddedModel(t *testing.T) {
	path := modeltest.Embedded(t)
	engine, err := inference.Open(path, append(onGPU(), inference.Threads(2), inference.Context(4096))...)
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	const question = "Ann is taller than Bob. Bob is taller than Cid. Who is tallest? (A) Ann (B) Bob (C) Cid"
	transcript, err := protocol.Hold(t.Context(), engine, "madc", question)
	if err != nil {
		t.Fatal(err)
	}
	said := slices.ContainsFunc(transcript.Last(), func(turn debate.Turn) bool { return turn.Answer.Parsed })
	d := transcript.Decision
	if len(transcript.Rounds) != 2 || len(transcript.Last()) != 3 || d.Rule.String() == "" || d.Answer.Parsed != said {
		t.Errorf("%d rounds, of which the last has %d turns, want 2 and 3; decided %q by %q; want a rule, and an "+
			"answer if one was said (%t)", len(transcript.Rounds), len(transcript.Last()), d.Answer, d.Rule, said)
	}
}

// TestForms holds a debate of every form at once on a dense and on some recurrent miniatures, whose sequences cannot be
// cut; in a soak on all miniatures, on a GPU, which takes long, otherwise on the dense one alone. All end with a
// decision, and prompts begin with what others have computed. A second engine, which knows half of the replies as after
// a crash, and computes the others one at a time, says the same.
func TestForms(t *testing.T) {
	few := []string{"mini-qwen2", "mini-mamba2", "mini-jamba", "mini-rwkv7"}
	if modeltest.GPU() != "" {
		few = few[:1]
	}
	held := 0
	for _, s := range models.Miniatures() {
		known, _ := llamacpp.Knows(s.Family)
		if !known || !soak.On() && !slices.Contains(few, s.Name) {
			continue
		}
		held++
		t.Run(s.Name, func(t *testing.T) {
			s.Context = 32768
			path := filepath.Join(t.TempDir(), s.Name+".gguf")
			if err := models.WriteSynthetic(path, models.Synthetic{Shape: s, Seed: 1}); err != nil {
				t.Fatal(err)
			}
			everyForm(t, path)
		})
	}
	if held < len(few) {
		t.Errorf("%d models held every form, want at least %d", held, len(few))
	}
}

func everyForm(t *testing.T, path string) {
	t.Helper()
	journal := make(map[string]inference.Reply)
	record := func(g inference.Generation) error {
		journal[g.Reply.Key] = g.Reply
		return nil
	}
	whole, stats := holdForms(t, path, inference.Parallel(8), inference.OnGeneration(record))
	if stats.PromptComputed > stats.PromptAsked/2 || stats.PromptRepeated > stats.PromptComputed/10 {
		t.Errorf("%d of %d prompt tokens were computed, %d of them again, want at most half, and a tenth of those",
			stats.PromptComputed, stats.PromptAsked, stats.PromptRepeated)
	}
	t.Logf("%d of %d prompt tokens were computed, %d of them repeated", stats.PromptComputed, stats.PromptAsked,
		stats.PromptRepeated)
	half := func(key string) (inference.Reply, bool) {
		reply, known := journal[key]
		return reply, known && key < "8"
	}
	resumed, after := holdForms(t, path, inference.Parallel(1), inference.Known(half))
	diff := cmp.Diff(whole, resumed)
	if modeltest.GPU() != "" && os.Getenv("GGML_VK_DISABLE_F16") == "" && diff != "" { // F16 depends on the batch
		t.Logf("computed one at a time, replies differ: %s", diff)
		diff = ""
	}
	if diff != "" || after.Restored == 0 || after.Generations == 0 {
		t.Errorf("a held form again: %d replies restored and %d computed, want some of both and no difference: %s",
			after.Restored, after.Generations, diff)
	}
}

// holdForms returns the texts of one debate of each form.
func holdForms(t *testing.T, path string, o ...inference.Option) (texts map[string][]string,
	stats inference.Stats) {
	t.Helper()
	engine, err := inference.Open(path, append(append(onGPU(), o...), inference.Threads(1),
		inference.Context(32768))...)
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	texts = make(map[string][]string)
	var mu sync.Mutex // guards texts
	var all errgroup.Group
	first := make(map[string]protocol.Protocol) // of each form; those without a name build on another debate
	for _, p := range slices.Backward(protocol.Protocols()) {
		first[p.Form] = p
	}
	forms := slices.Sorted(maps.Keys(first))
	speakers := make([]inference.Participant, len(forms))
	for i := range speakers {
		speakers[i] = engine.Join(i)
	}
	for i, form := range forms {
		p, speaker, c := first[form], speakers[i], debatetest.Puzzle
		if form == "knights" {
			p.Settings = p.Settings.With("agents", 2).With("prompts", "tiny")
			c.Question = "Player name: Ann\nPlayer name: Bob\n"
		}
		d, err := p.For(engine.Model(), "choice").Compose(debate.Asking{MaxTokens: 6,
			Sampling: inference.Sampling{Temperature: 1}})
		if err != nil {
			t.Fatal(err)
		}
		c.Extract = func(reply string) answer.Answer { // the model writes no letters
			return answer.Of([]string{"(A)", "(B)"}[len(reply)%2])
		}
		all.Go(func() error {
			defer speaker.Leave()
			transcript, err := d.Run(t.Context(), speaker, c)
			if err != nil || len(transcript.Rounds) == 0 || transcript.Decision.Rule.String() == "" {
				return fmt.Errorf("%s: %w, %d rounds, %+v", form, err, len(transcript.Rounds),
					transcript.Decision)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, round := range transcript.Rounds {
				for _, turn := range round {
					texts[form] = append(texts[form], turn.Reply.Text)
				}
			}
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	return texts, engine.Stats()
}
