package spec

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/debatetest"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/internal/datatest"
)

// held is a protocol as the condition of a name, in a run whose own prompts are madc's.
func held(t *testing.T, name string, p protocol.Protocol) trial.Condition {
	t.Helper()
	p.Name = name
	c, err := trial.Held(p, "madc", debate.Asking{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// under is the run of which a condition is the reference, beside whose debate the run's own prompts were entered.
func under(t *testing.T, c trial.Condition) Run {
	t.Helper()
	set := debatetest.Load(t, "madc")
	r := Run{Reference: c.Name}
	r.Asking(society.Society{Asking: debate.Asking{}.Worded(set.Origin, set.File, set.Stop), Prompts: set})
	r.Under([]trial.Condition{c})
	return r
}

// TestPromptsAsSent: a run says of itself which prompts its reference is sent, whatever those of the run are: every set
// in a society, and the sets of all protocols. What an older program has entered in its place is put right when it is
// read.
func TestPromptsAsSent(t *testing.T) {
	other, stops := 0, 0
	for _, name := range prompts.Names() {
		set := debatetest.Load(t, name)
		plain := protocol.Protocol{Settings: debate.Settings{Form: society.FormName}.With("rounds", 1).
			With("prompts", name)}
		r := under(t, held(t, "x", plain))
		if r.Prompts != name || r.Origin != set.Origin || !slices.Equal(r.StopTexts, set.Stop) ||
			!strings.Contains(r.Asked(), "prompts "+name+",") {
			t.Errorf("a run says which prompts its reference is sent: want %s, stopped by %q; got %s, %q, from %q",
				name, set.Stop, r.Prompts, r.StopTexts, r.Origin)
		}
		older := r
		older.Prompts, older.Origin, older.StopTexts = "madc", "MADC", []string{"### Instruction"}
		if older.Mend(); older.Prompts != name || !slices.Equal(older.StopTexts, set.Stop) ||
			(older.Origin == "") != (name != "madc") {
			t.Errorf("what an older program entered is put right: want %s, stopped by %q; got %s, %q, from %q",
				name, set.Stop, older.Prompts, older.StopTexts, older.Origin)
		}
		if name != "madc" {
			other++
		}
		stops += len(set.Stop)
	}
	if other < 5 || stops == 0 {
		t.Errorf("5 sets of prompts or more are not madc, and some have stop texts: got %d, %d", other, stops)
	}
	for _, p := range protocol.Protocols() {
		if want := p.WithPrompts("madc").PromptsName(); p.FormOf().Prior == debate.PriorNone {
			if r := under(t, held(t, "x", p)); r.Prompts != want {
				t.Errorf("%s: prompts %s, want %s", p.Name, r.Prompts, want)
			}
		}
	}
}

// TestPromptFiles: prompts of one name that a file holds are others when the file was edited, and a run says so.
func TestPromptFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "own.yaml")
	p := protocol.Protocol{Settings: debate.Settings{Form: society.FormName}.With("rounds", 1).With("prompts", file)}
	var runs []Run
	for _, ending := range []string{"", " Think twice.", " Think twice."} {
		text := "name: own\norigin: ours\nquestion: '{question}" + ending + "'\nalone: 'Sure?'\n"
		datatest.Write(t, file, text)
		runs = append(runs, under(t, held(t, "x", p)))
	}
	differ := func(a, b Run) (names []string) {
		other := b.Properties()
		for i, p := range a.Properties() {
			if p.Value != other[i].Value {
				names = append(names, p.Name)
			}
		}
		return names
	}
	if got := differ(runs[0], runs[1]); !slices.Equal(got, []string{"SHA-256 of the prompts"}) {
		t.Errorf("another text of a file of prompts changes %v, want its SHA-256 alone", got)
	}
	if got := differ(runs[1], runs[2]); got != nil {
		t.Errorf("the same text of a file of prompts changes %v, want nothing", got)
	}
}

// TestUnlike: two runs in which a condition has other settings are unlike, and each of these settings is named with its
// values: all pairs of protocols under one name, and the loss of each setting that a protocol gives.
func TestUnlike(t *testing.T) {
	all := protocol.Protocols()
	run := func(p protocol.Protocol) Run {
		p.Name = "x"
		return Run{Conditions: []string{"x"}, Protocols: Protocols{p}}
	}
	pairs, single := 0, 0
	for _, p := range all {
		for _, q := range all {
			a, b := run(p), run(q)
			same := a.Protocols[0].Equal(b.Protocols[0])
			if got := Unlike(a, b); same != (len(got) == 0) {
				t.Errorf("%s and %s are unlike just where their settings differ (same: %t): got %v",
					p.Name, q.Name, same, got)
			}
			if !same {
				pairs++
			}
		}
		for _, setting := range p.Given()[1:] {
			q := p
			q.Settings = p.With(setting, nil)
			got := Unlike(run(p), run(q))
			if len(got) != 1 || got[0].Name != "x: "+setting || got[0].Values[0] == "" || got[0].Values[1] != "" {
				t.Errorf("%s without %s is unlike in this setting alone, with its value and none: got %v",
					p.Name, setting, got)
			}
			single++
		}
	}
	if pairs < 100 || single < 30 {
		t.Errorf("100 pairs or more and 30 settings are tried: got %d and %d", pairs, single)
	}
	standard := Run{Conditions: []string{"x"}}
	if got := Unlike(standard, run(all[0])); len(got) == 0 {
		t.Error("a standard condition and a protocol are alike, want a difference")
	}
	if got := Unlike(standard, Run{Conditions: []string{"x"}, Bounds: []string{"x"}}); len(got) != 1 {
		t.Errorf("a condition and a bound: %v, want 1 of them", got)
	}
	if got := Unlike(standard, Run{Conditions: []string{"y"}}); len(got) > 0 {
		t.Errorf("runs without a condition in common have no settings to differ in: got %v, want none", got)
	}
}
