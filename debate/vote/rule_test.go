package vote

import (
	"fmt"
	"regexp"
	"strconv"
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
			t.Fatalf("%s: %d votes are counted, want one for each letter that was parsed", letters, votes)
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
				t.Errorf("the scores of the answers are these (-want +got):\n%s", diff)
			}
			if tie := len(got) == 2 && got["A"] == got["B"]; decided.Tie != tie {
				t.Errorf("tie %v, want %v", decided.Tie, tie)
			}
		})
	}
}

// TestConfident: answers are kept and weighed as DeepConf's program does (filter_top_confidence and
// weighted_majority_vote). Each has its confidence in percent behind it, - if it has none; the thresholds are
// numpy.percentile's.
func TestConfident(t *testing.T) {
	for _, c := range []struct {
		rule, answers string
		want          map[string]float64
	}{
		{"confident-90", "A50 A40 B95", map[string]float64{"B": 0.95, "A": 0.5}}, // at 0.42
		{"confident-90", "A50 A50 B95", map[string]float64{"B": 0.95, "A": 1}},   // as sure as the last one
		{"confident-90", "A10 B20 B30 B40 B50 B60 B70 B80 B90 C99 C99", map[string]float64{"B": 4.4, "C": 1.98}},
		{"confident-10", "A10 B20 B30 B40 B50 B60 B70 B80 B90 C99 A99", map[string]float64{"C": 0.99, "A": 0.99}},
		{"confident-10", "A60 B70", map[string]float64{"B": 0.7}},
		{"confident-10", "A60", map[string]float64{"A": 0.6}},
		{"confident-10", "A- B-", map[string]float64{"A": 0, "B": 0}},
		{"confident-10", ".99 B20", map[string]float64{"B": 0.2}}, // an answer that is not read keeps nobody out
		{"confident-90", ".99 .20", map[string]float64{}},
	} {
		turns := debatetest.TurnsOf(string(letter.ReplaceAll([]byte(c.answers), []byte("$1"))))
		for i, text := range strings.Fields(c.answers) {
			if percent, err := strconv.ParseFloat(text[1:], 64); err == nil {
				percent /= 100
				turns[i].Confidence = &percent
			}
		}
		rule, err := RuleNamed(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]float64{}
		for _, v := range rule.Decide(debate.Transcript{Rounds: [][]debate.Turn{turns}}, "", nil).Votes {
			got[v.Answer] = v.Weight
		}
		if diff := cmp.Diff(c.want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
			t.Errorf("%s of %s: the weights of the answers (-want +got):\n%s", c.rule, c.answers, diff)
		}
	}
}

var letter = regexp.MustCompile(`(.)[0-9-]+ ?`)
