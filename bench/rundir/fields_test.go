package rundir

import (
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/protocol"
)

// silent are the fields of a header in which runs may differ freely without a word; what a model is, package inference
// tests.
var silent = []string{"Version", "Kind", "Model", "Time", "Asks", "Family", "Replaces", "Different", "Guess",
	"Budget", "Debates", "SamplingFrom", "Seed of Sampling", "Notes"}

// TestEveryFieldIsCompared: two headers that differ in one field differ in the property that names it and in no other,
// so that the error of a resumed run, a merge and a diff name it; or the field is one of the silent ones.
func TestEveryFieldIsCompared(t *testing.T) {
	var h Header
	// older programs say less than others, so that only what is known is compared: all fields have a value
	each(reflect.ValueOf(&h).Elem(), func(_ string, field reflect.Value) { change(field) })
	tried := 0
	each(reflect.ValueOf(&h).Elem(), func(name string, field reflect.Value) {
		before, columns := h, *h.Columns
		before.Columns = &columns
		if name != "Model" && !change(field) {
			t.Fatalf("%s: the test can change every field, but not a %s", name, field.Type())
		}
		tried++
		var changed []spec.Property
		now := h.properties()
		for i, p := range before.properties() {
			if p.Value != now[i].Value {
				changed = append(changed, p)
			}
		}
		var class spec.Class
		switch free := slices.Contains(silent, name); {
		case free && changed != nil:
			t.Errorf("%s is listed as one that is not compared, and changes %v", name, changed)
		case !free && len(changed) != 1:
			t.Errorf("another %s changes the properties %v, want one of Header.properties or spec.Run.Properties, or "+
				"the field among the silent ones", name, changed)
		case !free:
			class = changed[0].Class
		}
		if got := len(before.differs(h)) > 0; got != (class == spec.Identity) {
			t.Errorf("another %s makes another run: %v, want %v, since its class is %q", name, got, !got, class)
		}
		if got := !before.sameExtent(h); got != (class == spec.Extent) {
			t.Errorf("another %s makes a wider run: %v, want %v, since its class is %q", name, got, !got, class)
		}
	})
	if tried < 60 {
		t.Errorf("%d fields were tried: the test misses some, want at least 60", tried)
	}
}

// TestNothingVanishes: a run begins in the directory of another one only if all that was recorded keeps its place and
// its meaning. Each case changes one thing; what is refused names it, and the directory stays as it was.
func TestNothingVanishes(t *testing.T) {
	society := func(name string, settings ...string) protocol.Protocol {
		p := protocol.Protocol{Name: name, Settings: debate.Settings{Form: "society"}}
		for i := 0; i < len(settings); i += 2 {
			p.Settings = p.With(settings[i], settings[i+1])
		}
		return p
	}
	was := Header{Run: spec.Run{Conditions: []string{"single", "ring", "oracle"}, Questions: 20, Repeats: 2, Agents: 3,
		Rounds: 2, Protocols: spec.Protocols{society("ring", "topology", "ring")}, Bounds: []string{"oracle"},
		PromptFiles: []string{"aa"}}}
	stop := &spec.Stopping{Condition: "single"}
	refused := 0
	for _, c := range []struct {
		says   string // "" where the run goes on
		change func(h *Header)
	}{
		{"", func(h *Header) { h.Conditions = []string{"oracle", "vote", "ring", "single"} }},
		{"", func(h *Header) { h.Questions, h.Repeats = 30, 3 }},
		{"", func(h *Header) { h.Protocols = append(h.Protocols, society("star", "topology", "star")) }},
		{"", func(h *Header) { h.Contrasts, h.Equivalence = []string{"ring - single"}, 0.1 }},
		{"", func(h *Header) { h.Protocols[0].Meaning, h.Source = "in other words", "moved.csv" }},
		{"", func(h *Header) { h.Asks = []string{"q2", "q1", "q3"} }},
		{"conditions was single, ring, oracle and is ring, oracle", func(h *Header) {
			h.Conditions = h.Conditions[1:]
		}},
		{"conditions was single, ring, oracle and is vote", func(h *Header) { h.Conditions = []string{"vote"} }},
		{"questions was 20 and is 19", func(h *Header) { h.Questions = 19 }},
		{"question q1 was asked and is left out", func(h *Header) { h.Asks, h.Questions = []string{"q2"}, 40 }},
		{"repeats was 2 and is 1", func(h *Header) { h.Repeats = 0 }},
		{"stop was", func(h *Header) { h.Stop = stop }},
		{"agents was 3 and is 5", func(h *Header) { h.Agents = 5 }},
		{"rounds was 2 and is 3", func(h *Header) { h.Rounds = 3 }},
		{"ring: topology was ring and is star", func(h *Header) {
			h.Protocols[0] = society("ring", "topology", "star")
		}},
		{"ring: topology was ring and is not given", func(h *Header) { h.Protocols[0] = society("ring") }},
		{"ring: prompts was not given and is plain", func(h *Header) {
			h.Protocols[0].Settings = h.Protocols[0].With("prompts", "plain")
		}},
		{"ring: form was society and is court", func(h *Header) { h.Protocols[0].Form = "court" }},
		{"ring: answer was  and is number", func(h *Header) { h.Protocols[0].Answer = "number" }},
		{"oracle: right if any agent is was true and is false", func(h *Header) { h.Bounds = nil }},
		{"", func(h *Header) { h.Conditions, h.PromptFiles = append(h.Conditions, "vote"), []string{"cc", "aa"} }},
		{"SHA-256 of the prompts was aa and is bb", func(h *Header) { h.PromptFiles = []string{"bb"} }},
		{"SHA-256 of the prompts was aa and is aa, bb", func(h *Header) { h.PromptFiles = []string{"aa", "bb"} }},
		{"SHA-256 of the prompts was aa and is cc", func(h *Header) {
			h.Conditions, h.PromptFiles = append(h.Conditions, "vote"), []string{"cc"}
		}},
		{"SHA-256 of the prompts was aa and is bb", func(h *Header) {
			h.Conditions, h.PromptFiles = h.Conditions[1:], []string{"bb"}
		}},
	} {
		d, err := OpenDirectory(filepath.Join(t.TempDir(), "run"))
		if err != nil {
			t.Fatal(err)
		}
		first, now := was, was
		now.Conditions, now.Protocols = slices.Clone(was.Conditions), slices.Clone(was.Protocols)
		if err := d.Begin(first); err != nil {
			t.Fatal(err)
		}
		d.header, d.outcomes = &first, []trial.Outcome{{Question: "q1", Condition: "ring"}}
		c.change(&now)
		err = d.Begin(now)
		var another AnotherRun
		switch {
		case c.says == "" && err != nil:
			t.Errorf("a wider run goes on: got %v, want no error", err)
		case c.says == "":
		case !errors.As(err, &another) || !strings.Contains(err.Error(), "  "+c.says):
			t.Errorf("what would vanish is refused as %q: got %v", c.says, err)
		default:
			refused++
			d.LeaveOut = true
			if err := d.Begin(now); (err == nil) != another.Less {
				t.Errorf("%s, with --leave-out: a run that has less goes on (%t), another is refused: got %v",
					c.says, another.Less, err)
			}
		}
		d.Close()
	}
	if refused != 18 {
		t.Errorf("%d of 18 were refused, want 18", refused)
	}
}

// each visits the fields of a header, and of the structures in it that have fields of their own to compare.
func each(v reflect.Value, visit func(name string, field reflect.Value)) {
	for f, field := range v.Fields() {
		ofThis := func(name string, field reflect.Value) { visit(name+" of "+f.Name, field) }
		switch {
		case f.Anonymous:
			each(field, visit)
		case f.Name == "Sampling":
			each(field, ofThis)
		case f.Name == "Columns":
			if field.IsNil() {
				field.Set(reflect.New(f.Type.Elem()))
			}
			each(field.Elem(), ofThis)
		default:
			visit(f.Name, field)
		}
	}
}

// change sets a field to another value, and reports whether it can.
func change(f reflect.Value) bool {
	switch f.Kind() {
	case reflect.String:
		was := f.String()
		f.SetString(was + "another")
		if f.Type() == reflect.TypeFor[spec.Reasoning]() { // only sharing it changes a prompt
			f.SetString(map[string]string{"": "show", "show": "share"}[was])
		}
	case reflect.Bool:
		f.SetBool(!f.Bool())
	case reflect.Int:
		f.SetInt(f.Int() + 7)
	case reflect.Uint64:
		f.SetUint(f.Uint() + 7)
	case reflect.Float32, reflect.Float64:
		f.SetFloat(f.Float() + 0.5)
	case reflect.Slice:
		f.Set(reflect.MakeSlice(f.Type(), f.Len()+1, f.Len()+1))
		if e := f.Index(0); e.Kind() == reflect.String {
			e.SetString("another")
		}
	case reflect.Map:
		one := reflect.New(f.Type().Elem()).Elem()
		for range f.Len() + 1 { // another one than before
			change(one)
		}
		f.Set(reflect.MakeMap(f.Type()))
		f.SetMapIndex(reflect.ValueOf("another"), one)
	case reflect.Pointer:
		again := !f.IsNil()
		if f.Type().Elem().Kind() != reflect.Struct {
			f.Set(reflect.New(f.Type().Elem()))
			return change(f.Elem())
		}
		if f.Set(reflect.New(f.Type().Elem())); again {
			change(f.Elem().Field(0)) // which is part of what they say
		}
		if files := f.Elem().FieldByName("Files"); files.IsValid() {
			files.Set(reflect.MakeSlice(files.Type(), 1, 1))
		}
	default:
		return false
	}
	return true
}
