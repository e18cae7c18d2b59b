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

// TestWiden: work takes as many steps as its tokens need when as many generations run as planned, or its rows, and
// those of the first part, but no more than it took.
func TestWiden(t *testing.T) {
	l := &Local{models: []*instance{{plan: plan{parallel: 16, cost: 8}}}}
	for name, test := range map[string]struct {
		work, first Stats
		want        int
	}{
		"narrow parts":   {Stats{Decoded: 1600, Rows: 1600, Steps: 900}, Stats{Steps: 50}, 150},
		"long prompts":   {Stats{Decoded: 160, Rows: 51200, Steps: 900}, Stats{Steps: 50}, 150},
		"wide already":   {Stats{Decoded: 1600, Rows: 1600, Steps: 120}, Stats{Steps: 50}, 120},
		"one part alone": {Stats{Decoded: 1600, Rows: 1600, Steps: 900}, Stats{Steps: 900}, 900},
	} {
		t.Run(name, func(t *testing.T) {
			test.work.BatchCapacity = 512
			got := l.Widen(test.work, test.first)
			if got.Steps != test.want || got.Rows != test.work.Rows {
				t.Errorf("%d steps of %d rows in all, want %d of %d", got.Steps, got.Rows, test.want, test.work.Rows)
			}
			if weight := l.Weigh(got); weight != float64(got.Rows+8*got.Steps) {
				t.Errorf("%g rows, want %d", weight, got.Rows+8*got.Steps)
			}
		})
	}
	two := &Local{models: []*instance{{plan: plan{parallel: 16}}, {plan: plan{parallel: 16}}}}
	part := Stats{Decoded: 1600, Rows: 1600, Steps: 900, BatchCapacity: 512}
	all := Stats{Steps: 1800, Models: []Stats{part, part}}
	got := two.Widen(all, Stats{Models: []Stats{{}, {Steps: 100}}})
	if got.Steps != 300 || got.Models[0].Steps != 100 || got.Models[1].Steps != 200 || all.Models[0].Steps != 900 {
		t.Errorf("%d steps, of two models %d and %d, want 300, 100 and 200", got.Steps, got.Models[0].Steps,
			got.Models[1].Steps)
	}
}
