package bench

import (
	"strings"
	"testing"
)

func TestPower(t *testing.T) {
	if got := (Header{Questions: 5}).Power(); !strings.Contains(got, "5 questions: too few") {
		t.Error(got)
	}
	if got := (Header{Questions: 60}).Power(); !strings.Contains(got,
		"from 0.13 on if all questions that differ fall to one side, from 0.23 on if 40 % of 60") {
		t.Error(got)
	}
	if got := (Header{Questions: 1, Repeats: 40}).Power(); !strings.Contains(got,
		"if all samples that differ fall to one side") || !strings.Contains(got, "40 % of 40 differ") {
		t.Errorf("one question: %s", got)
	}
	if got := (Header{Questions: 3, Repeats: 50}).Power(); !strings.Contains(got, "3 questions: too few") {
		t.Errorf("no permutation of three questions finds a difference: %s", got)
	}
	// 0.58 of the questions would have to differ
	if got := (Header{Questions: 12}).Power(); strings.Contains(got, "40 %") {
		t.Error(got)
	}
	if got := (Header{Questions: 60, Repeats: 2}).Power() +
		(Header{Questions: 60, Stop: &Stopping{}}).Power(); got != "" {
		t.Errorf("the power of another test: %s", got)
	}
}

func TestQuestionsFor(t *testing.T) {
	// All questions that differ fall to one side: with 0.2 of them differing, six of these are needed.
	got, err := QuestionsFor(0.2)
	if err != nil || strings.Count(got, "\n") != 3 || !strings.Contains(got, "with 39 questions     if 20.0 %") {
		t.Error(got, err)
	}
	for _, bad := range []float64{0, -1, 1.1} {
		if _, err := QuestionsFor(bad); err == nil {
			t.Errorf("a difference of %g can be found", bad)
		}
	}
}
