package dynamics

import (
	"fmt"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/roles"
	"github.com/parley-debate/parley/bench/table"
)

// sized is one size of puzzles of a condition.
type sized struct {
	condition string
	roles.Size
}

// sizesTable has the twelve transitions of each size.
func sizesTable(rows []analysis.Row) table.Table {
	columns := []table.Column[sized]{
		table.Words("condition", func(z sized) string { return z.condition }),
		table.Counts("players", func(z sized) int { return z.Players }),
		table.Counts("debates", func(z sized) int { return z.N }),
	}
	for i, name := range roles.Transitions() {
		columns = append(columns, table.Counts(name, func(z sized) int { return z.Shifts[i/2][i%2] }))
	}
	t := table.New(columns, sizesOf(rows))
	t.Title = "Twelve transitions by size of the puzzle"
	t.Caption = "Number of agents by where they stood on a player before the debate on that player, and whether they " +
		"assigned the right role afterwards (Wu et al., Figure 5)."
	return t
}

// confident is one bin of an agent's proposals.
type confident struct {
	agent
	roles.Bin
}

// confidenceTable has a row for each agent and confidence that it stated. Agents are counted from 1 there.
func confidenceTable(c analysis.Comparison) table.Table {
	var bins []confident
	for _, a := range agentsOf(c) {
		for _, b := range a.Confidence {
			bins = append(bins, confident{a, b})
		}
	}
	t := table.New([]table.Column[confident]{
		table.Words("condition", func(b confident) string { return b.condition }),
		table.Counts("agent", func(b confident) int { return b.Agent.Agent + 1 }),
		table.Words("model", func(b confident) string { return b.model }),
		table.Counts("confidence", func(b confident) int { return b.Bin.Confidence }),
		table.Counts("proposals", func(b confident) int { return b.N }),
		{Name: "smooth", Text: func(b confident) string { return fmt.Sprintf("%.3f", b.Smooth) },
			Note: func(b confident) string {
				if b.Interval == nil {
					return ""
				}
				return table.Between("%.3f", b.Interval.Low, b.Interval.High)
			}, Values: func(b confident) []any { return []any{b.Smooth} }},
	}, bins)
	t.Title = "Accuracy by stated confidence"
	t.Caption = "Mean share of players whose role is right in the proposals of an agent, by its confidence in them " +
		"from 1 to 10, with a 95 % interval (Wu et al., Figure 2)."
	return t
}

// rating has the ratings of the agents of a condition with one outcome.
type rating struct {
	condition string
	roles.Rated
}

// ratingsOf are the ratings of each condition.
func ratingsOf(rows []analysis.Row) []rating {
	return linesOf(rows, func(condition string, all *roles.Summary) []rating {
		return eachOf(all.Ratings, func(of roles.Rated) rating { return rating{condition, of} })
	})
}

// ratingsTable has a row for each way in which a solution can come out. Ratings are counted from 1; those that could
// not be read have a column of their own.
func ratingsTable(rows []analysis.Row) table.Table {
	columns := append([]table.Column[rating]{
		table.Words("condition", func(r rating) string { return r.condition }),
		table.Words("agents whose solution", func(r rating) string { return r.Of }),
	}, ratedColumns(1, func(r rating) ([]int, int) { return r.Ratings[:], r.Unread })...)
	t := table.New(columns, ratingsOf(rows))
	t.Title = "Soundness of arguments, rated by a judge"
	t.Caption = "Agents by what became of the smooth accuracy of their solutions from the proposal to the end, and " +
		"by the rating of their arguments, from 1, no reasons, to 4, everything follows."
	return t
}

// ratedColumns count the ratings of a line, from the least one on, and those that could not be read.
func ratedColumns[T any](least int, of func(T) (ratings []int, unread int)) (columns []table.Column[T]) {
	var none T
	ratings, _ := of(none)
	for n := range ratings {
		columns = append(columns, table.Counts(fmt.Sprintf("rated %d", least+n), func(line T) int {
			ratings, _ := of(line)
			return ratings[n]
		}))
	}
	return append(columns, table.Counts("unread", func(line T) int {
		_, unread := of(line)
		return unread
	}))
}

// claiming are the claims of some turns of a condition.
type claiming struct {
	condition, of string
	roles.Claims
}

// claimsTable has the claims by phase, by change and by agent.
func claimsTable(c analysis.Comparison) table.Table {
	lines := linesOf(c.Rows, func(condition string, all *roles.Summary) (lines []claiming) {
		for _, of := range all.Claims {
			lines = append(lines, claiming{condition, of.Of, of.Claims})
		}
		for _, of := range all.Changes {
			lines = append(lines, claiming{condition, "adjustment, " + of.Of, of.Claims})
		}
		for _, a := range all.Agents {
			if a.Claims.Turns > 0 {
				lines = append(lines, claiming{condition, agentNamed(c, a), a.Claims})
			}
		}
		return lines
	})
	t := table.New([]table.Column[claiming]{
		table.Words("condition", func(l claiming) string { return l.condition }),
		table.Words("replies of", func(l claiming) string { return l.of }),
		table.Counts("replies", func(l claiming) int { return l.Turns }),
		table.Counts("claims", func(l claiming) int { return l.N }),
		table.Ratios("follow", "", func(l claiming) (int, int) { return l.Follow, l.N }),
		table.Ratios("fail", "", func(l claiming) (int, int) { return l.Fail, l.N }),
		table.Ratios("vacuous", "", func(l claiming) (int, int) { return l.Vacuous, l.N }),
		table.Ratios("replies with a failed claim", "", func(l claiming) (int, int) { return l.Mistaken, l.Turns }),
	}, lines)
	t.Title = "Claims, checked by program"
	t.Caption = "Claims about players that can be read in explanations and reasons, and whether they follow from the " +
		"puzzle; vacuous: drawn from suppositions that no solution allows. Many claims are of no form that is read."
	return t
}
