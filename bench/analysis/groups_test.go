package analysis

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
)

// grouped are debates on six questions of two groups, and one that failed.
func grouped() (outcomes []trial.Outcome) {
	for i, f1 := range []float64{1, 1, 0.4, 0, 1, 0} {
		o := trial.Outcome{Question: fmt.Sprint("q", i), Condition: "mad", Score: task.Wrong, Partial: &f1,
			Group: task.GroupAnswerable}
		if i > 3 {
			o.Group = task.GroupUnanswerable
		}
		if f1 == 1 {
			o.Score = task.Right
		}
		outcomes = append(outcomes, o)
	}
	outcomes[3].Score = task.Unparsed
	outcomes[3].Transcript.Rounds = append(outcomes[3].Transcript.Rounds, nil)
	return append(outcomes, trial.Outcome{Question: "q9", Condition: "mad", Score: task.Failed,
		Group: task.GroupAnswerable})
}

// TestGroups: six questions, of which four can be answered. By hand, of those four: two right of four, F1 of 1, 1, 0.4
// and 0; of the other two: one right, F1 of 1 and 0. A failed debate is in no group.
func TestGroups(t *testing.T) {
	outcomes := grouped()
	conditions := []trial.Condition{{Name: "mad"}}
	c := Comparison{Run: spec.Run{Reference: "mad", Questions: 7, Measure: "squad"}}
	c.Tabulate(conditions, outcome.NewTable(outcomes), nil)
	groups := c.Rows[0].Groups
	if len(groups) != 2 {
		t.Fatalf("2 groups are told apart: got %+v", groups)
	}
	can, cannot := groups[0], groups[1]
	if can.Group != "answerable" || can.N != 4 || can.Questions != 4 || can.Right != 2 || can.Unparsed != 1 ||
		can.Accuracy.Accuracy != 0.5 || math.Abs(can.Partial.Mean-0.6) > 1e-12 || can.Partial.Degree != "f1" {
		t.Errorf("of 4 questions that can be answered 2 are right, 1 is unread, and f1 is 0.6: got %+v, %+v", can,
			can.Partial)
	}
	if cannot.Group != "unanswerable" || cannot.N != 2 || cannot.Right != 1 || cannot.Accuracy.Accuracy != 0.5 ||
		cannot.Partial.Mean != 0.5 {
		t.Errorf("of 2 questions that cannot be answered 1 is right, and its part is 0.5: got %+v, %+v", cannot,
			cannot.Partial)
	}
	// the groups together are the row: (4 x 0.6 + 2 x 0.5) / 6
	if row := c.Rows[0]; math.Abs(row.Partial.Mean-3.4/6) > 1e-12 || row.Right != can.Right+cannot.Right {
		t.Errorf("the row is the sum of its groups, %d right with a part of %g: got %+v", can.Right+cannot.Right,
			3.4/6, row)
	}
	if can.Interval.Low >= 0.5 || can.Interval.High <= 0.5 || can.Interval.High-can.Interval.Low <=
		c.Rows[0].Interval.High-c.Rows[0].Interval.Low {
		t.Errorf("the interval of a group has 0.5 in it and is wider than that of all: got %+v beside %+v",
			can.Interval, c.Rows[0].Interval)
	}
	text := c.GroupsTable().String()
	for _, want := range []string{"answerable", "0.600", "25.0 %", "unanswerable", "F1"} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		})
	}

	for i := range outcomes { // all answerable questions on one passage: their interval is that of one cluster
		outcomes[i].Cluster = outcomes[i].Group
	}
	clustered := Comparison{Run: spec.Run{Reference: "mad", Questions: 7, Measure: "squad",
		Tests: spec.Tests{Cluster: "context"}}}
	clustered.Tabulate(conditions, outcome.NewTable(outcomes), nil)
	if of := clustered.Rows[0].Groups[0]; of.Interval.High-of.Interval.Low <= can.Interval.High-can.Interval.Low {
		t.Errorf("questions of one cluster have a wider interval: got %+v in one cluster, %+v without",
			of.Interval, can.Interval)
	}
	for i := range outcomes {
		outcomes[i].Group = ""
	}
	c.Tabulate(conditions, outcome.NewTable(outcomes), nil)
	if c.Rows[0].Groups != nil || len(c.GroupsTable().Lines) != 0 {
		t.Error("questions without groups have groups or a table of them, want none")
	}
}
