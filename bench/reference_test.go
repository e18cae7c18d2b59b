package bench

import (
	"strings"
	"testing"

	"parley/bench/stat"
	"parley/bench/task"
)

// TestReferenceOf: points of sweeps are compared where their values are equal, and all else with the reference.
func TestReferenceOf(t *testing.T) {
	all := []string{"single", "mad/agents=3", "mad/agents=5", "madc/agents=3", "madc/agents=5", "madc/agents=7",
		"madc/agents=5/rounds=2", "ring/agents=5", "plain"}
	for condition, want := range map[string]string{
		"single":                 "mad/agents=5",
		"plain":                  "mad/agents=5",
		"mad/agents=5":           "mad/agents=5",
		"mad/agents=3":           "mad/agents=5",
		"madc/agents=3":          "mad/agents=3",
		"madc/agents=5":          "mad/agents=5",
		"madc/agents=5/rounds=2": "mad/agents=5",
		"madc/agents=7":          "mad/agents=5",
	} {
		if got := referenceOf(condition, "mad/agents=5", all); got != want {
			t.Errorf("%s is compared with %s, want %s", condition, got, want)
		}
	}
	if got := referenceOf("madc/agents=3", "plain", all); got != "plain" {
		t.Errorf("a reference that is not swept: %s", got)
	}
	both := []string{"a/x=1/y=1", "a/x=1/y=2", "a/x=2/y=1", "b/y=2/x=1", "b/x=2"}
	if got := referenceOf("b/y=2/x=1", "a/x=1/y=1", both); got != "a/x=1/y=2" {
		t.Errorf("settings in another order: %s", got)
	}
	if got := referenceOf("b/x=2", "a/x=1/y=1", both); got != "a/x=2/y=1" {
		t.Errorf("with the reference's value of what only that sweeps: %s", got)
	}
	if got := referenceOf("c/prompts=b/x.yaml", "a/prompts=a/x.yaml", []string{"a/prompts=a/x.yaml",
		"a/prompts=b/x.yaml"}); got != "a/prompts=b/x.yaml" {
		t.Errorf("values that are paths: %s", got)
	}
}

// TestSweptPairs: the table of a sweep compares at equal values, and says with what.
func TestSweptPairs(t *testing.T) {
	var outcomes []Outcome
	for condition, right := range map[string]string{"mad/agents=3": "wwwwwwww", "mad/agents=5": "rrrrrrww",
		"madc/agents=3": "rrrrrrww", "madc/agents=5": "rrrrrrww"} {
		for i, mark := range right {
			o := Outcome{Question: string(rune('a' + i)), Condition: condition, Score: task.Wrong}
			if mark == 'r' {
				o.Score = task.Right
			}
			outcomes = append(outcomes, o)
		}
	}
	c := Comparison{Reference: "mad/agents=5"}
	c.tabulate([]Condition{{Name: "mad/agents=3"}, {Name: "mad/agents=5"}, {Name: "madc/agents=3"},
		{Name: "madc/agents=5"}}, outcomes, nil)
	for i, want := range []struct {
		against    string
		difference float64
	}{{"mad/agents=5", -0.75}, {}, {"mad/agents=3", 0.75}, {"mad/agents=5", 0}} {
		switch p := c.Rows[i].Paired; {
		case p == nil && want.against != "":
			t.Errorf("%s is compared with nothing", c.Rows[i].Condition)
		case p != nil && (p.Against != want.against || p.Difference != want.difference ||
			p.P != stat.McNemar(p.OnlyFirst, p.OnlySecond)):
			t.Errorf("%s: %+v, want %+v", c.Rows[i].Condition, *p, want)
		}
	}
	if text := c.table(false) + c.legend(false); !strings.Contains(text, "DIFFERENCE") || !strings.Contains(text,
		"│ madc/agents=3 │ 8 │    0.750 │ 0.409 – 0.929 │ mad/agents=3 │     +0.750 │") {
		t.Error(text)
	}
}
