package vote

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-debate/parley/debate/debatetest"
)

func TestVote(t *testing.T) {
	for i, c := range []struct {
		answers, want string
		tie           bool
	}{{"ABB", "B", false}, {"BAAB", "B", true}, {"..A", "A", false}, {".BA", "B", true}, {"...", "", false},
		{"", "", false}, {"CABAB", "A", true}} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			got := Majority(debatetest.TurnsOf(c.answers))
			if got.Answer.Text != c.want || got.Answer.Parsed != (c.want != "") || got.Tie != c.tie {
				t.Errorf("%s: %+v, want %q and tie %v", c.answers, got, c.want, c.tie)
			}
		})
	}
}

// TestVoteCountsEveryParsedAnswerOnce, and nobody has more votes than the winner.
func TestVoteCountsEveryParsedAnswerOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.StringMatching(`[ABC.]{0,12}`).Draw(t, "answers")
		d, votes := Majority(debatetest.TurnsOf(letters)), 0
		for _, c := range d.Votes {
			votes += len(c.Agents)
			if len(c.Agents) > len(d.Votes[0].Agents) || strings.Count(letters, c.Answer) != len(c.Agents) {
				t.Fatalf("%s: %+v, want len(c.Agents) <= len(d.Votes[0].Agents) && strings.Count(letters, "+
					"c.Answer) == len(c.Agents)",
					letters, d)
			}
		}
		if votes != len(letters)-strings.Count(letters, ".") {
			t.Fatalf("%s: %d votes", letters, votes)
		}
	})
}
