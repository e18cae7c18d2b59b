package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/wording"
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
	kindGuess     = "needs no model"
)

// rowsOf are the rows of a run, one for each condition.
func rowsOf(s study) (rows []row) {
	for _, r := range s.Comparison.Rows {
		rows = append(rows, row{r, s.kindOf(r.Condition), s.point(r.Condition), s.Comparison.Guess})
	}
	return rows
}

// kindOf says what is special about a condition, "" if it is an ordinary method.
func (s study) kindOf(condition string) string {
	p := s.point(condition)
	switch {
	case condition == s.Comparison.Reference:
		return kindReference
	case condition == "oracle":
		return kindBound
	case p.From.Oracle:
		return kindBoundOwn
	case condition == "truth-first" || condition == "truth-last" || strings.HasPrefix(p.Protocol.Order, "truth-"):
		return kindOracle
	}
	return ""
}

// Apart reports whether a row is set apart from methods: it is none, or it looks at the truth.
func (r row) Apart() bool { return r.Kind != "" && r.Kind != kindReference }

// guess is the row of the constant guess, which gives the same answer to every question.
func guess(c analysis.Comparison) row {
	r := analysis.Row{Condition: "constant guess", Meaning: "the constant answer that is right most often on the whole task", N: c.Questions,
		Accuracy: c.Guess}
	return row{Row: r, Kind: kindGuess, Guess: c.Guess}
}

// conditionsTable is the main table of a run: a row for each condition, and one for the constant guess.
func conditionsTable(s study) table.Table {
	rows := append(rowsOf(s), guess(s.Comparison))
	t := table.New(slices.Concat(s.conditionColumns(), s.settingColumns()), rows)
	for i, r := range rows {
		t.Lines[i].Apart = r.Apart()
	}
	t.Title = "Conditions"
	t.Caption = fmt.Sprintf("n: debates held%s; %s. Unparsed: share of the replies to the question that have "+
		"no readable answer; such a reply is never right. Replies and tokens are counted as if no computation were "+
		"shared.",
		s.perQuestion(), strings.Join(strings.Fields(strings.Join(s.Comparison.Methods(), "; ")), " "))
	return t
}

// groupsCSV joins the tables of groups, with a first column for the task if there are many; "" if there are none.
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

// conditionColumns are the columns that every run has. To show another number of a row, add a column.
func (s study) conditionColumns() []table.Column[row] {
	against, failed := s.against(), len(s.Comparison.Failed) > 0
	repeated := slices.ContainsFunc(s.Comparison.Rows, func(r analysis.Row) bool { return r.Repeats != nil })
	columns := []table.Column[row]{
		{Name: "condition", Left: true, Text: func(r row) string { return r.Condition },
			Note: func(r row) string { return r.Kind }, Hint: func(r row) string { return r.Meaning },
			Fields: []string{"condition", "mark"}, Values: func(r row) []any { return []any{r.Condition, r.Kind} }},
		{Name: "n", Text: func(r row) string { return wording.Comma(r.N) },
			Fields: []string{"n", "questions", "right", "unparsed"}, Values: func(r row) []any {
				return ifModel(r, r.N, r.Questions, r.Right, r.Unparsed)
			}},
		{Name: "failed", Hidden: !failed,
			Text:   func(r row) string { return ifText(r.Kind != kindGuess, wording.Comma(r.Failed)) },
			Fields: []string{"failed"}, Values: func(r row) []any { return ifModel(r, r.Failed) }},
		{Name: "accuracy", Text: func(r row) string { return ifText(r.N > 0, fmt.Sprintf("%.3f", r.Accuracy)) },
			Fields: []string{"accuracy"}, Values: func(r row) []any { return ifHeld(r, r.Accuracy) }},
		{Name: "95 % interval", Left: true, Bar: barOf,
			Text:   func(r row) string { return ifText(r.Kind != kindGuess && r.N > 0, between("%.3f", r.Interval)) },
			Fields: []string{"low", "high"},
			Values: func(r row) []any { return ifHeld(r, r.Interval.Low, r.Interval.High) }},
		{Name: s.degree(), Hidden: s.degree() == "", Text: row.inPart,
			Fields: []string{"partial", "partial_low", "partial_high"}, Values: row.degrees},
		{Name: "± repeats", Hidden: !repeated, Text: func(r row) string { return table.Decimal(r.deviation()) },
			Fields: []string{"deviation"}, Values: func(r row) []any { return table.Known(r.deviation()) }},
		{Name: "vs", Hidden: against == s.Comparison.Reference, Left: true,
			Text:   ofPair(func(p analysis.Paired) string { return p.Against }),
			Fields: []string{"against"}, Values: ofPairs(func(p analysis.Paired) []any { return []any{p.Against} })},
		{Name: ifText(against == s.Comparison.Reference, "vs ") + cmp.Or(against, "difference"),
			Text: func(r row) string {
				return cmp.Or(ifText(r.Same != nil, analysis.SameText),
					ofPair(func(p analysis.Paired) string { return fmt.Sprintf("%+.3f", p.Difference) })(r))
			},
			Fields: []string{"difference"},
			Values: ofPairs(func(p analysis.Paired) []any { return []any{p.Difference} })},
		{Name: "its 95 % interval",
			Text:   ofPair(func(p analysis.Paired) string { return between("%+.3f", p.Interval) }),
			Fields: []string{"difference_low", "difference_high"},
			Values: ofPairs(func(p analysis.Paired) []any { return []any{p.Interval.Low, p.Interval.High} })},
		{Name: "p", Text: ofPair(func(p analysis.Paired) string { return wording.Probability(p.Holm) }),
			Fields: []string{"p_holm", "p_bh", "p", "test"},
			Values: ofPairs(func(p analysis.Paired) []any { return []any{p.Holm, p.FalseDiscovery, p.P, p.Test} })},
		{Name: "unparsed",
			Text:   func(r row) string { return ifText(r.Answers > 0, percentage(r.UnparsedReplies, r.Answers)) },
			Fields: []string{"unparsed_share", "unparsed_replies"}, Values: func(r row) []any {
				if r.Answers == 0 {
					return nil
				}
				return []any{float64(r.UnparsedReplies) / float64(r.Answers), r.UnparsedReplies}
			}},
		{Name: "replies", Text: func(r row) string { return ifText(r.Kind != kindGuess, wording.Comma(r.Replies)) },
			Fields: []string{"replies"}, Values: func(r row) []any { return ifModel(r, r.Replies) }},
		{Name: "models", Hidden: len(s.Comparison.Model.Team) == 0, Left: true,
			Text:   func(r row) string { return s.Comparison.ModelNames(r.Row) },
			Fields: s.modelFields(), Values: func(r row) []any { return []any{strings.Join(r.Models, " ")} }},
		{Name: "tokens", Text: func(r row) string { return ifText(r.Kind != kindGuess, wording.Comma(r.Tokens)) },
			Fields: []string{"tokens", "prompt_tokens"},
			Values: func(r row) []any { return ifModel(r, r.Tokens, r.PromptTokens) }},
	}
	if s.Comparison.Reasoned() {
		columns = append(columns, table.Column[row]{Name: "of reasoning",
			Text: func(r row) string {
				return ifText(r.Kind != kindGuess && r.ReasoningTokens > 0, wording.Comma(r.ReasoningTokens))
			},
			Fields: []string{"reasoning_tokens", "reasoning_cut"},
			Values: func(r row) []any { return ifModel(r, r.ReasoningTokens, r.ReasoningCut) }})
	}
	if s.Comparison.Closed() {
		columns = append(columns, table.Column[row]{Name: "closing turns",
			Text:   func(r row) string { return ifText(r.Kind != kindGuess, wording.Comma(r.Closings)) },
			Fields: []string{"closing_turns", "closing_tokens"},
			Values: func(r row) []any { return ifModel(r, r.Closings, r.ClosingTokens) }})
	}
	if s.Comparison.Equivalence == 0 {
		return columns
	}
	at := slices.IndexFunc(columns, func(c table.Column[row]) bool { return c.Name == "p" }) + 1
	return slices.Insert(columns, at, s.equivalenceColumn())
}

// equivalenceColumn is one of runs with a margin.
func (s study) equivalenceColumn() table.Column[row] {
	return table.Column[row]{Name: s.Comparison.EquivalenceName(), Text: ofPair(analysis.Paired.EquivalenceText),
		Fields: []string{"equivalence", "equivalence_low", "equivalence_high", "p_low", "p_high"},
		Values: ofPairs(func(p analysis.Paired) []any {
			e := p.Equivalence
			if e == nil {
				return nil
			}
			return []any{e.Verdict, e.Interval.Low, e.Interval.High, e.Low, e.High}
		})}
}

// modelFields has the field of CSV for the models of a condition, if the run has several models.
func (s study) modelFields() []string {
	if len(s.Comparison.Model.Team) == 0 {
		return nil
	}
	return []string{"models"}
}

// against is the condition that all others are compared with, "" if they are compared with several.
func (s study) against() string {
	for _, r := range s.Comparison.Rows {
		if r.Paired != nil && r.Paired.Against != s.Comparison.Reference {
			return ""
		}
	}
	return s.Comparison.Reference
}

// ifHeld are the values of a row that has debates. The constant guess has an accuracy, but no interval.
func ifHeld(r row, values ...any) []any {
	if r.N == 0 || r.Kind == kindGuess && len(values) > 1 {
		return nil
	}
	return values
}

// degree is the name of the partial correctness of the conditions, "" if they have none.
func (s study) degree() string {
	for _, r := range s.Comparison.Rows {
		if r.Partial != nil {
			return r.Partial.Degree
		}
	}
	return ""
}

// inPart is the mean partial correctness of the row, with its interval.
func (r row) inPart() string {
	switch {
	case r.Partial == nil:
		return ""
	case r.Partial.Interval == nil:
		return fmt.Sprintf("%.3f", r.Partial.Mean)
	}
	return fmt.Sprintf("%.3f (%s)", r.Partial.Mean, between("%.3f", *r.Partial.Interval))
}

// degrees are the values of inPart.
func (r row) degrees() []any {
	switch {
	case r.Partial == nil:
		return nil
	case r.Partial.Interval == nil:
		return []any{r.Partial.Mean, "", ""}
	}
	return []any{r.Partial.Mean, r.Partial.Interval.Low, r.Partial.Interval.High}
}

// deviation is the standard deviation of the accuracy over repeats, nil if there is only one repeat.
func (r row) deviation() *float64 {
	if r.Repeats == nil {
		return nil
	}
	return &r.Repeats.Deviation
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

// barOf draws the accuracy with its interval.
func barOf(r row) *table.Bar {
	if r.N == 0 {
		return nil
	}
	if r.Kind == kindGuess {
		return &table.Bar{Point: r.Accuracy, Low: r.Accuracy, High: r.Accuracy, Guess: r.Guess}
	}
	return &table.Bar{Point: r.Accuracy, Low: r.Interval.Low, High: r.Interval.High, Guess: r.Guess}
}

// ifModel are the values of a row for which a model was asked, which is not so for the constant guess.
func ifModel(r row, values ...any) []any {
	if r.Kind == kindGuess {
		return nil
	}
	return values
}

// ifText is the text if it is given, else "".
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

// ofPair is a text about the comparison with the reference, "" in the row of the reference.
func ofPair(text func(analysis.Paired) string) func(row) string {
	return func(r row) string {
		if r.Paired == nil {
			return ""
		}
		return text(*r.Paired)
	}
}

// ofPairs are values of the comparison with the reference, none in the row of the reference.
func ofPairs(values func(analysis.Paired) []any) func(row) []any {
	return func(r row) []any {
		if r.Paired == nil {
			return nil
		}
		return values(*r.Paired)
	}
}

func percentage(part, of int) string {
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(max(1, of)))
}

// roundsCSV has how far answers differ, round by round, under each name; "" if no debate has several rounds.
func roundsCSV(first string, names []string, studies []study) string {
	var tables []table.Table
	lines := 0
	for _, s := range studies {
		t := s.Comparison.Disagreement()
		tables, lines = append(tables, t), lines+len(t.Lines)
	}
	if lines == 0 {
		return ""
	}
	return table.CSV(first, names, tables)
}
