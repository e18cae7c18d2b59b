package experiment

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/calculator"
)

// TestMethods: whatever methods are asked for, exactly these are held beside the reference, the optional ones only by
// their names; what names another one goes; and the file of the experiment means the same.
func TestMethods(t *testing.T) {
	e := loaded(t, "referee")
	usual := sizes(t, e)
	var names, optional []string
	for _, c := range e.Conditions {
		if names = append(names, c.label()); c.Optional {
			optional = append(optional, c.label())
		}
	}
	if len(optional) == 0 || slices.ContainsFunc(strings.Fields(usual), func(s string) bool {
		return strings.HasPrefix(s, "calculator:") || strings.HasPrefix(s, "vote-tool")
	}) {
		t.Fatalf("there are optional methods, and calculator: and vote-tool are none that is held without a "+
			"word: got %q and %s", optional, usual)
	}
	random := rand.New(rand.NewPCG(3, 0))
	for range 60 {
		var asked []string
		all := random.IntN(3) == 0
		if all {
			asked = append(asked, usualMethods)
		}
		for _, i := range random.Perm(len(names))[:1+random.IntN(4)] {
			asked = append(asked, names[i])
		}
		some, err := e.With(Changes{Methods: asked})
		if err != nil {
			t.Fatalf("methods %q can be asked for: got %v, want no error", asked, err)
		}
		held := make(map[string]bool)
		points := pointsOf(t, some)
		for _, p := range points {
			held[p.From.label()] = true
		}
		for _, name := range names {
			want := name == "single" || slices.Contains(asked, name) || all && !slices.Contains(optional, name)
			if held[name] != want {
				t.Errorf("%q asked for: %s is held: got %t, want %t", asked, name, held[name], want)
			}
		}
		for _, c := range some.Contrasts {
			if err := some.checkContrast(c, points); err != nil {
				t.Errorf("%q asked for: every contrast that is left is of conditions that are left: got %v, want "+
					"no error", asked, err)
			}
		}
		text, err := some.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if read, err := Parse(text); err != nil || sizes(t, read) != sizes(t, some) {
			t.Errorf("%q asked for: the experiment is read back from its file as the same: got %v", asked, err)
		}
	}
	if _, err := Parse([]byte("name: x\ntasks: [{name: p, generated: 3}]\n" +
		"conditions: [{name: c, protocol: single, optional: true}]\n")); err == nil ||
		!strings.Contains(err.Error(), "all are optional") {
		t.Errorf("where all conditions are optional nothing would be held, which is refused as \"all are "+
			"optional\": got %v", err)
	}
	if _, err := e.With(Changes{Methods: []string{"calculater"}}); err == nil ||
		!strings.Contains(err.Error(), `"calculater"`) || !strings.Contains(err.Error(), "calculator") {
		t.Errorf("the unknown method \"calculater\" is refused, with calculator as what was meant: got %v", err)
	}
}

// TestRefereeWithTool: asked for the calculator, the referee holds it at each budget beside what has none, and its
// table says how many replies called it, and how many calls got a value: of scripted replies those of
// two agents do, and each second call is no sum. Where nobody calls it, it is left out of what is worth its tokens.
func TestRefereeWithTool(t *testing.T) {
	e, err := loaded(t, "tool").Miniature(true)
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := e.Questions(Data{})
	if err != nil {
		t.Fatal(err)
	}
	referee, err := loaded(t, "referee").With(Changes{Methods: []string{"calculator", "vote", "vote-tool"},
		Budgets: []int{1, 3}})
	if err != nil {
		t.Fatal(err)
	}
	referee.Tasks = e.Tasks
	for calls, want := range map[string]string{
		"<<1+1=2>> and <<so>>": "calculator 4 of 4 uses of the tool, 4 of 8 values of its calls; " +
			"vote-tool-3 8 of 12 uses of the tool, 8 of 16 values of its calls; ",
		"1+1=2": "calculator 0 of 4 uses of the tool; vote-tool-3 0 of 12 uses of the tool; ",
	} {
		questions := tasks[0]
		run, err := referee.Prepare(questions, inference.ModelInfo{Name: "m"})
		if err != nil {
			t.Fatal(err)
		}
		c, err := bench.Compare(t.Context(), bench.Options{Run: run.Run, Task: questions, Conditions: run.Conditions,
			Engine: inference.NewScript(func(r inference.Request) string {
				text := "It is "
				if r.Tool == calculator.Name && r.Agent != 2 {
					text = calls + ", so it is "
				}
				return text + questions.Questions[r.Agent].Target
			})})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, row := range c.Rows {
			if len(row.Arrived) > 0 {
				var parts []string
				for _, a := range row.Arrived {
					parts = append(parts, a.String())
				}
				got += row.Condition + " " + strings.Join(parts, ", ") + "; "
			}
		}
		if got != want {
			t.Errorf("with %q arrived %s, want %s", calls, got, want)
		}
		text := c.FrontTable().Markdown() + c.FrontTable().Caption
		for _, tool := range []string{"calculator", "vote-tool-3"} {
			if in := strings.Contains(text, "| "+tool+" |"); in == strings.HasPrefix(got, "calculator 0") {
				t.Errorf("with %q calls %s is compared just where it got an answer: got compared %t\n%s",
					calls, tool, in, text)
			}
		}
	}
}
