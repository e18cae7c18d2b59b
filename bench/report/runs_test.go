package report

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/internal/datatest"
)

// marked is a run of single answers and debates on four questions; "1" is right and "0" is wrong, question by question.
func marked(t *testing.T, model, single, mad string) study {
	t.Helper()
	return markedAll(t, model, []string{"single", "mad"}, map[string]string{"single": single, "mad": mad},
		func(*rundir.Header) {})
}

// markedAll is marked with other conditions, and a header that can be changed.
func markedAll(t *testing.T, model string, names []string, all map[string]string, change func(*rundir.Header)) study {
	t.Helper()
	h := rundir.Header{Run: spec.Run{Task: "four", TaskHash: "abc", Questions: 4, Conditions: names, Agents: 3,
		Rounds: 2, Reading: "code"}}
	h.Model.Name = model
	change(&h)
	var outcomes []trial.Outcome
	for condition, marks := range all {
		for i, mark := range marks {
			o := trial.Outcome{Question: string(rune('1' + i)), Condition: condition, Target: "(A)",
				Truth: answer.Of("(A)"), Score: task.Wrong}
			if mark == '1' {
				o.Score = task.Right
			}
			outcomes = append(outcomes, o)
		}
	}
	slices.SortFunc(outcomes, func(a, b trial.Outcome) int { return strings.Compare(a.Case(), b.Case()) })
	run, err := rundir.NewRun(h, outcomes)
	if err != nil {
		t.Fatal(err)
	}
	return study{Run: run, Label: model}
}

// TestPooledOverRuns is worked by hand. The differences of the questions are 0, 0, -1, 0 in one run and 0, -1, -1, -1
// in the other, 0, -0.5, -1, -0.5 on average: -0.5, with the interval of questions that were each answered twice. Of
// the eight ways to turn the three that are not 0, two are as extreme.
func TestPooledOverRuns(t *testing.T) {
	j := joint{"four", []study{marked(t, "one", "1100", "1110"), marked(t, "other", "1000", "1111")}}
	made, _ := j.contrastsTable()
	if made == nil || len(made.Lines) != 3 {
		t.Fatalf("the pooled table has 3 lines: got %+v", made)
	}
	var shown [][]string
	for _, l := range made.Lines {
		var cells []string
		for _, c := range l.Cells[:5] {
			cells = append(cells, c.Text)
		}
		shown = append(shown, cells)
	}
	want := [][]string{
		{"single - mad", "one", "4", "-0.250", made.Lines[0].Cells[4].Text},
		{"single - mad", "other", "4", "-0.750", made.Lines[1].Cells[4].Text},
		{"single - mad", "pooled over 2 runs", "4", "-0.500", ""},
	}
	twice := func(right ...int) (list []stat.Asked) {
		for _, n := range right {
			list = append(list, stat.Asked{Right: n, Times: 2})
		}
		return list
	}
	_, i := stat.Difference(twice(2, 1, 0, 0), twice(2, 2, 2, 1), analysis.Level)
	want[2][4] = fmt.Sprintf("%+.3f to %+.3f", i.Low, i.High)
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("the differences pooled over runs are these (-want +got):\n%s", diff)
	}
	if p := made.Lines[2].Cells[5].Text; p != "0.250" || !made.Lines[2].Apart ||
		!strings.Contains(made.Caption, "Holm-corrected for 1 pooled contrast") {
		t.Errorf("the pooled contrast has p 0.250, apart from those of the runs, and the caption its correction: "+
			"got %s, %s", p, made.Caption)
	}
	accuracies := j.accuracyTable().Markdown()
	for _, line := range []string{"| condition | one | other |", "| single | 0.500 (", "| mad | 0.750 ("} {
		t.Run(line, func(t *testing.T) {
			if !strings.Contains(accuracies, line) {
				t.Errorf("the table has the line %q: got\n%s", line, accuracies)
			}
		})
	}
	f, err := j.figure()
	for _, text := range []string{">mad · one<", ">single · other<", "share of debates that are right",
		"constant guess"} {
		t.Run(text, func(t *testing.T) {
			if err != nil || !strings.Contains(string(f.SVG)+f.Caption, text) {
				t.Errorf("the figure has %q: it lacks it (%v)", text, err)
			}
		})
	}
}

// TestPooledOverFew: a question that one run lacks is in no average, and neither is a run that might stop early.
func TestPooledOverFew(t *testing.T) {
	one, other := marked(t, "one", "1100", "1110"), marked(t, "other", "1000", "1111")
	short, err := rundir.NewRun(other.Header, slices.DeleteFunc(slices.Clone(other.Outcomes),
		func(o trial.Outcome) bool { return o.Question == "3" && o.Condition == "mad" }))
	if err != nil {
		t.Fatal(err)
	}
	j := joint{"four", []study{one, {Run: short, Label: "other"}}}
	pooled, _ := j.pool(one.contrasts())
	if len(pooled) != 1 || pooled[0].Paired == nil || pooled[0].Paired.Questions != 3 ||
		math.Abs(pooled[0].Paired.Difference+1.0/3) > 1e-12 { // 0, -0.5 and -0.5
		t.Errorf("pooled over 3 questions the difference is -1/3: got %+v", pooled)
	}
	other.Comparison.Stopped = &analysis.Stopped{}
	j.Studies[1] = other
	if pooled, apart := j.pool(one.contrasts()); pooled != nil || len(apart) != 1 ||
		!strings.Contains(apart[0], "other is in no pooled contrast") {
		t.Errorf("what only one run has is pooled with nothing, and told: got %+v, %q", pooled, apart)
	}
}

// TestLabels: runs are named by the first thing that tells them apart.
func TestLabels(t *testing.T) {
	of := func(name, quantization string, seed uint64) []study {
		var s study
		s.Header.Model.Name, s.Header.Model.Quantization, s.Header.Seed = name, quantization, seed
		return []study{s}
	}
	for _, c := range []struct {
		members [][]study
		want    []string
	}{
		{[][]study{of("a", "Q8", 1), of("b", "Q8", 1)}, []string{"a", "b"}},
		{[][]study{of("a", "Q8", 1), of("a", "Q4", 1)}, []string{"a Q8", "a Q4"}},
		{[][]study{of("a", "Q8", 1), of("a", "Q8", 2)}, []string{"a, seed 1", "a, seed 2"}},
		{[][]study{of("a", "Q8", 1), of("a", "Q8", 1)}, []string{"x", "y"}},
		{[][]study{of("", "", 1), of("", "", 1)}, []string{"x", "y"}},
	} {
		t.Run(fmt.Sprintf("%v", c.want), func(t *testing.T) {
			if diff := cmp.Diff(c.want, labelsOf(c.members, []string{"runs/x", "runs/y"})); diff != "" {
				t.Errorf("runs are named by what tells them apart (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRuns: two runs on the same questions with other rounds, and one on other questions, which is kept apart. Only
// conditions that are the same protocol in both are pooled.
func TestRuns(t *testing.T) {
	two, three := renamed(t, directoryOf(t, 12, 3, 2), "two"), renamed(t, directoryOf(t, 12, 3, 3), "three")
	others, page := filepath.Join(trialDirectory(t), "file"), filepath.Join(t.TempDir(), "all.html")
	w, err := OfRuns([]string{two, three, others}, page, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if w.Runs != 3 || len(w.Tasks) != 1 || w.Page != page {
		t.Errorf("3 runs of 1 task have one page %s: got %+v", page, w)
	}
	text := datatest.Read(t, strings.TrimSuffix(page, ".html")+".md")
	for _, want := range []string{
		"Kept apart and not shown, because no other run has the same questions, scored in the same way: file has 3",
		"### Runs", "### Settings that differ between the runs\n\n| setting | two | three |", "| rounds | 2 | 3 |",
		"### Accuracy by condition and run", "| vote - mad | two | 12 |",
		"Not the same protocol in all runs, as agents, rounds or settings differ: ",
		"Not pooled, because a condition is not the same protocol in all runs: ",
	} {
		t.Run(fmt.Sprintf("%.60s", want), func(t *testing.T) {
			if !strings.Contains(string(text), want) {
				t.Errorf("lacks %q:\n%s", want, text)
			}
		})
	}
	if strings.Contains(string(text), "pooled over 2 runs") {
		t.Error("conditions with other rounds are pooled over 2 runs, want each alone")
	}
	file := datatest.Read(t, strings.TrimSuffix(page, ".html")+".csv")
	records, err := csv.NewReader(strings.NewReader(string(file))).ReadAll()
	if err != nil || len(records) != 1+2*len(mustRead(t, two).Comparison.Rows) || records[0][3] != "run" ||
		records[1][3] != "two" || records[2][3] != "three" {
		t.Errorf("two runs of %d rows are %d records, by run: got %d, %q, %v",
			len(mustRead(t, two).Comparison.Rows), 1+2*len(mustRead(t, two).Comparison.Rows), len(records),
			records[:min(3, len(records))], err)
	}
	if !testing.Short() {
		checkInBrowser(t, benchtest.Browser(t), page)
	}
}

// renamed gives a directory a name.
func renamed(t *testing.T, directory, name string) string {
	t.Helper()
	path := filepath.Join(filepath.Dir(directory), name)
	if err := os.Rename(directory, path); err != nil {
		t.Fatal(err)
	}
	return path
}

func mustRead(t *testing.T, directory string) rundir.Run {
	t.Helper()
	return benchtest.ReadRun(t, directory)
}

// TestRunsErrors: what cannot be compared is refused, with what each run has.
func TestRunsErrors(t *testing.T) {
	two, page := directoryOf(t, 12, 3, 2), filepath.Join(t.TempDir(), "all.html")
	others := filepath.Join(trialDirectory(t), "file")
	for want, directories := range map[string][]string{
		"is named twice":                       {two, two + "/."},
		"no two of these runs can be compared": {two, others},
		"has 3 questions of file ":             {two, others},
		"is not a run directory":               {two, t.TempDir()},
		"name a file that ends in .html":       nil,
	} {
		t.Run(want, func(t *testing.T) {
			file := page
			if directories == nil {
				file = "all.md"
			}
			if _, err := OfRuns(directories, file, Options{}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: %v, want %q", directories, err, want)
			}
		})
	}
	if _, err := os.Stat(page); err == nil {
		t.Error("runs that are refused have no page: one was written")
	}
}

// TestRunsOfExperiments: two runs of an experiment are compared task by task, and each task has a section.
func TestRunsOfExperiments(t *testing.T) {
	first, second := trialDirectory(t), trialDirectory(t)
	page := filepath.Join(t.TempDir(), "all.html")
	w, err := OfRuns([]string{first, second}, page, Options{Title: "Both"})
	if err != nil || !slices.Equal(w.Tasks, []string{"file", "made"}) {
		t.Fatalf("tasks of both experiments are reported in their order: got %v, %v", w.Tasks, err)
	}
	text, err := os.ReadFile(strings.TrimSuffix(page, ".html") + ".md")
	if err != nil || !strings.HasPrefix(string(text), "# Both\n") || !strings.Contains(string(text), "\n## file\n") ||
		!strings.Contains(string(text), "\n## made\n") || strings.Count(string(text), "| pooled over 2 runs |") < 2 {
		t.Errorf("a page of two experiments has a part for each task, with pooled rows: %v, got\n%s", err, text)
	}
}

// TestVerdictOverRuns: without contrasts, the verdict over several runs begins with the control that costs as much, in
// all of them, and goes on with the others, whatever the order of the conditions; each is explained once.
func TestVerdictOverRuns(t *testing.T) {
	names := []string{"single", "mad", "vote", "self-consistency"}
	single, mad := strings.Repeat("0011", 10), strings.Repeat("0010", 10)
	marks := map[string]string{"single": single, "mad": mad, "vote": single,
		"self-consistency": strings.Repeat("1", 40)}
	run := func(model string) study {
		return markedAll(t, model, names, marks, func(h *rundir.Header) { h.Questions = 40 })
	}
	say := func(studies ...study) string {
		j := joint{Task: "four", Studies: studies}
		_, asked := j.contrastsTable()
		return strings.Join(conclude(asked, true, studies...), "\n")
	}
	got := say(run("small"), run("large"))
	if !strings.HasPrefix(got, "Pooled over 2 runs: self-consistency") || !strings.Contains(got, "is better than mad") {
		t.Errorf("the verdict begins with what costs as much, self-consistency, which is better than mad: got\n%s",
			got)
	}
	also := strings.Index(got, "Also: pooled over 2 runs: vote")
	if single := strings.Index(got, "pooled over 2 runs: single"); also < 0 || single < also {
		t.Errorf("vote and then single follow in the verdict: got\n%s", got)
	}
	// a debate that is another protocol in the other run is not pooled: each run has its own comparison
	apart := run("other")
	apart.Header.Reading = "paper"
	got = say(run("small"), apart)
	for _, want := range []string{"Small: self-consistency", "other: self-consistency"} {
		if !strings.Contains(strings.ToLower(got), strings.ToLower(want)) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
	if strings.Contains(got, "2 comparisons") {
		t.Errorf("a verdict over runs counts no comparison twice (\"2 comparisons\"): got %s", got)
	}
}
