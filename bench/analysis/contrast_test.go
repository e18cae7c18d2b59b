package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/contrast"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/pairs"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// contrasted tests contrasts of conditions whose questions are strings of repeats: r right, w wrong, f failed.
func contrasted(t *testing.T, c Comparison, texts []string, names []string, answers ...[]string) Comparison {
	t.Helper()
	var outcomes []trial.Outcome
	var conditions []trial.Condition
	for i, name := range names {
		conditions = append(conditions, trial.Condition{Name: name})
		of := asked(answers[i]...)
		repeats := strings.Join(answers[i], "")
		for k := range of {
			if of[k].Condition = name; repeats[k] == 'f' {
				of[k].Score = task.Failed
			}
		}
		outcomes = append(outcomes, of...)
	}
	var err error
	if c.Contrasts, err = ReadContrasts(texts, names, "equal", nil); err != nil {
		t.Fatal(err)
	}
	c.Tabulate(conditions, outcome.NewTable(outcomes), nil)
	return c
}

// TestContrastOfTwo: two conditions are compared as a row and its reference are, and corrected for all contrasts.
func TestContrastOfTwo(t *testing.T) {
	c := contrasted(t, Comparison{Run: spec.Run{Reference: "a", Questions: 6}}, []string{"c - b", "b - a"},
		[]string{"a", "b", "c"},
		[]string{"r", "r", "w", "w", "w", "w"}, []string{"r", "w", "w", "w", "w", "w"},
		[]string{"w", "r", "r", "r", "r", "r"})
	p := c.Contrasts[0].Paired // 5 questions against 1: McNemar's exact p is 2 (1 + 6) / 64
	about(t, "p", &p.P, 14.0/64)
	about(t, "p by Holm", &p.Holm, 28.0/64)
	if p.Difference != 4.0/6 || p.OnlyFirst != 5 || p.OnlySecond != 1 || p.Test != TestMcNemar {
		t.Errorf("c - b is 4/6 on 5 questions against 1, by McNemar: got %+v", p)
	}
	if other := c.Contrasts[1].Paired; other.Holm != 1 || c.Rows[1].Paired.Holm != 1 {
		t.Errorf("of two contrasts p 1 stays 1 after Holm's correction, and a row has the same: got %+v", other)
	}
}

// TestContrastByMeasure: by hand, the tokens of forty questions differ by -2, 2, -6 and 0, ten times each, a mean of
// -1.5 with an error of √(35/156), and t with 39 degrees of freedom reaches 2.023 of it; nothing is known of fewer than
// 30 questions, nor of a number that differs in no question. A last question failed under one condition.
func TestContrastByMeasure(t *testing.T) {
	texts := []string{"a - b by tokens", "a - b by calls", "b - a by tokens within 4"}
	test := func(times int) []Contrast {
		var outcomes []trial.Outcome
		for condition, tokens := range map[string][]int{"a": {10, 20, 30, 40}, "b": {12, 18, 36, 40}} {
			last := map[string]int{"a": 7}[condition]
			for q, n := range append(slices.Repeat(tokens, times), last) {
				o := trial.Outcome{Question: fmt.Sprint("q", q), Condition: condition, Score: task.Wrong}
				asked := []inference.Message{{Content: condition}} // else the two would be one treatment
				o.Transcript.Rounds = [][]debate.Turn{{{Messages: asked, Reply: inference.Reply{Tokens: n - 3}},
					{Agent: 1, Messages: asked, Reply: inference.Reply{Tokens: 3}}}}
				if n == 0 {
					o.Score = task.Failed
				}
				outcomes = append(outcomes, o)
			}
		}
		c, err := Comparison{Run: spec.Run{Reference: "a", Measure: "equal"}}, error(nil)
		c.Equivalence = 0.1 // of accuracy, and of no other measure
		if c.Contrasts, err = ReadContrasts(texts, []string{"a", "b"}, "equal", nil); err != nil {
			t.Fatal(err)
		}
		c.Tabulate([]trial.Condition{{Name: "a"}, {Name: "b"}}, outcome.NewTable(outcomes), nil)
		return c.Contrasts
	}
	many := test(10)
	p := many[0].Paired
	if p == nil || p.Questions != 40 || p.Difference != -1.5 || p.Test != TestFlip || p.Equivalence != nil {
		t.Fatalf("a contrast of tokens is of 40 questions, -1.5 by flips, without a verdict of equivalence: got "+
			"%+v", p)
	}
	reach := 2.022690920036762 * math.Sqrt(35.0/156)
	about(t, "low", &p.Interval.Low, -1.5-reach)
	about(t, "high", &p.Interval.High, -1.5+stat.Wilson(0, 40, Level).High*(12+1.5)) // twice 6 in the other direction
	if p.P < 0.02 || p.P > 0.03 || many[2].Paired.Equivalence.Verdict != pairs.Equivalent {
		t.Errorf("the p of a contrast of tokens is 0.02 to 0.03, and one within its margin is equivalent: got %g, "+
			"%+v", p.P, many[2].Paired.Equivalence)
	}
	if same := many[1]; same.Paired != nil || same.Untested != "no difference on 40 questions" {
		t.Errorf("two calls each are \"no difference on 40 questions\", untested: got %+v", same)
	}
	if few := test(7)[0]; few.Paired != nil || few.Untested != "-1.500, not known below 30 questions" {
		t.Errorf("28 questions give the difference without a test, \"-1.500, not known below 30 questions\": got "+
			"%+v", few)
	}
}

// TestContrastByMeasureRefused: a degree belongs to the tasks that have it, and a run that stops early tests accuracy.
func TestContrastByMeasureRefused(t *testing.T) {
	for _, c := range []struct {
		text, scoredBy, want string
		stop                 *spec.Stopping
	}{
		{"a - b by f1", "equal", "have no f1: they are scored by equal", nil},
		{"a - b by f1", "squad", "", nil},
		{"a - b by tokens", "squad", "measures other than accuracy", &spec.Stopping{}},
	} {
		t.Run(c.text+" "+c.scoredBy, func(t *testing.T) {
			_, err := ReadContrasts([]string{c.text}, []string{"a", "b"}, c.scoredBy, c.stop)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("a contrast by this measure is refused with %q (none if empty): got %v", c.want, err)
			}
		})
	}
}

// TestContrastOfStars: a star in a group is the mean over the conditions that it matches, on the questions that all of
// these held; of a single one it is that condition, which is tested as it is without parentheses.
func TestContrastOfStars(t *testing.T) {
	held := []string{"rr", "rw", "ww", "rr", "rr"}
	c := contrasted(t, Comparison{Run: spec.Run{Reference: "c", Questions: 5}},
		[]string{"(a/n=*) - c", "(a/n=1, a/n=2) - c", "(b/n=*) - c", "b/n=1 - c"},
		[]string{"a/n=1", "a/n=2", "b/n=1", "c"},
		held, []string{"rr", "rr", "rw", "rr", "ff"}, held, []string{"ww", "rw", "ww", "ww", "ww"})
	for i, questions := range []int{4, 4, 5, 5} {
		t.Run(c.Contrasts[i].Name, func(t *testing.T) {
			p, other := c.Contrasts[i].Paired, c.Contrasts[i^1].Paired
			if p == nil || p.Questions != questions {
				t.Fatalf("a contrast of stars is tested on %d questions: got %+v", questions, p)
			}
			if diff := cmp.Diff(p, other); diff != "" {
				t.Errorf("two ways to write one contrast give the same result, want no difference to %s: %s",
					c.Contrasts[i^1].Name, diff)
			}
		})
	}
}

// TestContrastOfGroups: a group counts as the mean of its conditions on each question that all of them held.
func TestContrastOfGroups(t *testing.T) {
	c := contrasted(t, Comparison{Run: spec.Run{Reference: "c", Questions: 5}}, []string{"(a, b) - c"}, []string{"a",
		"b", "c"},
		[]string{"rr", "rw", "ww", "rr", "rr"}, []string{"rr", "rr", "rw", "rr", "ff"},
		[]string{"ww", "rw", "ww", "ww", "ww"})
	p := c.Contrasts[0].Paired
	// differences 1, 3/4 - 1/2 = 1/4, 1/4, 1; the last question was not held by b; all positive: p is 2 / 2^4
	if p.Questions != 4 || p.Difference != 0.625 || p.P != 0.125 || p.Holm != 0.125 || p.OnlyFirst != 4 ||
		p.OnlySecond != 0 || p.Test != TestFlip {
		t.Errorf("a group is better by the mean of its conditions, 0.625 on 4 questions with p 0.125: got %+v", p)
	}
	// what came of each question under a and b, and under c
	_, want := stat.Difference([]stat.Asked{{Right: 4, Times: 4}, {Right: 3, Times: 4}, {Right: 1, Times: 4},
		{Right: 4, Times: 4}}, []stat.Asked{{Times: 2}, {Right: 1, Times: 2}, {Times: 2}, {Times: 2}}, Level)
	if p.Interval != want {
		t.Errorf("interval %+v, want %+v", p.Interval, want)
	}
	if text := c.ContrastsBlocks().String(); !strings.Contains(text, "+0.625") || !strings.Contains(text,
		"a group counts as the mean of its conditions") || !strings.Contains(text, "Holm-corrected for 1 contrast") {
		t.Errorf("the table has the difference, how groups count, and the correction for 1 contrast: got\n%s", text)
	}
}

// TestSteadyGroups: two conditions that got eight questions right in all repeats are a little better on each than two
// that got them right in most. By the signs of these differences p is 2 / 2^8, and their t interval is far from zero;
// but few questions may all be of the kind that the steady conditions know. So it is of groups, of runs, of tasks, of
// groups that were not asked equally often, and of clusters.
func TestSteadyGroups(t *testing.T) {
	steady, rough := make([]string, 8), make([]string, 8)
	for q := range steady {
		steady[q], rough[q] = strings.Repeat("r", 20), strings.Repeat("r", 16)+"wwww"
	}
	names, texts := []string{"a", "b", "c", "d"}, []string{"(a, b) - (c, d)", "a - (c, d)"}
	c := contrasted(t, Comparison{Run: spec.Run{Reference: "c", Questions: 8}}, texts, names, steady, steady, rough,
		rough)
	half := slices.Clone(rough)
	for q := range half {
		half[q] = "rrrrw"
	}
	uneven := contrasted(t, Comparison{Run: spec.Run{Reference: "c", Questions: 8}}, texts, names, steady, steady,
		rough, half)
	compared := map[string]*Paired{"groups": c.Contrasts[0].Paired, "one and a group": c.Contrasts[1].Paired,
		"uneven groups": uneven.Contrasts[0].Paired}
	var outcomes []trial.Outcome
	for q := range 40 {
		for _, name := range []string{"a", "c"} {
			for i := range 20 {
				o := trial.Outcome{Condition: name, Question: fmt.Sprint(q), Repeat: i, Cluster: fmt.Sprint(q / 5)}
				if o.Score = task.Right; name == "c" && i%5 == 4 {
					o.Score = task.Wrong
				}
				outcomes = append(outcomes, o)
			}
		}
	}
	table := outcome.NewTable(outcomes)
	byCluster := Comparison{Run: spec.Run{Tests: spec.Tests{Cluster: "passage"}}}
	compared["clusters"], _ = byCluster.pairedTest(table.Under("a"), table.Under("c"), 0)
	of := contrast.Contrast{First: []string{"a"}, Second: []string{"c"}}
	small := outcome.NewTable(outcomes[:6*40]) // six questions
	compared["runs"], _ = PoolRuns(of, []*outcome.Table{small, small}, "")
	pooled, _, err := PoolContrast(of, []*outcome.Table{small, small})
	if err != nil {
		t.Fatal(err)
	}
	compared["tasks"] = pooled
	for name, p := range compared {
		t.Run(name, func(t *testing.T) {
			if math.Abs(p.Difference-0.2) > 1e-9 || p.P <= 0.05 || !(p.Interval.Low < 0 && p.Interval.High > 0.2) {
				t.Errorf("%s: a steady difference of 0.2 on few questions is not significant, and its interval "+
					"holds 0: got %+v", name, p)
			}
		})
	}
}

// TestContrastWithoutQuestions: a contrast that cannot be tested has a row without numbers.
func TestContrastWithoutQuestions(t *testing.T) {
	c := contrasted(t, Comparison{Run: spec.Run{Reference: "a", Questions: 1}}, []string{"(a, b) - c"}, []string{"a",
		"b", "c"},
		[]string{"rr"}, []string{"rw"}, []string{"ww"})
	if c.Contrasts[0].Paired != nil || !strings.Contains(c.ContrastsBlocks().String(), "│         – │") {
		t.Errorf("a contrast without questions has no test, and a dash in its table: got %+v in\n%s",
			c.Contrasts[0].Paired, c.ContrastsBlocks())
	}
	if text := (Comparison{}).ContrastsBlocks().String(); text != "" {
		t.Errorf("without contrasts there is no table: got %q, want none", text)
	}
}

// TestContrastOfClustersAndMargins: groups obey the clusters and the margin of the run.
func TestContrastOfClustersAndMargins(t *testing.T) {
	many := strings.Split(strings.Repeat("rw ", 40), " ")[:40]
	c := contrasted(t, Comparison{Run: spec.Run{Reference: "a", Questions: 40, Tests: spec.Tests{Equivalence: 0.1,
		Cluster: "subject"}}},
		[]string{"(a, b) - c"}, []string{"a", "b", "c"}, many, many, many)
	p := c.Contrasts[0].Paired
	if p.Test != TestClusters || p.Clusters != 1 || p.Equivalence == nil { // asked gives them all one cluster
		t.Errorf("a contrast of 1 cluster is tested by clusters, and for equivalence: got %+v", p)
	}
}

// TestMarginsOfContrasts: a contrast's own margin comes before that of the run, which is one of accuracies alone; a
// measure may have one, and so may groups. Every pair of conditions has right answers to the same 60 questions.
func TestMarginsOfContrasts(t *testing.T) {
	right := strings.Split(strings.Repeat("r ", 60), " ")[:60]
	for text, want := range map[string]struct {
		margin  float64 // of the verdict, 0 of none
		verdict string
		method  string
	}{
		"a - b":                         {0.2, pairs.Equivalent, "equivalence: two one-sided tests at p 0.05, Tango's"},
		"a - b within 0.01":             {0.01, pairs.NotShown, "Tango's score test"},
		"a - b by unparsed":             {0, "", ""},
		"a - b by unparsed within 0.1":  {0.1, pairs.Equivalent, "Tango's score test"},
		"a - b by unparsed within 0.01": {0.01, pairs.NotShown, "Tango's score test"},
		"(a, b) - c within 0.1":         {0.1, pairs.Equivalent, "t over questions"},
	} {
		t.Run(text, func(t *testing.T) {
			c := contrasted(t, Comparison{Run: spec.Run{Reference: "a", Questions: 60, Tests: spec.Tests{
				Equivalence: 0.2}}}, []string{text}, []string{"a", "b", "c"}, right, right, right)
			e := c.Contrasts[0].Paired.Equivalence
			if want.margin == 0 {
				if e != nil {
					t.Errorf("a contrast without a margin has no verdict of equivalence: got %+v", e)
				}
				return
			}
			if e == nil || e.Verdict != want.verdict || e.Bounds != within(want.margin) {
				t.Fatalf("the verdict within ±%g is %s: got %+v", want.margin, want.verdict, e)
			}
			shown := fmt.Sprintf("%s within ±%g (", want.verdict, want.margin)
			drawn := c.ContrastsBlocks().String()
			if !strings.Contains(drawn, shown) || !strings.Contains(drawn, want.method) {
				t.Errorf("the table has %q and its legend %q: got\n%s", shown, want.method, drawn)
			}
		})
	}
}

// TestPooledMargins: an average over tasks, or over runs, has the margin of its contrast.
func TestPooledMargins(t *testing.T) {
	var outcomes []trial.Outcome
	for q := range 80 {
		for _, condition := range []string{"a", "b"} {
			score := task.Right
			if q%8 == 0 && condition == "b" || q%8 == 4 && condition == "a" {
				score = task.Wrong
			}
			outcomes = append(outcomes, trial.Outcome{Question: fmt.Sprint(q), Condition: condition, Score: score})
		}
	}
	table := outcome.NewTable(outcomes)
	for margin, want := range map[float64]string{0.1: pairs.Equivalent, 0.01: pairs.NotShown} {
		of := contrast.Contrast{First: []string{"a"}, Second: []string{"b"}, Margin: margin}
		tasks, _, err := PoolContrast(of, []*outcome.Table{table, table})
		if err != nil {
			t.Fatal(err)
		}
		runs, untested := PoolRuns(of, []*outcome.Table{table, table}, "")
		if runs == nil {
			t.Fatalf("two runs of a and b are pooled: got no test, as %s", untested)
		}
		for name, p := range map[string]*Paired{"tasks": tasks, "runs": runs} {
			t.Run(fmt.Sprint(name, margin), func(t *testing.T) {
				if e := p.Equivalence; e == nil || e.Verdict != want || e.Bounds.High != margin ||
					!(e.Interval.Low < 0 && e.Interval.High > 0) {
					t.Errorf("the pooled verdict within ±%g is %s, from an interval around 0: got %+v",
						margin, want, e)
				}
			})
		}
	}
}

func TestReadContrastsRefusesGroupsThatStop(t *testing.T) {
	names := []string{"a", "b", "c"}
	if _, err := ReadContrasts([]string{"a - b"}, names, "equal", &spec.Stopping{}); err != nil {
		t.Error(err)
	}
	if _, err := ReadContrasts([]string{"(a, b) - c"}, names, "equal", &spec.Stopping{}); err == nil {
		t.Error("a group was accepted in a run that may stop early, want an error")
	}
	if _, err := ReadContrasts([]string{"a - b within 0.05"}, names, "equal", &spec.Stopping{}); err == nil {
		t.Error("a margin was accepted in a run that may stop early, want an error")
	}
}

// TestPoolContrast: each task counts the same, however many questions it has, and those with one question not at all.
func TestPoolContrast(t *testing.T) {
	tableOf := func(a, b string) *outcome.Table {
		var outcomes []trial.Outcome
		for condition, marks := range map[string]string{"a": a, "b": b} {
			for i, mark := range marks {
				score := task.Wrong
				if mark == 'r' {
					score = task.Right
				}
				outcomes = append(outcomes, trial.Outcome{Question: string(rune('A' + i)), Condition: condition,
					Score: score})
			}
		}
		return outcome.NewTable(outcomes)
	}
	of := contrast.Contrast{First: []string{"a"}, Second: []string{"b"}}
	got, pooled, err := PoolContrast(of, []*outcome.Table{tableOf("rr", "ww"), tableOf("w", "r"),
		tableOf("rwwwr", "wwwwr")})
	// 1 on the first task and 1/5 on the second: 0.6, with three questions that differ, p 2 / 2^3
	if err != nil || math.Abs(got.Difference-0.6) > 1e-12 || got.P != 0.25 || got.Questions != 7 ||
		!slices.Equal(pooled, []int{0, 2}) || got.Equivalence != nil {
		t.Fatalf("the contrast is pooled over tasks 0 and 2, 7 questions, as 0.6 with p 0.25 and no margin: got "+
			"%+v of %v, %v", got, pooled, err)
	}
	if i := (stat.Interval{Low: -1, High: 1}); got.Interval.Low < i.Low || got.Interval.High > i.High {
		t.Errorf("a pooled interval lies within -1 and 1: got %+v", got.Interval)
	}
	if _, _, err := PoolContrast(of, []*outcome.Table{tableOf("rr", "ww"), tableOf("w", "r")}); err == nil {
		t.Error("a contrast on one task was pooled, want an error")
	}
}

// TestGroupMean: a group's mean is over the questions that all of its conditions held, each condition counting the same
// however often it was repeated, and its interval is wider over clusters.
func TestGroupMean(t *testing.T) {
	var outcomes []trial.Outcome
	add := func(condition, question string, repeats int, score task.Score) {
		for i := range repeats {
			outcomes = append(outcomes, trial.Outcome{Condition: condition, Question: question, Repeat: i, Score: score,
				Cluster: question[:1]})
		}
	}
	for i := range 20 {
		question := fmt.Sprintf("%c%d", 'a'+i%4, i)
		score := task.Right
		if i%4 > 1 {
			score = task.Wrong
		}
		add("often", question, 3, score)
		add("once", question, 1, task.Right)
	}
	add("once", "only here", 1, task.Wrong)
	table := outcome.NewTable(outcomes)
	mean, alone, questions := GroupMean(table, []string{"often", "once"}, "")
	if mean != 0.75 || questions != 20 || !(alone.Low < mean && mean < alone.High) {
		t.Errorf("20 questions have the mean 0.75 within their interval: got %g in %+v of %d questions",
			mean, alone, questions)
	}
	if _, clustered, _ := GroupMean(table, []string{"often", "once"}, "topic"); clustered.High-clustered.Low <=
		alone.High-alone.Low {
		t.Errorf("an interval over clusters is wider than one over questions: got %+v over clusters, %+v over "+
			"questions", clustered, alone)
	}
	if _, _, questions := GroupMean(table, []string{"often", "nobody"}, ""); questions != 0 {
		t.Errorf("a condition that was not held has no questions: got %d", questions)
	}
}
