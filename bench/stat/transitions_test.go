package stat

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTransitions counts one agent of each kind, and another that is corrected.
func TestTransitions(t *testing.T) {
	var got Transitions
	var before, after []Mark
	for b := range nMarks {
		for a := range nMarks {
			before, after = append(before, b), append(after, a)
		}
	}
	got.Count(before, after)
	got.Count([]Mark{MarkOf(2, 7)}, []Mark{MarkOf(7, 7)})
	want := Transitions{{1, 2, 1}, {1, 1, 1}, {1, 1, 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got[Wrong][Right] != 2 || MarkOf(Unparsed, 7) != Unread {
		t.Errorf("%v", got)
	}
	if share, known := got.Changed(Wrong); share != 0.75 || !known {
		t.Errorf("%g of the wrong ones changed", share)
	}
	if _, known := new(Transitions).Changed(Right); known {
		t.Error("nothing changed, and that is known")
	}
}
