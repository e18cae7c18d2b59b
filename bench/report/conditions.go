package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/details"
	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/debate"
)

// row is one condition as the table shows it.
type row struct {
	analysis.Row
	Kind  string           // what kind of row it is, "" for a method
	Point experiment.Point // its point in the experiment
	Guess float64          // the accuracy of the constant guess, for its bar
}

// Kinds of rows that are no methods.
const (
	kindReference = "reference"
	kindBound     = "a bound for vote, no method"           // of the same first answers
	kindBoundOwn  = "a bound for its own debate, no method" // of the answers of its last round
	kindOracle    = "looks at the truth"
	kindAgain     = "the reference once more: noise, no method"
	kindGuess     = "needs no model"
)

// rowsOf adds to each row of a run what is special about it.
func (s study) rowsOf(list []analysis.Row) (rows []row) {
	for _, r := range list {
		rows = append(rows, row{r, s.kindOf(r.Condition), s.point(r.Condition), s.Comparison.Guess})
	}
	return rows
}

// kindOf says what is special about a condition, "" if it is an ordinary method. The reference comes first, because a
// run may name any condition as its reference, also one that would otherwise be set apart.
func (s study) kindOf(condition string) string {
	p := s.point(condition)
	switch {
	case condition == s.Comparison.Reference:
		return kindReference
	case condition == s.Comparison.Again:
		return kindAgain
	case condition == "oracle":
		return kindBound
	case p.From.Oracle:
		return kindBoundOwn
	case condition == "truth-first" || condition == "truth-last" ||
		strings.HasPrefix(debate.Value[string](p.Protocol.Settings, "order"), "truth-"):
		return kindOracle
	}
	return ""
}

// Apart reports whether a row is set apart from methods: it is none, or it looks at the truth.
func (r row) Apart() bool { return r.Kind != "" && r.Kind != kindReference }

// guess returns the row of the constant guess, which gives the same answer to every question. It has no interval: it is
// computed from the whole task, not from the questions that were drawn.
func guess(c analysis.Comparison) row {
	r := analysis.Row{Condition: "constant guess", Meaning: "the constant answer that is right most often on the " +
		"whole task", N: c.Questions,
		Accuracy: c.Guess}
	return row{Row: r, Kind: kindGuess, Guess: c.Guess}
}

// conditionsTable is the main table of a run: a row for each condition, or for several that are the same, and one for
// the constant guess. In CSV each condition has a row.
func conditionsTable(s study) table.Table {
	columns := slices.Concat(s.conditionColumns(), s.settingColumns())
	rows := append(s.rowsOf(s.Comparison.Distinct()), guess(s.Comparison))
	t := table.New(columns, rows)
	// The page folds equal conditions into one line; CSV must have each under its own name, or a script would miss it.
	t.Records = table.New(columns, append(s.rowsOf(s.Comparison.Rows), guess(s.Comparison))).Records
	for i, r := range rows {
		t.Lines[i].Apart = r.Apart()
	}
	t.Title = "Conditions"
	t.Caption = fmt.Sprintf("n: debates held%s; %s. Unparsed: share of the replies to the question that have "+
		"no readable answer; such a reply is never right. Calls and tokens are counted as if no computation were "+
		"shared.",
		s.perQuestion(), strings.Join(strings.Fields(strings.Join(s.Comparison.Methods(), "; ")), " "))
	return t
}

// groupsCSV joins the tables of groups, with a first column for the task if there are many; the result is "" if there
// are none.
func groupsCSV(studies []study, many bool) string {
	var names []string
	var tables []table.Table
	for _, s := range studies {
		if t := s.Comparison.GroupsTable(); len(t.Lines) > 0 {
			names, tables = append(names, s.Header.Task), append(tables, t)
		}
	}
	first := ""
	if many {
		first = "task"
	}
	return table.CSV(first, names, tables)
}

// perQuestion says what n counts.
func (s study) perQuestion() string {
	if s.Header.Repeats > 1 {
		return fmt.Sprintf(", %d on each question with different seeds, so n is not the number of questions",
			s.Header.Repeats)
	}
	return ", one on each question"
}

// conditionColumns returns the columns of the terminal, with what only a page can show. They are matched by their
// names: a column that is renamed in analysis loses here what a page adds to it. The constant guess has an accuracy,
// but asked no model.
func (s study) conditionColumns() (columns []table.Column[row]) {
	for _, c := range s.Comparison.Columns(analysis.View{Wide: true}) {
		k := table.Column[row]{Name: c.Name, Hidden: c.Hidden, Left: c.Left, Fields: c.Fields,
			Text: func(r row) string {
				if r.Kind == kindGuess && c.Name != "n" && c.Name != "accuracy" {
					return ""
				}
				return c.Text(r.Row)
			},
			Values: func(r row) []any {
				if c.Values == nil || r.Kind == kindGuess && c.Name != "accuracy" {
					return nil
				}
				return c.Values(r.Row)
			}}
		switch c.Name {
		case "condition":
			k.Text = func(r row) string { return r.Names() }
			k.Note, k.Hint = func(r row) string { return r.Kind }, func(r row) string { return r.Meaning }
			k.Fields = []string{"condition", "mark"}
			k.Values = func(r row) []any { return []any{r.Condition, r.Kind} }
		case "95 % interval":
			k.Left, k.Bar = true, barOf
		}
		columns = append(columns, k)
	}
	return columns
}

// settingColumns are columns for CSV alone: the series of a condition in a sweep, and the values of its settings.
func (s study) settingColumns() (columns []table.Column[row]) {
	settings := s.settings()
	if len(settings) == 0 {
		return nil
	}
	columns = []table.Column[row]{{Hidden: true, Fields: []string{"series"},
		Values: func(r row) []any { return []any{r.Point.Series} }}}
	for _, setting := range settings {
		columns = append(columns, table.Column[row]{Hidden: true, Fields: []string{setting},
			Values: func(r row) []any { return []any{valueAt(r.Point, setting)} }})
	}
	return columns
}

// barOf draws the accuracy with its interval, nil for a condition that held no debate: its accuracy of 0 means nothing.
func barOf(r row) *table.Bar {
	if r.N == 0 {
		return nil
	}
	if r.Kind == kindGuess {
		return &table.Bar{Point: r.Accuracy, Low: r.Accuracy, High: r.Accuracy, Guess: r.Guess}
	}
	return &table.Bar{Point: r.Accuracy, Low: r.Interval.Low, High: r.Interval.High, Guess: r.Guess}
}

// ifText returns the text if it is given, else "". Go evaluates the text in any case, so it must not fail without it.
func ifText(given bool, text string) string {
	if !given {
		return ""
	}
	return text
}

// between writes an interval; format is that of its ends.
func between(format string, i stat.Interval) string {
	return table.Between(format, i.Low, i.High)
}

// roundsCSV has how far answers differ, round by round, under each name, or "" if no debate has several rounds.
func roundsCSV(first string, names []string, studies []study) string {
	var tables []table.Table
	lines := 0
	for _, s := range studies {
		t := details.Disagreement(s.Comparison)
		tables, lines = append(tables, t), lines+len(t.Lines)
	}
	if lines == 0 {
		return ""
	}
	return table.CSV(first, names, tables)
}
