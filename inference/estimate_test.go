package inference

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestStatsAdd: every count and duration adds up, also of each model, and what was added can be taken away; sizes and
// peaks stay. A new field is one or the other.
func TestStatsAdd(t *testing.T) {
	var one Stats
	for i := range reflect.TypeFor[Stats]().NumField() {
		if f := reflect.ValueOf(&one).Elem().Field(i); f.CanInt() {
			f.SetInt(int64(i + 1))
		}
	}
	s := one
	s.Models = []Stats{one, one}
	got := s.Add(3, s)
	for _, each := range append(got.Models, got) {
		for i := range reflect.TypeFor[Stats]().NumField() {
			want, name := int64(4*(i+1)), reflect.TypeFor[Stats]().Field(i).Name
			switch name {
			case "BatchCapacity", "PeakSequences", "PeakCells", "Cells":
				want = int64(i + 1)
			case "Models":
				continue
			}
			if n := reflect.ValueOf(each).Field(i).Int(); n != want {
				t.Errorf("%s is %d, want %d", name, n, want)
			}
		}
	}
	if diff := cmp.Diff(s, got.Add(-3, s)); diff != "" {
		t.Errorf("what was added and taken away (-before, +after):\n%s", diff)
	}
	if s.Models[0].Steps != one.Steps {
		t.Error("the counts that were added to are changed")
	}
}

// TestWeigh: a step counts as many rows as it costs beside its own.
func TestWeigh(t *testing.T) {
	l := &Local{models: []*instance{{plan: plan{cost: 8}}, {plan: plan{cost: 2}}}}
	work := Stats{Rows: 1, Steps: 1, Models: []Stats{{Rows: 1600, Steps: 900}, {Rows: 10, Steps: 3}}}
	if weight := l.Weigh(work); weight != 1600+8*900+10+2*3 {
		t.Errorf("%g rows, want 8,816", weight)
	}
}
