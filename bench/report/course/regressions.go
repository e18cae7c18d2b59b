package course

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/report/chart"
	"github.com/parley-debate/parley/bench/roles"
	"github.com/parley-debate/parley/bench/stat/regression"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/wording"
)

// Regressions are source 2's tables 4 and 5 and the weights of its Figure 5, over debates on puzzles. A table of what
// cannot be fitted, as with few debates, has no lines, and its caption says why. Weights that cannot be fitted are
// left out. There is nothing without puzzles.
func Regressions(cases []roles.Case) (tables []table.Table, figures []chart.Figure, err error) {
	if len(cases) == 0 {
		return nil, nil, nil
	}
	for _, of := range []struct {
		title   string
		outcome func(roles.Case) float64
	}{
		{"Regression of the final smooth accuracy", func(k roles.Case) float64 { return k.FinalSmooth }},
		{"Regression of agreement in a majority", func(k roles.Case) float64 { return k.AgreementMajor }},
	} {
		r, unfitted := roles.Regress(cases, of.outcome)
		if unfitted != nil {
			t := regressionTable(of.title, roles.Regression{Fit: &regression.Fit{}})
			t.Caption = fmt.Sprintf("There is no fit (source 2, Tables 4 and 5): %v.", unfitted)
			tables = append(tables, t)
			continue
		}
		tables = append(tables, regressionTable(of.title, r))
	}
	weights := weigh(cases)
	if len(weights) == 0 {
		return tables, nil, nil
	}
	f, err := weightsFigure(weights)
	return append(tables, weightsTable(weights)), []chart.Figure{f}, err
}

func regressionTable(title string, r roles.Regression) table.Table {
	places := make([]int, len(r.Coefficients))
	for i := range places {
		places[i] = i
	}
	columns := []table.Column[int]{
		table.Words("predictor", func(i int) string { return r.Coefficients[i].Name }),
		table.Decimals("coefficient", func(i int) *float64 { return &r.Coefficients[i].Estimate }),
		table.Words("p", func(i int) string { return r.Coefficients[i].Stars() }),
		table.Decimals("error", func(i int) *float64 { return &r.Coefficients[i].Error }),
	}
	byQuestion := "the second allows for debates on the same question."
	if r.NotClustered == nil {
		columns = append(columns,
			table.Decimals("error, by question", func(i int) *float64 { return &r.Clustered[i].Error }))
	} else {
		byQuestion = fmt.Sprintf("there is none that allows for debates on the same question: %v.", r.NotClustered)
	}
	t := table.New(columns, places)
	t.Title = title
	t.Caption = fmt.Sprintf("Ordinary least squares over %s, R² %.3f, adjusted %.3f (source 2, Tables 4 and 5). The "+
		"strong agent of a condition is the one with the best proposals, the weak one that with the worst; since they "+
		"are chosen after the fact, by the debates that the line is fitted to, the p of strong_* and weak_* are too "+
		"small. init_chaos is 1 if the proposals have no majority on some player, else 0; strong_in_minority and "+
		"weak_in_minority are shares of the players, whose unit the source leaves open. *, **, ***: p below 0.05, "+
		"0.01, 0.001 by the first error; %s",
		wording.Count(r.N, "debate"), r.R2, r.Adjusted, byQuestion)
	if len(r.LeftOut) > 0 {
		t.Caption += " Left out, because they do not vary or follow from those above: " +
			strings.Join(r.LeftOut, ", ") + "."
	}
	return t
}

// weighed is the weight of one transition in puzzles of one size.
type weighed struct {
	players, debates int
	alpha            float64
	regression.Weight
}

// weigh fits the weights of each size.
func weigh(cases []roles.Case) (lines []weighed) {
	bySize := make(map[int][]roles.Case)
	for _, k := range cases {
		bySize[k.Players] = append(bySize[k.Players], k)
	}
	for _, players := range slices.Sorted(maps.Keys(bySize)) {
		fit, err := roles.Weights(bySize[players])
		if err != nil {
			continue
		}
		for _, w := range fit.Weights {
			lines = append(lines, weighed{players, len(bySize[players]), fit.Alpha, w})
		}
	}
	return lines
}

func weightsTable(lines []weighed) table.Table {
	t := table.New([]table.Column[weighed]{
		table.Counts("players", func(w weighed) int { return w.players }),
		table.Counts("debates", func(w weighed) int { return w.debates }),
		table.Words("transition", func(w weighed) string { return w.Name }),
		table.Decimals("weight", func(w weighed) *float64 { return &w.Weight.Weight }),
		table.Decimals("alpha", func(w weighed) *float64 { return &w.alpha }),
	}, lines)
	t.Title = "Weights of the transitions"
	t.Caption = "Ridge regression of a debate's final smooth accuracy on how often each transition occurs in it, by " +
		"size of the puzzle (source 2, Figure 5). A weight is what one standard deviation more adds; alpha, the " +
		"penalty, is chosen by leaving out one debate at a time."
	return t
}
