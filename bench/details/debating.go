package details

import (
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/table"
)

// Debating returns the table of how the debates of a run went, condition by condition, with the engine's time or
// without.
func Debating(c analysis.Comparison, times bool) table.Table {
	rows := withDebates(c)
	measured, says := relation.Filled(relation.InDebates, rows, valuesOf)
	t := table.New(append(slices.Concat(debatingColumns[:1], measured, table.Filled(debatingColumns[1:], rows)),
		timePerReply(c, times, func(r analysis.Row) outcome.Cost { return r.Cost })), rows)
	t.Title, t.Lead = relation.InDebates, []string{"agreement", "rounds"}
	t.Caption = strings.TrimSpace(says)
	shown := func(name string) bool {
		return slices.ContainsFunc(t.Heads, func(h table.Head) bool { return strings.HasPrefix(h.Name, name) })
	}
	if shown("right, then not") || shown("wrong, then right") {
		t.Caption += " Right, then not: agents that answered more than once, whose first answer was right and whose " +
			"last one is not; wrong, then right: the reverse."
	}
	switch code := "for entropies, the paper of MADC takes the last round and counts unparsed answers; its code " +
		"takes the parsed answers of all rounds"; {
	case shown("likelihood"):
		t.Caption += " Likelihood: log2 of the share of right answers, summed over questions; – if no agent is right " +
			"on some question. For it and " + code + ", and for the likelihood leaves out rounds in which no agent " +
			"is right. Both are – where they would be of nothing: no answer was read, or no agent is ever right."
	case shown("entropy"):
		t.Caption += " F" + code[1:] + ". Both are – where no answer was read."
	}
	if shown("coverage area") {
		t.Caption += " Coverage area: area under the curve of accuracy by share of questions answered, starting " +
			"with the questions that have most votes."
	}
	if slices.ContainsFunc(rows, func(d analysis.Row) bool { return d.Dynamics.Unmarked }) {
		t.Caption += " If being right takes more than being equal to the target, it is not known which agents were " +
			"right before the decision; of records of earlier versions, parley score --task FILE --details tells it."
	}
	return t
}

// withDebates are the conditions that have debates: Dynamics is not nil.
func withDebates(c analysis.Comparison) []analysis.Row {
	return slices.DeleteFunc(slices.Clone(c.Rows), func(r analysis.Row) bool { return r.Dynamics == nil })
}

func valuesOf(r analysis.Row) relation.Values { return r.Measures }

var debatingColumns = []table.Column[analysis.Row]{
	table.Words("condition", func(d analysis.Row) string { return d.Condition }),
	relation.Percent("right, then not", "vulnerability", valuesOf),
	relation.Percent("wrong, then right", "recovery", valuesOf),
	table.Decimals("likelihood, paper", func(d analysis.Row) *float64 {
		return exactly(d, d.Dynamics.LogLikelihood.Paper)
	}),
	table.Decimals("likelihood, code", func(d analysis.Row) *float64 {
		return exactly(d, d.Dynamics.LogLikelihood.Code)
	}),
	table.Decimals("coverage area", func(d analysis.Row) *float64 {
		if d.Dynamics.Coverage == nil {
			return nil
		}
		return &d.Dynamics.CoverageArea
	}),
	table.Ratios("tokens per reply", "%.0f", func(d analysis.Row) (int, int) { return d.Tokens, countedReplies(d) }),
}

// exactly is a number that depends on who was right, or nil if that is not known.
func exactly(d analysis.Row, x *float64) *float64 {
	if d.Dynamics.Unmarked {
		return nil
	}
	return x
}

// countedReplies is the number of replies whose tokens were counted; those of imported logs were not.
func countedReplies(d analysis.Row) int {
	if d.PromptTokens == 0 {
		return 0
	}
	return d.Replies
}
