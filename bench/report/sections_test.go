package report

import (
	"slices"
	"testing"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/report/chart"
)

// TestFrontFirst: a run that settles what to use within budgets begins with the verdict, the picture of the front and
// its table; any other run has the same picture once, further down.
func TestFrontFirst(t *testing.T) {
	run := small(t, 3, 2)
	if run.Comparison.Front == nil {
		t.Fatal("the run has no front")
	}
	const picture = "Accuracy over tokens"
	places := func(s study) (first, times int) {
		figures, faults := figuresOf(s)
		if len(faults) > 0 {
			t.Fatalf("all figures are drawn: got faults %q, want none", faults)
		}
		is := func(f chart.Figure) bool { return f.Title == picture }
		for _, f := range figures {
			if is(f) {
				times++
			}
		}
		return slices.IndexFunc(figures, is), times
	}
	if first, times := places(study{Run: run}); first < 1 || times != 1 {
		t.Errorf("without budgets the picture is there once, not as the first figure: got place %d, %d times",
			first, times)
	}
	front := *run.Comparison.Front
	front.Budgets = []analysis.Within{{Budget: 1, Use: front.Use}}
	run.Comparison.Front = &front
	s := study{Run: run}
	if first, times := places(s); first != 0 || times != 1 {
		t.Errorf("with budgets the picture is there once, as the first figure (0): got place %d, %d times",
			first, times)
	}
	c, err := runContents(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Sections[0].Tables[1].Title; got != "What is worth its tokens" || c.Verdict[0] != front.Verdict() {
		t.Errorf("the first table below the conditions is \"What is worth its tokens\", and the first words are "+
			"the front's, %q: got %q, %q", front.Verdict(), got, c.Verdict[0])
	}
}

// TestQuestionsOnce: the tables that answer a question stand together, so that the page folds them under it once. What
// is worth its tokens has two places, of which a run uses one.
func TestQuestionsOnce(t *testing.T) {
	var asked []string
	for i, s := range sectionTables[1:] {
		if s.question == sectionTables[i].question {
			continue
		}
		if slices.Contains(asked, s.question) {
			t.Errorf("a question is asked once: got %q again after %q", s.question, sectionTables[i].question)
		}
		asked = append(asked, s.question)
	}
}
