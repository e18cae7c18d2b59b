package dynamics

import (
	"fmt"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
)

// covered is one point of a condition's coverage curve.
type covered struct {
	condition string
	stat.Covered
}

// CoverageTable shows the accuracy of answering only with enough votes, for conditions whose debates differ in the
// share of votes of their decisions.
func CoverageTable(rows []analysis.Row) table.Table {
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
	t.Title, t.Lead = "Answering only with enough votes", []string{"accuracy"}
	t.Caption = "Accuracy on the questions whose decision has at least this share of the votes. Setting abstain to " +
		"that share would leave these questions."
	return t
}
