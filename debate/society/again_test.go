package society

import (
	"reflect"
	"strings"
	"testing"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/debatetest"
	"github.com/parley-debate/parley/debate/vote"
)

// TestAgain: the rule that a record names decides again as it did, ties that were drawn included, and sees answers that
// have changed.
func TestAgain(t *testing.T) {
	for _, rule := range vote.Rules() {
		for _, ties := range []string{"", debate.TiesFirst, debate.TiesRandom, debate.TiesOpen} {
			s := Society{Decide: rule.Name, Ties: ties, Asking: debate.Asking{Seeds: debate.Seeds{Run: 4}}}
			for _, id := range []string{"a", "b", "c", "d", "e"} {
				debated := debate.Transcript{Case: id, Rounds: [][]debate.Turn{debatetest.TurnsOf("ABC"),
					debatetest.TurnsOf("CBA.")}}
				debated.Decision = s.decide(debated)
				again, err := vote.Again(debated, s.Seeds)
				// cmp would ask answers, and nothing equals an unparsed one
				if err != nil || !reflect.DeepEqual(debated.Decision, again) {
					t.Fatalf("%s, %s: decided as %+v and again as %+v (%v), want the same", rule.Name, ties,
						debated.Decision, again, err)
				}
				debated.Rounds = [][]debate.Turn{debatetest.TurnsOf("DDDD")}
				if again, err = vote.Again(debated, s.Seeds); err != nil || again.Answer.Text != "D" {
					t.Errorf("%s, ties %s: a vote that is counted again decides D again: got %+v, %v", rule.Name, ties,
						again, err)
				}
			}
		}
		if d := rule.Decide(debate.Transcript{Rounds: [][]debate.Turn{}}, debate.TiesFirst, nil); d.Answer.Parsed ||
			d.Tie {
			t.Errorf("%s decides what was not held: %+v, want neither an answer nor a tie", rule.Name, d)
		}
	}
	if _, err := vote.Again(debate.Transcript{Decision: debate.Decision{
		Rule: debate.Rule{Means: debate.MeansElection, Name: "borda"}}},
		debate.Seeds{}); err == nil ||
		!strings.Contains(err.Error(), `"borda vote", which is no rule`) {
		t.Errorf("%v, want an error with \"\\\"borda vote\\\", which is no rule\"", err)
	}
}
