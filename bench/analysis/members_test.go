package analysis

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference"
)

// talked is a debate in which each agent answered as often as its text is long: r right, w wrong, u unread. The team
// decides as decided says.
func talked(question string, decided task.Score, agents ...string) trial.Outcome {
	o := trial.Outcome{Question: question, Condition: "team", Score: decided, Target: "A",
		Truth: answer.Answer{Text: "A", Parsed: true}}
	for round := range agents[0] {
		var turns []debate.Turn
		for i, marks := range agents {
			t := debate.Turn{Agent: i, Round: round, Reply: inference.Reply{Model: fmt.Sprint("hash", i/2)}}
			switch marks[round] {
			case 'r':
				t.Answer = answer.Answer{Text: "A", Parsed: true}
			case 'w':
				t.Answer = answer.Answer{Text: "B", Parsed: true}
			}
			turns = append(turns, t)
		}
		o.Transcript.Rounds = append(o.Transcript.Rounds, turns)
	}
	return o
}

// membersOf tabulates a team whose agents have names, "" for none, in a run of one model or of several.
func membersOf(t *testing.T, names []string, models int, outcomes ...trial.Outcome) Comparison {
	t.Helper()
	for i := range outcomes {
		outcomes[i].Transcript.Roles = names
	}
	c := Comparison{Run: spec.Run{Reference: "team", Questions: len(outcomes)}}
	for i := range models {
		c.Model.Team = append(c.Model.Team, inference.ModelInfo{Hash: fmt.Sprint("hash", i),
			Name: fmt.Sprint("model-", i)})
	}
	c.Tabulate([]trial.Condition{{Name: "team"}}, outcome.NewTable(outcomes), nil)
	return c
}

// TestMembers: by hand, of four questions the first member has 3 right at first and 2 at last, the second 2 and 3, and
// the team 3; what cannot be read is not right.
func TestMembers(t *testing.T) {
	debates := func() []trial.Outcome {
		return []trial.Outcome{talked("a", task.Right, "rr", "wr"), talked("b", task.Right, "rw", "rr"),
			talked("c", task.Wrong, "rw", "uw"), talked("d", task.Right, "ur", "rr")}
	}
	c := membersOf(t, []string{"claimant", "assessor"}, 0, debates()...)
	m := c.Rows[0].Members
	if len(m) != 2 || m[0].Name != "claimant" || m[1].Name != "assessor" {
		t.Fatalf("the members of a team are claimant and assessor: got %+v", m)
	}
	got := [][]float64{{m[0].Own, m[0].Last, m[0].Gain}, {m[1].Own, m[1].Last, m[1].Gain}}
	if diff := cmp.Diff([][]float64{{0.75, 0.5, 0}, {0.5, 0.75, 0.25}}, got); diff != "" {
		t.Errorf("own, last and gain of each member are those worked by hand (-want +got):\n%s", diff)
	}
	for _, one := range m {
		if !(one.Interval.Low < one.Own && one.Own < one.Interval.High && one.GainIn.Low < one.Gain &&
			one.Gain < one.GainIn.High) {
			t.Errorf("a member's own share and gain lie in their intervals: got %+v", one)
		}
	}
	if best, known := c.Rows[0].Number("best-member"); !known || best != 0.75 {
		t.Errorf("best member %g, %t, want 0.75", best, known)
	}
	drawn := c.MembersTable().String()
	if !strings.Contains(c.Table(false).String(), "0.750 claimant") || strings.Count(drawn, "best") != 1 ||
		!strings.Contains(drawn, "+0.250") {
		t.Errorf("%s\n%s, want claimant as best member, and a gain of +0.250 over assessor", c.Table(false), drawn)
	}
	clustered := Comparison{Run: spec.Run{Reference: "team", Questions: 4, Tests: spec.Tests{Cluster: "text"}}}
	clustered.Tabulate([]trial.Condition{{Name: "team"}}, outcome.NewTable(func() (list []trial.Outcome) {
		for i, o := range debates() {
			o.Transcript.Roles, o.Cluster = []string{"claimant", "assessor"}, fmt.Sprint(i/2)
			list = append(list, o)
		}
		return list
	}()), nil)
	if of := clustered.Rows[0].Members[0]; of.Own != 0.75 || of.Interval == m[0].Interval {
		t.Errorf("over clusters a member's share stays 0.75 and has another interval than %+v: got %+v",
			m[0].Interval, of)
	}
}

// TestMembersRepeated: each question counts the same, however often it was asked.
func TestMembersRepeated(t *testing.T) {
	again := talked("a", task.Wrong, "w", "r")
	again.Repeat = 1
	c := membersOf(t, []string{"x", "y"}, 0, talked("a", task.Right, "r", "r"), again,
		talked("b", task.Right, "r", "w"))
	if m := c.Rows[0].Members; math.Abs(m[0].Own-0.75) > 1e-12 || m[1].Own != 0.5 || m[0].Gain != 0 {
		t.Errorf("in the mean of repeats the members have 0.75 with no gain, and 0.5: got %+v", m)
	}
}

// TestMembersDiffer: only members that differ are told apart, by name or by model.
func TestMembersDiffer(t *testing.T) {
	failed, differing := talked("b", task.Failed, "r"), []trial.Outcome{talked("a", task.Right, "r", "w")}
	for name, c := range map[string]struct {
		names    []string
		models   int
		outcomes []trial.Outcome
		want     string // the members
	}{
		"copies":               {nil, 0, []trial.Outcome{talked("a", task.Right, "r", "r")}, ""},
		"one agent":            {[]string{"x"}, 0, []trial.Outcome{talked("a", task.Right, "r")}, ""},
		"names":                {[]string{"x", "y"}, 0, differing, "x; y"},
		"numbers as names":     {[]string{"Agent 1", "Agent 2"}, 0, differing, ""},
		"numbered names":       {[]string{"Participant 1", "Participant 2"}, 0, differing, ""},
		"copies of one of two": {nil, 2, differing, ""},
		"models": {nil, 2, []trial.Outcome{talked("a", task.Right, "r", "w", "w")},
			"agent 0, model-0; agent 1, model-0; agent 2, model-1"},
		"others in each debate": {[]string{"x", "y"}, 0, []trial.Outcome{talked("a", task.Right, "r", "w"),
			talked("b", task.Right, "r")}, ""},
		"a debate that failed": {[]string{"x", "y"}, 0, append(differing, failed), "x; y"},
		"nothing held":         {[]string{"x", "y"}, 0, []trial.Outcome{failed}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			compared := membersOf(t, c.names, c.models, c.outcomes...)
			var members []string
			for _, m := range compared.Rows[0].Members {
				members = append(members, compared.memberName(m))
			}
			if got := strings.Join(members, "; "); got != c.want {
				t.Errorf("the members that differ are %q: got %q", c.want, got)
			}
			if has := strings.Contains(compared.Table(false).String(), "BEST MEMBER"); has != (c.want != "") ||
				has != (len(compared.MembersTable().Lines) > 0) {
				t.Errorf("a column: %t, want it where members differ", has)
			}
		})
	}
}
