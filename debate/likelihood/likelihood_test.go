package likelihood_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/likelihood"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/models/modeltest"
)

// scale is a speaker whose scores are given.
type scale struct {
	scores []float64
	asked  []inference.Request
}

func (s *scale) Generate(_ context.Context, requests []inference.Request) ([]inference.Reply, error) {
	s.asked = append(s.asked, requests...)
	return []inference.Reply{{Text: requests[0].Continuations[0], LogProbs: s.scores, Stop: inference.StopScored}}, nil
}

var stars = debate.Case{ID: "q", Question: "unused", Extract: answer.Choice, Choices: debate.Choices{
	Prompt: "Question: What is a star?\nAnswer:", Texts: []string{"a sun", "a small white hole", "größer"},
	Answers: []string{"(A)", "(B)", "(C)"}}}

// TestLikelihood has sums and means per character that name different options. The options have 5, 18 and 6 characters:
// of -10, -18 and -12 the first is the highest, and -2, -1 and -2 are the means. A letter counts once, whatever its
// bytes.
func TestLikelihood(t *testing.T) {
	for _, c := range []struct {
		scores       []float64
		sum, perChar string
	}{
		{[]float64{-10, -18, -12}, "(A)", "(B)"},
		{[]float64{-10, -19.8, -6.3}, "(C)", "(C)"}, // -2, -1.1, -1.05; by bytes (8) it would be -0.79
		{[]float64{-10, -18.9, -6.5}, "(C)", "(B)"}, // -1.05 and -1.083; by bytes the third would have -0.81
		{[]float64{-5, -18, -6}, "(A)", "(A)"},      // all -1: the first
	} {
		t.Run(fmt.Sprintf("%v %.60s", c.scores, c.sum), func(t *testing.T) {
			for perChar, want := range map[bool]string{false: c.sum, true: c.perChar} {
				s := &scale{scores: c.scores}
				got, err := likelihood.Likelihood{PerCharacter: perChar}.Run(t.Context(), s, stars)
				if err != nil || got.Decision.Answer.Text != want {
					t.Fatalf("%v, per character %v: %v, want %s; %v", c.scores, perChar, got.Decision.Answer, want, err)
				}
				best := slices.Index(stars.Choices.Answers, want) // what is recorded is what counts
				if r := got.Rounds[0][0].Reply; r.Text != " "+stars.Choices.Texts[best] || r.LogProb != c.scores[best] {
					t.Errorf("%v, per character %v: recorded are %q and %v, want %q and %v", c.scores, perChar, r.Text,
						r.LogProb, " "+stars.Choices.Texts[best], c.scores[best])
				}
				if diff := cmp.Diff([]string{" a sun", " a small white hole", " größer"},
					s.asked[0].Continuations); diff != "" {
					t.Errorf("these continuations are scored (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff([]inference.Message{{Role: inference.RoleText, Content: stars.Choices.Prompt}},
					s.asked[0].Messages); diff != "" {
					t.Errorf("they are scored behind these messages (-want +got):\n%s", diff)
				}
			}
		})
	}
	if _, err := (likelihood.Likelihood{}).Run(t.Context(), &scale{}, debate.Case{ID: "q"}); !errors.Is(err,
		likelihood.ErrNoOptions) {
		t.Errorf("a case without options got the error %v, want %v", err, likelihood.ErrNoOptions)
	}
}

// TestLikelihoodOfTheModel scores the same with forced tokens, whose log-probabilities come one by one, behind the
// tokens of the plain text.
func TestLikelihoodOfTheModel(t *testing.T) {
	path := modeltest.Embedded(t)
	engine, err := inference.Open(path, inference.Threads(1))
	if errors.Is(err, llamacpp.ErrNoCgo) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	v, err := engine.Vocabulary("")
	if err != nil {
		t.Fatal(err)
	}
	p := engine.Join(0)
	defer p.Leave()
	got, err := likelihood.Likelihood{}.Run(t.Context(), p, stars)
	if err != nil {
		t.Fatal(err)
	}
	prompt, err := v.Tokenize(stars.Choices.Prompt, true, false)
	if err != nil {
		t.Fatal(err)
	}
	best, most := 0, math.Inf(-1)
	for i, text := range stars.Choices.Texts {
		forced, err := v.Tokenize(" "+text, false, false)
		if err != nil {
			t.Fatal(err)
		}
		replies, err := p.Generate(t.Context(), []inference.Request{{Prompt: prompt, Forced: forced}})
		if err != nil || replies[0].Err != nil {
			t.Fatalf("likelihoods of the model: %v, and of the reply: %+v; want no error", err, replies)
		}
		sum := 0.0
		for _, s := range replies[0].Scores {
			sum += float64(s.LogProb)
		}
		if is := got.Rounds[0][0].Reply.LogProbs[i]; is != sum {
			t.Errorf("the log-probability of %q is %v, want the sum over its tokens, %v", text, is, sum)
		}
		if sum > most {
			best, most = i, sum
		}
	}
	if want := stars.Choices.Answers[best]; got.Decision.Answer.Text != want {
		t.Errorf("decided %v, want %s", got.Decision.Answer, want)
	}
}
