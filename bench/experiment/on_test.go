package experiment

import (
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/datatest"
)

// ownFile reads a file of one's own.
func ownFile(t *testing.T, name, text string) task.Task {
	t.Helper()
	path := datatest.File(t, name, text)
	own, err := (task.Mapping{}).Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return own
}

// TestOn: every experiment that we ship can be asked on questions of one's own, or says which of its conditions does
// not fit them; its contrasts are of measures that their answers have. What is asked is what its file then says, and
// reads nothing of its own tasks.
func TestOn(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		refused []string // experiments; all others fit
	}{
		"choices.csv": {"question,A,B,answer\nWho is older?,Ann,Ben,A\nWho is younger?,Ann,Ben,B\n",
			[]string{"du-arithmetic", "du-biography", "du-chess", "du-gsm8k", "kks-factors", "kks-models",
				"kks-readings", "kks-soundness", "kks-teams"}},
		"sums (2).csv": {"question,answer\n2+2?,4\n3+4?,7\n", []string{"du-biography", "du-chess", "du-mmlu",
			"kks-factors", "kks-models", "kks-readings", "kks-soundness", "kks-teams"}},
	} {
		t.Run(name, func(t *testing.T) {
			own := ownFile(t, name, c.text)
			var refused []string
			for _, e := range List() {
				on, err := e.On(task.Mapping{}, own)
				if err == nil {
					on, err = on.Fitting(false, own)
				}
				if err != nil {
					refused = append(refused, e.Name)
					continue
				}
				text, err := on.YAML()
				if err != nil {
					t.Fatal(err)
				}
				again, err := Parse(text)
				if err != nil {
					t.Fatalf("%s on other questions is read back: got %v, want no error\n%s", e.Name, err, text)
				}
				tasks, err := again.Questions(Data{Files: map[string]string{on.Tasks[0].Name: own.Source}})
				if err != nil || len(tasks) != 1 || tasks[0].Rule != own.Rule || tasks[0].Replaces != "" {
					t.Fatalf("%s: %+v, %v, want the questions of the file alone", e.Name, tasks, err)
				}
				run, err := again.Prepare(tasks[0], inference.ModelInfo{Name: "m"})
				if err != nil {
					t.Fatalf("%s runs on other questions: got %v, want no error", e.Name, err)
				}
				points := pointsOf(t, e)
				left := unlisted(points, own)
				if notes := strings.Join(on.Notes, "\n"); strings.Count(notes, "The condition ") != len(left) {
					t.Errorf("%s: notes %q, want a line for each of %q", e.Name, notes, left)
				}
				points = slices.DeleteFunc(points, func(p Point) bool { // the model m does not reason
					return slices.Contains(left, p.From.label()) || p.Lengths > 0
				})
				if _, err := analysis.ReadContrasts(run.Contrasts, trial.Names(run.Conditions), own.Measure,
					nil); err != nil {
					t.Errorf("%s: the contrasts are of conditions of the run: got %v, want no error", e.Name, err)
				}
				run.Conditions = slices.DeleteFunc(run.Conditions, func(c trial.Condition) bool { return c.Again })
				if got := trial.Names(run.Conditions); !slices.Equal(got, conditionNames(points)) {
					t.Errorf("%s: %v, want the conditions of the file alone", e.Name, got)
				}
			}
			if !slices.Equal(refused, c.refused) {
				t.Errorf("refused %q, want %q", refused, c.refused)
			}
		})
	}
}

// TestOnKeeps: contrasts stay without their tasks, those of controls are left out with a line, and changes of a command
// line come after.
func TestOnKeeps(t *testing.T) {
	e, err := Parse([]byte(`name: order
source: a paper, Table 9
tasks: [{name: x, generated: 2}, {name: y, generated: 2}]
contrasts: [b - a on x, b - a on y, b - vote]
conditions:
  - {name: a, protocol: society}
  - {name: b, protocol: madc, small: {set: {agents: 2}}}
published: [{model: m, from: Table 9, task: x, condition: a, value: 0.5}]
small: {tasks: [{name: x, generated: 1}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	own := ownFile(t, "_my roots.jsonl", `{"question": "The root of 2?", "answer": "\\sqrt{2}"}`)
	m := task.Mapping{Family: task.FamilyOwn, Rule: "math"}
	if own, err = m.Load(own.Source); err != nil {
		t.Fatal(err)
	}
	on, err := e.On(m, own)
	if err == nil {
		on, err = on.With(Changes{Controls: ptr(true), Contrasts: []string{"b - vote"}})
	}
	if err == nil {
		on, err = on.Fitting(false, own)
	}
	if err != nil {
		t.Fatal(err)
	}
	if on.Name != "order-on-my-roots" || on.Source != "" || on.Published != nil || on.Small != nil {
		t.Errorf("got %+v, want order-on-my-roots without a source, published numbers and a miniature", on)
	}
	if got, want := strings.Join(on.Contrasts, ", "), "b - a, b - vote"; got != want {
		t.Errorf("contrasts %s, want %s", got, want)
	}
	if len(on.Notes) != 3 || !strings.Contains(on.Notes[1], "The contrast b - vote is left out") {
		t.Errorf("notes %q, want one of the questions, one of b - vote, one of the controls", on.Notes)
	}
	tasks, err := on.Questions(Data{Files: map[string]string{"my-roots": own.Source}})
	if err != nil {
		t.Fatal(err)
	}
	run, err := on.Prepare(tasks[0], inference.ModelInfo{Name: "m"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "plain:math"; run.Prompts != want || !slices.Contains(trial.Names(run.Conditions), "vote") {
		t.Errorf("prompts %s, conditions %v, want %s and the controls", run.Prompts, trial.Names(run.Conditions), want)
	}
}

func ptr[T any](v T) *T { return &v }

// TestOnSeveral: each file is a task, with the prompts that ask for its answers; two of one name are refused, and so is
// a condition that fits one file only.
func TestOnSeveral(t *testing.T) {
	sums, capitals := ownFile(t, "sums.csv", "question,answer\n2+2?,4\n3+4?,7\n"),
		ownFile(t, "capitals.csv", "question,answer\nOf France?,Paris\nOf Italy?,Rome\n")
	e := loaded(t, "madc-table1")
	on, err := e.On(task.Mapping{}, sums, capitals)
	if err == nil {
		on, err = on.Fitting(false, sums, capitals)
	}
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := on.Questions(Data{Files: map[string]string{"sums": sums.Source, "capitals": capitals.Source}})
	if err != nil || len(tasks) != 2 || on.Name != "madc-table1-on-sums+capitals" {
		t.Fatalf("%s: %d tasks, %v; want 2, \"madc-table1-on-sums+capitals\" and no error", on.Name, len(tasks), err)
	}
	for i, want := range []string{"plain:number", "plain:words"} {
		run, err := on.Prepare(tasks[i], inference.ModelInfo{Name: "m"})
		if err != nil || run.Prompts != want {
			t.Errorf("%s: prompts %s, %v, want %s", tasks[i].Name, run.Prompts, err, want)
		}
	}
	if _, err := e.On(task.Mapping{}, sums, ownFile(t, "sums.csv", "question,answer\n1+1?,2\n")); err == nil ||
		!strings.Contains(err.Error(), "would both be the task sums") {
		t.Errorf("%v, want that two files have one name", err)
	}
	arithmetic, err := Load("du-arithmetic")
	if err == nil {
		if on, err = arithmetic.On(task.Mapping{}, sums, capitals); err == nil {
			_, err = on.Fitting(false, sums, capitals)
		}
	}
	if err == nil || !strings.Contains(err.Error(), "capitals.csv") {
		t.Errorf("%v, want that the second file does not fit", err)
	}
}
