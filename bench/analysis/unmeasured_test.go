package analysis

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/contrast"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/validity"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference"
)

// TestUnmeasuredHaveNoP: no table shows a p-value of accuracies that rest on answers which could not be read, and JSON
// says so beside it. What debates cost is compared all the same.
func TestUnmeasuredHaveNoP(t *testing.T) {
	names := []string{"mad", "read", "unread", "bound"}
	var conditions []trial.Condition
	var outcomes []trial.Outcome
	for n, name := range names {
		conditions = append(conditions, trial.Condition{Name: name, Oracle: name == "bound"})
		for q := range 40 {
			o := trial.Outcome{Question: fmt.Sprint(q), Condition: name, Score: task.Right}
			turn := debate.Turn{Answer: answer.Answer{Text: "A", Parsed: true},
				Reply: inference.Reply{Tokens: 5 + n + q%3}}
			if name != "mad" && q < 15 {
				o.Score = task.Wrong
			}
			if name == "unread" && q < 15 {
				turn.Answer, o.Score = answer.Answer{}, task.Unparsed
			}
			o.Transcript.Rounds = [][]debate.Turn{{turn}}
			outcomes = append(outcomes, o)
		}
	}
	contrasts, err := ReadContrasts([]string{"read - mad", "unread - mad", "unread - mad by tokens"}, names, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	c := Comparison{Run: spec.Run{Reference: "mad"}, Contrasts: contrasts}
	c.Tabulate(conditions, outcome.NewTable(outcomes), nil)
	for i, k := range []*Paired{c.Rows[1].Paired, c.Rows[2].Paired, c.Contrasts[0].Paired, c.Contrasts[1].Paired,
		c.Contrasts[2].Paired} {
		want := i == 1 || i == 3
		text, err := json.Marshal(k)
		if err != nil || bool(k.Unmeasured) != want || (k.Probability() == table.Absent) != want ||
			strings.Contains(string(text), `"unmeasured":true`) != want {
			t.Errorf("comparison %d: p is shown as %s, JSON %s, %v; want none shown: %v", i, k.Probability(), text, err,
				want)
		}
	}
	for reference, want := range map[string]string{"mad": "-0.375", "unread": table.Absent} {
		c := Comparison{Run: spec.Run{Reference: reference}}
		c.Tabulate(conditions, outcome.NewTable(outcomes), nil)
		bound := c.Rows[3]
		if got := bound.difference(func(d float64, _ stat.Interval) string { return table.Signed(d) }); got != want {
			t.Errorf("a bound beside %s is shown as %q above it, want %q", reference, got, want)
		}
	}
}

// TestPartlyRight: where nobody is right in full, accuracies tell nothing apart, and scores in part still may; what was
// not read tells nothing by either.
func TestPartlyRight(t *testing.T) {
	byAccuracy, byScore := contrast.Between("b", "a"), contrast.Between("b", "a")
	byScore.Measure = "score"
	for _, of := range []struct {
		found           validity.Finding
		accuracy, score validity.Unmeasured
	}{
		{validity.Finding{NobodyIs: true}, true, false},
		{validity.Finding{Unmeasured: []string{"b"}}, true, true},
		{validity.Finding{}, false, false},
	} {
		accuracy, score := UnmeasuredIn(byAccuracy, of.found), UnmeasuredIn(byScore, of.found)
		if accuracy != of.accuracy || score != of.score {
			t.Errorf("%+v: accuracy unmeasured %t, a score %t; want %t, %t", of.found, accuracy, score, of.accuracy,
				of.score)
		}
	}
}
