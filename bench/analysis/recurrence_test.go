package analysis

import (
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference"
)

// TestRecurrence: what a recurrent model computes again has a line of its own, which others have not.
func TestRecurrence(t *testing.T) {
	s := inference.Stats{PromptAsked: 10_000, PromptComputed: 3000}
	if text := savings(s); strings.Contains(text, "recurrence") {
		t.Errorf("what the scheduler saved is told without recurrence where there is none: got %v", text)
	}
	s.PromptRepeated = 1200
	const want = "3,000 computed: 70.0 % saved by sharing prefixes and equal generations\n" +
		"recurrence     1,200 of those computed were in the tree, but a state cannot be cut; the other 1,800 were " +
		"new to it\ngenerations "
	if text := savings(s); !strings.Contains(text, want) {
		t.Errorf("what the scheduler saved is told with %q: got %v", want, text)
	}
}
