package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/models"
)

// cut are debates whose replies end before they state an answer, read by our own reader.
func cut(t *testing.T, rule string, closing bool) Options {
	t.Helper()
	o := arguments(t, 2, 1)
	var err error
	if o.Task, err = o.Task.ReadBy(rule); err != nil {
		t.Fatal(err)
	}
	for i := range o.Task.Questions {
		o.Task.Questions[i].Options = []string{"first", "second", "third"} // so that options are scored
	}
	o.Conditions = slices.DeleteFunc(o.Conditions, func(c trial.Condition) bool {
		return c.Name != "vote" && c.Name != trial.Reference
	})
	for i, c := range o.Conditions {
		s := c.Debate.(society.Society)
		s.MaxTokens, s.Closing = 3, closing
		o.Conditions[i].Debate = s
	}
	return o
}

// recorded holds a comparison, and returns its outcomes and generations.
func recorded(t *testing.T, o Options, options ...inference.Option) (outcomes []trial.Outcome,
	generations []inference.Generation, c analysis.Comparison) {
	t.Helper()
	o.Engine = tiny(t, append(options, inference.OnGeneration(func(g inference.Generation) error {
		generations = append(generations, g)
		return nil
	}))...)
	o.Observe = func(o trial.Outcome) error {
		outcomes = append(outcomes, o)
		return nil
	}
	c, err := Compare(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return outcomes, generations, c
}

// TestClosingTurnsOfTheModel: replies that are cut get an answer, for the tokens of the options alone: the prompt and
// the reply are there already. A fresh engine computes the same scores, to the last bit.
func TestClosingTurnsOfTheModel(t *testing.T) {
	outcomes, _, c := recorded(t, cut(t, "reader", true))
	fresh, closings := tiny(t), 0
	speaker := fresh.Join(0)
	defer speaker.Leave()
	for _, o := range outcomes {
		for i, round := range o.Transcript.Rounds {
			for _, turn := range round {
				if turn.Reply.Stop == inference.StopEnd {
					continue
				}
				if turn.Answer.How != answer.ByClosing || len(turn.After) != 3 {
					t.Fatalf("%s round %d: %q is read by 3 closing turns: got %+v, %d turns",
						o.Condition, i, turn.Reply.Text, turn.Answer, len(turn.After))
				}
				closings++
				for _, order := range turn.After {
					after := order.Reply
					if had := turn.Reply.PromptTokens + turn.Reply.Tokens - 1; after.CachedTokens < had {
						t.Errorf("%d of %d prompt tokens of a closing turn were there, want %d", after.CachedTokens,
							after.PromptTokens, had)
					}
					alone, err := speaker.Generate(t.Context(), []inference.Request{{Messages: order.Messages,
						Continuations: []string{" (A)", " (B)", " (C)"}}})
					if err != nil || !slices.Equal(alone[0].LogProbs, after.LogProbs) {
						t.Errorf("computed alone: %v, %v, want %v", alone[0].LogProbs, err, after.LogProbs)
					}
				}
			}
		}
	}
	counted := 0
	for _, r := range c.Rows {
		if counted += r.Closings; r.UnparsedReplies > 0 || r.ClosingTokens == 0 || r.ClosingTokens >= r.Tokens {
			t.Errorf("%s: closing turns leave no reply unread and cost some of the tokens: %d unread, %d of %d "+
				"tokens", r.Condition, r.UnparsedReplies, r.ClosingTokens, r.Tokens)
		}
	}
	if closings == 0 || closings != counted {
		t.Errorf("every closing turn is counted, and there are some: got %d, want %d", counted, closings)
	}
}

// TestClosingTurnsResume: a run that knows some generations, closing turns among them, ends as one that knew none.
func TestClosingTurnsResume(t *testing.T) {
	want, all, _ := recorded(t, cut(t, "reader", true))
	known := make(map[string]inference.Reply)
	for i, g := range all {
		if i%2 == 0 {
			known[g.Reply.Key] = g.Reply
		}
	}
	got, rest, _ := recorded(t, cut(t, "reader", true), inference.Known(func(key string) (inference.Reply, bool) {
		r, ok := known[key]
		return r, ok
	}))
	if len(known)+len(rest) != len(all) {
		t.Errorf("of %d generations those that are known are not computed again: got %d known and %d computed",
			len(all), len(known), len(rest))
	}
	if diff := cmp.Diff(bare(want), bare(got)); diff != "" {
		t.Errorf("a resumed run ends as one that knew nothing (-want +got):\n%s", diff)
	}
}

// bare are outcomes as JSON without what depends on the cache and on the clock.
func bare(outcomes []trial.Outcome) string {
	var strip func(v any)
	strip = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			delete(v, "cached_tokens")
			for _, one := range v {
				strip(one)
			}
		case []any:
			for _, one := range v {
				strip(one)
			}
		}
	}
	text, _ := json.Marshal(outcomes)
	var v any
	_ = json.Unmarshal(text, &v)
	strip(v)
	text, _ = json.Marshal(v)
	return string(text)
}

// TestClosingTurnsOff: with the setting off, or a rule of a paper's program, nothing changes.
func TestClosingTurnsOff(t *testing.T) {
	for rule, same := range map[string]bool{"choice": true, "reader": false} {
		t.Run(rule, func(t *testing.T) {
			on, _, _ := recorded(t, cut(t, rule, true))
			off, generations, _ := recorded(t, cut(t, rule, false))
			if equal := bare(on) == bare(off); equal != same {
				t.Errorf("rule %s: equal is %v, want %v", rule, equal, same)
			}
			for _, g := range generations {
				if inference.GoesOn(g.Messages) {
					t.Errorf("under rule %s nothing goes on as a closing turn, but %s does", rule, g.Name)
				}
			}
		})
	}
}

// TestClosingTurnsOfGibberish: what random weights answer when they are asked for the answer alone stands at each place
// as often, although they like one letter more than another, which the first order alone shows.
func TestClosingTurnsOfGibberish(t *testing.T) {
	const questions, options, beyond = 120, 4, 16.3 // chi-square of 3 degrees of freedom with p 0.001
	shape, err := models.ShapeNamed("mini-qwen3")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "random.gguf")
	if err := models.WriteSynthetic(path, models.Synthetic{Shape: shape, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	engine, err := inference.Open(path, inference.Threads(1))
	if errors.Is(err, llamacpp.ErrNoCgo) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	speaker := engine.Join(0)
	defer speaker.Leave()
	random := rand.New(rand.NewPCG(1, 1))
	together, first := make([]float64, options), make([]float64, options)
	for q := range questions {
		about := answer.Question{Text: fmt.Sprintf("Which is number %d?", random.IntN(1000))}
		for range options {
			about.Options = append(about.Options, fmt.Sprint("number ", random.IntN(1_000_000)))
		}
		extract, err := reader.RuleFor("reader-choice", about)
		if err != nil {
			t.Fatal(err)
		}
		ask := debate.Asking{Closing: true, MaxTokens: 4, Sampling: inference.Sampling{Temperature: 1}}.For(speaker,
			debate.Case{ID: fmt.Sprint(q), Ending: debate.EndingTo("reader-choice", about), Extract: extract})
		turns := []debate.Turn{{Messages: debate.Conversation("", about.Text)}}
		if err := ask.Ask(t.Context(), turns); err != nil || len(turns[0].After) != options {
			t.Fatalf("gibberish is asked for each of %d options: got %d closing turns behind %q, %v",
				options, len(turns[0].After), turns[0].Reply.Text, err)
		}
		together[turns[0].Answer.Text[1]-'A']++
		first[turns[0].After[0].Answer.Text[1]-'A']++
	}
	square := func(counts []float64) (sum float64) {
		for _, n := range counts {
			sum += (n - questions/options) * (n - questions/options) / (questions / options)
		}
		return sum
	}
	if square(together) > beyond || square(first) < 2*beyond {
		t.Errorf("answers by place: %v in all orders together, want about %d each; %v in the first alone, where the "+
			"letters are to decide", together, questions/options, first)
	}
}
