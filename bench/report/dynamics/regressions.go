package dynamics

import (
	"cmp"
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

// Regressions are Wu et al.'s tables 4 and 5, beside what is printed in them, and the weights of their Figure 5, over
// debates on puzzles. A table of what cannot be fitted, as with few debates, has only what is printed, and its caption
// says why. Weights that cannot be fitted are left out. There is nothing without puzzles.
func Regressions(cases []roles.Case, printed []roles.Printed) (tables []table.Table, figures []chart.Figure,
	err error) {
	if len(cases) == 0 {
		return nil, nil, nil
	}
	for _, of := range roles.FitOutcomes {
		e := explained{title: of.Title}
		e.ours, e.unfitted = roles.Regress(cases, of.Of)
		if i := slices.IndexFunc(printed, func(p roles.Printed) bool { return p.Outcome == of.Name }); i >= 0 {
			e.printed = &printed[i]
		}
		tables = append(tables, e.table())
	}
	weights := weigh(cases)
	if len(weights) == 0 {
		return tables, nil, nil
	}
	f, err := weightsFigure(weights)
	return append(tables, weightsTable(weights)), []chart.Figure{f}, err
}

// explained is a regression over debates, and what is printed of the same.
type explained struct {
	title    string
	ours     roles.Regression // nothing if unfitted says why
	unfitted error
	printed  *roles.Printed // it is nil if nothing is
}

// explanation is a line of its table: a predictor, or a number of the whole fit.
type explanation struct {
	name                  string
	ours, byQuestion      *regression.Coefficient // they are nil where there is none
	printed               *regression.Coefficient // it is nil where the source prints none
	whole, printedOfWhole string                  // in the place of coefficients
}

// lines are the predictors of either fit, in their order, then its other numbers if some are printed.
func (e explained) lines() (lines []explanation) {
	in := func(list []regression.Coefficient, name string) *regression.Coefficient {
		i := slices.IndexFunc(list, func(c regression.Coefficient) bool { return c.Name == name })
		if i < 0 {
			return nil
		}
		return &list[i]
	}
	names := append([]string{regression.Constant}, roles.PredictorNames...)
	for _, c := range e.ours.Coefficients {
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name) // of teams
		}
	}
	var printed []regression.Coefficient
	if e.printed != nil {
		printed = e.printed.Coefficients
	}
	for _, name := range names {
		l := explanation{name: name, ours: in(e.ours.Coefficients, name), byQuestion: in(e.ours.Clustered, name),
			printed: in(printed, name)}
		if l.ours != nil || l.printed != nil {
			lines = append(lines, l)
		}
	}
	if e.printed == nil {
		return lines
	}
	n, r2, adjusted := table.Absent, table.Absent, table.Absent
	if e.unfitted == nil {
		n, r2 = wording.Comma(e.ours.N), fmt.Sprintf("%.3f", e.ours.R2)
		adjusted = table.Number("%.3f", e.ours.Adjusted)
	}
	return append(lines, explanation{name: "debates", whole: n, printedOfWhole: wording.Comma(e.printed.N)},
		explanation{name: "R²", whole: r2, printedOfWhole: fmt.Sprintf("%.3f", e.printed.R2)},
		explanation{name: "R², adjusted", whole: adjusted, printedOfWhole: table.Number("%.3f", e.printed.Adjusted)})
}

// table has a row for each predictor that we or the source fitted, with the coefficients side by side, and
// beside a published fit also rows about the whole.
func (e explained) table() table.Table {
	estimate := func(c *regression.Coefficient) *float64 {
		if c == nil {
			return nil
		}
		return &c.Estimate
	}
	deviation := func(c *regression.Coefficient) *float64 {
		if c == nil {
			return nil
		}
		return &c.Error
	}
	columns := []table.Column[explanation]{
		table.Words("predictor", func(l explanation) string { return l.name }),
		orWhole(table.Decimals("coefficient", func(l explanation) *float64 { return estimate(l.ours) }),
			func(l explanation) string { return l.whole }),
		table.Words("p", func(l explanation) string {
			if l.ours == nil {
				return ""
			}
			return l.ours.Stars()
		}),
		table.Decimals("error", func(l explanation) *float64 { return deviation(l.ours) }),
	}
	if e.unfitted == nil && e.ours.NotClustered == nil {
		columns = append(columns, table.Decimals("error, by question", func(l explanation) *float64 {
			return deviation(l.byQuestion)
		}))
	}
	if e.printed != nil {
		columns = append(columns,
			orWhole(table.Decimals("published", func(l explanation) *float64 { return estimate(l.printed) }),
				func(l explanation) string { return l.printedOfWhole }),
			table.Decimals("published error", func(l explanation) *float64 { return deviation(l.printed) }))
	}
	t := table.New(columns, e.lines())
	t.Title, t.Caption = e.title, e.caption()
	return t
}

// orWhole is a column of coefficients that has another text in lines about the whole fit.
func orWhole(c table.Column[explanation], whole func(explanation) string) table.Column[explanation] {
	number := c.Text
	c.Text = func(l explanation) string { return cmp.Or(whole(l), number(l)) }
	return c
}

// caption says what was fitted and what was published, or why there is no fit.
func (e explained) caption() (says string) {
	if e.unfitted != nil {
		says = fmt.Sprintf("There is no fit (Wu et al., Tables 4 and 5): %v.", e.unfitted)
	} else {
		says = fitCaption(e.ours)
	}
	if e.printed != nil {
		says += fmt.Sprintf(" Published: %s, for %s. It is one fit over all factors and teams, whose terms for the "+
			"teams the source leaves out; parley report has one over several experiments.", e.printed.From,
			e.printed.Model)
	}
	return says
}

// fitCaption describes a fit of ours: its quality, what its predictors mean, and which of its p are too small.
func fitCaption(r roles.Regression) string {
	byQuestion := "the second allows for debates on the same question, and is a little too small for 30 questions or " +
		"fewer."
	if r.NotClustered != nil {
		byQuestion = fmt.Sprintf("there is none that allows for debates on the same question: %v.", r.NotClustered)
	}
	says := fmt.Sprintf("Ordinary least squares over %s, R² %.3f, adjusted %.3f (Wu et al., Tables 4 and 5). The "+
		"strong agent of a condition is the one with the best proposals, the weak one that with the worst; since they "+
		"are chosen after the fact, by the debates that the line is fitted to, the p of strong_* and weak_* are too "+
		"small. init_chaos is 1 if the proposals have no majority on some player, else 0; strong_in_minority and "+
		"weak_in_minority are shares of the players, whose unit the source leaves open. *, **, ***: p below 0.05, "+
		"0.01, 0.001 by the first error; %s",
		wording.Count(r.N, "debate"), r.R2, r.Adjusted, byQuestion)
	if r.Baseline != "" {
		says += fmt.Sprintf(" team: 1 in the debates of these models, else 0; they are compared with %s.", r.Baseline)
	}
	if len(r.LeftOut) > 0 {
		says += " Left out, because they do not vary or follow from those above: " + strings.Join(r.LeftOut, ", ") + "."
	}
	return says
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

// weightsTable has a line for each size of puzzle and transition. Weights of different sizes have different penalties,
// and are not compared with one another.
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
		"size of the puzzle (Wu et al., Figure 5). A weight is what one standard deviation more adds; alpha, the " +
		"penalty, is chosen by leaving out one debate at a time."
	return t
}
