package dynamics

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/report/chart"
	"github.com/parley-debate/parley/bench/roles"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/wording"
)

// PuzzleFigures are Wu et al.'s Figures 2, 4, 5 and 6 of a comparison, those that have something to show. The tables of
// PuzzleTables have their numbers.
func PuzzleFigures(c analysis.Comparison) (figures []chart.Figure, err error) {
	held := withRounds(c)
	for _, draw := range []func() (chart.Figure, error){
		func() (chart.Figure, error) { return aloneFigure(c) },
		func() (chart.Figure, error) { return confidence(c) },
		func() (chart.Figure, error) { return corrections(held) },
		func() (chart.Figure, error) { return twelve(held) },
		func() (chart.Figure, error) { return soundness(held) },
		func() (chart.Figure, error) { return behavioursFigure(held) },
	} {
		f, err := draw()
		if err != nil {
			return nil, fmt.Errorf("figure %q: %w", f.Title, err)
		}
		if f.SVG != "" {
			figures = append(figures, f)
		}
	}
	return figures, nil
}

// sizesOf are the sizes of puzzles of each condition.
func sizesOf(rows []analysis.Row) []sized {
	return linesOf(rows, func(condition string, all *roles.Summary) []sized {
		return eachOf(all.Sizes, func(z roles.Size) sized { return sized{condition, z} })
	})
}

// name is what the row of a condition and size is called in figures.
func (z sized) name() string { return z.condition + ", " + wording.Count(z.Players, "player") }

// heat draws rows of shaded cells, with a sentence about those that do not fit; nothing without rows.
func heat(f *chart.Figure, h chart.Heat) error {
	if len(h.Rows) == 0 {
		return nil
	}
	if len(h.Rows) > chart.MostRows {
		f.Caption += fmt.Sprintf(" The first %d of %d rows are drawn; the table has all.", chart.MostRows, len(h.Rows))
	}
	return f.Heat(h)
}

// corrections draws how often agents are right after the debate on a player, by where they stood before it.
func corrections(c analysis.Comparison) (chart.Figure, error) {
	f := chart.Figure{Title: "Right after the debate on a player, by earlier standing",
		Caption: "Share of agents that assign the right role after the debate on a player, of those that stood with " +
			"the majority, against it, or in chaos, where there was none, and whose role was wrong or right before " +
			"(Wu et al., Figure 4). The number of agents follows each share; the stronger the shade, the larger the " +
			"share."}
	h := chart.Heat{XLabel: "where the agent stood before"}
	for standing := range (agreement.Shifts{}) {
		h.Columns = append(h.Columns, strings.ReplaceAll(agreement.Standing(standing).String(), ", ", ",\n"))
	}
	for _, z := range sizesOf(c.Rows) {
		r := chart.Row{Name: z.name()}
		for _, after := range z.Shifts {
			n := after[0] + after[1]
			cell := chart.Cell{Text: "–"}
			if n > 0 {
				cell.Shade = stat.Share(after[1], n)
				cell.Text = fmt.Sprintf("%.0f %% of %s", 100*cell.Shade, wording.Comma(n))
			}
			r.Cells = append(r.Cells, cell)
		}
		h.Rows = append(h.Rows, r)
	}
	return f, heat(&f, h)
}

// transitionNames are the twelve transitions in the order of agreement.Shifts, as heads of narrow columns.
func transitionNames() (names []string) {
	for _, name := range roles.Transitions() {
		names = append(names, strings.NewReplacer(", ", "\n", " →", "\n→").Replace(name))
	}
	return names
}

// twelve draws how frequent each of the twelve transitions is.
func twelve(c analysis.Comparison) (chart.Figure, error) {
	f := chart.Figure{Title: "Twelve transitions by size of the puzzle",
		Caption: "Share of each transition among all in puzzles of one size: from where an agent stood on a player " +
			"before the debate on that player to a right role (blue) or a wrong one (orange) after it (Wu et al., " +
			"Figure 5). The stronger the shade, the more frequent."}
	h := chart.Heat{XLabel: "standing before → role after", Columns: transitionNames()}
	most := 0.0
	for _, z := range sizesOf(c.Rows) {
		total, r := 0, chart.Row{Name: z.name()}
		for _, after := range z.Shifts {
			total += after[0] + after[1]
		}
		for _, after := range z.Shifts {
			for right, n := range after {
				share := stat.Share(n, total)
				r.Cells = append(r.Cells, chart.Cell{Text: fmt.Sprintf("%.1f %%", 100*share),
					Shade: share * float64(2*right-1)})
				most = max(most, share)
			}
		}
		if total > 0 {
			h.Rows = append(h.Rows, r)
		}
	}
	scale(h.Rows, most)
	return f, heat(&f, h)
}

// scale divides the shades by the largest of them.
func scale(rows []chart.Row, most float64) {
	for _, r := range rows {
		for i := range r.Cells {
			r.Cells[i].Shade /= max(most, 1e-9)
		}
	}
}

// soundness draws how a judge rated the agents' arguments.
func soundness(c analysis.Comparison) (chart.Figure, error) {
	f := chart.Figure{Title: "Soundness of arguments by outcome",
		Caption: "Number of agents by what became of their solutions and by the rating of their arguments, from 1, " +
			"no reasons, to 4, everything follows; – is a rating that could not be read. The " +
			"stronger the shade, the larger the share of the row."}
	h := chart.Heat{XLabel: "rating of the judge", Columns: []string{"1", "2", "3", "4", "–"}}
	for _, r := range ratingsOf(c.Rows) {
		row, total := chart.Row{Name: r.condition + ", " + r.Of}, r.Unread
		counts := append(slices.Clone(r.Ratings[:]), r.Unread)
		for _, n := range r.Ratings {
			total += n
		}
		for _, n := range counts {
			row.Cells = append(row.Cells, chart.Cell{Text: wording.Comma(n), Shade: stat.Share(n, total)})
		}
		h.Rows = append(h.Rows, row)
	}
	return f, heat(&f, h)
}

// weightsFigure draws the weights of the transitions by size.
func weightsFigure(weights []weighed) (chart.Figure, error) {
	f := chart.Figure{Title: "Weights of the transitions by size of the puzzle",
		Caption: "What one standard deviation more of a transition adds to the final smooth accuracy (blue) or takes " +
			"from it (orange), by ridge regression (Wu et al., Figure 5). A transition that is equally frequent in " +
			"all debates has no weight: –."}
	h := chart.Heat{XLabel: "standing before → role after", Columns: transitionNames()}
	most := 0.0
	for _, w := range weights {
		name := wording.Count(w.players, "player")
		if len(h.Rows) == 0 || h.Rows[len(h.Rows)-1].Name != name {
			h.Rows = append(h.Rows, chart.Row{Name: name, Cells: slices.Repeat([]chart.Cell{{Text: "–"}},
				len(h.Columns))})
		}
		h.Rows[len(h.Rows)-1].Cells[slices.Index(roles.Transitions(), w.Name)] = chart.Cell{
			Text: table.Signed(w.Weight.Weight), Shade: w.Weight.Weight}
		most = max(most, math.Abs(w.Weight.Weight))
	}
	scale(h.Rows, most)
	return f, heat(&f, h)
}
