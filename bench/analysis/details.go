package analysis

import (
	"fmt"
	"slices"
	"strings"

	"parley/bench/stat"
	"parley/bench/wording"
)

// Details are two more tables: how the debates of each condition went, and round by round where they had several.
func (c Comparison) Details() string {
	rows := slices.DeleteFunc(slices.Clone(c.Rows), func(r Row) bool { return r.Dynamics == nil })
	text := c.courses(rows) + "\n" + decided(rows) + asides(rows) + detailsLegend(rows)
	var rounds []numbered
	for _, r := range rows {
		for i, round := range r.Dynamics.Rounds {
			if len(r.Dynamics.Rounds) > 1 {
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
	of := func(text func(Dynamics) string) func(Row) string {
		return func(r Row) string { return text(*r.Dynamics) }
	}
	return render(rows, append([]column[Row]{
		{"condition", func(r Row) string { return r.Condition }},
		{"rounds", of(func(c Dynamics) string { return fmt.Sprintf("%.1f", c.MeanRounds) })},
		{"right → wrong", of(func(c Dynamics) string { return moved(c.Transitions, stat.Right, stat.Wrong) })},
		{"wrong → right", of(func(c Dynamics) string { return moved(c.Transitions, stat.Wrong, stat.Right) })},
		{"agreement", of(func(c Dynamics) string { return decimals(c.Agreement) })},
		{"disagreement", of(func(c Dynamics) string { return decimals(c.Disagreement) })},
		{"entropy", of(func(c Dynamics) string { return decimals(c.Entropy.Paper) })},
		{"likelihood", of(func(c Dynamics) string { return fmt.Sprintf("%.1f", c.LogLikelihood.Code) })},
		{"ties", func(r Row) string { return fmt.Sprintf("%.1f %%", 100*stat.Share(r.Dynamics.Ties, r.N)) }},
	}, costs(c, func(r Row) Cost { return r.Cost })...))
}

// numbered is one round of a condition.
type numbered struct {
	condition string
	number    int
	Round
}

// rounds is the table of rounds.
func (c Comparison) rounds(rounds []numbered) string {
	return render(rounds, append([]column[numbered]{
		{"condition", func(r numbered) string { return r.condition }},
		{"round", func(r numbered) string { return fmt.Sprint(r.number) }},
		{"vote", func(r numbered) string { return fmt.Sprintf("%.3f", r.Accuracy) }},
		{"95 % interval", func(r numbered) string {
			return fmt.Sprintf("%.3f – %.3f", r.Interval.Low,
				r.Interval.High)
		}},
		{"lost", func(r numbered) string { return of(r.Lost, r.Compared) }},
		{"won", func(r numbered) string { return of(r.Won, r.Compared) }},
		{"entropy", func(r numbered) string { return decimals(r.Entropy.Paper) }},
	}, costs(c, func(r numbered) Cost { return r.Cost })...))
}

// costs are columns of what a reply took; times are left out where they are not known.
func costs[T any](c Comparison, cost func(T) Cost) []column[T] {
	columns := []column[T]{
		{"tokens/reply", func(r T) string {
			return fmt.Sprintf("%.1f",
				float64(cost(r).Tokens)/float64(max(1, cost(r).Replies)))
		}},
		{"time/reply", func(r T) string {
			return fmt.Sprintf("%.1f ms", wording.Milliseconds(c.EngineTime(cost(r)))/float64(max(1, cost(r).Replies)))
		}},
	}
	if c.Time == (Times{}) {
		return columns[:1]
	}
	return columns
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

func decimals(x *float64) string {
	if x == nil {
		return ""
	}
	return fmt.Sprintf("%.3f", *x)
}

// decided lists after which rounds debates were decided, of conditions whose debates differ in that.
func decided(rows []Row) (text string) {
	for _, r := range rows {
		var parts []string
		for round, n := range r.Dynamics.Decided {
			if n > 0 {
				parts = append(parts, fmt.Sprintf("%d after %s", n, wording.Count(round+1, "round")))
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
	if slices.ContainsFunc(rows, func(r Row) bool { return !r.Dynamics.ByEquality }) {
		text += "right is here what equals the target; the task scores in another way, so that some of it counts as " +
			"wrong\n"
	}
	return text
}
