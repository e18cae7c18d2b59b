package ending_test

import (
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference/ending"
)

// TestEcho tells replies that say the question again from those that say something.
func TestEcho(t *testing.T) {
	const question = "On a shelf, there are three books: a red book, a gray book, and a white book. The white " +
		"book is " +
		"to the left of the gray book.\nOptions:\n(A) The red book is the leftmost\n(B) The gray book is the leftmost"
	for text, want := range map[string]bool{
		"": false, "The answer is (B).": false, "three books: a red book": false,
		question: true,
		"Options: (A) The red book is the leftmost (B) The gray book is the leftmost":                         true,
		strings.ReplaceAll(question, " ", "  ") + " Yes.":                                                     true,
		"The white book is to the left of the gray book, so the gray book cannot be the leftmost. Hence (A).": false,
		strings.Repeat("no ", 1000): false,
	} {
		t.Run(text, func(t *testing.T) {
			if got := ending.Echo(text, question); got != want {
				t.Errorf("%.60q: %v, want %v", text, got, want)
			}
		})
	}
}
