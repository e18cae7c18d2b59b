package agreement

import "testing"

// TestCorrectness: answers are right, wrong or unread by the key.
func TestCorrectness(t *testing.T) {
	if correctnessOf(2, 7) != Wrong || correctnessOf(7, 7) != Right || correctnessOf(Unparsed, 7) != Unread {
		t.Errorf("an answer is right if it is the target, wrong if it is not, and unread if there is none: got %v, "+
			"%v, %v", correctnessOf(7, 7), correctnessOf(2, 7), correctnessOf(Unparsed, 7))
	}
}
