package debate

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func turnsOf(letters string) (turns []Turn) {
	answers, _ := answersOf(letters)
	for i, a := range answers {
		turns = append(turns, Turn{Agent: i, Answer: a})
	}
	return turns
}

func TestVote(t *testing.T) {
	for _, c := range []struct {
		answers, want string
		tie           bool
	}{{"ABB", "B", false}, {"BAAB", "B", true}, {"..A", "A", false}, {".BA", "B", true}, {"...", "", false},
		{"", "", false}, {"CABAB", "A", true}} {
		got := Vote(turnsOf(c.answers))
		if got.Answer.Text != c.want || got.Answer.Parsed != (c.want != "") || got.Tie != c.tie {
			t.Errorf("%s: %+v, want %q and tie %v", c.answers, got, c.want, c.tie)
		}
	}
}

// TestVoteCountsEveryParsedAnswerOnce, and nobody has more votes than the winner.
func TestVoteCountsEveryParsedAnswerOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.StringMatching(`[ABC.]{0,12}`).Draw(t, "answers")
		d, votes := Vote(turnsOf(letters)), 0
		for _, c := range d.Votes {
			votes += len(c.Agents)
			if len(c.Agents) > len(d.Votes[0].Agents) || strings.Count(letters, c.Answer) != len(c.Agents) {
				t.Fatalf("%s: %+v", letters, d)
			}
		}
		if votes != len(letters)-strings.Count(letters, ".") {
			t.Fatalf("%s: %d votes", letters, votes)
		}
	})
}

// TestAgain: the rule that a record names decides again as it did, ties that were drawn included, and sees answers that
// have changed.
func TestAgain(t *testing.T) {
	for _, rule := range Rules() {
		for _, ties := range []string{"", TiesFirst, TiesRandom, TiesOpen} {
			s := Society{Decide: rule.Name, Ties: ties, Asking: Asking{Seeds: Seeds{Run: 4}}}
			for _, id := range []string{"a", "b", "c", "d", "e"} {
				debated := Transcript{Case: id, Rounds: [][]Turn{turnsOf("ABC"), turnsOf("CBA.")}}
				debated.Decision = s.decide(debated)
				again, err := Again(debated, s.Seeds)
				// cmp would ask answers, and nothing equals an unparsed one
				if err != nil || !reflect.DeepEqual(debated.Decision, again) {
					t.Errorf("%s, %s: %+v, then %+v, %v", rule.Name, ties, debated.Decision, again, err)
				}
				debated.Rounds = [][]Turn{turnsOf("DDDD")}
				if again, err = Again(debated, s.Seeds); err != nil || again.Answer.Text != "D" {
					t.Errorf("%s, %s: %+v, %v", rule.Name, ties, again, err)
				}
			}
		}
		if d := rule.Decide(Transcript{Rounds: [][]Turn{}}, TiesFirst, nil); d.Answer.Parsed || d.Tie {
			t.Errorf("%s decides what was not held: %+v", rule.Name, d)
		}
	}
	if _, err := Again(Transcript{Decision: Decision{Rule: "borda vote"}}, Seeds{}); err == nil ||
		!strings.Contains(err.Error(), `"borda vote", which is no rule`) {
		t.Error(err)
	}
}
