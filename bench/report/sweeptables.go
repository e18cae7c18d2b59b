package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/contrast"
	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/regression"
	"github.com/parley-debate/parley/bench/table"
)

// trend is the line through the accuracies of a series, with its intervals over questions. The unit of its slope is a
// share of right debates for each unit of the setting.
type trend struct {
	Series    string
	Questions int
	regression.Line
}

// trendTable returns the line through each series over a setting, nil if there is none. A line takes at least three
// numbers, and two questions that were asked at each of them.
func trendTable(s study, setting string) *table.Table {
	if _, numbers := s.values(setting); !numbers {
		return nil
	}
	var trends []trend
	for _, c := range s.curves(setting) {
		scores, clusters := s.scores(c)
		if line, err := regression.Trend(c.At, scores, clusters, stat.Bounds{High: 1}); err == nil && len(c.At) > 2 {
			trends = append(trends, trend{c.Name, len(scores), line})
		}
	}
	if trends == nil {
		return nil
	}
	t := table.New([]table.Column[trend]{
		table.Words("series", func(t trend) string { return t.Series }),
		table.Counts("questions", func(t trend) int { return t.Questions }),
		table.Right("slope", func(t trend) string { return table.Number("%+.4f", t.Slope.Estimate) }),
		table.Right("95 % interval", func(t trend) string { return between("%+.4f", t.Slope.Interval) }),
		table.Right("at 0", func(t trend) string { return table.Number("%.3f", t.Intercept.Estimate) }),
	}, trends)
	t.Title = "Trend over " + setting
	t.Caption = fmt.Sprintf("Slope: by how much the accuracy changes with each unit of %s, on average over the values "+
		"run. Every question has its own line; the table has their means, with intervals over the questions that "+
		"were asked at every value. A line says nothing of values that were not run.", setting)
	return &t
}

// sweepMean is the mean of a series over the values of a setting, beside that of the first series.
type sweepMean struct {
	Series            string
	Values, Questions int
	Accuracy          float64
	Interval          stat.Interval
	Over              *analysis.Paired // the test against the first series at common values; nil for the first
	Untested          string           // why it is nil although there are questions
	Similarity        *float64         // how similar the last answers are; nil if it was not measured
}

// meansTable returns the mean of each series over a setting. It is nil for numbers, whose trend says more, and if no
// series has several values.
func meansTable(s study, setting string) *table.Table {
	all := s.series(setting)
	if _, numbers := s.values(setting); numbers || len(s.curves(setting)) == 0 {
		return nil
	}
	var means []sweepMean
	for _, c := range all {
		m := sweepMean{Series: c.Name, Values: len(c.At)}
		m.Accuracy, m.Interval, m.Questions = analysis.GroupMean(s.Table(), c.conditions(), s.Comparison.Cluster)
		if alike := s.meanOf(c.conditions(), experiment.Number{Measure: analysis.MeasureSimilarity}); alike.Known {
			m.Similarity = &alike.Value
		}
		if of := c.beside(all[0]); len(means) > 0 && len(of.First) > 0 {
			m.Over, m.Untested = analysis.PoolRuns(of, []*outcome.Table{s.Table()}, s.Comparison.Cluster)
		}
		means = append(means, m)
	}
	columns := meansColumns
	caption := fmt.Sprintf("Means over the values of %s, each of which counts the same, on the questions that all of "+
		"them held, with intervals over questions. Difference: from %s, over the values that both have.", setting,
		all[0].Name)
	if slices.ContainsFunc(means, func(m sweepMean) bool { return m.Similarity != nil }) {
		columns = append(slices.Clone(columns),
			table.Decimals("similarity", func(m sweepMean) *float64 { return m.Similarity }))
		caption += " Similarity: of the agents' last answers."
	}
	t := table.New(columns, means)
	t.Title, t.Caption = "Means over "+setting, caption
	return &t
}

var meansColumns = []table.Column[sweepMean]{
	table.Words("series", func(m sweepMean) string { return m.Series }),
	table.Counts("values", func(m sweepMean) int { return m.Values }),
	table.Counts("questions", func(m sweepMean) int { return m.Questions }),
	table.Decimals("accuracy", func(m sweepMean) *float64 { return &m.Accuracy }),
	table.Right("95 % interval", func(m sweepMean) string { return between("%.3f", m.Interval) }),
	table.Right("difference", func(m sweepMean) string {
		return cmp.Or(m.Untested, ofPaired(m.Over, analysis.Paired.Signed))
	}),
	table.Right("its 95 % interval", func(m sweepMean) string {
		return ofPaired(m.Over, analysis.Paired.Between)
	}),
}

// ofPaired formats a comparison, "" if nothing was compared.
func ofPaired(p *analysis.Paired, format func(analysis.Paired) string) string {
	if p == nil {
		return ""
	}
	return format(*p)
}

// conditions returns the conditions of the points of a series.
func (c curve) conditions() (names []string) {
	for _, r := range c.Rows {
		names = append(names, r.Condition)
	}
	return names
}

// beside returns the contrast of a series with another one at the values that both have. Its sides are empty if there
// is no such value, and callers must not test it then.
func (c curve) beside(other curve) (k contrast.Contrast) {
	for i, r := range c.Rows {
		if j := slices.Index(other.At, c.At[i]); j >= 0 {
			k.First, k.Second = append(k.First, r.Condition), append(k.Second, other.Rows[j].Condition)
		}
	}
	return k
}

// flipThreshold says from which value of a swept setting on, up to the last one, the debates on a question are right
// more often than not, or wrong more often than not.
type flipThreshold struct {
	Question, Series string
	N                int     // largest number of debates at one value
	First, Last      float64 // accuracy at the first and at the last value
	Says             string
}

// flipThresholds returns the thresholds of a numeric sweep for each question and series: MADC's thresholds of
// reversal. It returns none where they would say little: with many questions, few values, or few repeats. The bounds
// are ours. A value at which the question was not asked is skipped, and a series with too few others has no threshold.
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
				if asked := outcomes.Under(r.Condition).CountOf(q); asked.Times > 0 {
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

// describeFlip says from which value on accuracies stay on one side of one half, by going back from the last value. An
// accuracy of exactly one half is on neither side, and so ends the stretch. at and accuracies are not empty and have
// the same length.
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
