package debate

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/soak"
)

// TestDisagreement counts as looking at each pair of agents does, by what each answered last, and takes no longer for
// many.
func TestDisagreement(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		round := make([]Turn, rapid.IntRange(0, 12).Draw(r, "turns"))
		for i := range round {
			round[i].Agent = rapid.IntRange(0, 5).Draw(r, "agent")
			round[i].Answer = rapid.SampledFrom([]answer.Answer{answer.Unparsed, answer.Of("a"), answer.Of("b"),
				answer.Of("c")}).Draw(r, "answer")
		}
		last := make(map[int]answer.Answer)
		for _, turn := range round {
			if turn.Answer.Parsed {
				last[turn.Agent] = turn.Answer
			}
		}
		differ, pairs := 0.0, 0.0
		for a, one := range last {
			for b, other := range last {
				if a < b && b < 5 { // agent 5 is the judge
					if pairs++; !one.Equal(other) {
						differ++
					}
				}
			}
		}
		if pairs == 0 {
			differ, pairs = -1, 1
		}
		transcript := Transcript{Rounds: [][]Turn{round}, Roles: []string{"", "", "", "", "", "judge"}}
		if got := transcript.Disagreement()[0]; got != differ/pairs {
			r.Fatalf("%g, want %g of %g", got, differ, pairs)
		}
	})
	many := make([]Turn, 200_000)
	for i := range many {
		many[i] = Turn{Agent: i, Answer: answer.Of("a")}
	}
	started := soak.Processor()
	got := (Transcript{Rounds: [][]Turn{many}}).Disagreement()
	if took := soak.Processor() - started; got[0] != 0 || took > 5*time.Second {
		t.Errorf("the disagreement of many answers is %v after %v, want 0 within 5 s", got, took)
	}
}

// TestValidate refuses what no debate leaves behind.
func TestValidate(t *testing.T) {
	half := 1.5
	for want, transcript := range map[string]Transcript{
		"agent -5":       {Rounds: [][]Turn{{{Agent: -5}}}},
		"agent 2: there": {Rounds: [][]Turn{{{Agent: 2}, {}}}},
		"round -1":       {Rounds: [][]Turn{{{Round: -1}}}},
		"sample -1":      {Rounds: [][]Turn{{{Sample: -1}}}},
		"heard agent":    {Rounds: [][]Turn{{{Heard: []int{-1}}}}},
		"confidence":     {Rounds: [][]Turn{{{Confidence: &half}}}},
		"a reply of -1":  {Voting: [][]Turn{{{Reply: inference.Reply{Tokens: -1}}}}},
		"choice 2 of 2":  {Voting: [][]Turn{{{Reply: inference.Reply{Choice: &inference.Choice{Index: 2, Of: 2}}}}}},
		"choice 0 of 1":  {Voting: [][]Turn{{{Reply: inference.Reply{Choice: &inference.Choice{Of: 1}}}}}},
		"calls of its ":  {Rounds: [][]Turn{{{Before: []Turn{{Before: []Turn{{}}}}}}}},
		"a record":       {Records: []Record{{Agent: 1}}},
		"a tally":        {Decision: Decision{Tally: &Tally{Scores: []float64{1}, Winner: 1}}},
		"winner -2":      {Decision: Decision{Tally: &Tally{Winner: -2}}},
		"a ballot":       {Decision: Decision{Ballots: []Ballot{{Agent: 1}}}},
		"a vote":         {Decision: Decision{Votes: []Count{{Agents: []int{-1}}}}},
		"a challenge":    {Challenges: []Challenged{{Agent: 7}}},
		"the personas":   {Personas: make([]string, 7)},
	} {
		t.Run(want, func(t *testing.T) {
			if err := transcript.Validate(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("not %q: %v", want, err)
			}
		})
	}
	if err := (Transcript{Rounds: [][]Turn{nil, {}, {{Agent: 1}}}, Roles: []string{"a", "b"}}).Validate(); err != nil {
		t.Error(err)
	}
}
