package agreement

import "testing"

// TestTransitions: answers are counted by what they were before, and are right, wrong or unread by the key.
func TestTransitions(t *testing.T) {
	got := Transitions{Wrong: {Wrong: 1, Right: 2, Unread: 1}, Right: {Wrong: 1}}
	if got.Before(Wrong) != 4 || got.Before(Right) != 1 || got.Before(Unread) != 0 {
		t.Errorf("%d wrong, %d right and %d unread before; want 4, 1 and 0",
			got.Before(Wrong), got.Before(Right), got.Before(Unread))
	}
	if correctnessOf(2, 7) != Wrong || correctnessOf(7, 7) != Right || correctnessOf(Unparsed, 7) != Unread {
		t.Errorf("an answer is right if it is the target, wrong if it is not, and unread if there is none: got %v, "+
			"%v, %v", correctnessOf(7, 7), correctnessOf(2, 7), correctnessOf(Unparsed, 7))
	}
}
