package experiment

import (
	"fmt"
	"strings"
	"testing"
)

// TestBudgets: a condition that fills budgets is held at each that takes two or more of its agents or rounds, with as
// many as come nearest; one with a budget of its own at that one alone, but for the reference.
func TestBudgets(t *testing.T) {
	const file = `name: x
tasks: [{name: p, generated: 3}]
controls: false
reference: one
budgets: [%s]
conditions:
  - {name: one, protocol: society, set: {agents: 1, rounds: 1}, budget: 1}
  - {name: vote, protocol: society, meaning: "of {agents}", set: {rounds: 1}, fill: agents}
  - {name: look, protocol: self-reflect, fill: rounds}
  - {name: mad, protocol: society, set: {rounds: 3}, fill: agents}
  - {name: wide, protocol: society, set: {agents: 9, rounds: 3}, budget: 27}
`
	for budgets, want := range map[string]string{
		"1":    "one:1x1/1",
		"1, 3": "one:1x1/1 vote-3:3x1/3 look-3:1x3/3",
		"1, 3, 9, 27": "one:1x1/1 vote-3:3x1/3 vote-9:9x1/9 vote-27:27x1/27 look-3:1x3/3 look-9:1x9/9 " +
			"look-27:1x27/27 mad-9:3x3/9 mad-27:9x3/27 wide:9x3/27",
		"5":  "one:1x1/1 vote-5:5x1/5 look-5:1x5/5 mad-5:2x3/5",
		"10": "one:1x1/1 vote-10:10x1/10 look-10:1x10/10 mad-10:3x3/10",
		"4":  "one:1x1/1 vote-4:4x1/4 look-4:1x4/4",
	} {
		e, err := Parse([]byte(strings.Replace(file, "%s", budgets, 1)))
		if err != nil {
			t.Fatalf("budgets %s: %v", budgets, err)
		}
		if got := sizes(t, e); got != want {
			t.Errorf("budgets %s give\n%s, want\n%s", budgets, got, want)
		}
	}
}

func sizes(t *testing.T, e Experiment) string {
	t.Helper()
	points, err := e.Points()
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, p := range points {
		list = append(list, fmt.Sprintf("%s:%dx%d/%d", p.Condition, max(1, p.Protocol.Agents()),
			max(1, p.Protocol.Rounds()), p.Budget))
	}
	return strings.Join(list, " ")
}

// TestOtherBudgets: what a command line asks for takes the place of what the file has, and what names a condition that
// is not held any more goes with it.
func TestOtherBudgets(t *testing.T) {
	e, err := Load("referee")
	if err != nil {
		t.Fatal(err)
	}
	other, err := e.With(Changes{Budgets: []int{1, 5}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := sizes(t, other), "single:1x1/1 vote-5:5x1/5 reflect-5:1x5/5 debate-5:2x3/5"; got != want {
		t.Errorf("budgets 1, 5 give %s, want %s", got, want)
	}
	last := other.Notes[len(other.Notes)-1]
	if len(other.Contrasts) > 0 || !strings.HasPrefix(last, "4 contrasts left") {
		t.Errorf("contrasts %q are left, and the last note is %q", other.Contrasts, last)
	}
	again, err := other.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if read, err := Parse(again); err != nil || sizes(t, read) != sizes(t, other) {
		t.Errorf("its file means another experiment: %v\n%s", err, again)
	}
	plain, err := Load("madc-table1")
	if err != nil {
		t.Fatal(err)
	}
	for want, refused := range map[string]struct {
		of      Experiment
		changes Changes
	}{
		"no condition of the experiment madc-table1": {plain, Changes{Budgets: []int{3}}},
		"budget 0":                     {e, Changes{Budgets: []int{0}}},
		"two conditions have the name": {e, Changes{Budgets: []int{3, 3}}},
		"fills its budgets with it":    {e, Changes{Set: []string{"agents=5"}}},
		"vote-9 - single":              {other, Changes{Contrasts: []string{"vote-9 - single"}}},
	} {
		if _, err := refused.of.With(refused.changes); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// TestIdleBudgets: what contradicts itself is refused.
func TestIdleBudgets(t *testing.T) {
	const three = "generated: 3"
	for text, want := range map[string]string{
		whole(three, "name: c, fill: agents", ""):                                      "fill needs the budgets",
		whole(three, "name: c, fill: agents, budget: 3", "budgets: [3]"):               "held at one",
		whole(three, "name: c, fill: prompts", "budgets: [3]"):                         "must be agents or rounds",
		whole(three, "name: c, fill: agents, set: {agents: 3}", "budgets: [3]"):        "set and sweep",
		whole(three, "name: c, fill: agents, sweep: {agents: [3, 4]}", "budgets: [3]"): "set and sweep",
		whole(three, "name: c", "budgets: [0]"):                                        "budget 0",
		whole(three, "name: c, budget: -1", "budgets: [3]"):                            "budget -1",
		whole(three, "name: c, fill: agents", "budgets: 3x3"):                          "budgets",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\nerror %v, want one with %q", text, err, want)
		}
	}
}
