// Package details shows how the debates of a run went, condition by condition and round by round: what --details prints
// and parts of which a report has too. It computes nothing: all numbers are those of an analysis.Comparison.
package details

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/peers"
	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/stat/pairs"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/debate"
)

// Document shows how the debates of each condition went; where they had several rounds, round by round; and where
// they were about puzzles, role by role. Each table has its legend.
func Document(c analysis.Comparison) table.Document {
	rows, byTime := withDebates(c), costs(c, func(r analysis.Row) outcome.Cost { return r.Cost })[1]
	debating := Debating(c, byTime)
	d := append(debating.Titled(""), table.Text(decisionRounds(rows)+asides(rows)), variances(rows))
	var rounds []numbered
	for _, r := range rows {
		for i, round := range r.Dynamics.Rounds {
			if len(r.Dynamics.Rounds) > 1 {
				rounds = append(rounds, numbered{r.Condition, i, round})
			}
		}
	}
	if rounds != nil {
		d = append(d, roundsTable(c, rounds), table.Text("vote: accuracy of a majority vote over all agents' latest "+
			"answers; lost, won: agents that were right only before, or only after, the round"))
	}
	tables := AmongPeers(c)
	if facts := Facts(c); len(facts.Lines) > 0 {
		tables = append(tables, facts)
	}
	if repeats := c.RepeatsTable(); len(repeats.Lines) > 0 {
		tables = append([]table.Table{repeats}, tables...)
	}
	if puzzles := Puzzles(c); len(puzzles.Lines) > 0 {
		tables = append(tables, puzzles)
	}
	if t := c.GroupsTable(); len(t.Lines) > 0 {
		tables = append(tables, t)
	}
	tables = append(tables, Passes(c)...)
	for _, t := range tables {
		d = append(d, t.Titled("")...)
	}
	return append(d, rolesBlocks(rows)...)
}

// AmongPeers returns the tables of what agents are worth and made of each other, those that have lines.
func AmongPeers(c analysis.Comparison) []table.Table {
	measures := peerMeasures(c)
	tables := []table.Table{c.MembersTable(), peers.InfluenceTable(measures),
		measured(c, relation.ByStanding, "From the first answer of an agent to its last."),
		peers.ConflictTable(measures), peers.FlipsTable(measures), peers.IdentityTable(measures),
		peers.HarmTable(measures), peers.GrowthTable(c.Growth)}
	return slices.DeleteFunc(tables, func(t table.Table) bool { return len(t.Lines) == 0 })
}

// measured is a table of measures alone, of the conditions that have one of them.
func measured(c analysis.Comparison, title, before string) table.Table {
	columns, says := relation.Columns(title, valuesOf)
	return measuredIn(c, columns, title, before+says)
}

func measuredIn(c analysis.Comparison, columns []table.Column[analysis.Row], title, caption string) table.Table {
	t := table.New(slices.Concat([]table.Column[analysis.Row]{
		table.Words("condition", func(r analysis.Row) string { return r.Condition }, "condition")}, columns),
		slices.DeleteFunc(slices.Clone(c.Rows), func(r analysis.Row) bool {
			return !slices.ContainsFunc(columns, func(m table.Column[analysis.Row]) bool {
				return len(m.Values(r)) > 0
			})
		}))
	t.Title, t.Caption = title, strings.TrimSpace(caption)
	return t
}

// Puzzles returns the table of puzzles of roles, which has no lines where there are none.
func Puzzles(c analysis.Comparison) table.Table { return measured(c, relation.InPuzzles, "") }

// Passes returns the tables of what several tries give, those that have lines, of as many tries as there are.
func Passes(c analysis.Comparison) (tables []table.Table) {
	for _, title := range []string{relation.InRepeats, relation.InContested, relation.InFirst} {
		columns, says := relation.Filled(title, c.Rows, valuesOf)
		if t := measuredIn(c, columns, title, says); len(t.Lines) > 0 {
			tables = append(tables, t)
		}
	}
	return tables
}

// Facts returns the table of what a judge said of facts, which has no lines where none was asked.
func Facts(c analysis.Comparison) table.Table {
	of := func(r analysis.Row) (f debate.Facts) {
		if r.Dynamics.Facts != nil {
			f = *r.Dynamics.Facts
		}
		return f
	}
	rows := slices.DeleteFunc(withDebates(c), func(r analysis.Row) bool {
		_, judged := r.Measures.Number("facts-judged")
		return !judged && of(r) == (debate.Facts{})
	})
	count := func(name string, n func(debate.Facts) int) table.Column[analysis.Row] {
		return table.Right(name, func(r analysis.Row) string { return fmt.Sprint(n(of(r))) })
	}
	judged, says := relation.Columns(relation.OfFacts, valuesOf)
	t := table.New(slices.Concat([]table.Column[analysis.Row]{
		table.Words("condition", func(r analysis.Row) string { return r.Condition }, "condition"),
	}, judged, []table.Column[analysis.Row]{
		table.Decimals("error", func(r analysis.Row) *float64 {
			f := of(r)
			share, known := f.Share()
			if !known {
				return nil
			}
			deviation := math.Sqrt(share * (1 - share) / float64(f.Yes+f.No))
			return &deviation
		}),
		count("yes", func(f debate.Facts) int { return f.Yes }), count("no", func(f debate.Facts) int { return f.No }),
		count("uncertain", func(f debate.Facts) int { return f.Uncertain }),
		count("unread", func(f debate.Facts) int { return f.Unread }),
	}), rows)
	t.Title = relation.OfFacts
	t.Caption = "Whether facts agree with what each agent wrote last, as the judge says." + says + " Error: its " +
		"standard error as Du et al. compute it, as if all facts were independent."
	return t
}

// Disagreement returns the table of how far answers differ in each round, which has no lines without rounds.
func Disagreement(c analysis.Comparison) table.Table { return peers.ConflictTable(peerMeasures(c)) }

func peerMeasures(c analysis.Comparison) (list []peers.Measures) {
	for _, r := range withDebates(c) {
		list = append(list, peers.Measures{Condition: r.Condition, Values: r.Measures,
			Worth: r.Dynamics.Team, Flips: r.Flips, Conflict: r.Conflict, Identity: r.Identity, Harm: r.Harm})
	}
	return list
}

// numbered is one round of a condition.
type numbered struct {
	condition string
	number    int
	analysis.Round
}

// roundsTable has a row for each round of each condition.
func roundsTable(c analysis.Comparison, rounds []numbered) table.Table {
	return table.New(append([]table.Column[numbered]{
		table.Left("condition", func(r numbered) string { return r.condition }),
		table.Right("round", func(r numbered) string { return fmt.Sprint(r.number) }),
		table.Right("vote", func(r numbered) string { return fmt.Sprintf("%.3f", r.Accuracy) }),
		table.Right("95 % interval", func(r numbered) string {
			return table.Span("%.3f", r.Interval.Low, r.Interval.High)
		}),
		table.Right("lost", func(r numbered) string { return of(r.Lost, r.Compared) }),
		table.Right("won", func(r numbered) string { return of(r.Won, r.Compared) }),
		table.Right("entropy", func(r numbered) string {
			return cmp.Or(table.Decimal(r.Entropy.Paper), table.Absent)
		}),
	}, costs(c, func(r numbered) outcome.Cost { return r.Cost })...), rounds)
}

// costs are columns of tokens and engine time per reply; the time is left out if it is not known.
func costs[T any](c analysis.Comparison, cost func(T) outcome.Cost) []table.Column[T] {
	each := func(total float64, r T) float64 { return total / float64(max(1, cost(r).Replies)) }
	return []table.Column[T]{
		table.Right("tokens/reply", func(r T) string {
			return fmt.Sprintf("%.1f", each(float64(cost(r).Tokens), r))
		}),
		{Name: "time/reply", Hidden: !c.Work().Known(), Text: func(r T) string {
			return wording.Lasting(each(wording.Milliseconds(c.Work().Time(cost(r))), r), "ms")
		}},
	}
}

// of is a count out of others, empty if there are no others.
func of(n, all int) string {
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d", n, all)
}

// decisionRounds lists after how many rounds debates were decided, for conditions whose debates differ in that.
func decisionRounds(rows []analysis.Row) (text string) {
	for _, r := range rows {
		var parts []string
		for round, n := range r.Dynamics.Decided {
			if n > 0 {
				parts = append(parts, fmt.Sprintf("%d after %s", n, wording.Count(round+1, "round")))
			}
		}
		if len(parts) > 1 {
			text += aside(rows, r, "decided: "+strings.Join(parts, ", "))
		}
	}
	return text
}

// variances is a table of conditions whose questions were repeated: what more repeats or more questions would gain.
func variances(rows []analysis.Row) table.Document {
	var repeated []analysis.Row
	for _, r := range rows {
		if r.Variances != nil {
			repeated = append(repeated, r)
		}
	}
	if repeated == nil {
		return nil
	}
	number := func(name string, of func(pairs.Variances) float64) table.Column[analysis.Row] {
		return table.Right(name, func(r analysis.Row) string { return fmt.Sprintf("%.3f", of(*r.Variances)) })
	}
	columns := []table.Column[analysis.Row]{
		table.Left("condition", func(r analysis.Row) string { return r.Condition }),
		number("question variance", func(v pairs.Variances) float64 { return v.Between }),
		number("sampling variance", func(v pairs.Variances) float64 { return v.Within }),
	}
	for _, repeats := range []int{1, 3, 10} {
		columns = append(columns, number(fmt.Sprintf("error at %d", repeats), func(v pairs.Variances) float64 {
			return v.Error(repeats)
		}))
	}
	return table.Document{table.New(columns, repeated), table.Text(
		"question variance: of the questions' chances of a right answer; sampling variance: of answers to one " +
			"question;\nerror at N: standard error of the accuracy with as many questions and N repeats of each")}
}
