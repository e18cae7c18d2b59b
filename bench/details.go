package bench

import (
	"fmt"
	"slices"
	"strings"

	"parley/bench/stat"
	"parley/bench/table"
)

// Details are two more tables: how the debates of each condition went, and round by round where they had several.
func (c Comparison) Details() string {
	rows := slices.DeleteFunc(slices.Clone(c.Rows), func(r Row) bool { return r.Course == nil })
	text := c.courses(rows) + "\n" + decided(rows) + asides(rows) + detailsLegend(rows)
	var rounds []numbered
	for _, r := range rows {
		for i, round := range r.Course.Rounds {
			if len(r.Course.Rounds) > 1 {
				rounds = append(rounds, numbered{r.Condition, i, round})
			}
		}
	}
	if rounds != nil {
		text += c.rounds(rounds) + "\nvote: of the latest answers of all agents, with its interval; lost, won: " +
			"answers that were right before the round, and after it\n"
	}
	return text + rolesTable(rows)
}

// courses is the table of conditions.
func (c Comparison) courses(rows []Row) string {
	of := func(name string, text func(Course) string) table.Column[Row] {
		return table.Right(name, func(r Row) string { return text(*r.Course) })
	}
	return table.New(append([]table.Column[Row]{
		table.Left("condition", func(r Row) string { return r.Condition }),
		of("rounds", func(c Course) string { return fmt.Sprintf("%.1f", c.MeanRounds) }),
		of("right → wrong", func(c Course) string { return moved(c.Transitions, stat.Right, stat.Wrong) }),
		of("wrong → right", func(c Course) string { return moved(c.Transitions, stat.Wrong, stat.Right) }),
		of("agreement", func(c Course) string { return table.Decimal(c.Agreement) }),
		of("disagreement", func(c Course) string { return table.Decimal(c.Disagreement) }),
		of("entropy", func(c Course) string { return table.Decimal(c.Entropy.Paper) }),
		of("likelihood", func(c Course) string { return fmt.Sprintf("%.1f", c.LogLikelihood.Code) }),
		table.Right("ties", func(r Row) string { return fmt.Sprintf("%.1f %%", 100*share(r.Course.Ties, r.N)) }),
	}, costs(c, func(r Row) Cost { return r.Cost })...), rows).Terminal()
}

// numbered is one round of a condition.
type numbered struct {
	condition string
	number    int
	Round
}

// rounds is the table of rounds.
func (c Comparison) rounds(rounds []numbered) string {
	return table.New(append([]table.Column[numbered]{
		table.Left("condition", func(r numbered) string { return r.condition }),
		table.Right("round", func(r numbered) string { return fmt.Sprint(r.number) }),
		table.Right("vote", func(r numbered) string { return fmt.Sprintf("%.3f", r.Accuracy) }),
		table.Right("95 % interval", func(r numbered) string {
			return fmt.Sprintf("%.3f – %.3f", r.Interval.Low, r.Interval.High)
		}),
		table.Right("lost", func(r numbered) string { return of(r.Lost, r.Compared) }),
		table.Right("won", func(r numbered) string { return of(r.Won, r.Compared) }),
		table.Right("entropy", func(r numbered) string { return table.Decimal(r.Entropy.Paper) }),
	}, costs(c, func(r numbered) Cost { return r.Cost })...), rounds).Terminal()
}

// costs are columns of what a reply took; times are left out where they are not known.
func costs[T any](c Comparison, cost func(T) Cost) []table.Column[T] {
	each := func(total float64, r T) float64 { return total / float64(max(1, cost(r).Replies)) }
	return []table.Column[T]{
		table.Right("tokens/reply", func(r T) string {
			return fmt.Sprintf("%.1f", each(float64(cost(r).Tokens), r))
		}),
		{Name: "time/reply", Hidden: c.Time == (Times{}), Text: func(r T) string {
			return fmt.Sprintf("%.1f ms", each(milliseconds(c.EngineTime(cost(r))), r))
		}},
	}
}

// moved is how many of the answers with one mark have another one at the end; empty if nobody answered more than once.
func moved(t stat.Transitions, from, to stat.Mark) string {
	all, before := 0, 0
	for mark, after := range t {
		for _, n := range after {
			all += n
			if stat.Mark(mark) == from {
				before += n
			}
		}
	}
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d", t[from][to], before)
}

// of is empty of nothing.
func of(n, all int) string {
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d", n, all)
}

// decided lists after which rounds debates were decided, of conditions whose debates differ in that.
func decided(rows []Row) (text string) {
	for _, r := range rows {
		var parts []string
		for round, n := range r.Course.Decided {
			if n > 0 {
				parts = append(parts, fmt.Sprintf("%d after %s", n, count(round+1, "round")))
			}
		}
		if len(parts) > 1 {
			text += fmt.Sprintf("  %-17s decided: %s\n", r.Condition, strings.Join(parts, ", "))
		}
	}
	return text
}

func detailsLegend(rows []Row) string {
	text := `rounds: to the decision, the first one included; right → wrong: agents whose first answer was right and whose last one is wrong,
of those right at first; agreement: pairs of agents with equal last answers; disagreement: pairs with different ones, mean over rounds;
entropy: of the last round's answers, mean in bits; likelihood: log2 of the share of right answers, summed over questions and rounds
without those that have none; ties: broken by a rule
`
	if slices.ContainsFunc(rows, func(r Row) bool { return !r.Course.ByEquality }) {
		text += "right is here what equals the target; the task scores in another way, so that some of it counts as " +
			"wrong\n"
	}
	return text
}
