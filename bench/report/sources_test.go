package report

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/offline"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate/grammar"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestReportsHaveWhatSourcesPrint: what `parley experiments --sources` says that an experiment makes of a table or
// figure is in the report of its miniature, with at least one number in it.
func TestReportsHaveWhatSourcesPrint(t *testing.T) {
	promised := make(map[string]map[string]string) // outputs by experiment, with the item that each is of
	for _, s := range experiment.Sources() {
		for _, i := range s.Items {
			for name, outputs := range i.Made {
				if promised[name] == nil {
					promised[name] = make(map[string]string)
				}
				for _, output := range outputs {
					promised[name][output] = fmt.Sprint(s.Name, ", ", i.Names)
				}
			}
		}
	}
	for _, e := range experiment.List() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			shown := shownBy(t, e)
			for output, item := range promised[e.Name] {
				if !shown[output] {
					t.Errorf("%s: the report has no %q", item, output)
				}
			}
			if t.Failed() {
				var there []string
				for output := range shown {
					there = append(there, output)
				}
				slices.Sort(there)
				t.Logf("it has %q", there)
			}
		})
	}
}

// shownBy holds the miniature of an experiment on a script. It returns the titles of the tables and figures in its
// report, the columns of the tables that have a number or a word in some line, and the measures that are known.
func shownBy(t *testing.T, e experiment.Experiment) map[string]bool {
	t.Helper()
	c, studies := heldSmall(t, e)
	shown := make(map[string]bool)
	add := func(tables []table.Table) {
		for _, tab := range tables {
			shown[tab.Title] = len(tab.Lines) > 0
			for i, head := range tab.Heads {
				column := tab.Title + " / " + head.Name
				shown[column] = shown[column] || slices.ContainsFunc(tab.Lines, func(l table.Line) bool {
					return l.Cells[i].Text != "" && l.Cells[i].Text != table.Absent
				})
			}
		}
	}
	add(c.Across)
	for _, f := range c.Drawn {
		shown[f.Title] = f.SVG != ""
	}
	for _, s := range c.Sections {
		add(s.Tables)
		for _, f := range s.Figures {
			shown[f.Title] = f.SVG != ""
		}
	}
	for _, s := range studies {
		for _, r := range s.Comparison.Rows {
			for _, name := range append(analysis.MeasureNames(), "decided-in-turn-1", "decided-in-turn-3") {
				if _, known := r.Number(name); known {
					shown["measure "+name] = true
				}
			}
		}
	}
	return shown
}

// heldSmall holds the miniature of an experiment on a script, with embeddings of its answers, and returns the contents
// of its report and the runs.
func heldSmall(t *testing.T, e experiment.Experiment) (contents, []study) {
	t.Helper()
	dir, small := smallDirectory(t, e)
	return contentsIn(t, dir, small)
}

// contentsIn are the contents of the report of an experiment in a directory, and its runs.
func contentsIn(t *testing.T, dir string, small experiment.Experiment) (contents, []study) {
	t.Helper()
	studies, err := new(Written).read(dir, small)
	if err != nil {
		t.Fatal(err)
	}
	c, err := experimentContents(small, studies, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c, studies
}

// smallDirectory holds the miniature of an experiment on a script, in a directory of that name.
func smallDirectory(t *testing.T, e experiment.Experiment) (string, experiment.Experiment) {
	t.Helper()
	return questionsBy(t, e, 0, divided)
}

// questionsBy holds the miniature of an experiment on an engine that knows all questions of a task, of which so many
// are asked; 0 is all.
func questionsBy(t *testing.T, e experiment.Experiment, n int,
	engine func(task.Task) inference.Engine) (string, experiment.Experiment) {
	t.Helper()
	small, err := e.Miniature(true)
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := small.Questions(experiment.Data{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := small.YAML()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), e.Name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	datatest.Write(t, filepath.Join(dir, experiment.File), text)
	for _, questions := range tasks {
		path := filepath.Join(dir, questions.Name)
		heldBy(t, engine(questions), small, questions.Subset(n, 1), path)
		embedded(t, path)
		if questions.Measure == "lexical" {
			judgedByCOMET(t, path)
		}
	}
	return dir, small
}

// judgedByCOMET adds scores of the decisions of a run, as if another program had given them.
func judgedByCOMET(t *testing.T, path string) {
	t.Helper()
	run := benchtest.ReadRun(t, path)
	text := "question,condition,COMET\n"
	for i, o := range run.Outcomes {
		text += fmt.Sprintf("%s,%s,%g\n", o.Question, o.Condition, 0.7+0.01*float64(i%20))
	}
	table := datatest.File(t, "comet.csv", text)
	scores, err := offline.ReadScores(run, table)
	if err == nil {
		err = scores.Save(path)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestOneFit: a report over both experiments of Wu et al. has one regression over the debates of both, beside what is
// printed, also where neither has the puzzles of the other.
func TestOneFit(t *testing.T) {
	for players, common := range map[int]int{3: 1, 4: 0} {
		t.Run(fmt.Sprint(players), func(t *testing.T) { checkOneFit(t, players, common) })
	}
}

// checkOneFit checks the report over the experiments, the second of which has puzzles of some players, if common tasks
// are the same.
func checkOneFit(t *testing.T, players, common int) {
	t.Helper()
	var directories []string
	debates := 0
	for _, name := range []string{"kks-factors", "kks-teams"} {
		e, err := experiment.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if name == "kks-teams" {
			e.Small.Tasks[0].Knights.Players = players
			e.Small.Tasks[0].Name = fmt.Sprint("size-", players)
		}
		dir, small := smallDirectory(t, e)
		studies, err := new(Written).read(dir, small)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range studies {
			debates += len(s.Outcomes)
		}
		directories = append(directories, dir)
	}
	page := filepath.Join(t.TempDir(), "both.html")
	w, err := OfRuns(directories, page, Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := datatest.Read(t, strings.TrimSuffix(page, ".html")+".md")
	for _, want := range []string{"## Regression of the final smooth accuracy", "| published | published error |",
		fmt.Sprintf("| debates | %d |", debates), " | 745 |", "over the debates of all 2 runs",
		fmt.Sprintf("Ordinary least squares over %d debates", debates), "# size-3"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
	if w.Runs != 2 || w.Debates != debates || len(w.Tasks) != common || w.Conditions == 0 {
		t.Errorf("2 runs have %d debates, and %d tasks in common: got %+v", debates, common, w)
	}
}

// embedded computes the similarity of a run's answers, as parley similarity does, with lengths in the place of vectors.
func embedded(t *testing.T, path string) {
	t.Helper()
	run := benchtest.ReadRun(t, path)
	lengths := func(_ context.Context, texts []string) (vectors [][]float32, err error) {
		for _, text := range texts {
			vectors = append(vectors, []float32{1, float32(len(text))})
		}
		return vectors, nil
	}
	s, err := offline.SimilarityOf(t.Context(), run, lengths)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Save(path); err != nil {
		t.Fatal(err)
	}
}

// divided is an engine whose agents are right or wrong by chance, and whose replies have the form that is asked for.
func divided(t task.Task) inference.Engine {
	return saying(t, func(i int, seed uint64) string {
		if seed%3 == 0 {
			i = (i + 1) % len(t.Questions)
		}
		return t.Questions[i].Target
	})
}

// saying is an engine whose agents answer question i by what says says, in the form that is asked for.
func saying(t task.Task, says func(i int, seed uint64) string) inference.Engine {
	return inference.NewScript(func(r inference.Request) string {
		if n := len(r.Continuations); n > 0 {
			return r.Continuations[r.Sampling.Seed%uint64(n)]
		}
		said := "so"
		for i, q := range t.Questions {
			if strings.Contains(fmt.Sprint(r.Messages), q.Text) {
				said = says(i, r.Sampling.Seed)
			}
		}
		if r.Grammar != "" {
			text, err := grammar.Sentence(r.Grammar, said, r.Sampling.Seed%2 == 0)
			if err != nil {
				panic(err)
			}
			return anyRoles(text, r.Sampling.Seed)
		}
		agrees := []string{"[AGREE] ", "[DISAGREE] "}[r.Sampling.Seed%2]
		return agrees + "Step 1. Think.\nThe answer is " + said
	})
}

// anyRoles has each role of a solution of knights, knaves and spies by chance.
func anyRoles(text string, seed uint64) string {
	random, roles := rand.New(rand.NewPCG(seed, 0)), []string{"knight", "knave", "spy"}
	for role := `: "knight"`; strings.Contains(text, role); {
		text = strings.Replace(text, role, fmt.Sprintf(`:  "%s"`, roles[random.IntN(3)]), 1)
	}
	return strings.ReplaceAll(text, `:  "`, `: "`)
}

// TestMeansOfSweeps: a number that is published for the mean of a sweep stands beside the mean of ours, which a table
// has for each series, beside the first one at the values that both have.
func TestMeansOfSweeps(t *testing.T) {
	s := study{}
	for condition, right := range map[string]string{"a/decide=x": "rrww", "a/decide=y": "rwww", "b/decide=x": "rrrw",
		"a": "wwww"} {
		for i, mark := range right {
			o := trial.Outcome{Question: string(rune('p' + i)), Condition: condition, Score: task.Wrong}
			if mark == 'r' {
				o.Score = task.Right
			}
			s.Outcomes = append(s.Outcomes, o)
		}
	}
	var conditions []trial.Condition
	for _, at := range []string{"a/decide=x", "a/decide=y", "b/decide=x"} {
		series, value, _ := strings.Cut(at, "/decide=")
		s.Points = append(s.Points, experiment.Point{Condition: at, Series: series,
			At: []experiment.Value{{Setting: "decide", Value: value}}})
		conditions = append(conditions, trial.Condition{Name: at})
	}
	s.Comparison.Tabulate(append(conditions, trial.Condition{Name: "a"}), s.Table(), nil)
	n := experiment.Number{Condition: "a/decide=*", Measure: analysis.MeasureAccuracy}
	if got := s.measure(n); !got.Known || got.Value != 0.375 || got.N != 8 || got.Interval == nil {
		t.Errorf("the mean over a sweep is 0.375 of 8, with an interval: got %+v", got)
	}
	if n.Measure = analysis.MeasureSimilarity; s.measure(n).Known {
		t.Error("the mean of numbers that nobody measured is known, want it unknown")
	}
	means := meansTable(s, "decide")
	if means == nil {
		t.Fatal("sweeps have a table of means: got none")
	}
	for i, want := range [][]string{{"a", "2", "4", "0.375"}, {"b", "1", "4", "0.750"}} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			for j, text := range want {
				if got := means.Lines[i].Cells[j].Text; got != text {
					t.Errorf("%s of %s: %s, want %s", means.Heads[j].Name, want[0], got, text)
				}
			}
		})
	}
	if got := means.Lines[1].Cells[5].Text; got != "+0.250" { // from a at x alone
		t.Errorf("the difference of b from a at x alone is +0.250: got %s", got)
	}
	if len(means.Heads) != 7 {
		t.Errorf("means of sweeps have 7 columns: got %+v", means.Heads)
	}
}
