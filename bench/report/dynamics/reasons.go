package dynamics

import (
	"fmt"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/report/chart"
	"github.com/parley-debate/parley/bench/roles"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
)

// behaved is one way in which an agent of a condition dealt with rated reasons.
type behaved struct {
	condition, agent string
	roles.Behaviour
}

// behavedOf are those of the agents of each condition whose reasons were rated.
func behavedOf(c analysis.Comparison) []behaved {
	return linesOf(c.Rows, func(condition string, all *roles.Summary) (lines []behaved) {
		for _, a := range all.Agents {
			lines = append(lines, eachOf(a.Behaviours, func(b roles.Behaviour) behaved {
				return behaved{condition, agentNamed(c, a), b}
			})...)
		}
		return lines
	})
}

// behavioursTable has Wu et al.'s Figure 6 in numbers.
func behavioursTable(c analysis.Comparison) table.Table {
	t := table.New([]table.Column[behaved]{
		table.Words("condition", func(b behaved) string { return b.condition }),
		table.Words("agent", func(b behaved) string { return b.agent }),
		table.Words("behaviour", func(b behaved) string { return b.Of }),
		table.Counts("adjustments", func(b behaved) int { return b.N }),
		table.Counts("right after", func(b behaved) int { return b.Right }),
		table.Ratios("share", "", func(b behaved) (int, int) { return b.Right, b.N }),
		table.Counts("wrong before", func(b behaved) int { return b.Wrong }),
		table.Ratios("corrected", "", func(b behaved) (int, int) { return b.Corrected, b.Wrong }),
	}, behavedOf(c))
	t.Title = behavioursTitle
	t.Caption = "How often the role that an agent gives the player after the debate on it is right, by how it dealt " +
		"with reasons that a judge rated, who sees the solution (Wu et al., Figure 6). " + behaviourRules +
		" Wrong before, corrected: of those whose role was wrong before the debate, the share that is right after it."
	return t
}

const behavioursTitle = "Right after the debate on a player, by rated reasons"

// behaviourRules say how ratings make the kinds of behaviour.
const behaviourRules = "Reasons are sound from a rating of 3 of 4, the mean of why the agent agrees and why it " +
	"disagrees with others. An agent follows them where it gives a role for which it or another argued with sound " +
	"reasons, and contradicts itself where it gives another role than in its own stance just before. Where an agent " +
	"gives reasons, the roles are those of the others, who heard them. An agent can count in several columns."

// reasoned are the ratings of the reasons of a condition.
type reasoned struct {
	condition string
	roles.RatedReasons
}

// reasonsTable has a row for each kind of reasons. Their ratings are counted from 0, other than those of whole
// arguments (ratingsTable).
func reasonsTable(rows []analysis.Row) table.Table {
	columns := append([]table.Column[reasoned]{
		table.Words("condition", func(r reasoned) string { return r.condition }),
		table.Words("reasons to", func(r reasoned) string { return r.Of }),
	}, ratedColumns(0, func(r reasoned) ([]int, int) { return r.Ratings[:], r.Unread })...)
	t := table.New(columns, linesOf(rows, func(condition string, all *roles.Summary) []reasoned {
		return eachOf(all.Reasons, func(r roles.RatedReasons) reasoned { return reasoned{condition, r} })
	}))
	t.Title = "Reasons, rated by a judge who sees the solution"
	t.Caption = "Stances in the debates on players by the rating of why the agent agrees and why it disagrees with " +
		"others, from 0, no reason, to 4, sound (Wu et al., appendix D)."
	return t
}

// behavioursFigure draws the five shares of each agent.
func behavioursFigure(c analysis.Comparison) (chart.Figure, error) {
	f := chart.Figure{Title: behavioursTitle,
		Caption: "Share of adjustments whose role for the player is right, by how the agent dealt with rated reasons " +
			"(Wu et al., Figure 6). " + behaviourRules}
	h := chart.Heat{XLabel: "what the agent did"}
	named := ""
	for _, b := range behavedOf(c) {
		name := b.condition + ", " + b.agent
		if name != named {
			named, h.Rows = name, append(h.Rows, chart.Row{Name: name})
		}
		cell := chart.Cell{Text: table.Absent}
		if b.N > 0 {
			share := stat.Share(b.Right, b.N)
			cell = chart.Cell{Text: fmt.Sprintf("%.0f %% of %d", 100*share, b.N), Shade: share}
		}
		row := &h.Rows[len(h.Rows)-1]
		if row.Cells = append(row.Cells, cell); len(h.Columns) < len(row.Cells) {
			h.Columns = append(h.Columns, strings.Replace(b.Of, " ", "\n", 1))
		}
	}
	return f, heat(&f, h)
}
