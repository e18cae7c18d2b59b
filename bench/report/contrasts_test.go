package report

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/inference"
)

const contrasting = `
name: contrasting
tasks: [{name: one, generated: 2}, {name: other, generated: 4}, {name: third, generated: 2},
  {name: single, generated: 1}]
controls: false
conditions:
  - {name: mad, protocol: society, sweep: {agents: [2, 3]}}
  - {name: few, protocol: society, set: {agents: 2, rounds: 1}}
contrasts:
  - mad/agents=* - few
  - (mad/agents=2, mad/agents=3) - few within 1 on one, other
`

// TestContrasts: the table of an experiment has every contrast on each of its tasks and their average, of which each
// task is one part; a run has its own table. Both are in HTML, Markdown and a CSV file of their own.
func TestContrasts(t *testing.T) {
	dir := t.TempDir()
	e, tasks := experimentIn(t, dir, contrasting)
	for _, questions := range tasks {
		heldBy(t, learning(questions), e, questions, filepath.Join(dir, questions.Name))
	}
	if _, err := Of(dir, "", Options{}); err != nil {
		t.Fatal(err)
	}
	rounds, err := os.ReadFile(filepath.Join(dir, "report-rounds.csv"))
	if err != nil || !strings.HasPrefix(string(rounds), "task,condition,round,debates,between,within,wrong_debates,"+
		"wrong_between,wrong_within\n") || strings.Count(string(rounds), "\n") < 1+2*len(tasks) {
		t.Errorf("each task has a line for each of 2 rounds, below the names of the columns: %v, got\n%s", err, rounds)
	}
	records := contrastRecords(t, filepath.Join(dir, "report-contrasts.csv"))
	var names []string
	sums := make(map[string]float64) // of differences, over tasks
	averages, differs := 0, false
	for _, r := range records[1:] {
		names = append(names, r["contrast"]+" on "+r["task"])
		difference, err := strconv.ParseFloat(r["difference"], 64)
		if err != nil {
			t.Fatal(err)
		}
		differs = differs || difference != 0
		if asked := strings.HasPrefix(r["contrast"], "("); asked != (r["equivalence"] != "") {
			t.Errorf("%v, want a verdict of equivalence where the contrast has a margin", r)
		}
		number, average := strings.CutPrefix(r["task"], "average of ")
		switch {
		case r["task"] == "single": // one question, in no average
			continue
		case !average:
			sums[r["contrast"]] += difference
			continue
		}
		averages++
		n, _ := strconv.Atoi(number[:1])
		if math.Abs(difference-sums[r["contrast"]]/float64(n)) > 1e-12 || r["test"] != analysis.TestTasks {
			t.Errorf("%v, want the mean of %g over %d tasks", r, sums[r["contrast"]], n)
		}
	}
	if !differs {
		t.Error("no condition differs from another, so that the test shows nothing")
	}
	want := "mad/agents=2 - few on one; mad/agents=2 - few on other; mad/agents=2 - few on third; " +
		"mad/agents=2 - few on single; mad/agents=2 - few on average of 3 tasks: one, other and third"
	if all := strings.Join(names, "; "); !strings.HasPrefix(all, want) || averages != 3 || len(names) != 5+5+3 ||
		!strings.HasSuffix(all, "(mad/agents=2, mad/agents=3) - few on average of 2 tasks: one and other") {
		t.Errorf("13 contrasts, 3 of them averages, are listed in the order of the tasks, as %s...: got %d and "+
			"%d in %s", want, len(names), averages, all)
	}
	for _, name := range []string{"report.html", "report.md"} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil || !strings.Contains(string(text), "Contrasts on all tasks") ||
				!strings.Contains(string(text), "Holm-corrected for 3 averages") {
				t.Errorf("%s has no table of contrasts, %v", name, err)
			}
		})
	}
	if _, err := Of(filepath.Join(dir, "third"), "", Options{}); err != nil {
		t.Fatal(err)
	}
	if records := contrastRecords(t, filepath.Join(dir, "third", "report-contrasts.csv")); len(records) != 3 {
		t.Errorf("a report of one run has its 2 contrasts behind a head: got %v", records)
	}
}

// learning answers right after the first round, and in it to the first question.
func learning(t task.Task) inference.Engine {
	return inference.NewScript(func(r inference.Request) string {
		for i, q := range t.Questions {
			if strings.Contains(fmt.Sprint(r.Messages), q.Text) && (i == 0 || len(r.Messages) > 2) {
				return "The answer is " + q.Target
			} else if strings.Contains(fmt.Sprint(r.Messages), q.Text) {
				return "The answer is " + map[bool]string{true: "(B)", false: "(A)"}[q.Target == "(A)"]
			}
		}
		return "what?"
	})
}

// TestNoContrasts: a run without contrasts has no file of them, and none of an earlier report stays.
func TestNoContrasts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.html")
	stale := strings.TrimSuffix(path, ".html") + "-contrasts.csv"
	if err := (contents{ContrastsCSV: "contrast,against,n,difference,low,high\n"}).save(path, Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(stale); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := (contents{}).save(path, Options{}); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(stale); !os.IsNotExist(err) {
			t.Errorf("a report without contrasts leaves none of an earlier one: got %v, want no such file", err)
		}
	}
}

// contrastRecords are the records of a CSV file by field; the first one has the names of the fields.
func contrastRecords(t *testing.T, path string) (list []map[string]string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		of := make(map[string]string)
		for i, field := range records[0] {
			of[field] = r[i]
		}
		list = append(list, of)
	}
	return list
}

// TestPublishedContrasts: a number of a contrast stands beside its difference on a task, or beside that of its average,
// and one of a group beside the mean of its conditions.
func TestPublishedContrasts(t *testing.T) {
	dir := t.TempDir()
	e, tasks := experimentIn(t, dir, contrasting+"published:\n"+
		"  - {model: m, from: abstract, value: 0.4, contrast: \"(mad/agents=2, mad/agents=3) - few on one, other\"}\n"+
		"  - {model: m, from: text, value: 0.3, contrast: \"(mad/agents=2, mad/agents=3) - few on other\"}\n"+
		"  - {model: m, from: text, value: 2, task: other, condition: \"(mad/agents=2, few)\", measure: rounds}\n")
	for _, questions := range tasks {
		heldBy(t, learning(questions), e, questions, filepath.Join(dir, questions.Name))
	}
	studies, err := readMember(dir)
	if err != nil {
		t.Fatal(err)
	}
	points, err := e.Points()
	if err != nil {
		t.Fatal(err)
	}
	for i := range studies {
		studies[i].attach(e, points)
	}
	_, contrasts := experimentContrasts(e, studies)
	b, err := comparePublished(e, studies, contrasts)
	if err != nil || len(b.apart) != 3 {
		t.Fatalf("three numbers of another model stand apart: got %+v, %v", b, err)
	}
	for i, want := range []measured{{N: 6, Value: 0.625, Known: true}, {N: 4, Value: 0.75, Known: true},
		{N: 8, Value: 1.5, Known: true}} {
		got := b.apart[i].Ours
		if contrast := i < 2; contrast != (got.Interval != nil) {
			t.Errorf("number %d: interval %+v, want one of contrasts", i, got.Interval)
		}
		if got.Interval = nil; got != want {
			t.Errorf("number %d: %+v, want %+v", i, got, want)
		}
	}
}
