package analysis

import (
	"fmt"
	"strings"
	"testing"
)

func TestQuestionsFor(t *testing.T) {
	// All questions that differ fall to one side: with 0.2 of them differing, six of these are needed.
	got, err := QuestionsFor(0.2)
	if err != nil || strings.Count(got, "\n") != 3 || !strings.Contains(got, "with 39 questions     if 20.0 %") {
		t.Errorf("a table of 3 lines says how many questions are enough, 39 if 20 %% differ: got %s, %v", got, err)
	}
	for _, bad := range []float64{0, -1, 1.1} {
		t.Run(fmt.Sprint(bad), func(t *testing.T) {
			if _, err := QuestionsFor(bad); err == nil {
				t.Errorf("a difference of %g was taken for one that can be found, want an error", bad)
			}
		})
	}
}
