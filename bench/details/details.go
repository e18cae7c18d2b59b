// Package details has the tables of how the debates of a run went, condition by condition and round by round. It
// computes nothing: all numbers are those of an analysis.Comparison. Package report says in which order they stand.
package details

import (
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

// AmongPeers returns the tables of what agents are worth and made of each other, those that have lines.
func AmongPeers(c analysis.Comparison) []table.Table {
	measures := peerMeasures(c)
	tables := []table.Table{c.MembersTable(), peers.InfluenceTable(measures),
		measured(c, relation.ByStanding, "From the first answer of an agent to its last."),
		peers.ConflictTable(measures), peers.FlipsTable(measures), peers.IdentityTable(measures),
		peers.GrowthTable(c.Growth)}
	return slices.DeleteFunc(tables, func(t table.Table) bool { return len(t.Lines) == 0 })
}

// Beliefs returns the table of what agents held to be true, which has no lines where that was not measured.
func Beliefs(c analysis.Comparison) table.Table {
	t := measured(c, relation.InBeliefs, "Means over agents, of the probabilities of answers among each other.")
	t.Lead = []string{"drift", "last"}
	return t
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
			Worth: r.Dynamics.Team, Flips: r.Flips, Conflict: r.Conflict, Identity: r.Identity})
	}
	return list
}

// numbered is one round of a condition.
type numbered struct {
	condition string
	number    int
	analysis.Round
}

// Rounds returns the table of how the debates of each condition with several rounds went round by round, with the
// engine's time or without; it has no lines where there is one round.
func Rounds(c analysis.Comparison, times bool) table.Table {
	var rounds []numbered
	for _, r := range withDebates(c) {
		for i, round := range r.Dynamics.Rounds {
			if len(r.Dynamics.Rounds) > 1 {
				rounds = append(rounds, numbered{r.Condition, i, round})
			}
		}
	}
	t := table.New([]table.Column[numbered]{
		table.Words("condition", func(r numbered) string { return r.condition }),
		table.Counts("round", func(r numbered) int { return r.number }),
		table.Decimals("vote", func(r numbered) *float64 { return &r.Accuracy }),
		table.Right("95 % interval", func(r numbered) string {
			return table.Span("%.3f", r.Interval.Low, r.Interval.High)
		}),
		table.Right("lost", func(r numbered) string { return of(r.Lost, r.Compared) }),
		table.Right("won", func(r numbered) string { return of(r.Won, r.Compared) }),
		table.Decimals("entropy", func(r numbered) *float64 { return r.Entropy.Paper }),
		table.Ratios("tokens per reply", "%.1f", func(r numbered) (int, int) { return r.Cost.Tokens, r.Cost.Replies }),
		timePerReply(c, times, func(r numbered) outcome.Cost { return r.Cost }),
	}, rounds)
	t.Title, t.Lead = "The vote by round", []string{"vote"}
	t.Caption = "Vote: accuracy of a majority vote over all agents' latest answers. Lost, won: agents that were " +
		"right only before, or only after, the round."
	return t
}

// timePerReply is a column of engine time, which is left out if it is not known or not wanted.
func timePerReply[T any](c analysis.Comparison, times bool, cost func(T) outcome.Cost) table.Column[T] {
	return table.Column[T]{Name: "time/reply", Hidden: !times || !c.Work().Known(), Text: func(r T) string {
		return wording.Lasting(wording.Milliseconds(c.Work().Time(cost(r)))/float64(max(1, cost(r).Replies)), "ms")
	}}
}

// of is a count out of others, empty if there are no others.
func of(n, all int) string {
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d", n, all)
}

// aside is what only some conditions have.
type aside struct{ condition, says string }

// Asides returns the table of what only some conditions have.
func Asides(c analysis.Comparison) table.Table {
	var lines []aside
	for _, r := range withDebates(c) {
		for _, says := range append(decisionRounds(r), r.Dynamics.Asides()...) {
			lines = append(lines, aside{r.Condition, says})
		}
	}
	t := table.New([]table.Column[aside]{
		table.Words("condition", func(a aside) string { return a.condition }),
		table.Words("what", func(a aside) string { return a.says }),
	}, lines)
	t.Title = "What single conditions have beside that"
	return t
}

// decisionRounds says after how many rounds debates of a condition were decided, if they differ in that.
func decisionRounds(r analysis.Row) []string {
	var parts []string
	for round, n := range r.Dynamics.Decided {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d after %s", n, wording.Count(round+1, "round")))
		}
	}
	if len(parts) < 2 {
		return nil
	}
	return []string{"decided: " + strings.Join(parts, ", ")}
}

// Variances returns the table of what more repeats or more questions would gain, which has no lines where no question
// was repeated.
func Variances(c analysis.Comparison) table.Table {
	repeated := slices.DeleteFunc(withDebates(c), func(r analysis.Row) bool { return r.Variances == nil })
	number := func(name string, of func(pairs.Variances) float64) table.Column[analysis.Row] {
		return table.Decimals(name, func(r analysis.Row) *float64 { v := of(*r.Variances); return &v })
	}
	columns := []table.Column[analysis.Row]{
		table.Words("condition", func(r analysis.Row) string { return r.Condition }),
		number("question variance", func(v pairs.Variances) float64 { return v.Between }),
		number("sampling variance", func(v pairs.Variances) float64 { return v.Within }),
	}
	for _, repeats := range []int{1, 3, 10} {
		columns = append(columns, number(fmt.Sprintf("error at %d", repeats), func(v pairs.Variances) float64 {
			return v.Error(repeats)
		}))
	}
	t := table.New(columns, repeated)
	t.Title, t.Lead = "What more repeats or more questions would gain", []string{"error at 1"}
	t.Caption = "Question variance: of the questions' chances of a right answer. Sampling variance: of answers to " +
		"one question. Error at N: standard error of the accuracy with as many questions and N repeats of each."
	return t
}
