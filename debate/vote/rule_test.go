package vote

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/debatetest"
)

// TestVote: the answer of most agents wins; of several, the first, and it is a tie.
func TestVote(t *testing.T) {
	for _, c := range []struct {
		answers, want string
		tie           bool
	}{{"ABB", "B", false}, {"BAAB", "B", true}, {"..A", "A", false}, {".BA", "B", true}, {"...", "", false},
		{"", "", false}, {"CABAB", "A", true}} {
		t.Run(fmt.Sprintf("%.60s %v", c.answers, c.tie), func(t *testing.T) {
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
				t.Fatalf("%s: an answer has the agents that gave it, and none more than the first: %q has %d, the "+
					"first %d", letters, c.Answer, len(c.Agents), len(d.Votes[0].Agents))
			}
		}
		if votes != len(letters)-strings.Count(letters, ".") {
			t.Fatalf("%s: %d votes", letters, votes)
		}
	})
}

// TestTrajectoryOfVerdicts: each string is a round, with each agent's answer, and behind it + if the agent says that it
// keeps, ! that it revises.
func TestTrajectoryOfVerdicts(t *testing.T) {
	verdicts := map[byte]debate.Verdict{'+': debate.VerdictKeep, '!': debate.VerdictRevise}
	for _, c := range []struct {
		rounds []string
		want   map[string]float64
	}{
		{[]string{"A ", "A "}, map[string]float64{"A": 20 + 20./2}}, // as answers tell
		{[]string{"A ", "A+"}, map[string]float64{"A": 20 + 20./2}}, // and as it says
		{[]string{"A ", "B+"}, map[string]float64{"A": 20 + 20./2}}, // who keeps holds what it had
		{[]string{"A ", "B!"}, map[string]float64{"A": 20 - 25./2, "B": 30. / 2}},
		{[]string{"A ", "A!"}, map[string]float64{"A": 20 - 25./2 + 30./2}},
		{[]string{"A ", ".!"}, map[string]float64{"A": 20 + 20./2}}, // revised to nothing: kept
		{[]string{"A ", ".+"}, map[string]float64{"A": 20 + 20./2}},
		{[]string{"A ", ". "}, map[string]float64{"A": 20 - 25./2}}, // without a verdict: given up
		{[]string{". ", "B+"}, map[string]float64{"B": 20. / 2}},    // there was nothing to keep
		{[]string{". ", ".!", "B!"}, map[string]float64{"B": 20. / 3}},
		{[]string{"A ", "B+", "B "}, map[string]float64{"A": 20 + 20./2 - 25./3, "B": 30. / 3}},
		{[]string{"A B ", "A+A!"}, map[string]float64{"A": (20 + 20./2 + 30./2) / 2, "B": 20 - 25./2}},
		{[]string{"A B ", "B+A+"}, map[string]float64{"A": 30, "B": 30}}, // a tie between what both keep
	} {
		t.Run(fmt.Sprint(c.rounds), func(t *testing.T) {
			d := debate.Transcript{}
			for _, text := range c.rounds {
				letters, said := "", ""
				for at := 0; at < len(text); at += 2 {
					letters, said = letters+text[at:at+1], said+text[at+1:at+2]
				}
				turns := debatetest.TurnsOf(letters)
				for agent := range turns {
					turns[agent].Verdict = verdicts[said[agent]]
				}
				d.Rounds = append(d.Rounds, turns)
			}
			rule, err := RuleNamed("trajectory")
			if err != nil {
				t.Fatal(err)
			}
			got, decided := make(map[string]float64), rule.Decide(d, debate.TiesFirst, nil)
			for _, v := range decided.Votes {
				got[v.Answer] = v.Weight
			}
			if diff := cmp.Diff(c.want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
				t.Error(diff)
			}
			if tie := len(got) == 2 && got["A"] == got["B"]; decided.Tie != tie {
				t.Errorf("tie %v, want %v", decided.Tie, tie)
			}
		})
	}
}
