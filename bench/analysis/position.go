package analysis

import (
	"maps"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/reversal"
)

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
		n := s.common.Agents
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
			for _, q := range questions {
				shares = append(shares, s.placed(t, q, func(outcome.Once) bool { return true }))
			}
		}
		p.Effects = stat.Position(shares, n, n, Level)
		positions = append(positions, p)
	}
	return positions
}

// placedSweep has conditions that differ in place and holder alone.
type placedSweep struct {
	common     protocol.Protocol // without either, by the name of the sweep
	conditions []placedCondition
}

type placedCondition struct {
	name          string
	place, holder int
}

func placedSweeps(protocols []protocol.Protocol) (sweeps []placedSweep) {
	for _, p := range protocols {
		place, holder, placed := reversal.Placed(p.Settings)
		in := func(i int) bool { return i >= 0 && i < p.Agents } // a record may say anything
		if !placed || !in(place) || !in(holder) {
			continue
		}
		condition := placedCondition{p.Name, place, holder}
		p.Name, _, _ = strings.Cut(p.Name, "/")
		p.Order, p.Holder = "", 0
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
		shares = append(shares, s.placed(t, question, func(a outcome.Once) bool { return a.Repeat == repeat }))
	}
	return shares
}

// placed is the share of a question's debates in which the centre was right, in each condition that has such debates.
func (s placedSweep) placed(t *outcome.Table, question string, counts func(outcome.Once) bool) (placed []stat.Placed) {
	for _, c := range s.conditions {
		times := slices.Clone(t.Under(c.name).Correct.Of[question])
		q := outcome.Tally(slices.DeleteFunc(times, func(a outcome.Once) bool { return !counts(a) }))
		if q.Times > 0 {
			placed = append(placed, stat.Placed{Agent: c.holder, Place: c.place, Outcome: stat.Share(q.Right, q.Times)})
		}
	}
	return placed
}
