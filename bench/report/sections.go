package report

import (
	"fmt"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/details"
	"github.com/parley-debate/parley/bench/report/chart"
	"github.com/parley-debate/parley/bench/report/dynamics"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/internal/bug"
)

// sectionTables are the tables of a run's section below that of its conditions, in their order, with the questions that
// they answer, under which the page folds them; each returns none if the run has nothing to show in it. To show another
// table, add it here; the page, Markdown, the index and --details of a run follow.
var sectionTables = []struct {
	question string
	tables   func(study) []table.Table
}{
	{worth, func(s study) []table.Table { return worthTables(s, true) }},
	{contrasts, func(s study) []table.Table { return unlessNil(contrastsTable(s)) }},
	{worth, func(s study) []table.Table { return worthTables(s, false) }},
	{readings, func(s study) []table.Table { return s.Comparison.ReadingTables() }},
	{"How did the debates go?",
		func(s study) []table.Table { return unlessEmpty(details.Debating(s.Comparison, s.times)) }},
	{"How did the debates go?", func(s study) []table.Table { return unlessEmpty(details.Asides(s.Comparison)) }},
	{"How did the debates go?",
		func(s study) []table.Table { return unlessEmpty(details.Rounds(s.Comparison, s.times)) }},
	{"How did the debates go?", func(s study) []table.Table { return unlessEmpty(s.Comparison.GroupsTable()) }},
	{"How did the debates go?", func(s study) []table.Table { return unlessEmpty(details.Variances(s.Comparison)) }},
	{"How did the debates go?", func(s study) []table.Table { return unlessEmpty(s.Comparison.RepeatsTable()) }},
	{"How did the debates go?", func(s study) []table.Table { return unlessEmpty(details.Facts(s.Comparison)) }},
	{"Are several tries worth it?", func(s study) []table.Table { return details.Passes(s.Comparison) }},
	{"Are several tries worth it?",
		func(s study) []table.Table { return unlessEmpty(dynamics.CoverageTable(s.Comparison.Rows)) }},
	{"What did agents make of each other?", func(s study) []table.Table { return details.AmongPeers(s.Comparison) }},
	{"What did agents believe?", func(s study) []table.Table { return unlessEmpty(details.Beliefs(s.Comparison)) }},
	{"How were the puzzles solved?",
		func(s study) []table.Table { return unlessEmpty(details.Puzzles(s.Comparison)) }},
	{"How were the puzzles solved?", func(s study) []table.Table { return dynamics.PuzzleTables(s.Comparison) }},
	{"What do the settings change?", sweepTables},
	{"What do the settings change?", positionTables},
	{"How alike are the texts?",
		func(s study) []table.Table { return unlessNil(dynamics.SimilarityTable(s.Similarity)) }},
	{"How alike are the texts?",
		func(s study) []table.Table { return unlessNil(dynamics.GrowthOfTextsTable(s.Similarity)) }},
	{"What do others say of the decisions?", scoreTables},
	{"What do others say of the decisions?", judgementTables},
	{"Which sentence moved a decision?", branchTables},
}

// Questions whose tables a run shows below its conditions also without --details.
const (
	contrasts = "Which planned contrasts differ?"
	readings  = "Were the replies read as they were meant?"
)

// tablesOf makes all tables for which a run has something to show. One that panics does not stop the others: faults say
// why it is missing.
func tablesOf(s study) (tables []table.Table, faults []string) {
	for _, shown := range sectionTables {
		var made []table.Table
		if why := bug.Text(func() { made = shown.tables(s) }); why != "" {
			faults = append(faults, why)
		}
		for _, t := range made {
			t.Question = shown.question
			tables = append(tables, t)
		}
	}
	return tables, faults
}

// Details are the tables of a report that a run shows with --details: all that its comparison alone can fill, but for
// those that stand above them.
func Details(c analysis.Comparison) (d table.Document) {
	tables, faults := tablesOf(study{Run: rundir.Run{Comparison: c}, times: true})
	for _, t := range append(tables, faultsTable(faults)...) {
		if t.Question != contrasts && t.Question != readings {
			d = append(d, t.Titled("")...)
		}
	}
	return d
}

// worth is the question that a run at equal budgets is for.
const worth = "Is anything worth its tokens?"

// worthTables say what is worth its tokens, of reasoning too, in all and question by question: first of all in a run
// that settles it.
func worthTables(s study, first bool) (tables []table.Table) {
	if s.settles() != first {
		return nil
	}
	c := s.Comparison
	for _, t := range []table.Table{c.FrontTable(), c.ThinkingTable(), c.ChoiceTable(), c.CeilingsTable()} {
		tables = append(tables, unlessEmpty(t)...)
	}
	return tables
}

// settles reports whether a run says what to use within budgets.
func (s study) settles() bool {
	return s.Comparison.Front != nil && len(s.Comparison.Front.Budgets) > 0
}

// unlessEmpty returns a list of the table, empty if the table has no lines: a title above nothing would look like a
// fault.
func unlessEmpty(t table.Table) []table.Table {
	if len(t.Lines) == 0 {
		return nil
	}
	return []table.Table{t}
}

// unlessNil returns a list of the table, empty if there is none.
func unlessNil(t *table.Table) []table.Table {
	if t == nil {
		return nil
	}
	return []table.Table{*t}
}

// sweepTables returns the tables of each swept setting: the trend for numbers, the means for all other values. Each
// function returns nil where the other one applies, so that a setting never has both.
func sweepTables(s study) (tables []table.Table) {
	for _, setting := range s.settings() {
		tables = append(tables, unlessNil(trendTable(s, setting))...)
		tables = append(tables, unlessNil(meansTable(s, setting))...)
		tables = append(tables, unlessNil(flipThresholdTable(s, setting))...)
	}
	return tables
}

// positionTables returns the effects of where a right answer is listed and of who gives it, for protocols that fix
// both.
func positionTables(s study) (tables []table.Table) {
	for _, p := range dynamics.Positions(s.Header.Protocols, s.Table()) {
		tables = append(tables, dynamics.PositionTable(p))
	}
	return tables
}

// scoreTables returns a table for each measure by which another program scored the decisions.
func scoreTables(s study) (tables []table.Table) {
	if s.Scores == nil {
		return nil
	}
	for _, m := range s.Scores.Measures {
		tables = append(tables, s.Scores.Table(m))
	}
	return tables
}

// judgementTables returns the table of what a model has judged, if one has.
func judgementTables(s study) []table.Table {
	if s.Judgement == nil {
		return nil
	}
	return []table.Table{s.Judgement.Table()}
}

// branchTables returns what the sentences of messages changed, where that was asked for.
func branchTables(s study) []table.Table {
	if s.Branches == nil {
		return nil
	}
	return s.Branches.Tables()
}

// sectionFigures are the figures of a run's section, in their order; each returns none if the run has nothing to show
// in it. Those that such a run is for come before all others: the front where it settles what to use, and positions.
var sectionFigures = []func(study) ([]chart.Figure, error){
	func(s study) ([]chart.Figure, error) { return fronts(s, true) },
	positionFigures,
	sweeps,
	thinking,
	ifMarked(func(s study) ([]chart.Figure, error) {
		return dynamics.PoolFigures(s.Comparison, s.Table(), s.candidateShare)
	}),
	func(s study) ([]chart.Figure, error) { return nonEmpty(accuracies(s)) },
	func(s study) ([]chart.Figure, error) { return fronts(s, false) },
	ifMarked(func(s study) ([]chart.Figure, error) { return nonEmpty(dynamics.Votes(s.Comparison)) }),
	ifMarked(func(s study) ([]chart.Figure, error) { return nonEmpty(dynamics.Transitions(s.Comparison)) }),
	ifMarked(func(s study) ([]chart.Figure, error) { return nonEmpty(dynamics.Beliefs(s.Comparison, s.Table())) }),
	func(s study) ([]chart.Figure, error) { return dynamics.RepeatFigures(s.Comparison) },
	func(s study) ([]chart.Figure, error) { return dynamics.PuzzleFigures(s.Comparison) },
	func(s study) ([]chart.Figure, error) { return dynamics.ChallengeFigures(s.Comparison, s.Table()) },
}

// figuresOf draws all figures for which a run has something to show. A figure that fails, or panics, does not stop the
// others: faults say why it is missing.
func figuresOf(s study) (figures []chart.Figure, faults []string) {
	for _, draw := range sectionFigures {
		var more []chart.Figure
		if err := bug.Caught(func() (err error) { more, err = draw(s); return err }); err != nil {
			faults = append(faults, err.Error())
		}
		figures = append(figures, more...)
	}
	return figures, faults
}

// faultsTable names what a section lacks because of a mistake in parley. A finished run has a report, whatever happens
// to one of its tables.
func faultsTable(faults []string) []table.Table {
	t := table.New([]table.Column[string]{table.Words("why", func(s string) string { return s })}, faults)
	t.Title = "What could not be computed"
	return unlessEmpty(t)
}

// ifMarked draws nothing for a run whose record does not tell which replies were right before the decision. Without
// this guard, every reply of an old record would be drawn as wrong.
func ifMarked(draw func(study) ([]chart.Figure, error)) func(study) ([]chart.Figure, error) {
	return func(s study) ([]chart.Figure, error) {
		if !s.Marked() {
			return nil, nil
		}
		return draw(s)
	}
}

// nonEmpty returns a list of the figure, empty if it was not rendered: a figure without data has a title but no SVG. It
// adds the title to an error, because the plotting library does not say what it drew.
func nonEmpty(f chart.Figure, err error) (figures []chart.Figure, _ error) {
	if err != nil {
		err = fmt.Errorf("figure %q: %w", f.Title, err)
	}
	if f.SVG != "" {
		figures = append(figures, f)
	}
	return figures, err
}

// fronts draw the front: first of all in a run that settles what to use.
func fronts(s study, first bool) ([]chart.Figure, error) {
	if s.settles() != first {
		return nil, nil
	}
	return nonEmpty(front(s))
}

// positionFigures draw the effects of places and holders.
func positionFigures(s study) (figures []chart.Figure, err error) {
	for _, p := range dynamics.Positions(s.Header.Protocols, s.Table()) {
		f, drawErr := dynamics.PositionFigure(p)
		if drawErr != nil {
			return nil, fmt.Errorf("figure %q: %w", f.Title, drawErr)
		}
		figures = append(figures, f)
	}
	return figures, nil
}
