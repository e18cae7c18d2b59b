package analysis

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
)

// TestSweptPairs: the table of a sweep compares at equal values, and says with what.
func TestSweptPairs(t *testing.T) {
	var outcomes []trial.Outcome
	for condition, right := range map[string]string{"mad/agents=3": "wwwwwwww", "mad/agents=5": "rrrrrrww",
		"madc/agents=3": "rrrrrrww", "madc/agents=5": "rrrrrrww"} {
		for i, mark := range right {
			o := trial.Outcome{Question: string(rune('a' + i)), Condition: condition, Score: task.Wrong}
			if mark == 'r' {
				o.Score = task.Right
			}
			outcomes = append(outcomes, o)
		}
	}
	c := Comparison{Run: spec.Run{Reference: "mad/agents=5"}}
	c.Tabulate([]trial.Condition{{Name: "mad/agents=3"}, {Name: "mad/agents=5"}, {Name: "madc/agents=3"},
		{Name: "madc/agents=5"}}, outcome.NewTable(outcomes), nil)
	for i, want := range []struct {
		against    string
		difference float64
	}{{"mad/agents=5", -0.75}, {}, {"mad/agents=3", 0.75}, {"mad/agents=5", 0}} {
		t.Run(fmt.Sprintf("%.60s %v", want.against, want.difference), func(t *testing.T) {
			switch p := c.Rows[i].Paired; {
			case p == nil && want.against != "":
				t.Errorf("%s is compared with %s: got no test", c.Rows[i].Condition, want.against)
			case p != nil && (p.Against != want.against || p.Difference != want.difference ||
				p.P != stat.McNemar(p.OnlyFirst, p.OnlySecond)):
				t.Errorf("%s: %+v, want %+v", c.Rows[i].Condition, *p, want)
			}
		})
	}
	text := c.Table(false).String() + c.Legend(false)
	if !strings.Contains(text, "DIFFERENCE") || !strings.Contains(text,
		"│ madc/agents=3 │ 8 │    0.750 │ 0.409 – 0.929 │ mad/agents=3 │     +0.750 │") {
		t.Errorf("each value of a sweep is compared with the reference of the same value: got\n%s", text)
	}
}
