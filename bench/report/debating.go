package report

import (
	"fmt"
	"slices"

	"parley/bench"
	"parley/bench/stat"
	"parley/bench/table"
)

// debating is a condition with the debates that it has.
type debating struct{ bench.Row }

// debatingTable says how the debates of a run went.
func debatingTable(s study) table.Table {
	rows := s.debating()
	t := table.New(table.Filled(debatingColumns, rows), rows)
	t.Title = "How they debated"
	t.Caption = "Rounds: mean number until the decision. Right, then not: agents that answered more than once, " +
		"whose first answer was right and whose last one is not; wrong, then right: the reverse. Agreement: share " +
		"of pairs of agents whose last answers are equal. Disagreement: share of pairs whose answers differ, mean " +
		"over all rounds. Entropy: of the answers, in bits, mean over debates. Likelihood: log2 of the share of " +
		"right answers, summed over questions; – if no agent is right on some question. For both, the paper of " +
		"source 0 takes the last round and counts unparsed answers; its code takes the parsed answers of all " +
		"rounds, and for the likelihood leaves out rounds in which no agent is right. Ties: debates decided by the " +
		"tie rule."
	for _, note := range []struct {
		text string
		of   func(*bench.Course) bool
	}{
		{" Won by: the side that the moderator names. Answer of: the side whose last answer is the decision.",
			func(c *bench.Course) bool { return c.Sides != nil }},
		{" Challenged: agents that disagreed when they were shown the decision again, and whether their own answers " +
			"then became right or wrong.", func(c *bench.Course) bool { return c.Challenges != nil }},
		{" Swayed: replies that change when the others are listed in a different order.",
			func(c *bench.Course) bool { return c.Probes != nil }},
		{" Coverage area: area under the curve of accuracy by share of questions answered, starting with the " +
			"questions that have most votes.",
			func(c *bench.Course) bool { return c.Coverage != nil }},
	} {
		if slices.ContainsFunc(rows, func(d debating) bool { return note.of(d.Course) }) {
			t.Caption += note.text
		}
	}
	if slices.ContainsFunc(rows, func(d debating) bool { return !d.Course.ByEquality }) {
		t.Caption += " If being right takes more than being equal to the target, it is not known which agents were " +
			"right before the decision."
	}
	return t
}

// debating are the conditions that have debates.
func (s study) debating() (rows []debating) {
	for _, r := range s.Comparison.Rows {
		if r.Course != nil {
			rows = append(rows, debating{r})
		}
	}
	return rows
}

var debatingColumns = []table.Column[debating]{
	table.Words("condition", func(d debating) string { return d.Condition }),
	{Name: "rounds", Text: func(d debating) string { return fmt.Sprintf("%.2f", d.Course.MeanRounds) },
		Values: func(d debating) []any { return []any{d.Course.MeanRounds} }},
	table.Ratios("right, then not", "", func(d debating) (int, int) {
		stayed, of := d.came(stat.Right, stat.Right)
		return of - stayed, of
	}),
	table.Ratios("wrong, then right", "", func(d debating) (int, int) {
		wrong, ofWrong := d.came(stat.Wrong, stat.Right)
		unread, ofUnread := d.came(stat.Unread, stat.Right)
		return wrong + unread, ofWrong + ofUnread
	}),
	table.Decimals("agreement", func(d debating) *float64 { return d.Course.Agreement }),
	table.Decimals("disagreement", func(d debating) *float64 { return d.Course.Disagreement }),
	table.Decimals("entropy, paper", func(d debating) *float64 { return d.Course.Entropy.Paper }),
	table.Decimals("entropy, code", func(d debating) *float64 { return &d.Course.Entropy.Code }),
	table.Decimals("likelihood, paper", func(d debating) *float64 { return d.exactly(d.Course.LogLikelihood.Paper) }),
	table.Decimals("likelihood, code", func(d debating) *float64 { return d.exactly(&d.Course.LogLikelihood.Code) }),
	sideColumn("won by affirmative", "affirmative", func(c *bench.Course) map[string]int { return c.Sides }),
	sideColumn("won by negative", "negative", func(c *bench.Course) map[string]int { return c.Sides }),
	sideColumn("won by neither", "neither", func(c *bench.Course) map[string]int { return c.Sides }),
	sideColumn("answer of affirmative", "affirmative", func(c *bench.Course) map[string]int { return c.Chosen }),
	sideColumn("answer of negative", "negative", func(c *bench.Course) map[string]int { return c.Chosen }),
	sideColumn("answer of both", "tie", func(c *bench.Course) map[string]int { return c.Chosen }),
	challengeColumn("challenged", func(c bench.Challenges) (int, int) { return c.Disagreed, c.Asked }),
	challengeColumn("challenged, then right", func(c bench.Challenges) (int, int) { return c.Won, c.Disagreed }),
	challengeColumn("challenged, then wrong", func(c bench.Challenges) (int, int) { return c.Lost, c.Disagreed }),
	table.Ratios("swayed by places", "", func(d debating) (int, int) {
		if d.Course.Probes == nil {
			return 0, 0
		}
		return d.Course.Probes.Swayed, d.Course.Probes.Probed
	}),
	table.Decimals("coverage area", func(d debating) *float64 {
		if d.Course.Coverage == nil {
			return nil
		}
		return &d.Course.CoverageArea
	}),
	table.Ratios("ties", "", func(d debating) (int, int) { return d.Course.Ties, d.N }),
	table.Ratios("replies a debate", "%.1f", func(d debating) (int, int) { return d.Replies, d.N }),
	table.Ratios("tokens a reply", "%.0f", func(d debating) (int, int) { return d.Tokens, d.counted() }),
}

// sideColumn is the share of debates that one of the sides has.
func sideColumn(name, side string, counts func(*bench.Course) map[string]int) table.Column[debating] {
	return table.Ratios(name, "", func(d debating) (int, int) {
		if len(counts(d.Course)) == 0 {
			return 0, 0
		}
		return counts(d.Course)[side], d.N
	})
}

// challengeColumn is a share of panelists who were shown the decision once more.
func challengeColumn(name string, ratio func(bench.Challenges) (int, int)) table.Column[debating] {
	return table.Ratios(name, "", func(d debating) (int, int) {
		if d.Course.Challenges == nil {
			return 0, 0
		}
		return ratio(*d.Course.Challenges)
	})
}

// came is how many of the agents whose first answer has one mark have the other at last, of how many. Both are 0 where
// it is not known who was right.
func (d debating) came(first, last stat.Mark) (came, of int) {
	if !d.Course.ByEquality {
		return 0, 0
	}
	for _, n := range d.Course.Transitions[first] {
		of += n
	}
	return d.Course.Transitions[first][last], of
}

// exactly is a number that is known only where it is known who was right.
func (d debating) exactly(x *float64) *float64 {
	if !d.Course.ByEquality {
		return nil
	}
	return x
}

// counted is how many replies had their tokens counted: imported ones had not.
func (d debating) counted() int {
	if d.PromptTokens == 0 {
		return 0
	}
	return d.Replies
}
