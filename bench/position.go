package bench

import (
	"maps"
	"slices"
	"strings"

	"parley/bench/stat"
	"parley/bench/task"
	"parley/debate/protocol"
	"parley/debate/reversal"
)

// Position is what came of a right solution that was moved to every place and to every holder, among wrong ones that a
// centre hears. Each holder was at each place, so that the effects of the two can be told apart.
type Position struct {
	Series       string // the name of the sweep
	Questions    int    // on which the debates could be held
	Repeats      int    // of a single question: what intervals are about; else 0
	stat.Effects        // on the share of debates in which the centre was right
}

// Positions are those of the sweeps of a run that have every place with every holder.
func (r Run) Positions() (positions []Position) {
	for _, s := range r.placedSweeps() {
		n := s.common.Agents
		if n < 2 || len(s.conditions) != n*n {
			continue
		}
		if questions, repeats := s.questions(r.Outcomes); len(questions) > 0 {
			p := Position{Series: s.common.Name, Questions: len(questions)}
			if p.Questions == 1 {
				questions, p.Repeats = repeats, len(repeats)
			}
			p.Effects = stat.Position(questions, n, n, level)
			positions = append(positions, p)
		}
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

func (r Run) placedSweeps() (sweeps []placedSweep) {
	for _, p := range r.Header.Protocols {
		place, placed := placeOf(p)
		if !placed {
			continue
		}
		condition := placedCondition{p.Name, place, p.Holder}
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

// placeOf is where a protocol places the right solution; a record may say anything.
func placeOf(p protocol.Protocol) (place int, placed bool) {
	place, placed = reversal.PlaceOf(p.Order)
	in := func(i int) bool { return i >= 0 && i < p.Agents }
	return place, placed && p.Form == "centre" && in(place) && in(p.Holder)
}

// add leaves out a condition whose place and holder are there.
func (s *placedSweep) add(c placedCondition) {
	if !slices.ContainsFunc(s.conditions, func(o placedCondition) bool {
		return o.place == c.place &&
			o.holder == c.holder
	}) {
		s.conditions = append(s.conditions, c)
	}
}

// questions has, for each question, the share of its repeats in which the centre was right, in each condition, and
// repeats the same for each repeat of all of them. A debate that could not be held says nothing of the place.
func (s placedSweep) questions(outcomes []Outcome) (questions, repeats [][]stat.Placed) {
	byQuestion, byRepeat := make(map[string][]Outcome), make(map[int][]Outcome)
	var order []string
	for _, o := range outcomes {
		if !s.has(o.Condition) || o.Failed() {
			continue
		}
		if byQuestion[o.Question] == nil {
			order = append(order, o.Question)
		}
		byQuestion[o.Question], byRepeat[o.Repeat] = append(byQuestion[o.Question], o), append(byRepeat[o.Repeat], o)
	}
	for _, q := range order {
		questions = append(questions, s.placed(byQuestion[q]))
	}
	for _, repeat := range slices.Sorted(maps.Keys(byRepeat)) {
		repeats = append(repeats, s.placed(byRepeat[repeat]))
	}
	return questions, repeats
}

func (s placedSweep) has(condition string) bool {
	return slices.ContainsFunc(s.conditions, func(c placedCondition) bool { return c.name == condition })
}

// placed is the share of debates in which the centre was right, in each condition that has some.
func (s placedSweep) placed(outcomes []Outcome) (placed []stat.Placed) {
	for _, c := range s.conditions {
		right, n := 0, 0
		for _, o := range outcomes {
			if o.Condition != c.name {
				continue
			}
			if n++; o.Score == task.Right {
				right++
			}
		}
		if n > 0 {
			placed = append(placed, stat.Placed{Agent: c.holder, Place: c.place, Outcome: share(right, n)})
		}
	}
	return placed
}
