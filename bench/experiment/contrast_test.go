package experiment

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const withContrasts = `name: x
tasks: [{name: p, generated: 2}, {name: q, generated: 2}]
reference: mad/agents=3
conditions:
  - name: mad
    protocol: society
    sweep: {agents: [2, 3, 4]}
    small: {sweep: {agents: [2, 3]}}
  - name: madc
    protocol: madc
    sweep: {agents: [3, 4]}
    small: {sweep: {agents: [3]}}
contrasts:
  - madc/agents=* - mad/agents=*
  - madc/agents=4 - mad/agents=2
  - CONTRAST
small:
  tasks: [{name: r, generated: 1}]
`

// TestContrastIsRefusedWithItsLine: conditions and tasks of contrasts have to exist.
func TestContrastIsRefusedWithItsLine(t *testing.T) {
	for text, want := range map[string]string{
		"mad/agents=5 - single":            `no condition "mad/agents=5" (did you mean mad/agents=2`,
		"mad/agents=4 - single on p, z":    `no task "z"`,
		"mad/agents=4 - single - oracle":   "a contrast is written A - B",
		"madc/rounds=* - single":           "no value of its stars",
		"mad/agents=4 - mad/agents=4 on p": "it names mad/agents=4 twice",
	} {
		t.Run(text, func(t *testing.T) {
			_, err := parse([]byte(strings.Replace(withContrasts, "CONTRAST", text, 1)), "")
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "> 16 |") {
				t.Errorf("%s: %v, want %s at line 16", text, err, want)
			}
		})
	}
}

// TestContrastsOfTasks: a contrast can be restricted to tasks; the miniature and --only keep those that they can have.
func TestContrastsOfTasks(t *testing.T) {
	e, err := parse([]byte(strings.Replace(withContrasts, "CONTRAST", "mad/agents=3 - single on q", 1)), "")
	if err != nil {
		t.Fatal(err)
	}
	both := []string{"madc/agents=* - mad/agents=*", "madc/agents=4 - mad/agents=2"}
	if got := e.contrastsOn("p"); !slices.Equal(got, both) {
		t.Errorf("on p: %q, want %v", got, both)
	}
	if diff := cmp.Diff(append(both, "mad/agents=3 - single"), e.contrastsOn("q")); diff != "" {
		t.Errorf("on this task there are these contrasts (-want +got):\n%s", diff)
	}
	small, err := e.Miniature(true)
	if err != nil || !slices.Equal(small.Contrasts, both[:1]) {
		t.Errorf("miniature: %q, %v; want %v and no error", small.Contrasts, err, both[:1])
	}
	only, err := e.With(Changes{Only: []string{"p"}, Contrasts: []string{"madc/agents=3 - single"}})
	if want := append(both, "madc/agents=3 - single"); err != nil || !slices.Equal(only.Contrasts, want) {
		t.Errorf("on p alone the contrasts are %q: got %q, %v", want, only.Contrasts, err)
	}
}

// TestContrastKeepsItsTasks: a contrast on several tasks, of which --only keeps some, is tested on those.
func TestContrastKeepsItsTasks(t *testing.T) {
	e := loaded(t, "mallm-protocols")
	for only, want := range map[string][]string{
		"gpqa":                 {"within 0.05 on gpqa"},
		"musr, mmlu, mmlu-pro": {"within 0.05 on mmlu, mmlu-pro", "within 0.05 on musr"},
		"squad2":               {"within 0.05 on squad2", "by f1 within 0.05 on squad2"},
	} {
		t.Run(only, func(t *testing.T) {
			kept, err := e.With(Changes{Only: strings.Split(only, ", ")})
			if err != nil {
				t.Fatal(err)
			}
			const sides = "(simple, ranked, cumulative) - (majority, supermajority, unanimity) "
			for i := range want {
				want[i] = sides + want[i]
			}
			if diff := cmp.Diff(want, kept.Contrasts); diff != "" {
				t.Errorf("contrasts keep the tasks that --only keeps (-want +got):\n%s", diff)
			}
			for _, p := range kept.Published {
				if strings.Contains(p.From, "abstract") {
					t.Errorf("a published number is of tasks that were kept: got %s on %s", p.From, p.Contrast)
				}
			}
		})
	}
}

// TestPublishedContrast: a number of a contrast is of one that the experiment tests, on one of its tasks or on all, and
// a number of a group is of conditions that there are.
func TestPublishedContrast(t *testing.T) {
	const text = "name: x\ncontrols: false\ntasks: [{name: p, generated: 2}, {name: q, generated: 2}, " +
		"{name: r, generated: 2}]\nconditions: [{name: a, protocol: society}, {name: b, protocol: madc}, " +
		"{name: c, protocol: lesson}]\n" +
		"contrasts: [\"(a, b) - c by tokens within 9 on p, q\", a - b]\n" +
		"published:\n  - {model: m, from: abstract, value: -0.5, %s}\n"
	for given, want := range map[string]string{
		`contrast: "(a, b) - c by tokens on p"`:         "p: (a, b) - c, tokens",
		`contrast: "(a, b) - c by tokens on p, q"`:      "p, q: (a, b) - c, tokens",
		`contrast: a - b on r`:                          "r: a - b, accuracy",
		`task: p, condition: "(a, b)", measure: rounds`: "p: (a, b), rounds",
		`contrast: "(a, b) - c by tokens on r"`:         "is not among the contrasts",
		`contrast: "(a, b) - c on p"`:                   "is not among the contrasts",
		`contrast: "(a, b) - c by tokens"`:              "is not among the contrasts",
		`contrast: a - d on p`:                          `no condition "d"`,
		`contrast: a - b on p, task: p`:                 "neither task, condition, measure nor values",
		`task: p, condition: "(a, d)"`:                  `no condition "(a, d)"`,
	} {
		t.Run(given, func(t *testing.T) {
			e, err := Parse([]byte(fmt.Sprintf(text, given)))
			got := fmt.Sprint(err)
			if err == nil {
				n := e.Numbers()[0]
				got = fmt.Sprintf("%s: %s, %s", n.Task, n.Condition, n.Measure)
			}
			if !strings.Contains(got, want) {
				t.Errorf("a published contrast is told as %s: got %s", want, got)
			}
		})
	}
}
