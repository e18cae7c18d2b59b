package dynamics

import (
	"fmt"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/report/chart"
	"github.com/parley-debate/parley/bench/roles"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
)

// behaved are the agents of a condition that dealt in one way with rated reasons.
type behaved struct {
	condition string
	roles.Behaviour
}

// behavedOf are those of each condition whose reasons were rated.
func behavedOf(rows []analysis.Row) []behaved {
	return linesOf(rows, func(condition string, all *roles.Summary) []behaved {
		return eachOf(all.Behaviours, func(b roles.Behaviour) behaved { return behaved{condition, b} })
	})
}

// behavioursTable has Wu et al.'s Figure 6 in numbers.
func behavioursTable(rows []analysis.Row) table.Table {
	t := table.New([]table.Column[behaved]{
		table.Words("condition", func(b behaved) string { return b.condition }),
		table.Words("an agent that", func(b behaved) string { return b.Of }),
		table.Counts("adjustments", func(b behaved) int { return b.N }),
		table.Counts("right after", func(b behaved) int { return b.Right }),
		table.Ratios("share", "", func(b behaved) (int, int) { return b.Right, b.N }),
		table.Counts("wrong before", func(b behaved) int { return b.Wrong }),
		table.Ratios("corrected", "", func(b behaved) (int, int) { return b.Corrected, b.Wrong }),
	}, behavedOf(rows))
	t.Title = behavioursTitle
	t.Caption = "How many agents give the player the right role in the solutions after the debate on it, by how they " +
		"dealt with reasons that a judge rated, who sees the solution (Wu et al., Figure 6). " + behaviourRules +
		" Wrong before, corrected: of those whose role was wrong before the debate, the share that is right after it."
	return t
}

const behavioursTitle = "Right after the debate on a player, by rated reasons"

// behaviourRules say how ratings make the kinds of behaviour.
const behaviourRules = "Roles are rated by the best stance for them, and a stance by the mean rating of the reasons " +
	"that it gives. An agent follows the best-rated or worse-rated reasons where it gives a role for which somebody " +
	"argued and the ratings of roles differ; it contradicts itself where it gives another role than in its own " +
	"stance just before; reasons of others are sound from a rating of 3. An agent can count in several lines."

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

// behavioursFigure draws the five shares of each condition.
func behavioursFigure(c analysis.Comparison) (chart.Figure, error) {
	f := chart.Figure{Title: behavioursTitle,
		Caption: "Share of agents that give the player the right role after the debate on it, of all and of those " +
			"that were wrong before (Wu et al., Figure 6). " + behaviourRules}
	h := chart.Heat{XLabel: "in the solutions after the debate", Columns: []string{"right", "corrected"}}
	for _, b := range behavedOf(c.Rows) {
		row := chart.Row{Name: b.condition + ", " + b.Of}
		for _, of := range [][2]int{{b.Right, b.N}, {b.Corrected, b.Wrong}} {
			cell := chart.Cell{Text: table.Absent}
			if of[1] > 0 {
				share := stat.Share(of[0], of[1])
				cell = chart.Cell{Text: fmt.Sprintf("%.0f %% of %d", 100*share, of[1]), Shade: share}
			}
			row.Cells = append(row.Cells, cell)
		}
		h.Rows = append(h.Rows, row)
	}
	return f, heat(&f, h)
}
