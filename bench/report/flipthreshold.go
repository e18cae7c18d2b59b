package report

import (
	"fmt"

	"parley/bench/stat"
	"parley/bench/table"
)

// flipThreshold is the value of a swept setting from which the debates on a question are right, or wrong, more often
// than not, up to the last value of the sweep.
type flipThreshold struct {
	Question, Series string
	N                int // debates at each value, at most
	First, Last      float64
	Says             string
}

// flipThresholds of numeric sweeps of a few questions that are asked often at many values: source 0's thresholds of
// reversal.
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
				if list := outcomes.Under(r.Condition).Marks(q); len(list) > 0 {
					at, accuracies, t.N = append(at, c.At[i]), append(accuracies, stat.Mean(list)), max(t.N, len(list))
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

// describeFlip says where accuracies stay on one side of a half.
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

// flipThresholdTable shows where series turn, nil if nothing does.
func flipThresholdTable(s study, setting string) *table.Table {
	rows := flipThresholds(s, setting)
	if len(rows) == 0 {
		return nil
	}
	t := table.New([]table.Column[flipThreshold]{
		table.Words("question", func(t flipThreshold) string { return t.Question }),
		table.Words("series", func(t flipThreshold) string { return t.Series }),
		{Name: "accuracy at the first value", Text: func(t flipThreshold) string {
			return fmt.Sprintf("%.2f",
				t.First)
		},
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
