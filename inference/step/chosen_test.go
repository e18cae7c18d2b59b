package step

import (
	"reflect"
	"slices"
	"testing"
)

// TestChosen: each parameter that can be chosen is one of a sampling, replaces it alone, is told by its name, and gives
// way to a later choice.
func TestChosen(t *testing.T) {
	before := Sampling{Temperature: 0.25, TopK: 40, TopP: 0.5, MinP: 0.125, RepeatPenalty: 1.5, Seed: 7,
		ReasoningTokens: BudgetOf(64), ReasoningWaits: 2}
	for i := range reflect.TypeFor[Chosen]().NumField() {
		f := reflect.TypeFor[Chosen]().Field(i)
		name := nameOf(f)
		p, ok := ParameterNamed(name)
		if !ok || !p.Chosen || p.Doc == "" || p.JSON+",omitempty" != f.Tag.Get("json") ||
			!p.Range.Has(0) {
			t.Errorf("%s: %+v, %t; want a parameter that is described, and called the same in JSON", name, p, ok)
		}
		zero, none := Sampling{}, Sampling{} // of a budget, 0 is not none
		if b, is := p.In(&zero).(*Budget); is {
			*b = BudgetOf(0)
		}
		c := ChosenOf(zero, func(given string) bool { return given == name })
		if !c.Any() || !slices.Equal(c.Said(), []string{name + "=0"}) {
			t.Errorf("%s: chosen %v, want %s=0", name, c.Said(), name)
		}
		after := c.In(before)
		if v := reflect.ValueOf(after).FieldByName(f.Name); !v.Equal(reflect.ValueOf(zero).FieldByName(f.Name)) {
			t.Errorf("%s is %v after 0 was chosen, want 0", name, v)
		}
		reflect.ValueOf(&after).Elem().FieldByName(f.Name).Set(reflect.ValueOf(before).FieldByName(f.Name))
		if !reflect.DeepEqual(after, before) {
			t.Errorf("%s: changes another parameter: %+v, want %+v", name, after, before)
		}
		later := c.With(ChosenOf(before, func(given string) bool { return given == name }))
		got := later.In(none)
		if reflect.ValueOf(got).FieldByName(f.Name).IsZero() || later.With(Chosen{}) != later {
			t.Errorf("%s: a later choice does not count: %v", name, later.Said())
		}
	}
	if (Chosen{}).Any() || !reflect.DeepEqual(Chosen{}.In(before), before) {
		t.Error("nothing is chosen, and something changes")
	}
}
