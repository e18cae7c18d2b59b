package details

import (
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/table"
)

// Debating says how the debates of a run went, condition by condition, with further columns.
func Debating(c analysis.Comparison, more ...table.Column[analysis.Row]) table.Table {
	rows := withDebates(c)
	measured, says := relation.Filled(relation.InDebates, rows, valuesOf)
	t := table.New(slices.Concat(debatingColumns[:1], measured, table.Filled(debatingColumns[1:], rows), more), rows)
	t.Title, t.Lead = relation.InDebates, []string{"agreement", "rounds"}
	t.Caption = strings.TrimSpace(says) + " Right, then not: agents that answered more than once, whose first answer " +
		"was right and whose last one is not; wrong, then right: the reverse. Disagreement: share of pairs whose " +
		"answers differ, mean " +
		"over all rounds. Entropy: of the answers, in bits, mean over debates. Likelihood: log2 of the share of " +
		"right answers, summed over questions; – if no agent is right on some question. For both, the paper of " +
		"MADC takes the last round and counts unparsed answers; its code takes the parsed answers of all " +
		"rounds, and for the likelihood leaves out rounds in which no agent is right. Both are – where they would be " +
		"of nothing: no answer was read, or no agent is ever right. Ties: debates decided by the " +
		"tie rule."
	for _, note := range []struct {
		text string
		of   func(*analysis.Dynamics) bool
	}{
		{" Answer of: the side whose last answer is the decision.",
			func(c *analysis.Dynamics) bool { return c.Sides != nil }},
		{" Accepted: agents that agreed when they were shown the decision again, or another answer in its place; " +
			"then right, then wrong: of those who disagreed, the ones whose own answer is right " +
			"where the one shown was not, or the reverse.",
			func(c *analysis.Dynamics) bool { return c.Challenges != nil }},
		{" Persona diversity: share of the words in the descriptions of two agents' personas that only one of them " +
			"has, mean over pairs, then over debates.",
			func(c *analysis.Dynamics) bool { return c.PersonaDiversity != nil }},
		{" Swayed: replies that change when the others are listed in a different order.",
			func(c *analysis.Dynamics) bool { return c.Probes != nil }},
		{" Coverage area: area under the curve of accuracy by share of questions answered, starting with the " +
			"questions that have most votes.",
			func(c *analysis.Dynamics) bool { return c.Coverage != nil }},
	} {
		if slices.ContainsFunc(rows, func(d analysis.Row) bool { return note.of(d.Dynamics) }) {
			t.Caption += note.text
		}
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
	table.Decimals("disagreement", func(d analysis.Row) *float64 { return d.Dynamics.Disagreement }),
	table.Decimals("entropy, paper", func(d analysis.Row) *float64 { return d.Dynamics.Entropy.Paper }),
	table.Decimals("entropy, code", func(d analysis.Row) *float64 { return d.Dynamics.Entropy.Code }),
	table.Decimals("likelihood, paper", func(d analysis.Row) *float64 {
		return exactly(d, d.Dynamics.LogLikelihood.Paper)
	}),
	table.Decimals("likelihood, code", func(d analysis.Row) *float64 {
		return exactly(d, d.Dynamics.LogLikelihood.Code)
	}),
	sideColumn("won by neither", "neither", func(c *analysis.Dynamics) map[string]int { return c.Sides }),
	sideColumn("answer of affirmative", "affirmative", func(c *analysis.Dynamics) map[string]int { return c.Chosen }),
	sideColumn("answer of negative", "negative", func(c *analysis.Dynamics) map[string]int { return c.Chosen }),
	sideColumn("answer of both", "tie", func(c *analysis.Dynamics) map[string]int { return c.Chosen }),
	challengeColumn("accepted", func(c analysis.Challenges) (int, int) { return c.Agreed, c.Asked }),
	challengeColumn("challenged, then right", func(c analysis.Challenges) (int, int) { return c.Won, c.Disagreed }),
	challengeColumn("challenged, then wrong", func(c analysis.Challenges) (int, int) { return c.Lost, c.Disagreed }),
	table.Decimals("persona diversity", func(d analysis.Row) *float64 { return d.Dynamics.PersonaDiversity }),
	table.Ratios("swayed by places", "", func(d analysis.Row) (int, int) {
		if d.Dynamics.Probes == nil {
			return 0, 0
		}
		return d.Dynamics.Probes.Swayed, d.Dynamics.Probes.Probed
	}),
	table.Decimals("coverage area", func(d analysis.Row) *float64 {
		if d.Dynamics.Coverage == nil {
			return nil
		}
		return &d.Dynamics.CoverageArea
	}),
	table.Ratios("ties", "", func(d analysis.Row) (int, int) { return d.Dynamics.Ties, d.N }),
	table.Ratios("tokens per reply", "%.0f", func(d analysis.Row) (int, int) { return d.Tokens, countedReplies(d) }),
}

// sideColumn is the share of debates that are counted under one of the sides.
func sideColumn(name, side string, counts func(*analysis.Dynamics) map[string]int) table.Column[analysis.Row] {
	return table.Ratios(name, "", func(d analysis.Row) (int, int) {
		if len(counts(d.Dynamics)) == 0 {
			return 0, 0
		}
		return counts(d.Dynamics)[side], d.N
	})
}

// challengeColumn is a share of panelists who were shown the decision once more.
func challengeColumn(name string, ratio func(analysis.Challenges) (int, int)) table.Column[analysis.Row] {
	return table.Ratios(name, "", func(d analysis.Row) (int, int) {
		if d.Dynamics.Challenges == nil {
			return 0, 0
		}
		return ratio(*d.Dynamics.Challenges)
	})
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
