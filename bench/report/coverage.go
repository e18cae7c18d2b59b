package report

import (
	"fmt"

	"parley/bench/analysis"
	"parley/bench/stat"
	"parley/bench/table"
)

// covered is one point of the curve of a condition.
type covered struct {
	condition string
	stat.Covered
}

// coverageTable says what answering only with enough votes would achieve, of conditions whose debates differ in
// their votes.
func coverageTable(rows []analysis.Row) table.Table {
	var points []covered
	for _, r := range rows {
		if r.Dynamics == nil {
			continue
		}
		for _, p := range r.Dynamics.Coverage {
			points = append(points, covered{r.Condition, p})
		}
	}
	t := table.New([]table.Column[covered]{
		table.Words("condition", func(p covered) string { return p.condition }),
		table.Decimals("votes from", func(p covered) *float64 { return &p.Votes }),
		{
			Name:   "answered",
			Text:   func(p covered) string { return fmt.Sprintf("%.1f %%", 100*p.Coverage) },
			Values: func(p covered) []any { return []any{p.Coverage} },
		},
		table.Decimals("accuracy", func(p covered) *float64 { return &p.Accuracy }),
	}, points)
	t.Title = "Answering only with enough votes"
	t.Caption = "Accuracy on the questions whose decision has at least this share of the votes. Setting abstain to " +
		"that share would leave these questions."
	return t
}
