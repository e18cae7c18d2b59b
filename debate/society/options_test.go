package society

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
	"github.com/parley-debate/parley/debate/debatetest"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/inference"
)

// colours is a question that lists its options.
func colours() debate.Case {
	about := answer.Question{Text: "Which?\n(A) red\n(B) green\n(C) blue\n(D) grey"}
	return debate.Case{ID: "colours", Question: about.Text, Extract: answer.Choice,
		Relist: reader.RelistBy("reader-choice", about), Ending: debate.EndingTo("choice", about)}
}

// chooser answers with the letter under which it sees an option, or by words that no rule reads.
type chooser struct {
	option string
	silent bool
}

func (c chooser) Generate(_ context.Context, requests []inference.Request) ([]inference.Reply, error) {
	replies := make([]inference.Reply, len(requests))
	for i, r := range requests {
		text := r.Messages[len(r.Messages)-1].Content // which a closing turn ends with a list of its own
		letter := text[strings.Index(text, ") "+c.option)-1:][:1]
		replies[i].Text = "I choose (" + letter + ")."
		if c.silent {
			replies[i].Text = "Hm."
		}
		for _, option := range r.Continuations {
			probability := -9.0
			if option == " ("+letter+")" {
				probability = -1
			}
			replies[i].LogProbs = append(replies[i].LogProbs, probability)
		}
		if r.Continuations != nil {
			replies[i].Text, replies[i].Stop = " ("+letter+")", inference.StopScored
		}
	}
	return replies, nil
}

// TestOptionsShuffled: agents see the options in orders of their own, which their turns tell, and whatever letter an
// option has there, it is the question's that counts; so it is in closing turns.
func TestOptionsShuffled(t *testing.T) {
	for _, silent := range []bool{false, true} {
		c, speaker := colours(), chooser{option: "blue", silent: silent}
		s := Society{Asking: debate.Asking{Closing: silent}, Agents: 8, Rounds: 1, Options: optionsShuffled,
			Prompts: prompts.Set{Name: "bare", Question: "{question}"}}
		transcript, err := s.Run(t.Context(), speaker, c)
		if err != nil {
			t.Fatal(err)
		}
		var seen []string
		for _, turn := range transcript.Last() {
			text := turn.Messages[0].Content
			seen = append(seen, text)
			for place, option := range turn.Options {
				word := []string{"red", "green", "blue", "grey"}[option]
				if !strings.Contains(text, answer.OptionName(place)+" "+word) {
					t.Errorf("agent %d, order %v: %q; want %q in it",
						turn.Agent, turn.Options, text, answer.OptionName(place)+" "+word)
				}
			}
			if turn.Answer.Text != "(C)" || len(turn.Options) != 4 || (len(turn.After) > 0) != silent {
				t.Errorf("agent %d, order %v: got %v after %d closing turns, want (C) of 4 options, closed if silent: "+
					"%v", turn.Agent, turn.Options, turn.Answer, len(turn.After), silent)
			}
			if alone := s.FirstMessages(turn.Agent, c); alone[0].Content != text {
				t.Errorf("agent %d of round 0 is sent %q, want what it is sent alone, %q", turn.Agent, text,
					alone[0].Content)
			}
		}
		slices.Sort(seen)
		if n := len(slices.Compact(seen)); n < 4 {
			t.Errorf("eight agents see %d orders, want at least 4", n)
		}
		if d := transcript.Decision; d.Answer.Text != "(C)" || len(d.Votes) != 1 {
			t.Errorf("decision %+v, want Text \"(C)\" and Votes: 1 of them", d)
		}
	}
}

// TestOptionsOfMoreAgents: an agent's order does not depend on how many others there are, so that runs can be widened.
func TestOptionsOfMoreAgents(t *testing.T) {
	small := Society{Agents: 1, Rounds: 1, Options: optionsShuffled, Prompts: debatetest.Load(t, "tiny")}
	large := small
	large.Agents = 5
	if one, five := small.FirstMessages(0, colours()), large.FirstMessages(0, colours()); one[0] != five[0] {
		t.Errorf("an agent alone is asked %q, among five %q, want the same", one[0].Content, five[0].Content)
	}
	if large.Echo() != "" || large.Copies() { // at temperature 0
		t.Errorf("agents are asked the same: %q, %v, want their options in different orders", large.Echo(),
			large.Copies())
	}
}

// TestOptionsRefused: letters that differ do not go where agents hear each other, nor where there are none.
func TestOptionsRefused(t *testing.T) {
	one := Society{Agents: 3, Rounds: 1, Options: optionsShuffled, Prompts: debatetest.Load(t, "tiny")}
	for want, change := range map[string]func(s *Society, c *debate.Case){
		"cannot hear each other": func(s *Society, _ *debate.Case) { s.Rounds = 2 },
		"speak together":         func(s *Society, _ *debate.Case) { s.InTurn = true },
		"vote on their texts":    func(s *Society, _ *debate.Case) { s.Decide = "borda" },
		"does not list":          func(_ *Society, c *debate.Case) { c.Relist = nil },
		`no value "mixed"`:       func(s *Society, _ *debate.Case) { s.Options = "mixed" },
	} {
		t.Run(want, func(t *testing.T) {
			s, c := one, colours()
			change(&s, &c)
			if err := s.Check(c); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want an error with %q", err, want)
			}
		})
	}
}
