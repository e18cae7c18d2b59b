package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/parley-debate/parley/bench/contrast"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// The paths by which a contrast of conditions a and b, or of groups with c and d, gets its test.
var paths = map[string]func(t *outcome.Table, measure string, margin float64) *Paired{
	"two conditions": func(t *outcome.Table, measure string, margin float64) *Paired {
		return contrastOf(Comparison{}, t, measure, margin, "a", "b")
	},
	"groups": func(t *outcome.Table, measure string, margin float64) *Paired {
		return contrastOf(Comparison{}, t, measure, margin, "(a, c)", "(b, d)")
	},
	"clusters": func(t *outcome.Table, measure string, margin float64) *Paired {
		return contrastOf(Comparison{Run: spec.Run{Tests: spec.Tests{Cluster: "text"}}}, t, measure, margin, "a", "b")
	},
	"tasks": func(t *outcome.Table, measure string, margin float64) *Paired {
		return overTasks(parts(t, false), measure, margin)
	},
	"tasks, clusters": func(t *outcome.Table, measure string, margin float64) *Paired {
		return overTasks(parts(t, true), measure, margin)
	},
	"runs": func(t *outcome.Table, measure string, margin float64) *Paired {
		p, _ := PoolRuns(pooledOf(measure, margin), parts(t, false), "")
		return p
	},
}

func overTasks(tasks []*outcome.Table, measure string, margin float64) *Paired {
	p, _, err := PoolContrast(pooledOf(measure, margin), tasks)
	if err != nil {
		return nil
	}
	return p
}

func pooledOf(measure string, margin float64) contrast.Contrast {
	return contrast.Contrast{First: []string{"a"}, Second: []string{"b"}, Measure: measure, Margin: margin}
}

// parts are a against b, and c against d as a against b, as two tasks or runs.
func parts(t *outcome.Table, clustered bool) (tables []*outcome.Table) {
	for _, pair := range [][]string{{"a", "b"}, {"c", "d"}} {
		var list []trial.Outcome
		for i, name := range pair {
			for _, d := range t.Under(name).All {
				o := *d.Outcome
				if o.Condition = []string{"a", "b"}[i]; !clustered {
					o.Cluster = ""
				}
				list = append(list, o)
			}
		}
		tables = append(tables, outcome.NewTable(list))
	}
	return tables
}

func contrastOf(c Comparison, t *outcome.Table, measure string, margin float64, first, second string) *Paired {
	text := first + " - " + second
	if measure != "" {
		text += " by " + measure
	}
	if margin > 0 {
		text += fmt.Sprint(" within ", margin)
	}
	var err error
	if c.Contrasts, err = ReadContrasts([]string{text}, []string{"a", "b", "c", "d"}, "squad", nil); err != nil {
		panic(err)
	}
	c.contrast(planned{}, t)
	return c.Contrasts[0].Paired
}

// scored is an outcome with a degree of being right, as F1 is, which is right from 1 on, and with as many tokens.
func scored(condition string, question, repeat int, value float64) trial.Outcome {
	o := trial.Outcome{Condition: condition, Question: fmt.Sprint(question), Repeat: repeat, Partial: &value,
		Cluster: fmt.Sprint(question / 2), Score: task.Wrong}
	if value == 1 {
		o.Score = task.Right
	}
	asked := []inference.Message{{Content: condition}} // else all would be one treatment
	o.Transcript.Rounds = [][]debate.Turn{{{Messages: asked, Reply: inference.Reply{Tokens: int(1000 * value)}}}}
	return o
}

// TestMeasureIsAccuracy: where F1 is 1 of right answers and 0 of others, a contrast by it is the contrast by accuracy,
// and that is the row: in all numbers, by every path.
func TestMeasureIsAccuracy(t *testing.T) {
	met := make(map[string]int)
	for _, most := range []int{8, 1} { // a single question is too rare among eight to be met in every run
		rapid.Check(t, func(t *rapid.T) {
			questions := rapid.IntRange(1, most).Draw(t, "questions")
			margin := rapid.SampledFrom([]float64{0, 0.2}).Draw(t, "margin")
			repeats := rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(t, "repeats")
			var outcomes []trial.Outcome
			for _, condition := range []string{"a", "b", "c", "d"} {
				for q := range questions {
					for r := range repeats {
						o := scored(condition, q, r, float64(rapid.IntRange(0, 1).Draw(t, "right")))
						if rapid.IntRange(0, 20).Draw(t, "fails") == 0 {
							o.Score = task.Failed
						}
						outcomes = append(outcomes, o)
					}
				}
			}
			table := outcome.NewTable(outcomes)
			for name, test := range paths {
				byAccuracy, byF1 := test(table, "", margin), test(table, "f1", margin)
				if diff := cmp.Diff(byAccuracy, byF1); diff != "" {
					t.Errorf("%s: by accuracy and by a degree of 0 and 1, %d questions have the same test "+
						"(-accuracy +degree):\n%s", name, questions, diff)
				}
				if byF1 != nil {
					met[name+" "+byF1.Test]++
				}
			}
			row, _ := (&Comparison{}).pairedTest(table.Under("a"), table.Under("b"), margin)
			if byF1 := paths["two conditions"](table, "f1", margin); row != nil && (row.P != byF1.P ||
				row.Interval != byF1.Interval || row.Difference != byF1.Difference) {
				t.Errorf("a row and a contrast by the same measure have equal p, interval and difference: got "+
					"%+v, contrast %+v", row, byF1)
			}
		})
	}
	for _, path := range []string{"two conditions mcnemar", "two conditions flip", "two conditions mcnemar-repeats",
		"groups flip", "clusters flip-clusters", "tasks flip-tasks", "runs flip"} {
		if met[path] == 0 {
			t.Errorf("every path is met in the comparisons: %s is not in %v", path, met)
		}
	}
}

// TestLevelsByPath: of conditions with equal means, one of which is steadier, few contrasts by a measure find a
// difference, by every path and of every kind of measure; t finds up to 56 %. Of a measure without bounds nothing is
// said of few questions. A large difference of enough questions is found.
func TestLevelsByPath(t *testing.T) {
	const runs = 20
	random := rand.New(rand.NewPCG(4, 4))
	share := func(mean float64, of int) float64 {
		return distuv.Binomial{N: float64(of), P: mean, Src: random}.Rand() / float64(of)
	}
	// by whether it is the first side, the mean: the value of a repeat, of a question with a level of its own
	kinds := map[string]func(first bool, mean, level float64) float64{
		"0 or 1": func(first bool, mean, level float64) float64 {
			if first {
				return math.Floor(mean + 1 - level)
			}
			return share(mean, 1)
		},
		"between": func(first bool, mean, level float64) float64 {
			if first {
				return math.Floor(mean + 1 - level)
			}
			return share(mean, 4)
		},
		"tokens": func(first bool, mean, level float64) float64 {
			switch {
			case !first:
				return mean
			case level < 0.1:
				return 5 * mean
			}
			return mean * 5 / 9
		},
	}
	designs := []struct {
		questions, repeats int
		mean               float64
	}{{6, 20, 0.85}, {12, 20, 0.95}, {30, 5, 0.95}}
	for kind, value := range kinds {
		for _, d := range designs {
			found, tested := make(map[string]int), make(map[string]int)
			for range runs {
				table := outcome.NewTable(drawn(random, d.questions, d.repeats,
					func(first bool, level float64) float64 { return value(first, d.mean, level) }))
				for name, test := range paths {
					if p := test(table, map[bool]string{true: "tokens", false: "f1"}[kind == "tokens"], 0); p != nil {
						tested[name]++
						if p.P <= alpha {
							found[name]++
						}
					}
				}
			}
			for name := range paths {
				t.Run(strings.Join([]string{kind, name, fmt.Sprint(d.questions)}, ", "), func(t *testing.T) {
					want := runs
					if kind == "tokens" && (d.questions < 30 || strings.HasSuffix(name, "clusters")) {
						want = 0
					}
					if tested[name] != want {
						t.Errorf("%d of %d were tested, want %d", tested[name], runs, want)
					}
					if found[name] > 5 { // chance brings more of 5 % once in 3,000 times
						t.Errorf("%s finds a difference that is none in at most 5 studies: got %d of %d",
							name, found[name], tested[name])
					}
				})
			}
		}
	}
	table := outcome.NewTable(drawn(random, 70, 2, func(first bool, level float64) float64 {
		if first {
			return math.Min(1, level+0.6)
		}
		return level
	}))
	for name, test := range paths {
		for _, measure := range []string{"f1", "tokens"} {
			if p := test(table, measure, 0); p == nil || p.P > 0.001 || p.Interval.Low <= 0 {
				t.Errorf("%s by %s: %+v, want a difference", name, measure, p)
			}
		}
	}
}

// drawn are outcomes of a against b and of c against d, with a level of each question and pair.
func drawn(random *rand.Rand, questions, repeats int, value func(first bool, level float64) float64) (
	list []trial.Outcome) {
	for _, pair := range [][]string{{"a", "b"}, {"c", "d"}} {
		for q := range questions {
			level := random.Float64()
			for i, name := range pair {
				for r := range repeats {
					list = append(list, scored(name, q, r, value(i == 0, level)))
				}
			}
		}
	}
	return list
}
