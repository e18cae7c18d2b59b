package report

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/details"
	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/soak"
)

// answering are engines of agents that agree more than agents do, by name.
var answering = map[string]func(task.Task) inference.Engine{
	"half": divided,
	"all right": func(t task.Task) inference.Engine {
		return saying(t, func(i int, _ uint64) string { return t.Questions[i].Target })
	},
	"none right": func(t task.Task) inference.Engine {
		return saying(t, func(i int, _ uint64) string { return t.Questions[(i+1)%len(t.Questions)].Target })
	},
	"unparsed": func(t task.Task) inference.Engine {
		return saying(t, func(int, uint64) string { return "not to be told" })
	},
}

// TestIntervalsHaveWidths: whatever agents answer to one, two or three questions, no table, sentence or file of a
// report has an interval without a width, or a number that is none. Each experiment has its turn with some of them; a
// soak tries them all.
func TestIntervalsHaveWidths(t *testing.T) {
	looked := make(chan int, len(experiment.List())*12)
	t.Run("experiments", func(t *testing.T) {
		for i, e := range experiment.List() {
			for k, name := range []string{"half", "all right", "none right", "unparsed"} {
				for n := 1; n <= 3; n++ {
					if !soak.On() && (4*(n-1)+k)%12 != i%12 {
						continue
					}
					t.Run(fmt.Sprint(e.Name, "/", name, " of ", n), func(t *testing.T) {
						t.Parallel()
						looked <- checkWidths(t, e, n, answering[name])
					})
				}
			}
		}
	})
	close(looked)
	intervals := 0
	for n := range looked {
		intervals += n
	}
	if intervals < 1000 {
		t.Errorf("only %d intervals were looked at", intervals)
	}
}

// printed matches an interval in a text; nothing is a number that is none.
var (
	printed = regexp.MustCompile(`([-+−]?[0-9][0-9,]*\.?[0-9]*) (?:to|–) ([-+−]?[0-9][0-9,]*\.[0-9]+)`)
	nothing = regexp.MustCompile(`\b(?:NaN|\+?Inf)\b`)
)

// checkWidths reads all that a report and a table say, and returns how many intervals that were.
func checkWidths(t *testing.T, e experiment.Experiment, n int,
	engine func(task.Task) inference.Engine) (intervals int) {
	t.Helper()
	dir, small := questionsBy(t, e, n, engine)
	c, studies := contentsIn(t, dir, small)
	texts := []string{c.text()}
	tables := slices.Clone(c.Across)
	for _, s := range c.Sections {
		tables = append(tables, s.Tables...)
	}
	for _, s := range tables {
		texts = append(texts, s.AllCSV())
	}
	for _, s := range studies {
		b := s.Comparison.Document().String()
		texts = append(texts, b, details.Document(s.Comparison).String())
		result, err := record.Marshal(s.Comparison.Result())
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(result, &value); err != nil {
			t.Fatal(err)
		}
		intervals += checkJSON(t, "", value)
	}
	for _, text := range texts {
		for line := range strings.Lines(text) {
			if nothing.MatchString(line) {
				t.Errorf("no number: %s", line)
			}
			for _, ends := range printed.FindAllStringSubmatch(line, -1) {
				if intervals++; ends[1] == ends[2] {
					t.Errorf("no width: %s in %s", ends[0], line)
				}
			}
		}
	}
	return intervals
}

// checkJSON looks for intervals in a value, which is at a path.
func checkJSON(t *testing.T, path string, value any) (intervals int) {
	switch v := value.(type) {
	case []any:
		for i, of := range v {
			intervals += checkJSON(t, fmt.Sprint(path, "[", i, "]"), of)
		}
	case map[string]any:
		if low, is := v["low"].(float64); is {
			if intervals++; v["high"] == low {
				t.Errorf("no width: %s from %g to %g", path, low, v["high"])
			}
		}
		for name, of := range v {
			intervals += checkJSON(t, path+"."+name, of)
		}
	}
	return intervals
}
