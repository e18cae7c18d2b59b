package dynamics

import (
	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/report/chart"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/debate"
)

// ChallengeFigures draw which share of the panelists challenged the answer that they were shown and, of these, whose
// own answer is better, and whose is worse: MALLM's Figures 6 and 7. There are none if no condition challenges.
func ChallengeFigures(c analysis.Comparison, outcomes *outcome.Table) (figures []chart.Figure, err error) {
	var challenged, changed []chart.Measured
	for _, r := range c.Rows {
		asked, improved, worsened := challengesOf(outcomes.Under(r.Condition).All, c.Cluster != "")
		challenged = asked.row(challenged, r.Condition)
		changed = improved.row(changed, r.Condition+", better")
		changed = worsened.row(changed, r.Condition+", worse")
	}
	for _, f := range []struct {
		title, label, caption string
		rows                  []chart.Measured
	}{
		{"Challenges of the answer", "share of panelists who challenge", "Share of the panelists who disagreed when " +
			"they were shown the decision again, or another answer in its place, with 95 % intervals over questions " +
			"(MALLM, Figure 6).", challenged},
		{"What challenges change", "share of those who challenge", "Share of the panelists who disagreed whose own " +
			"answer is better, or worse, than the one that they were shown, with 95 % intervals over questions " +
			"(MALLM, Figure 7): right instead of wrong or, by a measure with degrees such as F1, of a higher one.",
			changed},
	} {
		if len(f.rows) == 0 {
			continue
		}
		drawn, err := chart.Forest(f.title, f.label, f.rows)
		if err != nil {
			return nil, err
		}
		drawn.Caption = f.caption
		figures = append(figures, drawn)
	}
	return figures, nil
}

// shares are 1 or 0 of each panelist, with the clusters that these may depend on: questions, or clusters of them.
type shares struct {
	values   []float64
	clusters []string
}

// add enters one panelist's yes or no, under the question or the cluster of questions on which the interval is based.
func (s *shares) add(is bool, o *outcome.Debate, clustered bool) {
	value, cluster := 0.0, o.Question
	if is {
		value = 1
	}
	if clustered {
		cluster = o.Cluster
	}
	s.values, s.clusters = append(s.values, value), append(s.clusters, cluster)
}

// row appends the row of the mean, if there is one.
func (s shares) row(rows []chart.Measured, name string) []chart.Measured {
	if len(s.values) == 0 {
		return rows
	}
	mean, interval := stat.ShareByCluster(s.values, s.clusters, analysis.Level)
	return append(rows, chart.Measured{Name: name, Value: mean, Interval: (*chart.Interval)(&interval)})
}

// challengesOf says of the panelists that were shown an answer whether they challenged it and, of these, whether their
// own is better or worse.
func challengesOf(outcomes []*outcome.Debate, clustered bool) (asked, improved, worsened shares) {
	for _, o := range outcomes {
		for _, said := range o.Transcript.Challenges {
			disagrees := said.Agrees != nil && !*said.Agrees
			asked.add(disagrees, o, clustered)
			if disagrees {
				change := changeOf(o, said)
				improved.add(change > 0, o, clustered)
				worsened.add(change < 0, o, clustered)
			}
		}
	}
	return asked, improved, worsened
}

// changeOf is by how much a panelist's answer is better than the one that it was shown.
func changeOf(o *outcome.Debate, said debate.Challenged) float64 {
	shown := o.Transcript.Decision.Answer
	if said.Shown != nil {
		shown = *said.Shown
	}
	return o.Degree(said.Answer) - o.Degree(shown)
}
