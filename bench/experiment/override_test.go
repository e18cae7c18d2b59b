package experiment

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/datatest"
)

const several = `
name: several
tasks:
  - {name: here, generated: 2}
  - {name: letters, family: bbh, file: absent.json}
  - {name: sums, family: gsm8k, file: "absent*.jsonl"}
conditions:
  - {protocol: society}
  - {name: alone, protocol: single}
  - {name: sides, protocol: tit-for-tat}
  - {name: swept, protocol: madc, sweep: {rounds: [2, 3]}}
`

// TestOverride: settings of a command line change the conditions that read them, and nothing else.
func TestOverride(t *testing.T) {
	e, err := Parse([]byte(several))
	if err != nil {
		t.Fatal(err)
	}
	changed, err := e.With(Changes{MaxTokens: 77, Set: []string{"agents=5", "topology=ring"}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := changed.YAML()
	if err != nil {
		t.Fatal(err)
	}
	back, err := Parse(text) // as it is recorded
	if err != nil {
		t.Fatal(err)
	}
	points, err := back.Points()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range points {
		got = append(got, fmt.Sprint(p.Condition, " ", p.Protocol.Agents(), " ",
			debate.Value[string](p.Protocol.Settings, "topology")))
	}
	want := []string{"society 5 ring", "alone 1 ring", "sides 5 ", "swept/rounds=2 5 ring",
		"swept/rounds=3 5 ring"}
	if !slices.Equal(got, want) || back.MaxTokens != 77 {
		t.Errorf("got %q and %d tokens, want %q", got, back.MaxTokens, want)
	}
	note := "Changed on the command line: max-tokens=77, agents=5, topology=ring."
	if !slices.Contains(back.Notes, note) {
		t.Errorf("the notes of the copy have %q: got %q", note, back.Notes)
	}
	if points, err := e.Points(); err != nil || points[0].Protocol.Agents() != 3 {
		t.Errorf("a change is made in a copy, and the original keeps 3 agents: got %v, %v", points, err)
	}
}

func TestOverrideRefuses(t *testing.T) {
	e, err := Parse([]byte(several))
	if err != nil {
		t.Fatal(err)
	}
	for set, want := range map[string]string{
		"rounds=4":      "condition swept of the experiment several sweeps over it",
		"judge=ratings": `no value "ratings"; there are none, facts`,
		"depth=2":       "no condition of the experiment several reads it",
		"rounds":        "must be NAME=VALUE",
		"roudns=3":      "did you mean rounds?",
		"agents=many":   "must be a number from 1 to 1000",
		"order=sideway": "no order",
		"form=lesson":   "each condition has its own",
	} {
		t.Run(set, func(t *testing.T) {
			if _, err := e.With(Changes{Set: []string{set}}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", set, err, want)
			}
		})
	}
	if _, err := e.With(Changes{MaxTokens: -1}); err == nil || !strings.Contains(err.Error(), "max-tokens") {
		t.Errorf("a negative number of tokens is refused with max-tokens: got %v", err)
	}
}

// TestOverrideControls: without controls there are the conditions of the experiment alone; a note says so, unless that
// is what the experiment says.
func TestOverrideControls(t *testing.T) {
	e, err := loaded(t, "madc-table1").Miniature(true)
	if err != nil {
		t.Fatal(err)
	}
	questions, err := e.Questions(Data{})
	if err != nil {
		t.Fatal(err)
	}
	for _, controls := range []bool{true, false} {
		t.Run(fmt.Sprint(controls), func(t *testing.T) {
			changed, err := e.With(Changes{Controls: &controls})
			if err != nil {
				t.Fatal(err)
			}
			run, err := changed.Prepare(questions[0], inference.ModelInfo{Embedded: true})
			if err != nil {
				t.Fatal(err)
			}
			names := strings.Join(trial.Names(run.Conditions), " ")
			said := strings.Contains(strings.Join(changed.Notes, " "), "controls=false")
			if strings.Contains(names, "oracle") != controls || said == controls || !strings.Contains(names, "madc") {
				t.Errorf("the oracle is held with controls (%t), else a note says controls=false, and madc "+
					"stays: got %s; %q", controls, names, changed.Notes)
			}
		})
	}
}

// TestMissing: one error names all missing files, in columns, and what is there can be run.
func TestMissing(t *testing.T) {
	e, err := Parse([]byte(several))
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := e.Questions(Data{Directories: []string{"nowhere", "elsewhere"}})
	var m Missing
	if !errors.As(err, &m) || !errors.Is(err, errMissing) || len(tasks) != 1 || tasks[0].Name != "here" {
		t.Fatalf("of 3 tasks 1, here, is left and 2 are missing: got %d tasks, %v", len(tasks), err)
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 5 || lines[0] != "task files are missing: 2 of 3 tasks have none below nowhere, elsewhere:" ||
		!strings.HasPrefix(lines[2], "  letters  absent.json    bbh     ") ||
		!strings.HasPrefix(lines[3], "  sums     absent*.jsonl  gsm8k   ") ||
		!strings.HasSuffix(lines[4], "; --only here leaves them out") {
		t.Errorf("5 lines name the 2 missing of 3 tasks with their files and end with --only here: got %d "+
			"lines:\n%s", len(lines), err)
	}
}

// TestNearestFile: a file of exactly the name that an experiment has comes before others of the name in directories
// below; two such files are refused. One that is given by hand replaces the benchmark's, unless it has its name.
func TestNearestFile(t *testing.T) {
	dir := t.TempDir()
	write := func(path, question string) string {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("question,answer\n%s,1\nWhat is 2 + 2?,4\n", question)
		datatest.Write(t, path, text)
		return path
	}
	here, below := write("mine.csv", "here"), write("kept/mine.csv", "below")
	e, err := Parse([]byte("name: a\ntasks: [{name: b, family: own, file: mine.csv, rule: number}]\n" +
		"conditions: [{protocol: society}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		data           Data
		asks, replaces string
	}{
		{Data{Directories: []string{dir}}, "here", ""},
		{Data{Directories: []string{filepath.Dir(below)}}, "below", ""},
		{Data{Files: map[string]string{"b": below}}, "below", ""},
		{Data{Files: map[string]string{"b": write("other.csv", "other")}}, "other", "mine.csv"},
	} {
		t.Run(fmt.Sprintf("%.60s %.60s", c.asks, c.replaces), func(t *testing.T) {
			tasks, err := e.Questions(c.data)
			if err != nil || tasks[0].Questions[0].Text != c.asks || tasks[0].Replaces != c.replaces {
				t.Errorf("%+v: the nearest file is asked, in whose place it says: got %+v, %v", c, tasks, err)
			}
		})
	}
	_, err = e.Questions(Data{Directories: []string{filepath.Dir(here), filepath.Dir(below)}})
	if err == nil || !strings.Contains(err.Error(), "2 files match mine.csv") {
		t.Errorf("two files for one name are refused, as \"2 files match mine.csv\": got %v", err)
	}
}

// TestRuleReadsWhatIsRight: a task's own rule reads all of its right answers anew, also in a file given by hand, of
// whatever family.
func TestRuleReadsWhatIsRight(t *testing.T) {
	path := filepath.Join(t.TempDir(), "several.json")
	text := `[{"question": "How many?", "answer": ["12 apples", "13 pears"], "incorrect answer": ["9"]}]`
	datatest.Write(t, path, text)
	e, err := Parse([]byte("name: a\ntasks: [{name: b, family: gsm8k, file: mine.json, rule: last-word}]\n" +
		"conditions: [{protocol: society}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := e.Questions(Data{Files: map[string]string{"b": path}})
	if err != nil {
		t.Fatal(err)
	}
	q := tasks[0].Questions[0]
	for reply, want := range map[string]task.Score{"It is 12.": task.Right, "13": task.Right, "14": task.Wrong} {
		t.Run(reply, func(t *testing.T) {
			if got := tasks[0].Score(q, tasks[0].Reader(q)(reply)); got != want {
				t.Errorf("%s: %s, want %s", reply, got, want)
			}
		})
	}
	if tasks[0].Score(q, q.Truth) != task.Right || q.Truth.Text != "12" {
		t.Errorf("the right answer is 12, and scored as right: got %q", q.Truth.Text)
	}
}

// TestMiniatureOfARealModel: another model than the embedded one gets the prompts, memories and lengths of the whole
// experiment in its miniature.
func TestMiniatureOfARealModel(t *testing.T) {
	e := loaded(t, "kks-factors")
	for embedded, want := range map[bool]struct {
		tokens  int
		prompts string
	}{true: {e.Small.MaxTokens, "tiny"}, false: {e.MaxTokens, ""}} {
		t.Run(fmt.Sprint(embedded), func(t *testing.T) {
			small, err := e.Miniature(embedded)
			if err != nil {
				t.Fatal(err)
			}
			points, err := small.Points()
			if err != nil {
				t.Fatal(err)
			}
			if got := points[0].Protocol; small.MaxTokens != want.tokens || got.Prompts() != want.prompts ||
				(debate.Value[int](got.Settings, "memory") == 1) != embedded {
				t.Errorf("embedded %v: a miniature has %d tokens, prompts %q, and memory 1 on the embedded model "+
					"alone: got %d tokens, prompts %q, memory %d",
					embedded, want.tokens, want.prompts, small.MaxTokens, got.Prompts(),
					debate.Value[int](got.Settings, "memory"))
			}
		})
	}
}

// TestSamplingOnTheCommandLine: it changes the paper's, and says so.
func TestSamplingOnTheCommandLine(t *testing.T) {
	e := loaded(t, "liang-ciar")
	temperature, topP := float32(0.5), float32(0.9)
	changed, err := e.With(Changes{Sampling: inference.Chosen{Temperature: &temperature, TopP: &topP}})
	if err != nil {
		t.Fatal(err)
	}
	if s := samplingOf(changed.Sampling); s.Temperature != 0.5 || s.TopP != 0.9 {
		t.Errorf("the command line replaces the temperature by 0.5 and leaves top-p at 0.9: got %+v", s)
	}
	want := "temperature=0.5, top-p=0.9 on the command line, else the experiment"
	if got := changed.samplingFrom(); got != want {
		t.Errorf("the sampling is said to be from %q: got %q", want, got)
	}
	if last := changed.Notes[len(changed.Notes)-1]; !strings.Contains(last, "temperature=0.5, top-p=0.9") {
		t.Errorf("the notes say %q, want \"temperature=0.5, top-p=0.9\" in it", last)
	}
	if got := e.samplingFrom(); got != "the experiment" {
		t.Errorf("unchanged: %q, want \"the experiment\"", got)
	}
	hot := float32(1e6)
	if _, err := e.With(Changes{Sampling: inference.Chosen{Temperature: &hot}}); err == nil {
		t.Error("a temperature of a million was taken, want an error")
	}
}
