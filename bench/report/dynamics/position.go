package dynamics

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/report/chart"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/wording"
)

// effect is the effect of one place, or of one holder.
type effect struct {
	Of string
	stat.Estimated
}

func effectsOf(p analysis.Position) (effects []effect) {
	for i, r := range p.Places {
		effects = append(effects, effect{fmt.Sprintf("place %d", i), r})
	}
	for i, r := range p.Agents {
		effects = append(effects, effect{fmt.Sprintf("holder %d", i), r})
	}
	return effects
}

// PositionTable has the effects of a sweep over places and holders.
func PositionTable(p analysis.Position) table.Table {
	t := table.New([]table.Column[effect]{
		table.Words("of", func(e effect) string { return e.Of }),
		{Name: "effect", Text: func(e effect) string { return fmt.Sprintf("%+.3f", e.Estimate) },
			Values: func(e effect) []any { return []any{e.Estimate} }},
		{Name: "95 % interval", Text: func(e effect) string {
			return table.Between("%+.3f", e.Interval.Low, e.Interval.High)
		}},
	}, effectsOf(p))
	t.Title = "Effect of the place, effect of the holder: " + p.Series
	t.Caption = positionCaption(p)
	return t
}

func positionCaption(p analysis.Position) string {
	caption := fmt.Sprintf("One right solution was moved to every place (0 is heard first) and to every holder, "+
		"each with its own text. Its effect on the share of right debates, which is %.3f on average, is fitted as "+
		"the sum of an effect of the place and an effect of the holder. The effects of the places sum to 0, and so "+
		"do those of the holders; an effect of 0 makes no difference. From %s",
		p.Mean.Estimate, wording.Count(p.Questions, "question"))
	if p.Repeats > 0 {
		return caption + ": intervals are over its " + wording.Count(p.Repeats, "sample") + ", not over questions."
	}
	return caption + "; t intervals over questions."
}

// PositionFigure draws the effects of places and of holders side by side, on the same scale.
func PositionFigure(p analysis.Position) (chart.Figure, error) {
	f := chart.Figure{Title: "Place and holder: " + p.Series, Caption: positionCaption(p)}
	most := 0.01
	for _, e := range effectsOf(p) {
		most = max(most, math.Abs(e.Estimate), math.Abs(e.Interval.Low), math.Abs(e.Interval.High))
	}
	var panels []*plot.Plot
	for _, of := range []struct {
		name    string
		effects []stat.Estimated
	}{{"place", p.Places}, {"holder", p.Agents}} {
		panel, err := effectPanel(of.name, of.effects, 1.1*most)
		if err != nil {
			return f, err
		}
		panels = append(panels, panel)
	}
	return f, f.Render(chart.Width, vg.Points(220), panels...)
}

func effectPanel(name string, effects []stat.Estimated, most float64) (*plot.Plot, error) {
	p := chart.New()
	p.Title.Text, p.X.Label.Text = "effect of the "+name, name
	none, err := plotter.NewLine(plotter.XYs{{X: -0.5, Y: 0}, {X: float64(len(effects)) - 0.5, Y: 0}})
	if err != nil {
		return nil, err
	}
	none.Color, none.Dashes = chart.Soft, []vg.Length{vg.Points(4), vg.Points(3)}
	p.Add(chart.Grid(false, true), none)
	var points plotter.XYs
	for i, e := range effects {
		x := float64(i)
		points = append(points, plotter.XY{X: x, Y: e.Estimate})
		if err := chart.Join(p, plotter.XYs{{X: x, Y: e.Interval.Low}, {X: x, Y: e.Interval.High}}, chart.Better, 1.5,
			false); err != nil {
			return nil, err
		}
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.5, float64(len(effects))-0.5, -most, most
	p.X.Tick.Marker, p.Y.Tick.Marker = chart.Whole(len(effects)), chart.Signed
	return p, chart.Scatter(p, points, draw.CircleGlyph{}, chart.Better, 3.5)
}
