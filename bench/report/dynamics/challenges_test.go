package dynamics

import (
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
)

// TestChallenges: panelists who accept or say neither challenge nothing; an answer is better or worse than the one that
// was shown, by F1 where the measure has it.
func TestChallenges(t *testing.T) {
	said := func(agrees *bool, shown, own string) debate.Challenged {
		c := debate.Challenged{Agrees: agrees, Answer: answer.Of(own)}
		if shown != "" {
			a := answer.Of(shown)
			c.Shown = &a
		}
		return c
	}
	yes, no := true, false
	o := trial.Outcome{Question: "q", Condition: "plain", Score: task.Wrong, Truth: answer.Of("1901"),
		Key: &task.Key{Measure: "squad", Accepted: []string{"in 1901"}}}
	o.Transcript.Decision.Answer = answer.Of("summer 1901")
	o.Transcript.Challenges = []debate.Challenged{
		said(&yes, "", "summer 1901"),
		said(nil, "", "summer 1901"),
		said(&no, "", "in 1901"),               // F1 0.5 to 1
		said(&no, "", "early summer 1901"),     // 0.5 to 0.4, wrong both times
		said(&no, "in spring", "in 1820"),      // of what was shown: the same
		said(&no, "in 1901", "nobody says so"), // 1 to 0
	}
	asked, improved, worsened := challengesOf(outcome.NewTable([]trial.Outcome{o}).Debates(), false)
	for _, c := range []struct {
		name    string
		of      shares
		sum     float64
		answers int
	}{{"challenged", asked, 4, 6}, {"better", improved, 1, 4}, {"worse", worsened, 2, 4}} {
		t.Run(c.name, func(t *testing.T) {
			sum := 0.0
			for _, v := range c.of.values {
				sum += v
			}
			if sum != c.sum || len(c.of.values) != c.answers || len(c.of.clusters) != c.answers {
				t.Errorf("%s has the sum %g over %d answers, each in a cluster: got %g of %v, clusters %v",
					c.name, c.sum, c.answers, sum, c.of.values, c.of.clusters)
			}
		})
	}
	o.Key, o.Truth = nil, answer.Of("in 1901") // right or wrong
	_, improved, worsened = challengesOf(outcome.NewTable([]trial.Outcome{o}).Debates(), false)
	if strings.Count(sprint(improved), "1") != 1 ||
		strings.Count(sprint(worsened), "1") != 1 {
		t.Errorf("without degrees one challenge makes better and one worse: got %v and %v",
			improved.values, worsened.values)
	}
	c := analysis.Comparison{Rows: []analysis.Row{{Condition: "unchallenged"}, {Condition: "plain"}}}
	other := o
	other.Condition, other.Transcript.Challenges = "unchallenged", nil
	figures, err := ChallengeFigures(c, outcome.NewTable([]trial.Outcome{o, other}))
	if err != nil || len(figures) != 2 {
		t.Fatalf("challenges have 2 figures: got %d, %v", len(figures), err)
	}
	for i, row := range []string{"plain", "plain, worse"} {
		if svg := string(figures[i].SVG); !strings.Contains(svg, ">"+row+"<") || strings.Contains(svg, "unchallenged") {
			t.Errorf("%s has the row %s, and none of the unchallenged: got %s", figures[i].Title, row, svg)
		}
	}
	if figures, err := ChallengeFigures(c, outcome.NewTable([]trial.Outcome{other})); err != nil || figures != nil {
		t.Errorf("debates without challenges have no figures of them: got %v, %v", figures, err)
	}
}

// sprint writes shares as digits.
func sprint(s shares) (text string) {
	for _, v := range s.values {
		text += map[float64]string{0: "0", 1: "1"}[v]
	}
	return text
}
