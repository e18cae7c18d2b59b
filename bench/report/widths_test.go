package report

import (
	"encoding/json"
	"fmt"
	"html"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/debatetest"
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
		t.Errorf("1,000 intervals or more are looked at: got %d", intervals)
	}
}

// printed matches an interval in a text; nothing is a number that is none.
var (
	printed = regexp.MustCompile(`([-+−]?[0-9][0-9,]*\.?[0-9]*) (?:to|–) ([-+−]?[0-9][0-9,]*\.[0-9]+)`)
	nothing = regexp.MustCompile(`\b(?:NaN|\+?Inf)\b`)
	tags    = regexp.MustCompile(`(?s)<(?:script|style|svg).*?</(?:script|style|svg)>|<[^<>]*>`)
)

// checkWidths reads all that a report and a table say, and returns how many intervals that were.
func checkWidths(t *testing.T, e experiment.Experiment, n int,
	engine func(task.Task) inference.Engine) (intervals int) {
	t.Helper()
	dir, small := questionsBy(t, e, n, engine)
	c, studies := contentsIn(t, dir, small)
	return checkWritten(t, c, studies)
}

// checkWritten reads all that is written of a report, and returns how many intervals that were.
func checkWritten(t *testing.T, c contents, studies []study) (intervals int) {
	t.Helper()
	var page strings.Builder
	if err := c.write(&page); err != nil {
		t.Fatal(err)
	}
	texts := []string{c.text(), html.UnescapeString(tags.ReplaceAllString(page.String(), "\n"))}
	tables := slices.Clone(c.Across)
	for _, s := range c.Sections {
		tables = append(tables, s.Tables...)
	}
	for _, s := range tables {
		texts = append(texts, s.AllCSV(), s.LaTeX("label"))
	}
	for _, s := range studies {
		b := s.Comparison.Document().String()
		texts = append(texts, b, Details(s.Comparison).String())
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
				t.Errorf("a cell has a number or says why not: got %s", line)
			}
			for _, ends := range printed.FindAllStringSubmatch(line, -1) {
				if intervals++; ends[1] == ends[2] {
					t.Errorf("an interval has a width: got %s in %s", ends[0], line)
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
				t.Errorf("an interval has a width: got %s from %g to %g", path, low, v["high"])
			}
		}
		for name, of := range v {
			intervals += checkJSON(t, path+"."+name, of)
		}
	}
	return intervals
}

// little is a question under the two conditions of TestIntervalsOfLittle: what each of two agents answers in two
// rounds, and how many tokens a reply takes.
type little struct {
	letters [2][2]string
	tokens  [2]int
	change  func(*trial.Outcome)
}

// times repeats a question.
func (a little) times(n int) []little { return slices.Repeat([]little{a}, n) }

// ofLittle are questions of which little or nothing is known beyond them.
var ofLittle = map[string][]little{
	"none":         nil,
	"none held":    little{change: failed}.times(3),
	"one":          unlike.times(1),
	"two":          unlike.times(2),
	"no spread":    unlike.times(40),
	"all tied":     little{letters: alike.letters, change: tied}.times(9),
	"one cluster":  little{letters: unlike.letters, tokens: [2]int{7, 9}, change: clustered}.times(40),
	"no number":    little{letters: unlike.letters, tokens: [2]int{7, 9}, change: unnumbered}.times(9),
	"without end":  slices.Concat(unlike.times(39), endless.times(1)),
	"at its end":   little{letters: [2][2]string{{"BB", "AA"}, {"AA", "BB"}}, tokens: [2]int{1, 1}}.times(12),
	"pairs equal":  slices.Concat(alike.times(20), little{letters: [2][2]string{{"AB", "AA"}, {"AB", "AA"}}}.times(20)),
	"nothing read": little{letters: [2][2]string{{"..", ".."}, {"..", ".."}}}.times(4),
}

var (
	unlike  = little{letters: [2][2]string{{"AB", "AA"}, {"AB", "BB"}}, tokens: [2]int{10, 13}}
	endless = little{letters: alike.letters, tokens: [2]int{math.MaxInt32, 1}}
	alike   = little{letters: [2][2]string{{"AB", "AB"}, {"AB", "AB"}}, tokens: [2]int{10, 10}}
)

func failed(o *trial.Outcome)    { o.Transcript, o.Error = debate.Transcript{}, "no" }
func tied(o *trial.Outcome)      { o.Transcript.Decision.Tie = true }
func clustered(o *trial.Outcome) { o.Cluster = "one" }

// unnumbered has no counts of tokens, as imported logs have none.
func unnumbered(o *trial.Outcome) {
	for _, round := range o.Transcript.Rounds {
		for i := range round {
			round[i].Messages, round[i].Reply.Tokens = nil, 0
		}
	}
}

// TestIntervalsOfLittle: of no question, of one, of questions that do not differ, or whose numbers have no bounds, no
// writer shows an interval without a width or a number that is none, of any measure nor of any contrast by one.
func TestIntervalsOfLittle(t *testing.T) {
	looked, tested := 0, 0
	for name, questions := range ofLittle {
		t.Run(name, func(t *testing.T) {
			var outcomes []trial.Outcome
			conditions := []trial.Condition{{Name: "a", Agents: 2, Rounds: 2}, {Name: "b", Agents: 2, Rounds: 2}}
			for q, of := range questions {
				for k, condition := range conditions {
					outcomes = append(outcomes, of.held(fmt.Sprint("q", q), condition.Name, k))
				}
			}
			c := analysis.Comparison{Run: spec.Run{Questions: len(questions), Reference: "a"}}
			if name == "one cluster" {
				c.Cluster = "text"
			}
			contrasts := []string{"a - b", "b - a within 0.1"}
			for _, m := range relation.MeasuresOf("") {
				contrasts = append(contrasts, "a - b by "+m.Name)
			}
			var err error
			if c.Contrasts, err = analysis.ReadContrasts(contrasts, []string{"a", "b"}, "", nil); err != nil {
				t.Fatal(err)
			}
			if c.Tabulate(conditions, outcome.NewTable(outcomes), nil); len(c.Faults) > 0 {
				t.Errorf("all is computed: got faults %q, want none", c.Faults)
			}
			for _, k := range c.Contrasts {
				if k.Paired != nil {
					tested++
				}
			}
			s := study{Run: rundir.Run{Outcomes: outcomes, Comparison: c}}
			made, err := runContents(s, Options{})
			if err != nil {
				t.Fatal(err)
			}
			looked += checkWritten(t, made, []study{s})
		})
	}
	if looked < 500 || tested < 30 {
		t.Errorf("500 intervals or more and 30 tests are looked at: got %d and %d", looked, tested)
	}
}

// held is the debate of a question under one of the conditions.
func (a little) held(question, condition string, k int) trial.Outcome {
	o := trial.Outcome{Question: question, Condition: condition, Truth: answer.Of("A")}
	for r, letters := range a.letters[k] {
		turns := debatetest.TurnsOf(letters)
		for i := range turns {
			turns[i].Round, turns[i].Reply.Tokens = r, a.tokens[k]
			turns[i].Messages = []inference.Message{{Content: "q"}}
		}
		o.Transcript.Rounds = append(o.Transcript.Rounds, turns)
		if r == 1 && len(turns) > 0 {
			o.Transcript.Decision.Answer = turns[0].Answer
		}
	}
	if o.Score = o.ScoreOf(o.Transcript.Decision.Answer); a.change != nil {
		a.change(&o)
	}
	return o
}
