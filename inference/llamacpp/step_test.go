package llamacpp_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/inference/llamacpp"
)

// golden is what llama-simple of upstream llama.cpp (the copy in llama-cpp-python 0.3.36) writes for the same file and
// prompt.
const golden = "Step 1: The options are red A, gray B, white C. Step 2: The white book is to the left of the gray " +
	"book, so white is " +
	"before gray. Step 3: The red book is the second from the left, so red is 2. Step 4: The order is 1 white C, 2 " +
	"red A, 3 gray B. " +
	"Step 5: The leftmost is 1, white C. The answer is: (C)."

// TestGreedyText decodes one token at a time, as plainly as llama.cpp can be used, and gives the text that the model
// was trained to give.
func TestGreedyText(t *testing.T) {
	m := load(t)
	c := newContext(t, m, llamacpp.ContextOptions{Cells: 1024})
	tokens := tokenize(t, m, question)
	var last llamacpp.Sampled
	for i, token := range tokens {
		b := &llamacpp.Batch{Rows: []llamacpp.Row{{Token: token, Pos: int32(i)}},
			Samples: []llamacpp.Sample{{Start: &llamacpp.Start{}}}}
		last = step(t, c, b)[0]
	}
	got := textOf(m, generate(t, c, m, 0, len(tokens), last, 300))
	if diff := cmp.Diff(golden, got); diff != "" {
		t.Errorf("the greedy text of the embedded model is the one that it was trained to give (-want +got):\n%s", diff)
	}
}

// TestSharedPrefix computes a prompt once and copies it to 15 more sequences: all go on as a cold run does.
func TestSharedPrefix(t *testing.T) {
	for name, kernels := range map[string]llamacpp.Kernels{"parley": llamacpp.KernelsParley,
		"flash": llamacpp.KernelsFlash, "plain": llamacpp.KernelsPlain} {
		t.Run(name, func(t *testing.T) {
			m := loadWith(t, llamacpp.ModelOptions{Kernels: kernels})
			c := newContext(t, m, llamacpp.ContextOptions{Cells: 8192, Sequences: 16})
			tokens := tokenize(t, m, question)
			first := step(t, c, prompt(tokens, 0, 0, llamacpp.Start{}))[0]
			batch := &llamacpp.Batch{}
			for seq := llamacpp.SeqID(1); seq < 16; seq++ {
				batch.Memory = append(batch.Memory, llamacpp.MemoryOp{Kind: llamacpp.MemoryCopy, Src: 0, Dst: seq,
					To: -1})
			}
			drawn, hits := make([][]llamacpp.Sampled, 16), 0
			for seq := range drawn {
				drawn[seq] = []llamacpp.Sampled{first}
				batch.Rows = append(batch.Rows, llamacpp.Row{Token: first.Token, Pos: int32(len(tokens)),
					Seq: llamacpp.SeqID(seq)})
				batch.Samples = append(batch.Samples, llamacpp.Sample{Row: int32(seq), Seq: llamacpp.SeqID(seq),
					Start: &llamacpp.Start{}})
				hits++
			}
			for !drawn[0][len(drawn[0])-1].End && len(drawn[0]) < 300 {
				for seq, s := range step(t, c, batch) {
					drawn[seq] = append(drawn[seq], s)
					batch.Rows[seq].Token = s.Token
					batch.Rows[seq].Pos++
					batch.Samples[seq].Start = nil
				}
				batch.Memory = nil
			}
			cold := newContext(t, m, llamacpp.ContextOptions{Cells: 1024})
			first = step(t, cold, prompt(tokens, 0, 0, llamacpp.Start{}))[0]
			want := generate(t, cold, m, 0, len(tokens), first, 300)
			bits := 0
			for seq := range drawn {
				if diff := cmp.Diff(textOf(m, want), textOf(m, drawn[seq])); diff != "" {
					t.Errorf("sequence %d after a shared prefix is drawn as by itself (-alone +shared):\n%s", seq, diff)
				}
				for i := range want {
					if want[i].LogProb != drawn[seq][i].LogProb {
						bits++
					}
				}
			}
			if kernels == llamacpp.KernelsParley && bits > 0 && ourProducts() {
				t.Errorf("%d log-probabilities depend on the batch, want none", bits)
			}
			t.Logf("%d sequences share a prompt of %d tokens; %d of %d log-probabilities differ in some bit", hits,
				len(tokens), bits, 16*len(want))
		})
	}
}

// TestStreams draws 400 samples of one prompt in waves: all streams differ, and a sample is the same beside any
// neighbours.
func TestStreams(t *testing.T) {
	m := load(t)
	tokens := tokenize(t, m, question)
	first := func(n int, options llamacpp.ContextOptions) []llamacpp.Token {
		c := newContext(t, m, options)
		var drawn []llamacpp.Token
		for from := 0; from < n; from += options.Sequences {
			wave := min(options.Sequences, n-from)
			b := prompt(tokens, 0, 0, llamacpp.Start{})
			b.Memory = []llamacpp.MemoryOp{{Dst: 0, To: -1}}
			b.Samples = nil
			for i := range wave {
				b.Samples = append(b.Samples, llamacpp.Sample{
					Row: int32(len(tokens) - 1), Seq: llamacpp.SeqID(i),
					Start: &llamacpp.Start{Sampling: llamacpp.Sampling{Temperature: 5, Seed: uint64(from + i)}},
				})
			}
			for _, s := range step(t, c, b) {
				drawn = append(drawn, s.Token)
			}
		}
		return drawn
	}
	many := first(400, llamacpp.ContextOptions{Cells: 512, Sequences: 64})
	few := first(20, llamacpp.ContextOptions{Cells: 512, Sequences: 3, Threads: 1})
	if diff := cmp.Diff(many[:20], few); diff != "" {
		t.Errorf("a sample is the same beside any neighbours (-want +got):\n%s", diff)
	}
	distinct := map[llamacpp.Token]bool{}
	for _, token := range many {
		distinct[token] = true
	}
	if len(distinct) < 100 {
		t.Errorf("400 draws from a nearly flat distribution over %d tokens gave %d different ones, want at least 100",
			m.VocabSize(), len(distinct))
	}
}

// TestSamplers checks each part of the chain against the logits.
func TestSamplers(t *testing.T) {
	m := load(t)
	c := newContext(t, m, llamacpp.ContextOptions{Cells: 512})
	tokens := tokenize(t, m, question)
	order, logits := []int(nil), []float32(nil)
	draw := func(s llamacpp.Start) llamacpp.Sampled {
		b := prompt(tokens, 0, 0, s)
		b.Memory = []llamacpp.MemoryOp{{Dst: 0, To: -1}}
		out := step(t, c, b)[0]
		if logits = c.Logits(len(tokens) - 1); order == nil {
			order = make([]int, len(logits))
			for i := range order {
				order[i] = i
			}
			slices.SortFunc(order, func(a, b int) int { return int(math.Copysign(1, float64(logits[b]-logits[a]))) })
		}
		return out
	}
	greedy := draw(llamacpp.Start{Sampling: llamacpp.Sampling{Alternatives: 3}})
	if int(greedy.Token) != order[0] || len(greedy.Alternatives) != 3 {
		t.Fatalf("greedy drew %d with %d alternatives, the best is %d", greedy.Token, len(greedy.Alternatives),
			order[0])
	}
	var norm float64
	for _, l := range logits {
		norm += math.Exp(float64(l))
	}
	for i, r := range greedy.Alternatives {
		if want := float64(logits[order[i+1]]) - math.Log(norm); int(r.Token) != order[i+1] ||
			math.Abs(float64(r.LogProb)-want) > 1e-4 {
			t.Errorf("rival %d is %d at %g, want %d at %g", i, r.Token, r.LogProb, order[i+1], want)
		}
	}
	rank := func(token llamacpp.Token) int { return slices.Index(order, int(token)) }
	for name, c := range map[string]struct {
		sampler llamacpp.Start
		most    int // rank
	}{
		"top-k 1":         {llamacpp.Start{Sampling: llamacpp.Sampling{Temperature: 9, TopK: 1}}, 0},
		"top-k 5":         {llamacpp.Start{Sampling: llamacpp.Sampling{Temperature: 9, TopK: 5}}, 4},
		"top-p near zero": {llamacpp.Start{Sampling: llamacpp.Sampling{Temperature: 9, TopP: 1e-6}}, 0},
		"min-p near one":  {llamacpp.Start{Sampling: llamacpp.Sampling{Temperature: 9, MinP: 0.999999}}, 0},
		"no cut":          {llamacpp.Start{Sampling: llamacpp.Sampling{Temperature: 9}}, len(order) - 1},
	} {
		t.Run(name, func(t *testing.T) {
			worst := 0
			for seed := range uint64(60) {
				c.sampler.Sampling.Seed = seed
				worst = max(worst, rank(draw(c.sampler).Token))
			}
			if worst > c.most || (c.most > 0 && worst == 0) {
				t.Errorf("%s: the worst draw has rank %d, at most %d is allowed", name, worst, c.most)
			}
		})
	}
	tokens = append(tokens, greedy.Token, greedy.Token)[:len(tokens)] // the history, not the prompt, has it
	b := prompt(tokens, 0, 0, llamacpp.Start{Sampling: llamacpp.Sampling{RepeatPenalty: 1e6}})
	b.Memory = []llamacpp.MemoryOp{{Dst: 0, To: -1}}
	b.Samples[0].Start.History = []llamacpp.Token{greedy.Token}
	if again := step(t, c, b)[0]; again.Token == greedy.Token {
		t.Errorf("the repetition penalty left token %d the best, want another", again.Token)
	}
}

// TestPenalties draws greedily with biases and penalties on the reply, and compares each token with the best of the
// logits changed here by OpenAI's formula. A sampler that is started anew in between goes on as before.
func TestPenalties(t *testing.T) {
	m := load(t)
	c := newContext(t, m, llamacpp.ContextOptions{Cells: 512})
	tokens := tokenize(t, m, question)
	banned := llamacpp.Token(-1)
	var reply []llamacpp.Token
	for _, anew := range []bool{false, true} {
		t.Run(fmt.Sprint(anew), func(t *testing.T) {
			sampling := llamacpp.Sampling{FrequencyPenalty: 0.5, PresencePenalty: 1.5}
			if anew {
				sampling.Bias = []llamacpp.TokenBias{{Token: banned, Bias: -100}}
			}
			reply = nil
			b := prompt(tokens, 0, 0, llamacpp.Start{Sampling: sampling})
			b.Memory = []llamacpp.MemoryOp{{Dst: 0, To: -1}}
			repeated := 0
			for range 24 {
				drawn := step(t, c, b)[0].Token
				logits := c.Logits(len(b.Rows) - 1)
				for _, bias := range sampling.Bias {
					logits[bias.Token] += bias.Bias
				}
				for token := range logits {
					if n := len(slices.DeleteFunc(slices.Clone(reply), func(r llamacpp.Token) bool {
						return int(r) != token
					})); n > 0 {
						logits[token] -= float32(n)*sampling.FrequencyPenalty + sampling.PresencePenalty
					}
				}
				if best := slices.Index(logits, slices.Max(logits)); int(drawn) != best {
					t.Fatalf("after %v: drew %d, want the best, %d", reply, drawn, best)
				}
				if slices.Contains(reply, drawn) {
					repeated++
				}
				reply = append(reply, drawn)
				b = &llamacpp.Batch{Rows: []llamacpp.Row{{Token: drawn, Pos: int32(len(tokens) + len(reply) - 1)}},
					Samples: []llamacpp.Sample{{}}}
				if anew {
					b.Samples[0].Start = &llamacpp.Start{Sampling: sampling, History: reply, Drawn: len(reply)}
				}
			}
			if repeated == 0 || slices.Contains(reply, banned) {
				t.Errorf("%v: %d tokens were drawn again, and %d is banned", reply,
					repeated, banned)
			}
			banned = reply[0]
		})
	}
}

// TestDistribution compares the frequencies of draws with the probabilities at the temperature asked for, among all
// tokens and among those that a grammar allows, which greedy draws take the best of.
func TestDistribution(t *testing.T) {
	m := load(t)
	capital := func(token llamacpp.Token) bool {
		text := m.Piece(token, false)
		return len(text) > 0 && 'A' <= text[0] && text[0] <= 'R' &&
			!slices.ContainsFunc(text, func(c byte) bool { return c > '~' })
	}
	t.Run("all", func(t *testing.T) { distribution(t, m, "", func(llamacpp.Token) bool { return true }) })
	t.Run("grammar", func(t *testing.T) { distribution(t, m, `root ::= [A-R] [ -~]*`, capital) })
}

func distribution(t *testing.T, m *llamacpp.Model, grammar string, allowed func(llamacpp.Token) bool) {
	c := newContext(t, m, llamacpp.ContextOptions{Cells: 512, Sequences: 256})
	tokens := tokenize(t, m, question)
	const waves, temperature = 40, 5
	count := map[llamacpp.Token]int{}
	var logits []float32
	for wave := range waves {
		b := prompt(tokens, 0, 0, llamacpp.Start{})
		b.Memory, b.Samples = []llamacpp.MemoryOp{{Dst: 0, To: -1}}, nil
		for i := range 256 {
			b.Samples = append(b.Samples, llamacpp.Sample{Row: int32(len(tokens) - 1), Seq: llamacpp.SeqID(i),
				Start: &llamacpp.Start{Sampling: llamacpp.Sampling{Temperature: temperature,
					Seed: uint64(wave*256 + i)}, Grammar: grammar}})
		}
		for _, s := range step(t, c, b) {
			count[s.Token]++
		}
		logits = c.Logits(len(tokens) - 1)
	}
	best := -1
	var norm, chi float64
	for token, l := range logits {
		if !allowed(llamacpp.Token(token)) {
			logits[token] = float32(math.Inf(-1))
			if count[llamacpp.Token(token)] > 0 {
				t.Errorf("token %d was drawn, which is not allowed", token)
			}
			continue
		}
		norm += math.Exp(float64(l) / temperature)
		if best < 0 || l > logits[best] {
			best = token
		}
	}
	b := prompt(tokens, 0, 0, llamacpp.Start{Grammar: grammar})
	b.Memory = []llamacpp.MemoryOp{{Dst: 0, To: -1}}
	if got := step(t, c, b)[0].Token; int(got) != best {
		t.Errorf("greedy took %d, the best that is allowed is %d", got, best)
	}
	n, bins := float64(waves*256), 0
	for token, l := range logits {
		if expected := n * math.Exp(float64(l)/temperature) / norm; expected > 10 {
			d := float64(count[llamacpp.Token(token)]) - expected
			chi += d * d / expected
			bins++
		}
	}
	if limit := float64(bins) + 5*math.Sqrt(2*float64(bins)); bins < 3 || chi > limit {
		t.Errorf("chi-square of %.1f in %d bins, at most %.1f was expected", chi, bins, limit)
	}
}

// TestAbort stops a long step soon after its context is cancelled.
func TestAbort(t *testing.T) {
	m := load(t)
	c := newContext(t, m, llamacpp.ContextOptions{Cells: 4096, Batch: 4096, Threads: 1})
	tokens := make([]llamacpp.Token, 4000)
	for i := range tokens {
		tokens[i] = llamacpp.Token(300 + i%100)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	err := c.Step(ctx, prompt(tokens, 0, 0, llamacpp.Start{}), make([]llamacpp.Sampled, 1))
	if !errors.Is(err, llamacpp.ErrAborted) || !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled step got the error %v, want %v and %v", err, llamacpp.ErrAborted, context.Canceled)
	}
}

// TestStepRefuses what would crash in C.
func TestStepRefuses(t *testing.T) {
	m := load(t)
	c := newContext(t, m, llamacpp.ContextOptions{Cells: 64, Sequences: 2, Batch: 32})
	row := llamacpp.Row{Token: 1}
	for name, b := range map[string]*llamacpp.Batch{
		"sequence":  {Rows: []llamacpp.Row{{Seq: 2}}},
		"token":     {Rows: []llamacpp.Row{{Token: llamacpp.Token(m.VocabSize())}}},
		"position":  {Rows: []llamacpp.Row{{Pos: -1}}},
		"rows":      {Rows: make([]llamacpp.Row, 33)},
		"sample":    {Rows: []llamacpp.Row{row}, Samples: []llamacpp.Sample{{Row: 1}}},
		"operation": {Memory: []llamacpp.MemoryOp{{Dst: 2}}},
	} {
		t.Run(name, func(t *testing.T) {
			if err := c.Step(t.Context(), b, make([]llamacpp.Sampled, 1)); err == nil {
				t.Errorf("a batch with a bad %s was accepted, want an error", name)
			}
		})
	}
	if err := c.Step(t.Context(), &llamacpp.Batch{Rows: []llamacpp.Row{row}, Samples: []llamacpp.Sample{{}}},
		nil); err == nil {
		t.Error("a step without room for its sample was accepted, want an error")
	}
	full := &llamacpp.Batch{}
	for i := range 32 {
		full.Rows = append(full.Rows, llamacpp.Row{Token: 1, Pos: int32(i)})
	}
	for range 16 {
		if err := c.Step(t.Context(), full, nil); err != nil {
			if !errors.Is(err, llamacpp.ErrNoSlot) {
				t.Errorf("a full cache: %v, want the error %q", err, llamacpp.ErrNoSlot)
			}
			return
		}
		for i := range full.Rows {
			full.Rows[i].Pos += 32
		}
	}
	t.Error("512 tokens went into a context of 64 cells, want an error")
}

// TestNestedSequences computes a tree of prompts in one batch: its trunk is stored once for all branches. Every branch
// has the logits that it has when it is computed alone, and goes on as it does then.
func TestNestedSequences(t *testing.T) {
	for name, kernels := range map[string]llamacpp.Kernels{"parley": llamacpp.KernelsParley,
		"flash": llamacpp.KernelsFlash} {
		t.Run(name, func(t *testing.T) {
			m := loadWith(t, llamacpp.ModelOptions{Kernels: kernels})
			c := newContext(t, m, llamacpp.ContextOptions{Cells: 1024, Sequences: 3})
			tokens := tokenize(t, m, question)
			ends := []int{len(tokens) - 20, len(tokens) - 10, len(tokens)}
			b := &llamacpp.Batch{Also: []llamacpp.SeqID{1, 2}}
			for pos, token := range tokens {
				row := llamacpp.Row{Token: token, Pos: int32(pos), Seq: 2}
				switch {
				case pos < ends[0]:
					row = llamacpp.Row{Token: token, Pos: int32(pos), Seq: 0, NAlso: 2}
				case pos < ends[1]:
					row = llamacpp.Row{Token: token, Pos: int32(pos), Seq: 1, Also: 1, NAlso: 1}
				}
				b.Rows = append(b.Rows, row)
			}
			for seq, end := range ends {
				b.Samples = append(b.Samples, llamacpp.Sample{Row: int32(end - 1), Seq: llamacpp.SeqID(seq),
					Start: &llamacpp.Start{}})
			}
			together := step(t, c, b)
			for seq, end := range ends {
				cold := newContext(t, m, llamacpp.ContextOptions{Cells: 1024})
				first := step(t, cold, prompt(tokens[:end], 0, 0, llamacpp.Start{}))[0]
				want := generate(t, cold, m, 0, end, first, 40)
				got := generate(t, c, m, llamacpp.SeqID(seq), end, together[seq], 40)
				if diff := cmp.Diff(textOf(m, want), textOf(m, got)); diff != "" {
					t.Errorf("a branch at %d of %d tokens goes on as it would alone (-alone +branch):\n%s", end,
						len(tokens), diff)
				}
			}
		})
	}
}
