package report

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/details"
	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/offline"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/report/chart"
	"github.com/parley-debate/parley/bench/report/dynamics"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/datatest"
)

// sweeping is an experiment with all that a report draws: a sweep over numbers, one over two settings, a pool, and
// published numbers for the model of the run, on a task from a file and on one that is generated, and for another
// model.
const sweeping = `
name: trial
source: "nothing, Table 1"
meaning: does the page show <b>everything</b>?
notes: [it is held by a script]
tasks:
  - {name: file, family: bbh, file: file.json}
  - {name: made, generated: 3}
  - {name: missing, generated: 3}
repeats: 5
reference: mad/agents=2
conditions:
  - name: mad
    meaning: the others in their order
    protocol: society
    sweep: {agents: [2, 3, 4, 5, 6]}
  - name: ordered
    protocol: society
    sweep: {agents: [2, 3], order: [fixed, random]}
  - {name: pool, protocol: society, set: {agents: 20, rounds: 1}, once: true}
published:
  - {model: SCRIPT-Q4_K_M.gguf, from: Table 1, task: file, condition: mad, values: {2: 0.5, 6: 0.75}}
  - {model: script, from: Table 2, task: made, condition: pool, value: 0.6}
  - {model: GPT, from: Table 3, task: file, condition: mad, values: {2: 0.9}}
  - {model: GPT, from: Table 4, task: file, condition: pool, measure: entropy, value: 1.25, deviation: 0.1}
`

// trialDirectory has the trial on two of its tasks.
func trialDirectory(t *testing.T) string {
	t.Helper()
	return copyOf(t, "trial", func(dir string) { holdTrial(t, dir) })
}

// experimentIn writes an experiment into a directory, and reads it with its questions.
func experimentIn(t *testing.T, dir, text string) (experiment.Experiment, []task.Task) {
	t.Helper()
	path := filepath.Join(dir, "experiment.yaml")
	datatest.Write(t, path, text)
	e, err := experiment.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := e.Questions(experiment.Data{})
	if err != nil {
		t.Fatal(err)
	}
	return e, tasks
}

func holdTrial(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(sweeping, "script", inference.NewScript(nil).Model().Name)
	text = strings.ReplaceAll(text, "SCRIPT", strings.ToUpper(inference.NewScript(nil).Model().Name))
	if err := writeQuestions(filepath.Join(dir, "file.json")); err != nil {
		t.Fatal(err)
	}
	e, tasks := experimentIn(t, dir, text)
	for _, questions := range tasks[:2] {
		held(t, e, questions, filepath.Join(dir, questions.Name))
	}
}

func writeQuestions(path string) error {
	questions, err := task.Generate(3, 3, 7)
	if err != nil {
		return err
	}
	var rows []map[string]string
	for _, q := range questions.Questions {
		rows = append(rows, map[string]string{"input": q.Text, "target": q.Target})
	}
	text, err := json.Marshal(map[string]any{"examples": rows})
	return errors.Join(err, os.WriteFile(path, text, 0o600))
}

// held runs an experiment on one task.
func held(t *testing.T, e experiment.Experiment, questions task.Task, path string) {
	t.Helper()
	heldBy(t, crowd(questions), e, questions, path)
}

// heldBy runs it on an engine.
func heldBy(t *testing.T, engine inference.Engine, e experiment.Experiment, questions task.Task, path string) {
	t.Helper()
	s, err := e.Prepare(questions, engine.Model())
	if err != nil {
		t.Fatal(err)
	}
	d := benchtest.OpenDirectory(t, path)
	options := bench.Options{Run: s.Run,
		Task: questions, Conditions: s.Conditions, Engine: engine}
	if err := d.Begin(bench.NewHeader(options)); err != nil {
		t.Fatal(err)
	}
	options.Observe = func(o trial.Outcome) error { return errors.Join(generations(d, o), d.Outcome(o)) }
	c, err := bench.Compare(t.Context(), options)
	if err := errors.Join(err, d.Finish(c), d.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestExperiment reads a directory and looks for all parts of its page.
func TestExperiment(t *testing.T) {
	dir := trialDirectory(t)
	w, err := Of(dir, "", Options{})
	if err != nil {
		t.Fatal(err)
	}
	lines := w.Published.Layout(0)
	if len(lines) != 1+4+2 || !strings.Contains(lines[4], "mad/agents=2 │ accuracy") ||
		!strings.Contains(lines[5], "0.750") {
		t.Errorf("7 lines stand beside the published numbers, with the accuracy of mad/agents=2 and 0.750: got "+
			"%d\n%s", len(lines), w.Published)
	}
	w.Published, w.Verdict, w.Shown = nil, nil, nil
	want := Written{Page: filepath.Join(dir, "report.html"), Tasks: []string{"file", "made"},
		Missing: []string{"missing"}, Conditions: 9 + 1 + 6, Debates: 2 * 3 * ((9+6)*5 + 1)}
	if diff := cmp.Diff(want, w); diff != "" {
		t.Errorf("the page has these parts (-want +got):\n%s", diff)
	}
	text := datatest.Read(t, w.Page)
	page := string(text)
	for _, part := range []string{"does the page show &lt;b&gt;everything", "This task has not been run yet",
		"Accuracy on all tasks", "Accuracy by agents", "Answers of pool",
		"Published for GPT; this run used " + inference.NewScript(nil).Model().Name,
		"The questions of made are not those of the paper", "Flip thresholds, by agents",
		"it is held by a script"} {
		t.Run(fmt.Sprintf("%.60s", part), func(t *testing.T) {
			if !strings.Contains(page, part) {
				t.Errorf("the page has %q: there is none", part)
			}
		})
	}
	data := dataOf(t, page)
	if len(data.Tasks) != 2 || len(data.Debates) != w.Debates ||
		data.Questions[data.Debates[w.Debates-1].Question].Task != 1 {
		t.Errorf("2 tasks have %d debates, the last one in the second: got tasks %v, %d debates",
			w.Debates, data.Tasks, len(data.Debates))
	}
	if err := os.Rename(filepath.Join(dir, "made"), filepath.Join(dir, "stray")); err != nil {
		t.Fatal(err)
	}
	if w, err = Of(dir, "", Options{}); err != nil || !cmp.Equal(w.Missing, []string{"made", "missing"}) {
		t.Errorf("tasks without a run are missing: got %v, %v", w.Missing, err)
	}
	if text, err = os.ReadFile(w.Page); err != nil ||
		!strings.Contains(string(text), "belong to no task of this experiment and are not in this report: stray.") {
		t.Errorf("a run that the experiment does not name, stray, is mentioned as not in the report: it is not "+
			"(%v)", err)
	}
}

// TestExperimentTables: the CSV has all tasks with their swept settings, and Markdown has what is published.
func TestExperimentTables(t *testing.T) {
	dir := trialDirectory(t)
	if _, err := Of(dir, filepath.Join(dir, "here.html"), Options{}); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(filepath.Join(dir, "here.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil || len(records) != 1+2*(16+1) {
		t.Fatalf("2 tasks of 17 conditions are 35 records with their head: got %d, %v", len(records), err)
	}
	field := func(record []string, name string) string { return record[slices.Index(records[0], name)] }
	for _, r := range records[1:] {
		if field(r, "condition") == "ordered/agents=3/order=random" &&
			(field(r, "series") != "ordered" || field(r, "agents") != "3" || field(r, "order") != "random" ||
				field(r, "n") != "15") {
			t.Errorf("a condition of a sweep has its series and values in columns: got %v", r)
		}
	}
	md, err := os.ReadFile(filepath.Join(dir, "here.md"))
	if err != nil || !strings.Contains(string(md), "| file | mad/agents=2 | accuracy | 0.500 (Table 1) |") ||
		!strings.Contains(string(md), "1.250 ± 0.100 (Table 4)") {
		t.Errorf("published numbers have their table beside them: %v, got\n%s", err, md)
	}
	for _, name := range []string{"here.md", "here.csv"} {
		t.Run(name, func(t *testing.T) {
			if _, err := Of(dir, filepath.Join(dir, name), Options{}); err == nil {
				t.Errorf("%s: a page was written in the place of a table, want an error", name)
			}
		})
	}
}

// TestPublishedComparison: only numbers for a model of the name of ours, on questions of a file, have a difference,
// which is ours less theirs.
func TestPublishedComparison(t *testing.T) {
	e, studies := trialStudies(t)
	b, err := comparePublished(e, studies, nil)
	if err != nil || b.N != 3 || len(b.Same.Lines) != 2 || len(b.Others.Lines) != 3 {
		t.Fatalf("2 published numbers are for this model and 3 for others: %v, got %+v", err, b)
	}
	i := slices.IndexFunc(studies[0].Comparison.Rows,
		func(r analysis.Row) bool { return r.Condition == "mad/agents=6" })
	ours := studies[0].Comparison.Rows[i].Accuracy
	record := b.Same.Records[2]
	if got := record[slices.Index(b.Same.Records[0], "difference")]; got != fmt.Sprint(ours-0.75) {
		t.Errorf("the difference is ours less theirs, %g - 0.75: got %s", ours, got)
	}
	const file = "name: a\ntasks: [{name: b, generated: 1}]\nconditions: [{protocol: society}]\n"
	none, err := experiment.Parse([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := comparePublished(none, studies, nil); b != nil || err != nil {
		t.Errorf("an experiment without published numbers has none beside it: got %v, %v", b, err)
	}
}

// TestOwnQuestionsInTheBenchmarksPlace: nothing that is published is compared with what another file's questions
// gave, nor drawn beside it; the table has both, and says so.
func TestOwnQuestionsInTheBenchmarksPlace(t *testing.T) {
	e, studies := trialStudies(t)
	before, err := comparePublished(e, studies, nil)
	if err != nil || len(before.Figures) == 0 {
		t.Fatalf("published numbers of the questions of a file have figures: got %d, %v", len(before.Figures), err)
	}
	for i := range studies {
		studies[i].Header.Replaces = "test.jsonl"
	}
	b, err := comparePublished(e, studies, nil)
	if err != nil || b.Same != nil || len(b.Figures) != 0 || b.N != 5 ||
		!slices.ContainsFunc(b.Says, func(text string) bool { return strings.Contains(text, "than the benchmark's") }) {
		t.Errorf("on one's own questions no published number is compared, and it says why: got %+v, %v", b, err)
	}
}

func trialStudies(t *testing.T) (experiment.Experiment, []study) {
	t.Helper()
	dir := trialDirectory(t)
	e, err := experiment.Load(filepath.Join(dir, "experiment.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	points, err := e.Points()
	if err != nil {
		t.Fatal(err)
	}
	var studies []study
	for _, name := range []string{"file", "made"} {
		s, err := readStudy(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		s.attach(e, points)
		studies = append(studies, s)
	}
	return e, studies
}

// TestSweeps: a series for each value of what else is swept, with the paper's points where they belong.
func TestSweeps(t *testing.T) {
	_, studies := trialStudies(t)
	var names []string
	curves := studies[0].curves("agents")
	for _, c := range curves {
		names = append(names, fmt.Sprint(c.Name, c.At))
	}
	if diff := cmp.Diff([]string{"mad[2 3 4 5 6]", "ordered, order fixed[2 3]", "ordered, order random[2 3]"},
		names); diff != "" {
		t.Errorf("there is a series for each other value that is swept (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]chart.Point{{X: 2, Y: 0.5}, {X: 6, Y: 0.75}}, curves[0].Paper); diff != "" {
		t.Errorf("the paper's points are on the curve (-want +got):\n%s", diff)
	}
	for i, caption := range []string{"(Table 1)", "Share of right debates at each value of agents, with " +
		"its 95 % band; other series are grey."} {
		figures, err := sweeps(studies[i])
		if err != nil || len(figures) != 1 || !strings.Contains(figures[0].Caption, caption) {
			t.Errorf("a sweep has one figure, whose caption has %q: got %+v, %v", caption, figures, err)
		}
	}
}

// TestTrends: the slope is that of the line through the accuracies, since all questions were asked at each value; two
// values have no trend.
func TestTrends(t *testing.T) {
	_, studies := trialStudies(t)
	c := studies[1].curves("agents")[0]
	products, squares, mean := 0.0, 0.0, 4.0 // of 2 to 6 agents
	for i, r := range c.Rows {
		products += (c.At[i] - mean) * r.Accuracy
		squares += (c.At[i] - mean) * (c.At[i] - mean)
	}
	trends := trendTable(studies[1], "agents")
	if trends == nil || len(trends.Lines) != 1 {
		t.Fatalf("a sweep has one trend: got %+v", trends)
	}
	text, want := trends.Markdown(), fmt.Sprintf("%+.4f", products/squares)
	if !strings.Contains(text, "| mad |") || !strings.Contains(text, want) {
		t.Errorf("no slope of %s in\n%s", want, text)
	}
	if trends := trendTable(studies[1], "order"); trends != nil {
		t.Errorf("orders have no numbers, and so no trend: got %+v", trends)
	}
}

func TestTurns(t *testing.T) {
	at := []float64{1, 2, 3, 4}
	for want, accuracies := range map[string][]float64{
		"right throughout":     {0.6, 0.7, 1, 0.51},
		"wrong throughout":     {0, 0.1, 0.4, 0.3},
		"wrong from 3 on":      {0.9, 0.6, 0.4, 0.1},
		"right from 2 on":      {0.5, 0.6, 0.8, 0.9},
		"right only at 4":      {0.9, 0.9, 0.2, 0.8},
		"undecided at the end": {0.9, 0.9, 0.9, 0.5},
	} {
		t.Run(want, func(t *testing.T) {
			if got := describeFlip(at, accuracies); got != want {
				t.Errorf("%v: %s, want %s", accuracies, got, want)
			}
		})
	}
}

// TestDebating: of three agents one is won, one is lost and one stays unread; where right is more than being equal that
// is not said.
func TestDebating(t *testing.T) {
	o := trial.Outcome{Question: "q", Condition: "mad", Target: "(A)", Truth: answer.Of("(A)"), Score: task.Unparsed,
		Transcript: debate.Transcript{Rounds: [][]debate.Turn{
			{say(0, "(B)"), say(1, "(A)"), say(2, "")},
			{say(0, "(A)"), say(1, "(C)"), say(2, "")},
		}}}
	for i := range 3 {
		o.Transcript.Rounds[1][i].Reply = inference.Reply{PromptTokens: 100, Tokens: 7}
	}
	mad := outcome.NewTable([]trial.Outcome{o}).Under("mad")
	rows := relation.Rows(mad.All)
	values := relation.ValuesOf(rows, "", 0.95)
	s := study{Run: rundir.Run{Outcomes: []trial.Outcome{o}, Comparison: analysis.Comparison{Rows: []analysis.Row{
		{Condition: "mad", N: 1, Dynamics: analysis.DynamicsOf(trial.Condition{}, mad, rows, values), Measures: values,
			Cost: outcome.Cost{Replies: 6, PromptTokens: 300, Tokens: 21}}, {Condition: "empty"},
	}}}}
	want := map[string]string{"condition": "mad", "rounds": "2.00", "right, then not": "100.0 %",
		"wrong, then right": "50.0 %", "agreement": "0.000", "ties": "0.0 %",
		"replies per debate": "6.0", "tokens per reply": "4"}
	check := func() {
		made := details.Debating(s.Comparison, false)
		if len(made.Lines) != 1 {
			t.Fatalf("one row is made: got %d lines", len(made.Lines))
		}
		got := make(map[string]string)
		for i, h := range made.Heads {
			got[h.Name] = made.Lines[0].Cells[i].Text
		}
		for name, text := range want {
			if got[name] != text {
				t.Errorf("%s: %q, want %q", name, got[name], text)
			}
		}
	}
	check()
	s.Comparison.Rows[0].Dynamics.Unmarked = true
	for _, name := range []string{"vulnerability", "recovery"} {
		s.Comparison.Rows[0].Measures[name] = relation.Value{State: relation.Unknown}
	}
	want = map[string]string{"condition": "mad", "right, then not": "", "wrong, then right": "", "likelihood, code": "",
		"agreement": "0.000"}
	check()
}

func TestSameModel(t *testing.T) {
	for _, same := range []string{"Qwen2.5-7B-Instruct", "qwen2.5-7b-instruct-q4_k_m.gguf",
		"models/Qwen2.5-7B-Instruct-GGUF", "Qwen2.5 7B Instruct", "Qwen2.5-7B-Instruct-IQ4_XS",
		"qwen2.5-7b-instruct.Q8_0", "Qwen2.5-7B-Instruct-bf16"} {
		t.Run(same, func(t *testing.T) {
			if !sameModel("Qwen2.5-7B-Instruct", same) {
				t.Errorf("%s is the same model, by its bare name: got %s", same, bareName(same))
			}
		})
	}
	for _, other := range []string{"", "Qwen2.5-7B", "Qwen2.5-3B-Instruct", "Qwen2.5-7B-Instruct-1M", "tiny",
		"Qwen2.5-7B-Instruct-q4-distilled"} {
		t.Run(fmt.Sprintf("%.60s", other), func(t *testing.T) {
			if sameModel("Qwen2.5-7B-Instruct", other) {
				t.Errorf("%s was taken for the same model, want another", other)
			}
		})
	}
	if sameModel("", "") {
		t.Error("no name was taken for the name of a model")
	}
}

// TestComparableTeam: a published number of a model is compared with that of a team if all who replied are that model.
func TestComparableTeam(t *testing.T) {
	s := study{Task: experiment.Task{File: "file.json"}}
	s.Header.Model = inference.ModelInfo{Name: "qwen2.5-7b-instruct", Hash: "a", Team: []inference.ModelInfo{
		{Name: "qwen2.5-7b-instruct-q4_0", Hash: "b"}, {Name: "gemma-3-4b-it", Hash: "c"}}}
	s.Comparison.Rows = []analysis.Row{{Condition: "one", Models: []string{"a"}},
		{Condition: "quantised", Models: []string{"a", "b"}}, {Condition: "mixed", Models: []string{"b", "c"}},
		{Condition: "other", Models: []string{"c"}}}
	for condition, want := range map[string]bool{"one": true, "quantised": true, "mixed": false, "other": false} {
		t.Run(condition, func(t *testing.T) {
			if got := s.comparable(experiment.Number{Model: "Qwen2.5-7B-Instruct", Condition: condition}); got != want {
				t.Errorf("%s: %v, want %v", condition, got, want)
			}
		})
	}
	if !s.comparable(experiment.Number{Model: "Gemma 3 4B it", Condition: "other"}) {
		t.Error("the number of the model that replied is comparable: it is not compared")
	}
}

// TestSimilarity shows the file that another command leaves, and refuses one that is none.
func TestSimilarity(t *testing.T) {
	dir := directory(t, 2, 2)
	path := filepath.Join(dir, "similarity.json")
	low := stat.Interval{Low: 0.7, High: 0.9}
	text, err := json.Marshal(offline.Similarity{Version: offline.SimilarityVersion, Method: "mean of the last layer",
		Texts: 12, Conditions: []offline.ConditionSimilarity{
			{Condition: "mad", Rounds: []offline.RoundSimilarity{{N: 10, Pairs: 30, Similarity: 0.8125,
				Interval: &low}},
				Last: offline.RoundSimilarity{N: 9, Pairs: 27, Similarity: 0.5, Channels: 2.5}},
		}})
	if err := errors.Join(err, os.WriteFile(path, text, 0o600)); err != nil {
		t.Fatal(err)
	}
	w, err := Of(dir, "", Options{})
	if err != nil {
		t.Fatal(err)
	}
	md, err := os.ReadFile(strings.TrimSuffix(w.Page, ".html") + ".md")
	if err != nil || !strings.Contains(string(md), "| mad | 0.812 | 0.700 to 0.900 | 0.500 | – | 2.500 | 9 | 27 |") ||
		!strings.Contains(string(md), "mean of the last layer") {
		t.Errorf("similarities stand in a table, with what was embedded: %v, got\n%s", err, md)
	}
	datatest.Write(t, path, "{]")
	if _, err := Of(dir, "", Options{}); err == nil || !strings.Contains(err.Error(), "similarity.json") {
		t.Errorf("a damaged similarity.json is an error with its name: got %v", err)
	}
}

// TestScores: the scores of another program have a table, and a figure over what is swept, in their own unit and beside
// no published accuracy. A file of another version is refused.
func TestScores(t *testing.T) {
	_, studies := trialStudies(t)
	s := studies[1]
	scores := offline.MeasureScores{Name: "COMET"}
	for i, r := range s.Comparison.Rows {
		c := offline.ConditionScores{Condition: r.Condition, Debates: r.N, Mean: 80 + float64(i)}
		scores.Conditions = append(scores.Conditions, c)
	}
	scores.Conditions[0].Interval = &stat.Interval{Low: 79, High: 81}
	s.Scores = &offline.Scores{Version: offline.ScoresVersion, Measures: []offline.MeasureScores{scores}}
	figures, err := sweeps(s)
	if err != nil || len(figures) != 2 || figures[0].Title != "Accuracy by agents" ||
		figures[1].Title != "COMET by agents" || !strings.HasPrefix(figures[1].Caption, "Mean of the numbers that "+
		"another program gives the decisions at each value of agents") ||
		strings.Contains(figures[1].Caption, "ublished") {
		t.Errorf("a sweep has a figure for each measure, and numbers of others are called so: got %+v, %v", figures,
			err)
	}
	at := slices.IndexFunc(s.Comparison.Rows, func(r analysis.Row) bool { return r.Condition == "mad/agents=4" })
	curve := s.scoredBy(scores).curves("agents")[0]
	if p := curve.line()[2]; p.X != 4 || p.Y != 80+float64(at) || s.curves("agents")[0].line()[2].Y > 1 {
		t.Errorf("numbers of another program have its unit, at 4 agents %d: got %+v", 80+at, curve.line())
	}
	dir := directory(t, 2, 2)
	datatest.Write(t, filepath.Join(dir, "scores.json"), `{"v": 9}`)
	if _, err := Of(dir, "", Options{}); err == nil || !strings.Contains(err.Error(), "parley score --scores") {
		t.Errorf("scores of another version are refused, with \"parley score --scores\": got %v", err)
	}
}

// TestPosition: effects of a place and of holders as they are printed, with what their intervals are about.
func TestPosition(t *testing.T) {
	of := func(x float64) stat.Estimated {
		return stat.Estimated{Estimate: x, Interval: stat.Interval{Low: x - 0.1, High: x + 0.1}}
	}
	for _, c := range []struct {
		questions, repeats int
		says               string
	}{{9, 0, "From 9 questions; intervals over questions."}, {1, 50,
		"From 1 question: intervals are over its 50 samples, not over questions."}} {
		p := dynamics.Position{Series: "placed", Questions: c.questions, Repeats: c.repeats,
			Effects: stat.Effects{Mean: of(0.5), Places: []stat.Estimated{of(-0.25), of(0.25)},
				Agents: []stat.Estimated{of(0), of(0)}}}
		made := dynamics.PositionTable(p)
		if line := made.Lines[1].Cells; len(made.Lines) != 4 || line[0].Text != "place 1" ||
			line[1].Text != "+0.250" || line[2].Text != "+0.150 to +0.350" || !strings.Contains(made.Caption, c.says) {
			t.Errorf("the second place has +0.250 (+0.150 to +0.350), and the caption %q: got %+v", c.says, made)
		}
		f, err := dynamics.PositionFigure(p)
		if svg := string(f.SVG); err != nil || !strings.Contains(svg, "+20 %") || strings.Contains(svg, "NaN") ||
			strings.Contains(svg, "Inf") {
			t.Errorf("the axis is in per cent, and each number can be drawn: %v, got %.300s", err, svg)
		}
	}
}

// TestManyConditions: figures have bounds, and say so.
func TestManyConditions(t *testing.T) {
	run := small(t, 2, 2)
	r := run.Comparison.Rows[slices.IndexFunc(run.Comparison.Rows,
		func(r analysis.Row) bool { return r.Condition == "mad" })]
	var points []experiment.Point
	for i := range 60 {
		r.Condition = "mad/agents=" + strconv.Itoa(i)
		points = append(points, experiment.Point{Condition: r.Condition, Series: "mad",
			At: []experiment.Value{{Setting: "agents", Value: strconv.Itoa(i)}}})
		run.Comparison.Rows = append(run.Comparison.Rows, r)
		for _, o := range run.Outcomes[:9] {
			o.Condition = r.Condition
			run.Outcomes = append(run.Outcomes, o)
		}
	}
	figures, faults := figuresOf(study{Run: run, Points: points})
	if faults != nil || len(figures) != 5 {
		t.Fatalf("5 figures are expected: got %d, %v", len(figures), faults)
	}
	if !strings.Contains(figures[1].Caption, "Sweeps have figures of their own") ||
		!strings.Contains(figures[3].Caption, "The first 12 of ") {
		t.Errorf("captions say which conditions have figures of their own, and that 12 are shown: got %s\n%s",
			figures[1].Caption, figures[3].Caption)
	}
}
