package report

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/report/chart"
	"github.com/parley-debate/parley/bench/wording"
)

// leastPool is how many agents make a pool: with fewer, a distribution of their answers shows little.
const leastPool = 20

// pools draws the distribution of answers of every pool of a run, questions with most right answers first.
func pools(s study) (figures []chart.Figure, err error) {
	for _, r := range s.Comparison.Rows {
		share := s.candidateShare(r.Condition)
		list := analysis.PoolsOf(s.Table().Under(r.Condition), leastPool, share)
		if len(list) == 0 {
			continue
		}
		slices.SortStableFunc(list, func(a, b analysis.Pool) int { return cmp.Compare(b.Right, a.Right) })
		f, err := drawPool(r.Condition, list, share)
		if err != nil {
			return nil, fmt.Errorf("figure %q: %w", f.Title, err)
		}
		figures = append(figures, f)
	}
	return figures, nil
}

// candidateShare is the share of votes that makes candidates for a condition built on the pool; without such a
// condition, it is that of source 0.
func (s study) candidateShare(pool string) float64 {
	for _, p := range s.Points {
		if p.From.After == pool && p.From.Candidates > 0 {
			return p.From.Candidates
		}
	}
	return 0.3
}

// drawPool draws a row for each question: the stacked shares of its answers.
func drawPool(condition string, list []analysis.Pool, share float64) (chart.Figure, error) {
	f := chart.Figure{Title: "Answers of " + condition}
	const mostNamed = 60
	var candidates []string
	names, values := make([]string, len(list)), make([]plotter.Values, 4)
	for i, p := range slices.Backward(list) {
		y := len(list) - 1 - i
		if names[y] = p.Question; p.Candidate {
			names[y], candidates = p.Question+" *", append(candidates, p.Question)
		}
		for k, v := range []float64{p.Right, p.Wrong, p.Other, p.Unparsed} {
			values[k] = append(values[k], v)
		}
	}
	height := vg.Points(16)
	if len(list) > mostNamed {
		height = vg.Points(3)
	}
	p := chart.New()
	if err := stack(p, values, 0.8*height); err != nil {
		return f, err
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, -0.6, float64(len(list))-0.4
	p.X.Label.Text, p.X.Tick.Marker = "share of replies", chart.Shares
	if len(list) <= mostNamed {
		chart.Names(p, names...)
	} else {
		p.HideY()
	}
	slices.Reverse(candidates)
	f.Caption = poolCaption(len(list), len(list) <= mostNamed, candidates, share)
	return f, f.Render(chart.Width, vg.Length(len(list))*height+chart.Frame, p)
}

// stack draws bars, each of which begins where the one before it ends.
func stack(p *plot.Plot, values []plotter.Values, height vg.Length) error {
	var below *plotter.BarChart
	for i, v := range values {
		bars, err := plotter.NewBarChart(v, height)
		if err != nil {
			return err
		}
		bars.Horizontal, bars.LineStyle.Width = true, 0
		bars.Color = []color.Color{chart.Better, chart.Worse, chart.Faint, chart.Line}[i]
		if below != nil {
			bars.StackOn(below)
		}
		below = bars
		p.Add(bars)
	}
	return nil
}

func poolCaption(questions int, named bool, candidates []string, share float64) string {
	caption := "One row per question, from the left: the right answer (blue), the most frequent wrong one (orange), " +
		"other wrong ones (a fainter orange), replies without a readable answer (grey). "
	const most = 30
	which := listed(candidates)
	if len(candidates) > most {
		which = strings.Join(candidates[:most], ", ") + " and more"
	}
	caption += fmt.Sprintf("Candidates, on which two answers have more than %.0f %% each: %d of %s", 100*share,
		len(candidates), wording.Count(questions, "question"))
	switch {
	case len(candidates) == 0:
	case named:
		caption += ", marked by *"
	default:
		caption += ": " + which
	}
	return caption + "."
}
