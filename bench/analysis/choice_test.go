package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/debatetest"
	"github.com/parley-debate/parley/inference"
)

// casted is a debate whose agents first answer these letters, of which A is right.
func casted(condition string, question, repeat int, first string, right bool) trial.Outcome {
	o := trial.Outcome{Question: fmt.Sprint(question), Repeat: repeat, Condition: condition, Score: task.Wrong,
		Truth: answer.Of("A")}
	if right {
		o.Score = task.Right
	}
	turns := debatetest.TurnsOf(first)
	for i := range turns {
		turns[i].Reply = inference.Reply{Tokens: 10, LogProb: -1}
	}
	o.Transcript.Rounds = [][]debate.Turn{turns}
	return o
}

func choiceOf(t *testing.T, outcomes []trial.Outcome, names ...string) Comparison {
	t.Helper()
	var conditions []trial.Condition
	for _, name := range names {
		conditions = append(conditions, trial.Condition{Name: name})
	}
	c := Comparison{Run: spec.Run{Reference: names[0]}}
	c.Tabulate(conditions, outcome.NewTable(outcomes), nil)
	if len(c.Faults) > 0 || c.Choice == nil {
		t.Fatalf("there are conditions to choose from: got none, faults %q", c.Faults)
	}
	return c
}

// TestChoice is worked by hand, on four questions in two repeats:
//
//	question     0       1       2       3
//	vote         AAA A   BBB B   BBB B   AAB A
//	             AAA A   BBA B   ABA A   AAA A
//	debate       right   right   wrong   wrong
//	             wrong   right   wrong   wrong
//
// Some condition is right in 1, 1, 1/2 and 1 of the repeats. The vote is unanimous and wrong in the first repeats of 1
// and 2, of which a debate rescues the first; the other repeat of the vote is right on 2. Two repeats of one condition
// are right in (1+1)/2, (0+1)/2, (1+0)/2 and (1+0)/2 of questions, the two conditions in 1, 1, 1/2 and 1.
func TestChoice(t *testing.T) {
	var outcomes []trial.Outcome
	for q, first := range [][2]string{{"AAA", "AAA"}, {"BBB", "BBA"}, {"BBB", "ABA"}, {"AAB", "AAA"}} {
		for r, letters := range first {
			outcomes = append(outcomes, casted("vote", q, r, letters, strings.Count(letters, "A") > 1),
				casted("debate", q, r, letters[:1], q == 1 || q == 0 && r == 0))
		}
	}
	c := choiceOf(t, outcomes, "vote", "debate")
	got := c.Choice
	if got.Questions != 4 || got.Oracle.Value != 0.875 || got.Tries != 2 || got.More == nil ||
		math.Abs(got.More.Value-(0.875-0.625)) > 1e-12 || got.Vote != "vote" || got.Router != nil {
		t.Errorf("of 4 questions some one of 2 tries is right on 0.875, by 0.25 more than of repeats, beside "+
			"the vote: got %g of %d, by %+v, of %d, %q", got.Oracle.Value, got.Questions, got.More, got.Tries, got.Vote)
	}
	want := map[string]Unanimous{"vote": {"vote", 2, 1, 3, 3}, "debate": {"debate", 2, 1, 3, 1}}
	for _, u := range got.Unanimous {
		if want[u.Condition] != u {
			t.Errorf("the use of %s by budget is %+v: got %+v", u.Condition, want[u.Condition], u)
		}
	}
	const says = "Of 2 conditions that cost up to 30 tokens, some one is right on 87.5 % of 4 questions, the best " +
		"(vote) on 62.5 %. Several tries gain by chance, too: some one of 2 conditions is right more often than of 2 " +
		"repeats of one condition, mean over conditions, by +25.0 points (-36.2 to +70.9). Where the first answers " +
		"of vote agree on a wrong one, debate is right most often (1 of 2)."
	if v := c.ChoiceTable(); v.Sentence != says || len(v.Lines) != 2 {
		t.Errorf("the table has %d lines, want 2, and says (-want +got):\n%s", len(v.Lines), cmp.Diff(says, v.Sentence))
	}
}

// TestChoiceOnce: without repeats, chance is that of as many first answers; with a single one there is no vote, and
// with one condition nothing to choose.
func TestChoiceOnce(t *testing.T) {
	var outcomes, single []trial.Outcome
	for q := range 4 {
		outcomes = append(outcomes, casted("vote", q, 0, "AAB", true), casted("debate", q, 0, "A", q > 0))
		single = append(single, casted("vote", q, 0, "A", true), casted("debate", q, 0, "A", q > 0))
	}
	got := choiceOf(t, outcomes, "vote", "debate").Choice
	if got.Tries != 2 || got.Of != "first answers of vote" || math.Abs(got.More.Value) > 1e-12 {
		t.Errorf("repeats of one condition are 2 tries of \"first answers of vote\" and no more than itself: got "+
			"%+v, more %+v", got, got.More)
	}
	c := choiceOf(t, single, "vote", "debate")
	if c.Choice.Vote != "" || c.Choice.More != nil || len(c.ChoiceTable().Lines) > 0 {
		t.Errorf("single answers are no vote, and have no gain and no table of choice: got %+v", c.Choice)
	}
}

// TestChoiceOfVotes: who agree are the fewest first answers from three on, and what chance gives is that of the most.
func TestChoiceOfVotes(t *testing.T) {
	sizes := map[string]int{"one": 1, "two": 2, "nine": 9, "three": 3, "many": 12}
	for _, c := range []struct {
		names         []string
		vote, largest string
	}{
		{[]string{"one", "two", "nine", "three", "many"}, "three", "many"},
		{[]string{"one", "two"}, "two", "two"},
		{[]string{"many", "two", "nine"}, "nine", "many"},
	} {
		var outcomes []trial.Outcome
		for q := range 2 {
			for _, name := range c.names {
				outcomes = append(outcomes, casted(name, q, 0, strings.Repeat("A", sizes[name]), true))
			}
		}
		got := choiceOf(t, outcomes, c.names...).Choice
		if got.Vote != c.vote || got.Of != "first answers of "+c.largest {
			t.Errorf("the vote of %q is %s, of first answers of %s: got %s of %q",
				c.names, c.vote, c.largest, got.Vote, got.Of)
		}
	}
}

// TestCeilings is worked by hand on four questions: within 3 answers, where a review is the only other condition, it
// rescues one of the two on which the vote is unanimous and wrong; within 9, a debate does both; what has no budget is
// looked at in all alone.
func TestCeilings(t *testing.T) {
	var outcomes []trial.Outcome
	add := func(name, first string, right ...bool) {
		for q, is := range right {
			outcomes = append(outcomes, casted(name, q, 0, first, is))
		}
	}
	for q, first := range []string{"AAA", "AAB", "BBB", "BBB"} {
		outcomes = append(outcomes, casted("vote", q, 0, first, first[1] == 'A'))
	}
	add("review", "A", false, true, true, false)
	add("debate", "ABABABABA", true, false, true, true)
	add("oracle", "A", true, true, true, true)
	var conditions []trial.Condition
	for _, name := range []string{"vote", "review", "debate", "oracle"} {
		conditions = append(conditions, trial.Condition{Name: name})
	}
	c := Comparison{Run: spec.Run{Reference: "vote", Budgets: map[string]int{"vote": 3, "review": 3, "debate": 9}}}
	c.Tabulate(conditions, outcome.NewTable(outcomes), nil)
	if c.Choice == nil || len(c.Choice.Within) != 2 {
		t.Fatalf("two budgets have 2 choices within them: got %+v, faults %q", c.Choice, c.Faults)
	}
	want := [][]string{{"3", "2", "0.750"}, {"9", "3", "1.000"}, {"all", "4", "1.000"}}
	rescues := []string{"review, 1 of 2", "debate, 2 of 2", "oracle, 2 of 2"}
	for i, line := range c.CeilingsTable().Lines {
		var cells []string
		for _, cell := range line.Cells {
			cells = append(cells, cell.Text)
		}
		if !slices.Equal(cells[:3], want[i]) || i == 0 && cells[3] != "0.500 review" || cells[5] != rescues[i] {
			t.Errorf("line %d is %q, want %q and %s", i, cells, want[i], rescues[i])
		}
	}
	for _, within := range c.Choice.Within {
		if within.Questions != c.Choice.Questions || within.Vote != "vote" || len(within.Within) > 0 {
			t.Errorf("a choice within a budget is of all %d questions, by vote, with none within it: got %+v",
				c.Choice.Questions, within)
		}
	}
	c.Budgets["debate"], c.Budgets["oracle"] = 3, 3
	c.Tabulate(conditions, outcome.NewTable(outcomes), nil)
	if len(c.Choice.Within) > 0 || len(c.CeilingsTable().Lines) > 0 {
		t.Errorf("one budget has no ceilings and no table of them: got %d", len(c.Choice.Within))
	}
}

// TestChoiceByChance: conditions that are right by chance alone gain nothing over repeats of one, and a router nothing,
// in as many studies as is promised; where each condition is right on another half of the questions, which first
// answers tell, both gains are seen.
func TestChoiceByChance(t *testing.T) {
	const studies, questions = 60, 60
	for name, told := range map[string]bool{"nothing to choose by": false, "first answers tell": true} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(5, 0))
			var more, gains, losses int
			for range studies {
				var outcomes []trial.Outcome
				for q := range questions {
					rate, others := 0.3+0.4*random.Float64(), 0.0
					first := []string{"AAA", "BBB", "AAB", "ABC"}[random.IntN(4)]
					others = rate
					if told {
						if rate, others = 0.9, 0.2; first[0] != first[2] {
							rate, others = others, rate
						}
					}
					for r := range 2 {
						outcomes = append(outcomes, casted("vote", q, r, first, random.Float64() < rate),
							casted("debate", q, r, first[:1], random.Float64() < others))
					}
				}
				c := choiceOf(t, outcomes, "vote", "debate").Choice
				more += int(stat.One[int](c.More.Interval.Low > 0))
				gain := c.Router.Gain.Interval
				gains, losses = gains+int(stat.One[int](gain.Low > 0)), losses+int(stat.One[int](gain.High < 0))
				if told && (c.Router.Accuracy < 0.75 || c.Router.Rules[0].Below != "vote") {
					t.Errorf("a router that is told whom to ask is right on 0.75 or more, by a rule below vote: "+
						"got %.2f by %+v", c.Router.Accuracy, c.Router.Rules)
				}
			}
			t.Logf("of %d studies, %d find more than chance, %d a gain of the router, %d a loss", studies, more, gains,
				losses)
			if told && (more < 57 || gains < 57) || !told && (more > 5 || gains > 5) {
				t.Errorf("of %d studies (told: %t) 57 or more find what is told, 5 or fewer what is chance: got "+
					"%d above chance, %d gains of the router", studies, told, more, gains)
			}
		})
	}
}
