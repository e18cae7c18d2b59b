package debate_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/debatetest"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/models/modeltest"
)

// fruit is a question with three options.
var fruit = debate.Case{ID: "q", Extract: answer.Choice, Ending: debate.EndingOf(answer.KindChoice,
	[]string{"pears", "figs", "plums"}), Truth: answer.Of("(B)"),
	Question: "Dan sells three fruits. The pears cost more than the figs. The figs cost more than the plums. Which " +
		"cost second most?\nOptions:\n(A) pears\n(B) figs\n(C) plums"}

// TestBeliefs: the beliefs of a debate are those of a brute force, which asks an engine of its own for each answer
// behind each conversation alone, to the bit. The debate is otherwise the one without them.
func TestBeliefs(t *testing.T) {
	open := func(o ...inference.Option) *inference.Local {
		engine, err := inference.Open(modeltest.Embedded(t), append(o, inference.Threads(1))...)
		if errors.Is(err, llamacpp.ErrNoCgo) {
			t.Skip(err)
		} else if err != nil {
			t.Fatal(err)
		}
		return engine
	}
	hold := func(parallel int, beliefs bool) debate.Transcript {
		engine := open(inference.Parallel(parallel))
		defer engine.Close()
		p := engine.Join(0)
		defer p.Leave()
		ask := debate.Asking{Sampling: inference.Sampling{Temperature: 1}, MaxTokens: 60, Beliefs: beliefs}
		got, err := debate.Hold(t.Context(), society.Society{Asking: ask, Agents: 3, Rounds: 2,
			Prompts: debatetest.Load(t, "tiny")}, p, fruit)
		if err != nil {
			t.Fatal(err)
		}
		if err := got.Validate(); err != nil {
			t.Fatal(err)
		}
		return got
	}
	got, narrow, without := hold(8, true), hold(1, true), hold(8, false)
	compared := 0
	for r, round := range got.Rounds {
		for i, turn := range round {
			if diff := cmp.Diff(without.Rounds[r][i].Reply.Text, turn.Reply.Text); diff != "" {
				t.Errorf("round %d, agent %d: a reply depends on beliefs (-without +with):\n%s", r, i, diff)
			}
			if diff := cmp.Diff(narrow.Rounds[r][i].Held, turn.Held); diff != "" {
				t.Errorf("round %d, agent %d: beliefs depend on the width (-1 +8):\n%s", r, i, diff)
			}
			for k, label := range fruit.Ending.Options {
				cold := open(inference.Parallel(1))
				p := cold.Join(0)
				for name, c := range map[string]struct {
					held     []float64
					messages []inference.Message
				}{
					"before": {turn.Held.Before, append(turn.Messages[:len(turn.Messages):len(turn.Messages)],
						inference.Message{Role: inference.RoleText, Content: "The answer is"})},
					"behind": {turn.Held.After, append(turn.Messages[:len(turn.Messages):len(turn.Messages)],
						inference.Message{Role: "assistant", Content: turn.Reply.Text},
						inference.Message{Role: inference.RoleText, Content: "\n\nThe answer is"})},
				} {
					replies, err := p.Generate(t.Context(), []inference.Request{{Messages: c.messages,
						Continuations: []string{" " + label}, MaxTokens: 8}})
					if err != nil || replies[0].Err != nil {
						t.Fatalf("scoring a belief: %v, %+v; want no error", err, replies)
					}
					if alone := replies[0].LogProbs[0]; alone != c.held[k] {
						t.Errorf("round %d, agent %d, %s its message: %s has %v, alone %v", r, i, name, label,
							c.held[k], alone)
					}
					compared++
				}
				p.Leave()
				cold.Close()
			}
		}
	}
	if want := 2 * 3 * 3 * 2; compared != want {
		t.Errorf("%d beliefs compared, want %d", compared, want)
	}
	if b := got.Beliefs; b.Texts != 12 || b.Tokens < 36 || without.Beliefs != nil {
		t.Errorf("beliefs behind %d texts of %d tokens, want 12 of 36 at least, and none where nobody asked", b.Texts,
			b.Tokens)
	}
}

// oracle replies with a letter, and finds the second continuation likely. It fails where it is told to.
type oracle struct {
	fails  func(inference.Request) error
	scored []inference.Request
}

func (o *oracle) Generate(_ context.Context, requests []inference.Request) ([]inference.Reply, error) {
	replies := make([]inference.Reply, len(requests))
	for i, r := range requests {
		if len(r.Continuations) == 0 {
			replies[i] = inference.Reply{Text: fmt.Sprintf("The answer is %d.", 41+r.Agent), Stop: inference.StopEnd}
			continue
		}
		o.scored = append(o.scored, r)
		replies[i] = inference.Reply{Stop: inference.StopScored, Tokens: len(r.Continuations)}
		for k := range r.Continuations {
			replies[i].LogProbs = append(replies[i].LogProbs, math.Log(0.1+0.4*float64(k%2)))
		}
		if o.fails != nil {
			replies[i].Err = o.fails(r)
		}
	}
	return replies, nil
}

// TestBeliefsOpen: without options, the answers that agents gave are scored, and the right one.
func TestBeliefsOpen(t *testing.T) {
	number := func(reply string) answer.Answer {
		_, said, _ := strings.Cut(strings.TrimSuffix(reply, "."), "is ")
		return answer.Of(said)
	}
	sum := debate.Case{ID: "q", Question: "6 times 7?", Extract: number, Truth: answer.Of("44"),
		Ending: debate.EndingOf(answer.KindNumber, nil)}
	of := society.Society{Asking: debate.Asking{Beliefs: true, Sampling: inference.Sampling{Temperature: 1}}, Agents: 3,
		Rounds: 2, Prompts: debatetest.Load(t, "tiny")}
	o := &oracle{}
	got, err := debate.Hold(t.Context(), of, o, sum)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"41", "42", "43", "44"}, got.Beliefs.Answers); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{" 41.", " 42.", " 43.", " 44."}, o.scored[0].Continuations); diff != "" {
		t.Errorf("continuations (-want +got):\n%s", diff)
	}
	var story strings.Builder
	if err := got.Story(&story); err != nil || !strings.Contains(story.String(),
		"agent 0 believed 42 0.500, 44 0.500, 41 0.100, 43 0.100, all else 0.000, believes 42 0.500") {
		t.Errorf("the story does not tell them, or fails: %v\n%s", err, story.String())
	}

	for name, c := range map[string]struct {
		fails error
		want  string
		notes int
	}{
		"cannot":  {inference.Cannot{Err: errors.New("no scores")}, "beliefs: no scores", 0},
		"no room": {errors.New("no room"), "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			failing := &oracle{fails: func(inference.Request) error { return c.fails }}
			got, err := debate.Hold(t.Context(), of, failing, sum)
			if (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if len(got.Notes) != c.notes {
				t.Errorf("beliefs that could not be measured are noted: notes %q, want %d of them", got.Notes, c.notes)
			}
		})
	}
	sum.Extract, sum.Truth = func(string) answer.Answer { return answer.Unparsed }, answer.Unparsed
	if got, err := debate.Hold(t.Context(), of, o, sum); err != nil || got.Beliefs != nil || len(got.Notes) != 1 {
		t.Errorf("without any answer: %v, beliefs %+v, notes %q; want none and a note", err, got.Beliefs, got.Notes)
	}
	sum.Ending = debate.Ending{}
	if _, err := debate.Hold(t.Context(), of, o, sum); !errors.Is(err, debate.ErrNoBeliefs) {
		t.Errorf("answers without a form: %v, want %v", err, debate.ErrNoBeliefs)
	}
}

// TestBeliefsOfRelisted: who saw the options in an order of its own holds beliefs about the question's options.
func TestBeliefsOfRelisted(t *testing.T) {
	turn := debate.Turn{Messages: []inference.Message{{Role: "user", Content: "q"}}, Options: []int{2, 0, 1},
		Reply: inference.Reply{Text: "The answer is (A)."}, Answer: answer.Of("(C)")}
	got, err := debate.Hold(t.Context(), given{debate.Asking{Beliefs: true}, turn}, &oracle{}, fruit)
	if err != nil {
		t.Fatal(err)
	}
	// the second letter is likely, which is option 0 to this agent
	want := []float64{math.Log(0.5), math.Log(0.1), math.Log(0.1)}
	if diff := cmp.Diff(&debate.Held{Before: want, After: want}, got.Rounds[0][0].Held); diff != "" {
		t.Errorf("beliefs (-want +got):\n%s", diff)
	}
}

// given is a debate of one turn.
type given struct {
	debate.Asking
	turn debate.Turn
}

func (g given) Run(context.Context, debate.Speaker, debate.Case) (debate.Transcript, error) {
	return debate.Transcript{Rounds: [][]debate.Turn{{g.turn}}}, nil
}
