package dynamics

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/report/chart"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/reversal"
)

// effect is the effect of one place, or of one holder.
type effect struct {
	Of string
	stat.Estimated
}

// effectsOf lists the effects of the places, then those of the holders, both counted from 0.
func effectsOf(p Position) (effects []effect) {
	for i, r := range p.Places {
		effects = append(effects, effect{fmt.Sprintf("place %d", i), r})
	}
	for i, r := range p.Agents {
		effects = append(effects, effect{fmt.Sprintf("holder %d", i), r})
	}
	return effects
}

// PositionTable has the effects of a sweep over places and holders.
func PositionTable(p Position) table.Table {
	t := table.New([]table.Column[effect]{
		table.Words("of", func(e effect) string { return e.Of }),
		{Name: "effect", Text: func(e effect) string { return table.Signed(e.Estimate) },
			Values: func(e effect) []any { return []any{e.Estimate} }},
		{Name: "95 % interval", Text: func(e effect) string {
			return table.Between("%+.3f", e.Interval.Low, e.Interval.High)
		}},
	}, effectsOf(p))
	t.Title = "Effect of the place, effect of the holder: " + p.Series
	t.Caption = positionCaption(p)
	return t
}

// positionCaption says how the two effects are told apart, and what the intervals are over: questions, or the repeats
// of a single one.
func positionCaption(p Position) string {
	caption := fmt.Sprintf("One right solution was moved to every place (0 is heard first) and to every holder, "+
		"each with its own text. Its effect on the share of right debates, which is %.3f on average, is fitted as "+
		"the sum of an effect of the place and an effect of the holder. The effects of the places sum to 0, and so "+
		"do those of the holders; an effect of 0 makes no difference. From %s",
		p.Mean.Estimate, wording.Count(p.Questions, "question"))
	if p.Repeats > 0 {
		return caption + ": intervals are over its " + wording.Count(p.Repeats, "sample") + ", not over questions."
	}
	return caption + "; intervals over questions."
}

// PositionFigure draws the effects of places and of holders side by side, on the same scale.
func PositionFigure(p Position) (chart.Figure, error) {
	f := chart.Figure{Title: "Place and holder: " + p.Series, Caption: positionCaption(p)}
	most := 0.01
	for _, e := range effectsOf(p) {
		most = max(most, math.Abs(e.Estimate), math.Abs(e.Interval.Low), math.Abs(e.Interval.High))
	}
	return f, f.Render(220, effectPanel("place", p.Places, 1.1*most), effectPanel("holder", p.Agents, 1.1*most))
}

// effectPanel draws effects beside each other, from -most to most, so that the panels of places and of holders can be
// compared.
func effectPanel(name string, effects []stat.Estimated, most float64) chart.Panel {
	end := float64(len(effects)) - 0.5
	none := chart.Mark{Kind: chart.Lines, Colour: chart.Soft, Size: 1, Dashed: true,
		Points: []chart.Point{{X: -0.5}, {X: end}}}
	seen := chart.Mark{Colour: chart.Better, Size: 3.5}
	for i, e := range effects {
		seen.Points = append(seen.Points, chart.Point{X: float64(i), Y: e.Estimate,
			Span: &chart.Interval{Low: e.Interval.Low, High: e.Interval.High}})
	}
	return chart.Panel{Title: "effect of the " + name, Marks: []chart.Mark{none, seen},
		X: chart.Axis{Label: name, Low: -0.5, High: end, Ticks: chart.Whole(0, len(effects)-1)},
		Y: chart.Axis{Low: -most, High: most, Ticks: chart.Signed, Grid: true}}
}

// Position says what difference it made where the one right solution stood among wrong ones that a centre hears, and
// which agent held it. Every holder was at every place, so that the two effects can be told apart.
type Position struct {
	Series       string // the name of the sweep
	Questions    int    // on which the debates could be held
	Repeats      int    // of a single question: what intervals are about; else 0
	stat.Effects        // on the share of debates in which the centre was right
}

// Positions has an entry for each sweep among the protocols of a run that has every place with every holder.
func Positions(protocols []protocol.Protocol, t *outcome.Table) (positions []Position) {
	for _, s := range placedSweeps(protocols) {
		n := s.common.Agents()
		if n < 2 || len(s.conditions) != n*n {
			continue
		}
		questions := s.questionsHeld(t)
		p := Position{Series: s.common.Name, Questions: len(questions)}
		var shares [][]stat.Placed // by question, or by repeat where there is only one question
		switch len(questions) {
		case 0:
			continue
		case 1:
			shares = s.byRepeat(t, questions[0])
			p.Repeats = len(shares)
		default:
			at := make(map[string]int) // in shares, by cluster: questions that may depend on each other are one
			for _, q := range questions {
				unit := cmp.Or(t.Under(s.conditions[0].name).Clusters[q], q)
				if _, met := at[unit]; !met {
					at[unit], shares = len(shares), append(shares, nil)
				}
				all := s.sharesOf(t, q, func(outcome.Once) bool { return true })
				shares[at[unit]] = append(shares[at[unit]], all...)
			}
		}
		p.Effects = stat.Position(shares, n, n, analysis.Level)
		positions = append(positions, p)
	}
	return positions
}

// placedSweep has conditions that differ in place and holder alone.
type placedSweep struct {
	common     protocol.Protocol // without either, by the name of the sweep
	conditions []placedCondition
}

// placedCondition is a condition of a sweep; place and holder are counted from 0.
type placedCondition struct {
	name          string
	place, holder int
}

// placedSweeps groups the protocols of a run by what they have in common beside place and holder. The order is that of
// their first protocols.
func placedSweeps(protocols []protocol.Protocol) (sweeps []placedSweep) {
	for _, p := range protocols {
		place, holder, placed := reversal.Placed(p.Settings)
		in := func(i int) bool { return i >= 0 && i < p.Agents() } // a record may say anything
		if !placed || !in(place) || !in(holder) {
			continue
		}
		condition := placedCondition{p.Name, place, holder}
		p.Name, _, _ = strings.Cut(p.Name, "/")
		p.Settings = reversal.Unplaced(p.Settings)
		i := slices.IndexFunc(sweeps, func(s placedSweep) bool { return s.common.Equal(p) })
		if i < 0 {
			i, sweeps = len(sweeps), append(sweeps, placedSweep{common: p})
		}
		sweeps[i].add(condition)
	}
	return sweeps
}

// add leaves out a condition whose place and holder are there.
func (s *placedSweep) add(c placedCondition) {
	if !slices.ContainsFunc(s.conditions, func(o placedCondition) bool {
		return o.place == c.place && o.holder == c.holder
	}) {
		s.conditions = append(s.conditions, c)
	}
}

// questionsHeld are the questions on which a debate of the sweep could be held, in their order. One that could not be
// held says nothing of its place.
func (s placedSweep) questionsHeld(t *outcome.Table) []string {
	return slices.DeleteFunc(t.Questions(), func(question string) bool {
		return !slices.ContainsFunc(s.conditions, func(c placedCondition) bool {
			return len(t.Under(c.name).Correct.Of[question]) > 0
		})
	})
}

// byRepeat has, for each repeat of a question, whether the centre was right in each condition.
func (s placedSweep) byRepeat(t *outcome.Table, question string) (shares [][]stat.Placed) {
	held := make(map[int]bool)
	for _, c := range s.conditions {
		for _, a := range t.Under(c.name).Correct.Of[question] {
			held[a.Repeat] = true
		}
	}
	for _, repeat := range slices.Sorted(maps.Keys(held)) {
		shares = append(shares, s.sharesOf(t, question, func(a outcome.Once) bool { return a.Repeat == repeat }))
	}
	return shares
}

// sharesOf is the share of a question's debates in which the centre was right, in each condition that has such debates.
func (s placedSweep) sharesOf(t *outcome.Table, question string,
	counts func(outcome.Once) bool) (placed []stat.Placed) {
	for _, c := range s.conditions {
		times := slices.Clone(t.Under(c.name).Correct.Of[question])
		q := outcome.Tally(slices.DeleteFunc(times, func(a outcome.Once) bool { return !counts(a) }))
		if q.Times > 0 {
			placed = append(placed, stat.Placed{Agent: c.holder, Place: c.place, Outcome: stat.Share(q.Right, q.Times)})
		}
	}
	return placed
}
