package analysis

import (
	"math"
	"testing"

	"github.com/parley-debate/parley/bench/task"
)

// TestSequentialSamples: where one question is planned, what is looked at are its repeats; of several, each counts
// once.
func TestSequentialSamples(t *testing.T) {
	first, second := asked("rrrrrrrrrr"), asked("wwwwwwwwww")
	samples, questions := sequential(partOf(first), partOf(second), 1), sequential(partOf(first), partOf(second), 2)
	if want := 11 / math.Pow(2, 10); math.Abs(samples.P()-want) > 1e-12 || questions.P() != 1 {
		t.Errorf("ten samples: %g, want %g; one question: %g, want 1", samples.P(), want, questions.P())
	}
	second[3].Score, first[4].Score = task.Failed, task.Failed
	if got := sequential(partOf(first), partOf(second), 1); math.Abs(got.P()-9/math.Pow(2, 8)) > 1e-12 {
		t.Errorf("eight samples that both could hold: %g", got.P())
	}
}
