package analysis

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/validity"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference"
)

// Document is the table, the contrasts, the legend, what the scheduler saved, and which debates failed.
func (c Comparison) Document() table.Document {
	d := table.Document{table.Text(c.partial()), c.measuringNotes(), c.Table(true), c.ContrastsBlocks(),
		table.Text(c.Legend(true))}
	for _, t := range c.ReadingTables() {
		d = append(d, t.Titled("")...)
	}
	return append(d, table.Text("\n"+savings(c.Stats)),
		table.Text(FailuresText("failed:", c.Failed)+FailuresText("not computed:", c.Faults)))
}

// measuringNotes say that the run did not measure what it compares; there are none if it did.
func (c Comparison) measuringNotes() table.Document {
	says := slices.Concat(c.Validity().Says, c.InVain())
	if len(says) == 0 {
		return nil
	}
	return table.Document{table.Paragraph(strings.Join(says, " ")), table.Text("\n")}
}

// InVain says under which conditions agents never gave what they were asked for, although decisions rest on it.
func (c Comparison) InVain() (says []string) {
	under := make(map[string][]string) // by what
	var order []string
	for _, r := range c.Rows {
		for _, a := range validity.InVain(r.Arrived) {
			if under[a.What] == nil {
				order = append(order, a.What)
			}
			under[a.What] = append(under[a.What], fmt.Sprintf("%s (0 of %s)", r.Condition, wording.Comma(a.Asked)))
		}
	}
	for _, what := range order {
		says = append(says, fmt.Sprintf("No %s arrived under %s, so that nothing is known of what they do, and such a "+
			"condition is not compared with one that does without them.", what, wording.List(under[what])))
	}
	return says
}

// SameText stands for the difference of conditions that are the same, see Same.
const SameText = "the same"

// sameMeans explains SameText.
const sameMeans = "the same: in all debates the same was sent and decided, so that the treatment was never " +
	"applied and " +
	"nothing is tested"

// ReadingTables are Readings and Arrivals, without those that have no lines.
func (c Comparison) ReadingTables() []table.Table {
	return slices.DeleteFunc([]table.Table{c.Readings(), c.Arrivals()}, func(t table.Table) bool {
		return len(t.Lines) == 0
	})
}

// partial says that this is no whole result, if it is that of a shard.
func (c Comparison) partial() string {
	if c.Shard == "" {
		return ""
	}
	return fmt.Sprintf("shard %s of a run: these are %s, not its result; parley merge joins the shards\n", c.Shard,
		wording.Count(c.Questions, "question"))
}

// FailuresText lists debates that failed, or would fail; if they are many, only the first of them.
func FailuresText(what string, failures []string) (text string) {
	const shown = 10
	for _, failure := range failures[:min(shown, len(failures))] {
		text += fmt.Sprintln(what, failure)
	}
	if more := len(failures) - shown; more > 0 {
		text += fmt.Sprintf("%s %s more, which --json lists\n", what, wording.Comma(more))
	}
	return text
}

// Table has a row for each condition, with the engine's time or without, for the terminal.
func (c Comparison) Table(times bool) table.Table {
	return table.New(c.Columns(View{Times: times}), c.Distinct())
}

// View is what of the columns of conditions has a place where they are shown.
type View struct {
	Times bool // how long the engine computed, which no result depends on
	Wide  bool // what a terminal has no room for
}

// Columns are those of conditions, for the terminal, the report and CSV: they are listed here alone, with what decides
// whether a run has each of them. To show another number of a row, add a column.
//
// A hidden column keeps its fields, so that CSV files of different runs have the same header; fieldsIf is for what is
// so rare that it may be missing there too. Shares are from 0 to 1 in CSV, and in percent where people read how replies
// were read. Rows have times in milliseconds; they are shown in seconds.
func (c Comparison) Columns(view View) []table.Column[Row] {
	repeated := slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Repeats != nil })
	columns := []table.Column[Row]{
		{Name: "condition", Left: true, Text: Row.Names},
		{Name: "n", Text: func(r Row) string { return wording.Comma(r.N) },
			Fields: []string{"n", "questions", "right", "unparsed"},
			Values: func(r Row) []any { return []any{r.N, r.Questions, r.Right, r.Unparsed} }},
		{Name: "failed", Hidden: !c.failed(), Text: func(r Row) string { return wording.Comma(r.Failed) },
			Fields: []string{"failed"}, Values: func(r Row) []any { return []any{r.Failed} }},
		{Name: "accuracy", Text: func(r Row) string { return r.ofDebates("%.3f", r.Accuracy) },
			Fields: []string{"accuracy"}, Values: ifHeld(func(r Row) []any { return []any{r.Accuracy} })},
		{Name: "95 % interval",
			Text: func(r Row) string {
				return r.ofDebates("%s", table.Span("%.3f", r.Interval.Low, r.Interval.High))
			},
			Fields: []string{"low", "high"},
			Values: ifHeld(func(r Row) []any { return []any{r.Interval.Low, r.Interval.High} })},
		{Name: c.degreeName(), Hidden: c.degreeName() == "", Text: Row.inPart,
			Fields: []string{"partial", "partial_low", "partial_high"}, Values: Row.degrees},
		{Name: "± repeats", Hidden: !repeated, Text: func(r Row) string { return table.Decimal(r.deviation()) },
			Fields: []string{"deviation"}, Values: func(r Row) []any { return table.NumberValues(r.deviation()) }},
	}
	columns = append(columns, c.pairedColumns(view.Wide)...)
	columns = append(columns, c.readingColumns()...)
	return append(columns,
		table.Column[Row]{Name: "calls", Text: func(r Row) string { return wording.Comma(r.Replies) },
			Fields: []string{"replies"}, Values: func(r Row) []any { return []any{r.Replies} }},
		table.Column[Row]{Name: "tokens", Text: Row.tokens,
			Fields: []string{"tokens", "prompt_tokens"},
			Values: func(r Row) []any { return []any{r.Tokens, r.PromptTokens} }},
		table.Column[Row]{Name: "of reasoning", Hidden: !c.reasoned(), Text: Row.reasoning,
			Fields: fieldsIf(c.reasoned(), "reasoning_tokens", "reasoning_cut"),
			Values: func(r Row) []any { return []any{r.ReasoningTokens, r.ReasoningCut} }},
		table.Column[Row]{Name: "closing turns", Hidden: !c.closed(),
			Text:   func(r Row) string { return wording.Comma(r.Closings) },
			Fields: fieldsIf(c.closed(), "closing_turns", "closing_tokens"),
			Values: func(r Row) []any { return []any{r.Closings, r.ClosingTokens} }},
		table.Column[Row]{Name: "models", Hidden: len(c.Model.Team) == 0, Left: true, Text: c.ModelNames,
			Fields: fieldsIf(len(c.Model.Team) > 0, "models"),
			Values: func(r Row) []any { return []any{strings.Join(r.Models, " ")} }},
		table.Column[Row]{Name: "best member", Hidden: !c.hasMembers(), Left: true, Text: c.bestMember,
			Fields: fieldsIf(c.hasMembers(), "best_member", "best_member_agent"),
			Values: func(r Row) []any {
				if m := r.BestMember(); m != nil {
					return []any{m.Own, m.Agent}
				}
				return nil
			}},
		table.Column[Row]{Name: "time", Hidden: !view.Times,
			Text: func(r Row) string { return fmt.Sprintf("%9s", wording.Lasting(r.Milliseconds/1000, "s")) }})
}

// degreeName is the name of the partial correctness of the conditions, "" if they have none.
func (c Comparison) degreeName() string {
	for _, r := range c.Rows {
		if r.Partial != nil {
			return r.Partial.Degree
		}
	}
	return ""
}

// fieldsIf are the names of fields that only some runs have.
func fieldsIf(there bool, names ...string) []string {
	if !there {
		return nil
	}
	return names
}

// ifHeld are values of a row that held debates.
func ifHeld(values func(Row) []any) func(Row) []any {
	return func(r Row) []any {
		if r.N == 0 {
			return nil
		}
		return values(r)
	}
}

// pairedColumns compare a condition with the reference. A row has a test (Paired), or is the same as the reference
// (Same), or is a bound (Above), which has a difference but no p; the reference itself has none of the three.
func (c Comparison) pairedColumns(wide bool) []table.Column[Row] {
	paired := func(values func(Paired) []any) func(Row) []any {
		return func(r Row) []any {
			if r.Paired == nil {
				return nil
			}
			return values(*r.Paired)
		}
	}
	differing := func(values func(float64, stat.Interval) []any) func(Row) []any {
		return func(r Row) (list []any) {
			r.difference(func(d float64, i stat.Interval) string {
				list = values(d, i)
				return ""
			})
			return list
		}
	}
	text := func(text func(Paired) string) func(Row) string {
		return func(r Row) string { return r.against(text) }
	}
	tested := slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Paired != nil })
	apart := tested || slices.ContainsFunc(c.Rows, func(r Row) bool {
		return r.Same != nil || r.Above != nil || r.Untested != ""
	})
	return []table.Column[Row]{
		{Name: "vs", Hidden: c.oneReference(), Left: true, Text: text(func(p Paired) string { return p.Against }),
			Fields: []string{"against"}, Values: paired(func(p Paired) []any { return []any{p.Against} })},
		{Name: c.differenceTitle(), Hidden: !apart, Text: func(r Row) string {
			switch {
			case r.Same != nil:
				return SameText
			case r.Untested != "":
				return r.Untested
			case r.Paired != nil:
				return r.Paired.Signed()
			}
			return r.difference(func(d float64, _ stat.Interval) string { return table.Signed(d) })
		},
			Fields: []string{"difference"},
			Values: differing(func(d float64, _ stat.Interval) []any { return []any{d} })},
		{Hidden: true, Fields: fieldsIf(c.drawnTwice(), "within_noise"),
			Values: paired(func(p Paired) []any { return p.Unmeasured.Values(p.Noise) })},
		{Name: "its 95 % interval", Hidden: !wide || !apart,
			Text: func(r Row) string {
				if r.Paired != nil {
					return r.Paired.Between()
				}
				return r.difference(func(_ float64, i stat.Interval) string {
					return table.Between("%+.3f", i.Low, i.High)
				})
			},
			Fields: []string{"difference_low", "difference_high"},
			Values: differing(func(_ float64, i stat.Interval) []any { return []any{i.Low, i.High} })},
		{Name: "p", Hidden: !tested, Text: text(Paired.Probability),
			Fields: []string{"p_holm", "p_bh", "p", "test"},
			Values: paired(func(p Paired) []any {
				return p.Unmeasured.Values(p.Holm, p.FalseDiscovery, p.P, p.Test)
			})},
		{Name: c.EquivalenceName(), Hidden: c.Equivalence == 0 || !tested, Text: text(Paired.EquivalenceText),
			Fields: fieldsIf(c.Equivalence > 0, EquivalenceFields...), Values: paired(Paired.EquivalenceValues)},
	}
}

// readingColumns say how many replies to the question have no readable answer, how many state theirs, as far as the
// answer rule tells, how many of those are right, where closing turns answer for others, and how many were cut off.
func (c *Comparison) readingColumns() []table.Column[Row] {
	told := c.told()
	cut := slices.ContainsFunc(c.Rows, func(r Row) bool { return r.AtLimit > 0 })
	answers := func(values func(Row) []any) func(Row) []any {
		return func(r Row) []any {
			if r.Answers == 0 {
				return nil
			}
			return values(r)
		}
	}
	return []table.Column[Row]{
		{Name: "unparsed", Text: func(r Row) string { return validity.Percent(r.UnparsedReplies, r.Answers) },
			Fields: []string{"unparsed_share", "unparsed_replies"}, Values: answers(func(r Row) []any {
				return []any{stat.Share(r.UnparsedReplies, r.Answers), r.UnparsedReplies}
			})},
		{Name: "explicit", Hidden: !told,
			Text:   func(r Row) string { return validity.Percent(r.How[answer.Explicit], r.Told()) },
			Fields: fieldsIf(told, "explicit_share"),
			Values: answers(func(r Row) []any { return []any{r.Share(answer.Explicit)} })},
		{Name: "right of these", Hidden: !told || !c.closed(),
			Text:   func(r Row) string { return validity.Percent(r.ExplicitRight, r.How[answer.Explicit]) },
			Fields: fieldsIf(told && c.closed(), "explicit_right"),
			Values: answers(func(r Row) []any { return []any{r.ExplicitRight} })},
		{Name: "cut off", Hidden: !cut, Text: func(r Row) string { return validity.Percent(r.AtLimit, r.Answers) },
			Fields: fieldsIf(cut, "cut_share"),
			Values: answers(func(r Row) []any { return []any{stat.Share(r.AtLimit, r.Answers)} })},
	}
}

// Readings says in detail how replies to the question were read, condition by condition. It has no lines if the answer
// rule does not tell and no reply was ended as it repeated itself.
func (c Comparison) Readings() table.Table {
	var rows []validity.Named
	for _, r := range c.Rows {
		rows = append(rows, validity.Named{Name: r.Condition, Reading: r.Reading})
	}
	return validity.Table(rows)
}

// Arrivals says what came of what agents were asked for beside answers, condition by condition.
func (c Comparison) Arrivals() table.Table {
	var rows []validity.Requested
	for _, r := range c.Rows {
		for _, a := range r.Arrived {
			rows = append(rows, validity.Requested{Name: r.Condition, Arrival: a})
		}
	}
	return validity.ArrivalsTable(rows)
}

// reasoned reports whether some reply has reasoning.
func (c *Comparison) reasoned() bool {
	return slices.ContainsFunc(c.Rows, func(r Row) bool { return r.ReasoningTokens > 0 || r.ReasoningCut > 0 })
}

// told reports whether the answer rule tells how it reads.
func (c *Comparison) told() bool {
	return slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Told() > 0 })
}

// closed reports whether some reply has a closing turn.
func (c *Comparison) closed() bool {
	return slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Closings > 0 })
}

// reasoning is how many of the tokens are reasoning, and how many replies end within it.
func (r Row) reasoning() string {
	text := wording.Comma(r.ReasoningTokens)
	if r.ReasoningCut > 0 {
		text += fmt.Sprintf(", %d cut", r.ReasoningCut)
	}
	return text
}

// ofDebates formats numbers of the row, with a dash if it has no debates, as when no question was a candidate.
func (r Row) ofDebates(format string, numbers ...any) string {
	if r.N == 0 {
		return table.Absent
	}
	return fmt.Sprintf(format, numbers...)
}

// deviation is the standard deviation of the accuracy over repeats, nil if there is only one repeat.
func (r Row) deviation() *float64 {
	if r.Repeats == nil {
		return nil
	}
	return &r.Repeats.Deviation
}

// inPart is the mean partial correctness of the row, with its interval.
func (r Row) inPart() string {
	switch {
	case r.Partial == nil:
		return ""
	case r.Partial.Interval == nil:
		return fmt.Sprintf("%.3f", r.Partial.Mean)
	}
	return fmt.Sprintf("%.3f (%s)", r.Partial.Mean, table.Span("%.3f", r.Partial.Interval.Low, r.Partial.Interval.High))
}

// degrees are the values of inPart.
func (r Row) degrees() []any {
	switch {
	case r.Partial == nil:
		return nil
	case r.Partial.Interval == nil:
		return []any{r.Partial.Mean, "", ""}
	}
	return []any{r.Partial.Mean, r.Partial.Interval.Low, r.Partial.Interval.High}
}

// against is empty in the row of the reference.
func (r Row) against(text func(Paired) string) string {
	if r.Paired == nil {
		return ""
	}
	return text(*r.Paired)
}

// difference is the text of the difference from the reference, empty if there is none. A row never has both a test and
// the difference of a bound.
func (r Row) difference(text func(difference float64, interval stat.Interval) string) string {
	switch {
	case r.Paired != nil:
		return text(r.Paired.Difference, r.Paired.Interval)
	case r.Above != nil:
		return r.Above.Unmeasured.Text(text(r.Above.Difference, r.Above.Interval))
	}
	return ""
}

// tokens are those that were generated, or nothing where a log of others counted none: every call has a prompt.
func (r Row) tokens() string {
	if r.Tokens+r.PromptTokens == 0 && r.Replies > 0 {
		return table.Absent
	}
	return wording.Comma(r.Tokens)
}

// savings says how much the scheduler asked, computed and saved, by its own counts. They are of the whole run, so that
// they belong to no condition: which one pays for a shared prefix is an accident of the order. Tokens a second are of
// the time in which the engine computed, without pauses.
func savings(s inference.Stats) string {
	if s.Generations+s.PromptAsked == 0 { // another program's run
		return ""
	}
	return fmt.Sprintf(`
prompt tokens  %s asked, %s computed: %.1f %% saved by sharing prefixes and equal generations%s
generations    %s computed, %s more requests shared an equal one
generated      %s tokens, %s tokens/s; prefill %s tokens/s%s
%s`,
		wording.Comma(s.PromptAsked), wording.Comma(s.PromptComputed), 100*stat.Share(s.PromptSaved(), s.PromptAsked),
		Recurrence(s), wording.Comma(s.Generations), wording.Comma(s.Joined),
		wording.Comma(s.Decoded), rate(s.Decoded, s.DecodeDuration), rate(s.PromptComputed, s.PrefillDuration),
		drafts(s), batches(s))
}

// Recurrence is a line, after a line break, that tells what the tree needs at least from what a recurrent model
// computes above that; it is empty if that is nothing.
func Recurrence(s inference.Stats) string {
	if s.PromptRepeated == 0 {
		return ""
	}
	return fmt.Sprintf("\nrecurrence     %s of those computed were in the tree, but a state cannot be cut; the other "+
		"%s were new to it", wording.Comma(s.PromptRepeated),
		wording.Comma(s.PromptComputed-s.PromptRepeated))
}

// batches says how full they were; of models that servers compute, only how much was asked of them at once.
func batches(s inference.Stats) string {
	if s.Cells == 0 {
		return fmt.Sprintf("requests       at most %d at once\n", s.PeakSequences)
	}
	return fmt.Sprintf("batches        %s steps, %.1f of %d rows filled on average; at most %d generations at once, "+
		"%s of %s KV cells\n", wording.Comma(s.Steps), float64(s.Rows)/float64(max(1, s.Steps)), s.BatchCapacity,
		s.PeakSequences, wording.Comma(s.PeakCells), wording.Comma(s.Cells))
}

// drafts says how many drafted tokens were accepted, if any were drafted.
func drafts(s inference.Stats) string {
	if s.Drafted == 0 {
		return ""
	}
	return fmt.Sprintf("; %s of %s drafted ones accepted", wording.Comma(s.Accepted), wording.Comma(s.Drafted))
}

// rate says how many tokens come in a second.
func rate(tokens int, d time.Duration) string {
	if d <= 0 {
		return table.Absent
	}
	return wording.Comma(int(float64(tokens) / d.Seconds()))
}
