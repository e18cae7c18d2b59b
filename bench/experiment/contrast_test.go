package experiment

import (
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
		t.Errorf("on p: %q", got)
	}
	if diff := cmp.Diff(append(both, "mad/agents=3 - single"), e.contrastsOn("q")); diff != "" {
		t.Error(diff)
	}
	small, err := e.Miniature(true)
	if err != nil || !slices.Equal(small.Contrasts, both[:1]) {
		t.Errorf("miniature: %q, %v", small.Contrasts, err)
	}
	only, err := e.With(Changes{Only: []string{"p"}, Contrasts: []string{"madc/agents=3 - single"}})
	if want := append(both, "madc/agents=3 - single"); err != nil || !slices.Equal(only.Contrasts, want) {
		t.Errorf("only p: %q, %v", only.Contrasts, err)
	}
}
