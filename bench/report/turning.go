package report

import (
	"fmt"

	"parley/bench/stat"
)

// turning says from which value of a setting on a question is right, or wrong, more often than not.
type turning struct {
	Question, Series string
	N                int // debates at each value, at most
	First, Last      float64
	Says             string
}

// turnings of numeric sweeps of a few questions that are asked often at many values: source 0's thresholds of reversal.
func turnings(s study, setting string) (found []turning) {
	const mostQuestions, leastValues, leastRepeats = 12, 5, 5
	values, numbers := s.values(setting)
	if !numbers || len(values) < leastValues || s.Header.Repeats < leastRepeats ||
		s.Comparison.Questions > mostQuestions {
		return nil
	}
	table := s.Table()
	for _, q := range table.Questions() {
		for _, c := range s.curves(setting) {
			t := turning{Question: q, Series: c.Name}
			var at, accuracies []float64
			for i, r := range c.Rows {
				if list := table.Under(r.Condition).Marks(q); len(list) > 0 {
					at, accuracies, t.N = append(at, c.At[i]), append(accuracies, stat.Mean(list)), max(t.N, len(list))
				}
			}
			if len(at) >= leastValues {
				t.First, t.Last, t.Says = accuracies[0], accuracies[len(accuracies)-1], turns(at, accuracies)
				found = append(found, t)
			}
		}
	}
	return found
}

// turns says where accuracies stay on one side of a half.
func turns(at, accuracies []float64) string {
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

// turningTable shows where series turn, nil if nothing does.
func turningTable(s study, setting string) *table {
	rows := turnings(s, setting)
	if len(rows) == 0 {
		return nil
	}
	t := tableOf([]column[turning]{
		words("question", func(t turning) string { return t.Question }),
		words("series", func(t turning) string { return t.Series }),
		{Name: "accuracy at the first value", Text: func(t turning) string { return fmt.Sprintf("%.2f", t.First) },
			Values: func(t turning) []any { return []any{t.First} }},
		{Name: "at the last value", Text: func(t turning) string { return fmt.Sprintf("%.2f", t.Last) },
			Values: func(t turning) []any { return []any{t.Last} }},
		words("more often than not", func(t turning) string { return t.Says }),
		counted("debates a value", func(t turning) int { return t.N }),
	}, rows, nil)
	t.Title = "Where answers turn, by " + setting
	t.Caption = "The first value from which the accuracy stays above a half, or below it, up to the last value. " +
		"With few debates at a value, chance alone moves this point."
	return &t
}
