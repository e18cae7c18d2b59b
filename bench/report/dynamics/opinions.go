package dynamics

import (
	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/roles"
	"github.com/parley-debate/parley/bench/table"
)

// heard are opinions of a condition.
type heard struct {
	condition, of string
	roles.Opinions
}

// opinionsTable says whose opinions were taken up, by standing and by agent.
func opinionsTable(c analysis.Comparison) table.Table {
	lines := linesOf(c.Rows, func(condition string, all *roles.Summary) []heard {
		lines := eachOf(all.Opinions, func(h roles.Held) heard { return heard{condition, h.Of, h.Opinions} })
		for _, a := range all.Agents {
			if a.Opinions.Heard > 0 {
				lines = append(lines, heard{condition, agentNamed(c, a), a.Opinions})
			}
		}
		return lines
	})
	t := table.New([]table.Column[heard]{
		table.Words("condition", func(h heard) string { return h.condition }),
		table.Words("opinions of", func(h heard) string { return h.of }),
		table.Counts("heard", func(h heard) int { return h.Heard }),
		table.Counts("taken up", func(h heard) int { return h.Taken }),
		table.Ratios("share", "", func(h heard) (int, int) { return h.Taken, h.Heard }),
		table.Ratios("right, of those taken up", "", func(h heard) (int, int) { return h.Right, h.Taken }),
	}, lines)
	t.Title = "Whose opinion was taken up"
	t.Caption = "Heard: how often an agent that gave the player under debate another role, or none, heard this one; " +
		"taken up: it then gave the player that role. By where the holder stood before the debate on the player, " +
		"and by agent (Wu et al., Figure 6)."
	return t
}

// deep is one difficulty of puzzles of a condition.
type deep struct {
	condition string
	roles.Depth
}

// depthsTable has the accuracy by the difficulty of puzzles.
func depthsTable(rows []analysis.Row) table.Table {
	lines := linesOf(rows, func(condition string, all *roles.Summary) []deep {
		return eachOf(all.Depths, func(d roles.Depth) deep { return deep{condition, d} })
	})
	of := func(name string, value func(*deep) *float64) table.Column[deep] {
		return table.Decimals(name, func(d deep) *float64 { return value(&d) })
	}
	t := table.New([]table.Column[deep]{
		table.Words("condition", func(d deep) string { return d.condition }),
		table.Counts("depth", func(d deep) int { return d.Depth.Depth }),
		table.Counts("debates", func(d deep) int { return d.N }),
		of("refuted", func(d *deep) *float64 { return &d.Refuted }),
		of("strict, proposals", func(d *deep) *float64 { return &d.Initial.Strict }),
		of("strict, final", func(d *deep) *float64 { return &d.Final.Strict }),
		of("smooth, proposals", func(d *deep) *float64 { return &d.Initial.Smooth }),
		of("smooth, final", func(d *deep) *float64 { return &d.Final.Smooth }),
	}, lines)
	t.Title, t.Lead = "Accuracy by the difficulty of the puzzle", []string{"strict, final"}
	t.Caption = "Depth: how many suppositions have to be held at once to solve a puzzle without trying all " +
		"assignments; refuted: mean number of suppositions that have to be refuted in it. Strict and smooth are of " +
		"the vote on each player. Puzzles that cannot be read or have several solutions are left out."
	return t
}
