package experiment

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/datatest"
)

// change is what a field of a file is tried with: two files that differ in it alone.
type change struct{ without, with string }

// whole is a file around what is under test.
func whole(task, condition, rest string) string {
	return fmt.Sprintf("name: x\ntasks:\n  - {name: p, %s}\nconditions:\n  - {name: base, protocol: society, set: "+
		"{agents: 2, prompts: tiny}}\n  - {protocol: society, %s}\n%s\n",
		task, condition, rest)
}

func ofTask(without, with string) change {
	return change{whole(without, "name: c", ""), whole(with, "name: c", "")}
}
func ofColumns(without, with string) change {
	of := "family: own, rows: [{q: Is (A) or (B)?, r: Not (A) or (B)?, gold: (B), b: (A), c: x, d: y, n: 1}], " +
		"columns: {%s}"
	return ofTask(fmt.Sprintf(of, without), fmt.Sprintf(of, with))
}

// ofKinds has rows of two kinds.
func ofKinds(without, with string) change {
	of := "family: own, rows: [{q: a?, gold: 4, s: number, r: words}, {q: b?, gold: 5, s: words, r: number}], " +
		"columns: {question: q, answer: gold, %s}"
	return ofTask(fmt.Sprintf(of, without), fmt.Sprintf(of, with))
}

// showingFacts is an experiment that shows facts about the question.
func showingFacts(columns string) string {
	return fmt.Sprintf(`name: x
tasks:
  - name: p
    family: own
    rows: [{q: "Is (A), (B) or (C)?", question: "Is (A), (B) or (C)?", r: It is (B)., answer: (B)}]
    columns: {%s}
controls: false
conditions: [{name: f, protocol: consensus-majority, set: {challenge: facts, personas: none}}]
`, columns)
}
func ofCondition(without, with string) change {
	return change{whole("generated: 3", without, ""), whole("generated: 3", with, "")}
}
func ofWhole(without, with string) change {
	return change{whole("generated: 3", "name: c", without), whole("generated: 3", "name: c", with)}
}
func ofPublished(without, with string) change {
	one := "published:\n  - {model: m, from: Table 1, task: p, condition: base, value: 0.5}\n  - {%s}"
	return ofWhole(fmt.Sprintf(one, without), fmt.Sprintf(one, with))
}
func ofPublishedOfTwo(one, other string) change {
	with := func(task string) string {
		return strings.Replace(whole("generated: 3", "name: c",
			"published: [{model: m, from: T, condition: c, value: 0.5, task: "+task+"}]"),
			"tasks:", "tasks:\n  - {name: q, generated: 1}", 1)
	}
	return change{with(one), with(other)}
}
func ofMiniature(without, with string) change {
	return ofWhole("small: {"+without+"}", "small: {"+with+"}")
}

// changes has a case for every field that a file can have. Those that are shown and nothing else are tried in the
// report's tests.
var changes = map[string]change{
	"experiment name": ofReport, "experiment source": ofReport, "experiment meaning": ofReport,
	"experiment notes":      ofReport,
	"experiment tasks":      ofTask("generated: 3", "generated: 2"),
	"experiment conditions": ofCondition("name: c", "name: d"),
	"experiment models": {whole("generated: 3", "set: {team: [{model: strong}]}", "models: {strong: a.gguf}"),
		whole("generated: 3", "set: {team: [{model: strong}]}", "models: {strong: b.gguf}")},
	"experiment reference": ofWhole("", "reference: c"), "experiment controls": ofWhole("", "controls: false"),
	"experiment again":   ofWhole("", "again: true"),
	"experiment repeats": ofWhole("", "repeats: 2"), "experiment equivalence": ofWhole("", "equivalence: 0.1"),
	"experiment contrasts": ofWhole("", "contrasts: [c - base]"),
	"experiment seed":      ofWhole("", "seed: 7"), "experiment sampling": ofWhole("", "sampling: {temperature: 0}"),
	"experiment max-tokens": ofWhole("", "max-tokens: 9"),
	"experiment reasoning":  ofWhole("", "reasoning: share"),
	"experiment stop":       ofWhole("source: p", "source: p\nstop: false"), // plain prompts have no stop texts
	"experiment beliefs": {whole("generated: 3, rule: reader-choice", "name: c", ""),
		whole("generated: 3, rule: reader-choice", "name: c", "beliefs: true")},
	"experiment closing": {whole("generated: 3, rule: reader-choice", "name: c", ""),
		whole("generated: 3, rule: reader-choice", "name: c", "closing: false")},
	"experiment published": ofWhole("",
		"published: [{model: m, from: Table 1, task: p, condition: base, value: 0.5}]"),
	"experiment budgets": {whole("generated: 3", "name: c, fill: agents", "budgets: [4, 8]"),
		whole("generated: 3", "name: c, fill: agents", "budgets: [4, 12]")},
	"condition budget": {whole("generated: 3", "name: c, budget: 3", "budgets: [3]"),
		whole("generated: 3", "name: c, budget: 2", "budgets: [3]")},
	"condition fill": {whole("generated: 3", "name: c, fill: agents", "budgets: [12]"),
		whole("generated: 3", "name: c, fill: rounds", "budgets: [12]")},
	"small budgets": {whole("generated: 3", "name: c, fill: agents",
		"budgets: [4]\nsmall: {tasks: [{name: q, generated: 1}]}"),
		whole("generated: 3", "name: c, fill: agents",
			"budgets: [4]\nsmall: {tasks: [{name: q, generated: 1}], budgets: [12]}")},
	"experiment small":     ofWhole("", "small: {tasks: [{name: q, generated: 1}]}"),
	"sampling temperature": ofWhole("", "sampling: {temperature: 0.5}"),
	"sampling top-k":       ofWhole("", "sampling: {top-k: 5}"),
	"sampling top-p":       ofWhole("", "sampling: {top-p: 0.5}"),
	"sampling min-p":       ofWhole("", "sampling: {min-p: 0.5}"),

	"sampling reasoning-tokens": ofWhole("", "sampling: {reasoning-tokens: 0}"),
	"sampling reasoning-waits": ofWhole("sampling: {reasoning-tokens: 5}",
		"sampling: {reasoning-tokens: 5, reasoning-waits: 2}"),

	"small tasks": ofMiniature("tasks: [{name: q, generated: 1}]", "tasks: [{name: q, generated: 2}]"),
	"small repeats": ofMiniature("tasks: [{name: q, generated: 1}]",
		"tasks: [{name: q, generated: 1}], repeats: 2"),
	"small max-tokens": ofMiniature("tasks: [{name: q, generated: 1}]",
		"tasks: [{name: q, generated: 1}], max-tokens: 9"),

	"task cluster": ofTask("family: mmlu, rows: "+mmluRows, "family: mmlu, cluster: subject, rows: "+mmluRows),
	"task group":   ofTask("family: mmlu, rows: "+mmluRows, "family: mmlu, group: subject, rows: "+mmluRows),
	"task name": {whole("generated: 3", "name: c", ""),
		strings.Replace(whole("generated: 3", "name: c", ""), "name: p", "name: q", 1)},
	// of which the rows are not
	"task family":     ofTask("family: bbh, rows: "+bbhRows, "family: math, rows: "+bbhRows),
	"task file":       ofTask("family: bbh, file: one.json", "family: bbh, file: two.json"),
	"task generated":  ofTask("generated: 3", "generated: 4"),
	"task objects":    ofTask("generated: 3", "generated: 3, objects: 5"),
	"task knights":    ofTask("generated: 3", "generated: 3, knights: {players: 4}"),
	"task arithmetic": ofTask("generated: 3", "generated: 3, arithmetic: true"),
	"task chess":      ofTask("generated: 3", "generated: 3, chess: true"),
	"knights players": ofTask("generated: 3, knights: {players: 4}", "generated: 3, knights: {players: 5}"),
	"knights spies":   ofTask("generated: 3, knights: {players: 4}", "generated: 3, knights: {players: 4, spies: 0}"),
	"knights hints":   ofTask("generated: 3, knights: {players: 4}", "generated: 3, knights: {players: 4, hints: 1}"),
	"task rows": ofTask("family: bbh, rows: "+bbhRows,
		"family: bbh, rows: [{input: 'Is it? (A) yes (B) no', target: (B)}]"),
	"task questions":   ofTask("generated: 3", "generated: 3, questions: 2"),
	"task margin":      ofTask("generated: 90", "generated: 90, margin: 0.2"),
	"task ids":         ofTask("generated: 3", "generated: 3, ids: [2]"),
	"task instruction": ofTask("generated: 3", "generated: 3, instruction: Be brief."),
	"task rule":        ofTask("generated: 3", "generated: 3, rule: raw"),
	"task prompts":     ofTask("generated: 3", "generated: 3, prompts: {society: tiny}"),

	"task columns":     ofTask("family: own, rows: "+ownRows, "family: own, columns: {answer: b}, rows: "+ownRows),
	"columns question": ofColumns("question: q, answer: gold", "question: r, answer: gold"),
	"columns answer":   ofColumns("question: q, answer: gold", "question: q, answer: b"),
	"columns choices": ofColumns("question: q, answer: gold, choices: [c, d]",
		"question: q, answer: gold, choices: [d, c]"),
	"columns by": ofColumns("question: q, answer: n, choices: [c, d], by: index",
		"question: q, answer: n, choices: [c, d], by: number"),

	"columns kind": ofKinds("kind: s, only: number", "kind: r, only: number"),
	"columns only": ofKinds("kind: s, only: number", "kind: s, only: words"),

	"columns facts":   {showingFacts("facts: q"), showingFacts("question: q, facts: r")},
	"columns passage": ofColumns("question: q, answer: gold", "question: q, answer: gold, passage: r"),

	"condition name":    ofCondition("name: c", "name: d"),
	"condition meaning": ofCondition("name: c", "name: c, meaning: another"),
	"condition protocol": {whole("generated: 3", "name: c", ""),
		strings.Replace(whole("generated: 3", "name: c", ""), "{protocol: society, name: c",
			"{protocol: lesson, name: c", 1)},
	"condition set":   ofCondition("name: c", "name: c, set: {rounds: 3}"),
	"condition sweep": ofCondition("name: c", "name: c, sweep: {rounds: [2, 3]}"),
	"condition after": {afterBase("repeats: 2", "name: c, after: base, candidates: 0.4"),
		afterBase("repeats: 2", "name: c, after: other, candidates: 0.4")},
	"condition once":      {afterBase("repeats: 2", "name: c"), afterBase("repeats: 2", "name: c, once: true")},
	"condition optional":  {afterBase("", "name: c"), afterBase("", "name: c, optional: true")},
	"condition oracle":    ofCondition("name: c", "name: c, oracle: true"),
	"condition small":     {inMiniature("name: c"), inMiniature("name: c, small: {set: {rounds: 1}}")},
	"small-condition set": {inMiniature("name: c, small: {}"), inMiniature("name: c, small: {set: {rounds: 1}}")},
	"small-condition sweep": {inMiniature("name: c, small: {}"),
		inMiniature("name: c, small: {sweep: {rounds: [1, 2]}}")},
	"condition candidates": {afterBase("", "name: c"), afterBase("", "name: c, after: base, candidates: 0.4")},

	"published model": ofPublished("model: m, from: T, task: p, condition: c, value: 0.5",
		"model: n, from: T, task: p, condition: c, value: 0.5"),
	"published from": ofPublished("model: m, from: T, task: p, condition: c, value: 0.5",
		"model: m, from: U, task: p, condition: c, value: 0.5"),
	"published task": ofPublishedOfTwo("p", "q"),
	"published condition": ofPublished("model: m, from: T, task: p, condition: c, value: 0.5",
		"model: m, from: T, task: p, condition: base, value: 0.5"),
	"published measure": ofPublished("model: m, from: T, task: p, condition: c, value: 0.5",
		"model: m, from: T, task: p, condition: c, value: 0.5, measure: similarity"),
	"published contrast": ofWhole("controls: false\ncontrasts: [c - base]\n"+
		"published: [{model: m, from: T, value: 0.5, task: p, condition: c}]",
		"controls: false\ncontrasts: [c - base]\n"+
			"published: [{model: m, from: T, value: 0.5, contrast: c - base on p}]"),
	"published value": ofPublished("model: m, from: T, task: p, condition: c, value: 0.5",
		"model: m, from: T, task: p, condition: c, value: 0.6"),
	"published deviation": ofPublished("model: m, from: T, task: p, condition: c, value: 0.5",
		"model: m, from: T, task: p, condition: c, value: 0.5, deviation: 0.1"),
	"published values": ofPublished("model: m, from: T, task: p, values: {c: 0.5}",
		"model: m, from: T, task: p, values: {c: 0.5, base: 0.4}"),
	"published fit":    ofFit("coefficients: {const: [1, 0.1]}", "coefficients: {const: [1, 0.1], depth: [1, 0.1]}"),
	"fit outcome":      ofFit("outcome: final-smooth", "outcome: agreement-major"),
	"fit n":            ofFit("n: 10", "n: 20"),
	"fit r2":           ofFit("r2: 0.5", "r2: 0.6"),
	"fit r2-adjusted":  ofFit("r2-adjusted: 0.4", "r2-adjusted: 0.3"),
	"fit coefficients": ofFit("coefficients: {depth: [1, 0.1]}", "coefficients: {depth: [1, 0.2]}"),
}

// ofFit are published regressions that differ in one field.
func ofFit(without, with string) change {
	fit := func(field string) string {
		name, _, _ := strings.Cut(field, ":")
		text := "model: m, from: T, fit: {"
		for _, usual := range []string{"outcome: final-smooth", "n: 10", "r2: 0.5", "r2-adjusted: 0.4",
			"coefficients: {depth: [1, 0.1]}"} {
			if strings.HasPrefix(usual, name+":") {
				usual = field
			}
			text += usual + ", "
		}
		return strings.TrimSuffix(text, ", ") + "}"
	}
	return ofPublished(fit(without), fit(with))
}

// TestFitsAreChecked: what no table of regressions could show is refused with its place.
func TestFitsAreChecked(t *testing.T) {
	for field, says := range map[string]string{
		"outcome: smooth":                       `no outcome of a fit "smooth"`,
		"n: 0":                                  "at least 1, not 0",
		"r2: 1.5":                               "from 0 to 1, and adjusted",
		"r2-adjusted: 0.6":                      "adjusted at most as large",
		"coefficients: {}":                      "a fit needs coefficients",
		"coefficients: {size: [1, 0.1]}":        `no predictor "size"`,
		"coefficients: {depth: 1}":              "is not [ESTIMATE, STANDARD ERROR]",
		"coefficients: {depth: [1, 0]}":         "is not [ESTIMATE, STANDARD ERROR]",
		"coefficients: {depth: [.nan, 1]}":      "is not [ESTIMATE, STANDARD ERROR]",
		"coefficients: {depth: [one, 1]}":       "is not [ESTIMATE, STANDARD ERROR]",
		"coefficients: {depth: [1, 0.1, 0.05]}": "is not [ESTIMATE, STANDARD ERROR]",
	} {
		t.Run(field, func(t *testing.T) {
			_, err := Parse([]byte(ofFit(field, field).with))
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s is refused with %q: got %v", field, says, err)
			}
		})
	}
	_, err := Parse([]byte(ofPublished("", "model: m, from: T, task: p, value: 0.5, fit: {outcome: final-smooth, "+
		"n: 10, r2: 0.5, r2-adjusted: 0.4, coefficients: {depth: [1, 0.1]}}").with))
	if err == nil || !strings.Contains(err.Error(), "leave out task") {
		t.Errorf("a published fit on one task is refused, with \"leave out task\": got %v", err)
	}
}

var ofReport change

const bbhRows = `[{input: 'Is it? (A) yes (B) no', target: (A)}]`

const mmluRows = `[{question: Which?, choices: [a, b, c, d], answer: 0, subject: law}]`

const ownRows = `[{prompt: 'Is it? (A) yes (B) no', gold: (A), b: (B)}]`

// afterBase has a condition that can build on another.
func afterBase(rest, condition string) string {
	return "controls: false\n" + rest + "\n" + whole("generated: 3", "set: {rounds: 1, prompts: tiny}, "+condition,
		"  - {name: other, protocol: single}")
}

func inMiniature(condition string) string {
	return whole("generated: 3", condition, "small: {tasks: [{name: q, generated: 1}]}")
}

// TestEveryFieldIsObeyed: two files that differ in one field are two experiments, or one of them is refused. A field
// without a case fails.
func TestEveryFieldIsObeyed(t *testing.T) {
	for name, value := range map[string]any{
		"experiment": Experiment{}, "task": Task{}, "condition": Condition{}, "sampling": inference.Chosen{},
		"published": Published{}, "fit": Fit{}, "small": Small{}, "small-condition": SmallCondition{},
		"knights": Knights{},
		"columns": task.Columns{},
	} {
		t.Run(name, func(t *testing.T) {
			for _, f := range reflect.VisibleFields(reflect.TypeOf(value)) {
				key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
				if key == "" || key == "-" {
					continue
				}
				c, ok := changes[name+" "+key]
				switch {
				case !ok:
					t.Errorf("%s %s: no case tells whether it is obeyed", name, key)
				case c != ofReport && comesOf(t, c.without) == comesOf(t, c.with):
					t.Errorf("%s %s: what a field says is obeyed: it is given, and nothing changes", name, key)
				}
			}
		})
	}
}

// TestIdleFields are refused, with their line: nothing would come of them.
func TestIdleFields(t *testing.T) {
	for text, want := range map[string]string{
		whole("generated: 3, family: bbh", "name: c", ""): "puzzles have no family",
		whole("family: bbh, objects: 5, rows: "+bbhRows, "name: c",
			""): "objects is a setting of generated puzzles only",
		whole("family: bbh, columns: {by: text}, rows: "+bbhRows, "name: c",
			""): "columns describes data of the family own only",
		whole("family: own, columns: {by: guess}, rows: "+ownRows, "name: c",
			""): "an answer names its choice by letter",
		whole("generated: -3", "name: c", ""):                                        "generated -3",
		whole("generated: 3", "name: c, small: {set: {rounds: 1}}", ""):              "there is no miniature",
		whole("generated: 3", "name: c, set: {team: [{human: true}]}", ""):           "member 0 is a person",
		whole("generated: 3", "name: c, sweep: {team: [[{}], [{human: true}]]}", ""): "member 0 is a person",
		whole("generated: 3", "name: c, after: base", ""): "form society builds on no " +
			"other debate",
		whole("generated: 3", "name: c, set: {ballots: grammar}",
			""): "ballots means nothing where nobody votes",
	} {
		t.Run(text, func(t *testing.T) {
			if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) ||
				!strings.Contains(err.Error(), "> ") {
				t.Errorf("%s: %v, want %q and the line", text, err, want)
			}
		})
	}
	e := parsed(t, whole("generated: 3", "name: c", ""))
	if _, err := e.Questions(Data{Files: map[string]string{"p": "file.json"}}); err == nil ||
		!strings.Contains(err.Error(), "no task p") {
		t.Errorf("a file for a task that is generated is refused as \"no task p\": got %v", err)
	}
}

// comesOf is all that comes of a file, but for what is only shown: the questions, every request, the table, and the
// published numbers; of its miniature too.
func comesOf(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	for name, target := range map[string]string{"one.json": "(A)", "two.json": "(B)"} {
		file := fmt.Sprintf(`{"examples": [{"input": "Is it? (A) yes (B) no", "target": "%s"}]}`, target)
		datatest.Write(t, filepath.Join(dir, name), file)
	}
	e, err := parse([]byte(text), dir)
	if err != nil {
		t.Fatalf("this experiment is read: got %v, want no error\n%s", err, text)
	}
	all := held(t, e)
	if e.Small != nil {
		small, err := e.Miniature(true)
		if err != nil {
			t.Fatal(err)
		}
		all += held(t, small)
	}
	return all
}

func held(t *testing.T, e Experiment) string {
	t.Helper()
	var all []any
	tasks, err := e.Questions(Data{})
	for _, questions := range tasks {
		s, prepareErr := e.Prepare(questions, inference.ModelInfo{Name: "m"})
		if err != nil || prepareErr != nil {
			return fmt.Sprint("refused: ", err, prepareErr)
		}
		var mu sync.Mutex
		var requests []string // in no order
		script := inference.NewScript(func(r inference.Request) string {
			mu.Lock()
			defer mu.Unlock()
			requests = append(requests, fmt.Sprintf("%+v", r))
			if strings.Contains(r.Name, "/2") { // a question on which all agree
				return "<think>So it is.</think>The answer is (A)."
			}
			if strings.Contains(r.Name, "/3") && r.Agent == 2 {
				return "Who knows?"
			}
			return []string{"The answer is (A).", "The answer is (B).", "The answer is (C)."}[r.Agent%3]
		})
		c, err := bench.Compare(t.Context(), bench.Options{Run: s.Run, Task: questions,
			Conditions: s.Conditions, Engine: script})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(requests)
		c.Stats = inference.Stats{}
		all = append(all, questions.Name, questions.Rule, requests, c)
	}
	out, err := json.Marshal(append(all, e.Numbers(), e.Fits()))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
