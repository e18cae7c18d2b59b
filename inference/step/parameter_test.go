package step

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestParameters: each number that decides what is drawn is a parameter with a title, changes as its own name says, and
// keeps to its range.
func TestParameters(t *testing.T) {
	if first := Parameters()[0].Name; first != "temperature" {
		t.Errorf("the first is %s, want temperature", first)
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Sampling]()) {
		if k := f.Type.Kind(); k != reflect.Float32 && k != reflect.Int {
			continue
		}
		var own Sampling
		field := reflect.ValueOf(&own).Elem().FieldByIndex(f.Index).Addr().Interface()
		i := slices.IndexFunc(Parameters(), func(p Parameter) bool { return p.In(&own) == field })
		if i < 0 {
			t.Errorf("%s is not in the list of parameters", f.Name)
			continue
		}
		p := Parameters()[i]
		t.Run(p.Name, func(t *testing.T) {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != p.JSON {
				t.Errorf("records call it %s, and servers are sent %s, want one name", name, p.JSON)
			}
			if _, chosen := reflect.TypeFor[Chosen]().FieldByName(f.Name); chosen != p.Chosen {
				t.Errorf("it is a field of Chosen: %v, and listed as one: %v, want both alike", chosen, p.Chosen)
			}
			if p.Title == "" || p.JSON == "" || p.Doc != "" && len(p.Servers) == 0 {
				t.Errorf("%+v: lacks a title, a name in records, or who knows it", p)
			}
			var high, over Sampling
			if p.Name == "reasoning-waits" { // which needs a bound
				high.ReasoningTokens = BudgetOf(1)
			}
			set := func(s *Sampling, x float64) {
				switch to := p.In(s).(type) {
				case *float32:
					*to = float32(x)
				case *int:
					*to = int(x)
				case *Budget:
					*to = BudgetOf(int(x))
				}
			}
			set(&high, p.Range.High)
			set(&over, p.Range.High+1)
			if err := high.Validate(); err != nil || p.Of(high) != p.Range.High {
				t.Errorf("%g: %v, want no error", p.Of(high), err)
			}
			if err := over.Validate(); err == nil {
				t.Errorf("%g is not refused, want an error", p.Of(over))
			}
			var copied Sampling
			p.Copy(&copied, high)
			if high.ReasoningWaits > 0 {
				copied.ReasoningTokens = high.ReasoningTokens
			}
			if !reflect.DeepEqual(copied, high) {
				t.Errorf("copied %+v, want %+v", copied, high)
			}
		})
	}
}

// TestDecidesNothing: at temperature 0, neither the seed nor what shapes a draw decides anything, and penalties do.
func TestDecidesNothing(t *testing.T) {
	s := Sampling{TopK: 1, TopP: 0.5, MinP: 0.5, Seed: 3, RepeatPenalty: 2}
	if got, want := s.Deciding(), (Sampling{RepeatPenalty: 2}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	s.Temperature = 1
	if got := s.Deciding(); !reflect.DeepEqual(got, s) {
		t.Errorf("got %+v, want %+v", got, s)
	}
}
