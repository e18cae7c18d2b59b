package dynamics

import (
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/analysis"
)

// TestRepeatFigures: both metrics by the program of MADC, one row a condition, and no row without values.
func TestRepeatFigures(t *testing.T) {
	c := analysis.Comparison{Repeated: []analysis.Repeated{
		{Condition: "fixed", Metric: analysis.LikelihoodByPaper, Values: []float64{-9, -9}},
		{Condition: "fixed", Metric: analysis.LikelihoodByCode, Values: []float64{-1, -3}},
		{Condition: "lost", Metric: analysis.LikelihoodByCode},
		{Condition: "fixed", Metric: analysis.EntropyByCode, Values: []float64{0.5, 0.5}},
		{Condition: "random", Metric: analysis.EntropyByCode, Values: []float64{0.25, 0.75, 1}},
	}}
	figures, err := RepeatFigures(c)
	if err != nil || len(figures) != 2 {
		t.Fatalf("repeats have 2 figures: got %d, %v", len(figures), err)
	}
	for i, want := range []struct {
		conditions []string
		axis       string
		points     int // of repeats
	}{
		{[]string{"fixed"}, "bits, summed over questions", 2},
		{[]string{"fixed", "random"}, "bits, mean over questions", 5},
	} {
		t.Run(want.axis, func(t *testing.T) {
			texts := textsOf(t, figures[i])
			for _, text := range append(want.conditions, want.axis) {
				if !slices.Contains(texts, text) {
					t.Errorf("%s has the text %q: got %q", figures[i].Title, text, texts)
				}
			}
			if slices.Contains(texts, "lost") {
				t.Errorf("%s draws no condition without values, but draws lost", figures[i].Title)
			}
			circles := strings.Count(string(figures[i].SVG), "fill:var(--soft)") - 1 // the title of the axis
			if circles != want.points {
				t.Errorf("%s has %d points of repeats, not %d", figures[i].Title, circles, want.points)
			}
		})
	}
	if figures, err := RepeatFigures(analysis.Comparison{}); figures != nil || err != nil {
		t.Errorf("without repeats there are no figures of them: got %v, %v", figures, err)
	}
}
