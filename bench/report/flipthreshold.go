package report

import (
	"fmt"

	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
)

// flipThreshold says from which value of a swept setting on, up to the last one, the debates on a question are right
// more often than not, or wrong more often than not.
type flipThreshold struct {
	Question, Series string
	N                int     // largest number of debates at one value
	First, Last      float64 // accuracy at the first and at the last value
	Says             string
}

// flipThresholds are those of a numeric sweep, for each question and series: source 0's thresholds of reversal. There
// are none where they would say little: with many questions, few values, or few repeats.
func flipThresholds(s study, setting string) (found []flipThreshold) {
	const mostQuestions, leastValues, leastRepeats = 12, 5, 5
	values, numbers := s.values(setting)
	if !numbers || len(values) < leastValues || s.Header.Repeats < leastRepeats ||
		s.Comparison.Questions > mostQuestions {
		return nil
	}
	outcomes := s.Table()
	for _, q := range outcomes.Questions() {
		for _, c := range s.curves(setting) {
			t := flipThreshold{Question: q, Series: c.Name}
			var at, accuracies []float64
			for i, r := range c.Rows {
				if asked := outcomes.Under(r.Condition).Asked(q); asked.Times > 0 {
					at, accuracies = append(at, c.At[i]), append(accuracies, stat.Share(asked.Right, asked.Times))
					t.N = max(t.N, asked.Times)
				}
			}
			if len(at) >= leastValues {
				t.First, t.Last, t.Says = accuracies[0], accuracies[len(accuracies)-1], describeFlip(at, accuracies)
				found = append(found, t)
			}
		}
	}
	return found
}

// describeFlip says from which value on accuracies stay on one side of one half.
func describeFlip(at, accuracies []float64) string {
	side := func(accuracy float64) int {
		switch {
		case accuracy > 0.5:
			return 1
		case accuracy < 0.5:
			return -1
		}
		return 0
	}
	last := len(at) - 1
	end := side(accuracies[last])
	if end == 0 {
		return "undecided at the end"
	}
	first := last
	for first > 0 && side(accuracies[first-1]) == end {
		first--
	}
	name := map[int]string{1: "right", -1: "wrong"}[end]
	switch first {
	case 0:
		return name + " throughout"
	case last:
		return fmt.Sprintf("%s only at %g", name, at[last])
	}
	return fmt.Sprintf("%s from %g on", name, at[first])
}

// flipThresholdTable shows the flip thresholds of a setting, nil if there are none.
func flipThresholdTable(s study, setting string) *table.Table {
	rows := flipThresholds(s, setting)
	if len(rows) == 0 {
		return nil
	}
	t := table.New([]table.Column[flipThreshold]{
		table.Words("question", func(t flipThreshold) string { return t.Question }),
		table.Words("series", func(t flipThreshold) string { return t.Series }),
		{Name: "accuracy at the first value",
			Text:   func(t flipThreshold) string { return fmt.Sprintf("%.2f", t.First) },
			Values: func(t flipThreshold) []any { return []any{t.First} }},
		{Name: "at the last value", Text: func(t flipThreshold) string { return fmt.Sprintf("%.2f", t.Last) },
			Values: func(t flipThreshold) []any { return []any{t.Last} }},
		table.Words("more often than not", func(t flipThreshold) string { return t.Says }),
		table.Counts("debates per value", func(t flipThreshold) int { return t.N }),
	}, rows)
	t.Title = "Flip thresholds, by " + setting
	t.Caption = "The first value from which the accuracy stays above one half, or below it, up to the last value. " +
		"With few debates per value, chance alone moves this point."
	return &t
}
