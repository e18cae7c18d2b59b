package experiment

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/inference"
)

// TestShipped: each embedded experiment has what a reader needs, and it and its miniature can be prepared for a model.
func TestShipped(t *testing.T) {
	all := List()
	if len(all) < 20 {
		t.Fatalf("20 experiments or more are embedded: got %d", len(all))
	}
	for _, e := range all {
		t.Run(e.Name, func(t *testing.T) {
			if !strings.Contains(e.Source, "arXiv") && !slices.ContainsFunc(append(sourcesWhole, "Du et al."),
				func(name string) bool { return strings.Contains(e.Source, name) }) {
				t.Errorf("a source names a paper by arXiv or its authors: got %q", e.Source)
			}
			if !strings.HasSuffix(e.Meaning, "?") || len(e.Notes) == 0 {
				t.Errorf("a meaning is a question, and there are notes: got %q, %d notes", e.Meaning, len(e.Notes))
			}
			for _, n := range e.Numbers() {
				if n.Condition == "" || (n.Value < -1 || n.Value > 1) && n.Measure != "rounds" {
					t.Errorf("published number %+v: a share, or rounds, of a condition or contrast is expected", n)
				}
			}
			prepared(t, e, inference.ModelInfo{Name: "model"})
			for _, controls := range []bool{false, true} {
				with, err := e.With(Changes{Controls: &controls})
				if err != nil {
					t.Fatalf("an experiment (controls %t) has points: got %v, want no error", controls, err)
				}
				points, err := with.Points()
				if names := with.contrasted(points); err != nil || !controls && len(names) != len(points) {
					t.Errorf("without controls every point can be contrasted (controls %t): got %v, %v",
						controls, names, err)
				}
			}
			small, err := e.Miniature(true)
			if err != nil {
				t.Fatal(err)
			}
			prepared(t, small, inference.ModelInfo{Name: "tiny", Embedded: true})
			tasks, err := small.Questions(Data{})
			if err != nil {
				t.Fatal(err)
			}
			for _, questions := range tasks {
				if n := len(questions.Questions); n == 0 || n > 8 {
					t.Errorf("%s is a miniature, of 1 to 8 questions: got %d", questions.Name, n)
				}
			}
			if len(small.Numbers()) > 0 {
				t.Errorf("a miniature has no published numbers, as its tasks are not those of the paper, and "+
					"need other names: got %d", len(small.Numbers()))
			}
		})
	}
}

// withoutContrast are the experiments whose question no difference between whole debates answers. Their notes say why.
var withoutContrast = []string{"kks-models", "kks-soundness", "liang-dot", "madc-resampling"}

// TestShippedAskTheirQuestion: each embedded experiment has the contrasts that answer its question, or says why it has
// none; and the tasks that a contrast is tested on have its measure.
func TestShippedAskTheirQuestion(t *testing.T) {
	measures := make(map[string]string)
	for _, f := range task.Families() {
		measures[f.Name] = f.Measure
	}
	for _, e := range List() {
		t.Run(e.Name, func(t *testing.T) {
			none := slices.Contains(withoutContrast, e.Name)
			says := slices.ContainsFunc(e.Notes, func(note string) bool {
				return strings.HasPrefix(note, "It has no contrast")
			})
			if none != (len(e.Contrasts) == 0) || none != says {
				t.Errorf("an experiment without contrasts is listed as such and a note says why: got contrasts "+
					"%q, listed %t, a note %t", e.Contrasts, none, says)
			}
			points := pointsOf(t, e)
			for _, own := range e.Tasks {
				measure, known := measures[own.Family]
				if !known {
					continue // generated
				}
				if _, err := analysis.ReadContrasts(e.contrastsOn(own.Name), e.contrasted(points), measure,
					nil); err != nil {
					t.Errorf("the contrasts on %s are of its points and measure: got %v, want no error",
						own.Name, err)
				}
			}
		})
	}
}

// prepared prepares the experiment on all of its tasks.
func prepared(t *testing.T, e Experiment, model inference.ModelInfo) {
	t.Helper()
	for _, own := range e.Tasks {
		s, err := e.Prepare(task.Task{Name: own.Name, Rule: own.Rule}, model)
		if err != nil {
			t.Errorf("%s is prepared: got %v, want no error", own.Name, err)
			continue
		}
		if !slices.ContainsFunc(s.Conditions, func(c trial.Condition) bool { return c.Name == s.Reference }) {
			t.Errorf("%s: the reference is among the conditions: %s is not", own.Name, s.Reference)
		}
	}
}

// TestRoundTrip writes experiments as files and reads them again, as a run directory does.
func TestRoundTrip(t *testing.T) {
	for _, e := range List() {
		text, err := e.YAML()
		if err != nil {
			t.Fatalf("%s is written as YAML: got %v, want no error", e.Name, err)
		}
		again, err := Parse(text)
		if err != nil {
			t.Fatalf("what is written of %s is read back: got %v, want no error", e.Name, err)
		}
		if diff := cmp.Diff(e, again, cmpopts.IgnoreUnexported(Experiment{})); diff != "" {
			t.Errorf("%s is read back as it was written (-want +got):\n%s", e.Name, diff)
		}
	}
}

const head = `name: x
tasks:
  - {name: p, generated: 2}
`

// TestBroken: an error says what is wrong, and marks the line.
func TestBroken(t *testing.T) {
	for name, test := range map[string]struct{ text, want, mark string }{
		"unknown key": {head + "conditions: [{protocol: society}]\nrepeat: 3\n", "unknown field",
			">  5 | repeat: 3"},
		"unknown key within": {head + "conditions:\n  - {protocol: society, agents: 3}\n", "unknown field",
			">  5 |   - {protocol: society, agents: 3}"},
		"no conditions": {head, "conditions are missing", ""},
		"no tasks":      {"name: x\nconditions: [{protocol: society}]\n", "tasks are missing", ""},
		"name": {"name: a b\ntasks: [{name: p, generated: 2}]\nconditions: [{protocol: society}]\n",
			"letters, digits", ">  1 | name: a b"},
		"protocol": {head + "conditions:\n  - {protocol: societies}\n", `"societies"`,
			">  5 |   - {protocol: societies}"},
		"setting": {head + "conditions:\n  - protocol: society\n    set: {agent: 3}\n", `no setting "agent"`,
			">  6 |     set: {agent: 3}"},
		"setting's value": {head + "conditions:\n  - protocol: society\n    set: {order: sideways}\n", "sideways",
			">  6 |     set: {order: sideways}"},
		"setting of others": {head + "conditions:\n  - protocol: society\n    set: {level: 2}\n",
			"level means nothing to form society", ">  6 |     set: {level: 2}"},
		"sweep of one": {head + "conditions:\n  - protocol: society\n    sweep: {agents: 3}\n",
			"a list of values", ">  6 |     sweep: {agents: 3}"},
		"sweep of nothing": {head + "conditions:\n  - protocol: society\n    sweep: {agents: []}\n",
			"a list of values", ">  6 |     sweep: {agents: []}"},
		"sweep's value": {head + "conditions:\n  - protocol: society\n    sweep: {agents: [3, many]}\n",
			"value 2", ">  6 |     sweep: {agents: [3, many]}"},
		"two of a name": {head + "conditions:\n  - {protocol: society}\n  - {name: society, protocol: madc}\n",
			"two conditions have the name society", ">  6 |   - {name: society"},
		"two of a sweep": {head + "conditions:\n  - protocol: society\n    sweep: {agents: [3, 3]}\n",
			"two conditions have the name society/agents=3", ">  5 |   - protocol: society"},
		"two tasks": {"name: x\ntasks:\n  - {name: p, generated: 2}\n  - {name: p, generated: " +
			"3}\nconditions: [{protocol: society}]\n", "two tasks have the name p",
			">  4 |   - {name: p, generated: 3}"},
		"after nothing": {head + "conditions:\n  - {protocol: society, after: pool}\n", "pool",
			">  5 |   - {protocol: society, after: pool}"},
		"candidates of none": {head + "conditions:\n  - {protocol: society, candidates: 0.3}\n", "after",
			">  5 |   - {protocol: society, candidates: 0.3}"},
		"reference": {head + "conditions: [{protocol: society}]\nreference: mad\n",
			"the reference mad is not a condition", ">  5 | reference: mad"},
		"published of no one": {head + "conditions: [{protocol: society}]\npublished:\n  - {model: m, from: Table " +
			"1, task: p, condition: mad, value: 0.5}\n", `no condition "mad"`, ">  6 |   - {model: m"},
		"published of no task": {head + "conditions: [{protocol: society}]\npublished:\n  - {model: m, from: Table " +
			"1, task: q, condition: society, value: 0.5}\n", `no task "q"`,
			">  6 |   - {model: m"},
		"published at nothing": {head + "conditions:\n  - {protocol: society, sweep: {agents: [3]}}\npublished:\n  " +
			"- {model: m, from: Table 1, task: p, condition: society, values: {4: 0.5}}\n",
			"no condition society 4", ">  7 |   - {model: m"},
		"published without a number": {head + "conditions: [{protocol: society}]\npublished:\n  - {model: m, from: " +
			"Table 1, task: p, values: {society: much}}\n", "much is not a number", ">  6 |   - {model: m"},
		"published twofold": {head + "conditions: [{protocol: society}]\npublished:\n  - {model: m, from: " +
			"Table 1, task: p, condition: society}\n", "either a value or the values", ">  6 |   - {model: m"},
		"family": {"name: x\ntasks:\n  - {name: p, family: quiz, file: a.json}\nconditions: [{protocol: society}]\n",
			`no family "quiz"`, ">  3 |   - {name: p"},
		"rule": {"name: x\ntasks:\n  - {name: p, generated: 2, rule: stars}\nconditions: [{protocol: society}]\n",
			`no answer rule "stars"`, ">  3 |   - {name: p"},
		"rule of a measure": {"name: x\ntasks:\n  - {name: p, family: squad2, file: a.json, rule: " +
			"raw}\nconditions: [{protocol: society}]\n", "needs its own rule span", ">  3 |   - {name: p"},
		"prompts": {"name: x\ntasks:\n  - {name: p, generated: 2, prompts: {society: " +
			"verse}}\nconditions: [{protocol: society}]\n", "verse", ">  3 |   - {name: p"},
		"prompts of controls": {"name: x\ntasks:\n  - {name: p, generated: 2, prompts: {society: " +
			"verse}}\nconditions: [{protocol: lesson}]\n", "verse", ">  3 |   - {name: p"},
		"prompts of no condition": {"name: x\ntasks:\n  - {name: p, generated: 2, prompts: {knights: " +
			"tiny}}\nconditions: [{protocol: society}]\n", "no condition has the form knights", ">  3 |   - {name: p"},
		"repeats": {head + "conditions: [{protocol: society}]\nrepeats: -1\n",
			"repeats -1: must be 0, or from 1 to 10000", ">  5 | repeats: -1"},
		"fraction": {"name: x\ntasks:\n  - {name: p, generated: 2.5}\nconditions: [{protocol: society}]\n",
			"generated 2.5: must be a whole number", "[3:"},
		"temperature": {head + "conditions: [{protocol: society}]\nsampling: {temperature: .nan}\n",
			"temperature NaN: must be 0, or from 0.001 to 100", ">  5 | sampling:"},
		"questions": {"name: x\ntasks:\n  - {name: p, generated: 2, questions: -1}\n" +
			"conditions: [{protocol: society}]\n",
			"questions -1: must be 0, or from 1", ">  3 |"},
		"objects": {"name: x\ntasks:\n  - {name: p, generated: 2, objects: 4}\nconditions: [{protocol: society}]\n",
			"objects 4: must be 0, or 3, 5 or 7", ">  3 |"},
		"miniature": {head + "conditions: [{protocol: society}]\nsmall: {tasks: [{name: s, generated: 1}], repeats: " +
			"-2}\n", "small.repeats -2", ">  5 |"},
		"too many": {head + "conditions:\n  - {protocol: society, sweep: {agents: [" + numbers(1, 50) +
			"], rounds: [" + numbers(1, 50) + "]}}\n", "more than 2000", ">  5 |   - {protocol"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(test.text))
			if err == nil {
				t.Fatal("a broken file was read, want an error")
			}
			if !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), test.mark) {
				t.Errorf("want %q and %q; got %v", test.want, test.mark, err)
			}
		})
	}
}

// TestShippedDoNotStop: replies of the papers' experiments end where the model ends them or at the limit, as in the
// papers' programs, so that their records stay what they were.
func TestShippedDoNotStop(t *testing.T) {
	for _, e := range List() {
		points := pointsOf(t, e)
		stops := false
		for _, p := range points {
			var forms []string
			for _, own := range e.Tasks {
				forms = append(forms, own.applyWording(p.Protocol).Prompts())
			}
			for _, name := range forms {
				if name == "" && (p.Protocol.Form == "society" || p.Protocol.Form == "sampling") {
					name = "madc"
				} else if name == "" && p.Protocol.Form == "centre" {
					name = "reversal"
				}
				set, err := prompts.Load(name)
				stops = stops || err == nil && len(set.Stop) > 0
			}
		}
		if off := e.Stop != nil && !*e.Stop; stops != off {
			t.Errorf("%s: stop: false is given just where its prompts have stop texts: got stop texts %v, stop: "+
				"false %v", e.Name, stops, off)
		}
	}
}

// TestMeanOfASweep: a published number may be of the mean of a sweep, and of nothing else with a star.
func TestMeanOfASweep(t *testing.T) {
	text := head + "conditions:\n  - {protocol: society, sweep: {agents: [2, 3]}}\n" +
		"  - {name: mad, protocol: society}\npublished:\n" +
		"  - {model: m, from: Table 1, task: p, condition: %s, value: 0.5}\n"
	e, err := Parse([]byte(strings.Replace(text, "%s", "society/agents=*", 1)))
	if err != nil {
		t.Fatal(err)
	}
	points := pointsOf(t, e)
	want := []string{"society/agents=2", "society/agents=3"}
	if diff := cmp.Diff(want, MeanOf(e.Numbers()[0].Condition, points)); diff != "" {
		t.Errorf("a number of a mean is of these points (-want +got):\n%s", diff)
	}
	for _, name := range []string{"mad/agents=*", "society/rounds=*", "society/agents=4"} {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse([]byte(strings.Replace(text, "%s", name, 1))); err == nil {
				t.Errorf("%s is no mean of a sweep, and was accepted, want an error", name)
			}
		})
	}
}

// TestGenerators: what describes one generator's questions is refused with another's, and with files.
func TestGenerators(t *testing.T) {
	for origin, want := range map[string]string{
		"generated: 2, arithmetic: true, objects: 3":            "neither objects nor knights",
		"generated: 2, arithmetic: true, knights: {players: 4}": "neither objects nor knights",
		"family: bbh, file: a.json, arithmetic: true":           "neither objects nor knights",
		"generated: 2, chess: true, arithmetic: true":           "neither objects, knights nor sums",
		"generated: 2, chess: true, rule: raw":                  "only the rule square reads",
		"family: bbh, file: a.json, chess: true":                "neither objects, knights nor sums",
		"generated: 2, objects: 3, knights: {players: 4}":       "have no objects",
		"family: bbh, file: a.json, objects: 3":                 "generated puzzles only",
	} {
		t.Run(origin, func(t *testing.T) {
			_, err := Parse([]byte("name: x\ntasks: [{name: p, " + origin + "}]\nconditions: [{protocol: society}]\n"))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want an error with %v", origin, err, want)
			}
		})
	}
}

// loaded is Load of an experiment that has to load, and pointsOf are the points of one that has to have some.
func loaded(t testing.TB, name string) Experiment {
	t.Helper()
	e, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func pointsOf(t testing.TB, e Experiment) []Point {
	t.Helper()
	points, err := e.Points()
	if err != nil {
		t.Fatal(err)
	}
	return points
}
