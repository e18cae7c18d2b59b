package analysis

import (
	"slices"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/bench/peers"
	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/team"
)

// Names of published numbers that have a part of their own here: MeasureAccuracy is the default, the other two are not
// computed from a Row.
const (
	MeasureAccuracy   = "accuracy"           // what a published number measures unless it says otherwise
	MeasureSimilarity = "similarity"         // of the agents' last answers, see offline.Similarity
	MeasurePeople     = "accuracy-by-people" // how people judged Liang et al.'s translations; nothing here computes it
)

// number is one measure of a row; known is false if the row's debates do not have it.
type number func(Row) (value float64, known bool)

// ofDynamics makes a number of a field of Dynamics, which is nil if it is not known.
func ofDynamics(measure func(*Dynamics) *float64) number {
	return func(r Row) (float64, bool) {
		if r.Dynamics == nil {
			return 0, false
		}
		if value := measure(r.Dynamics); value != nil {
			return *value, true
		}
		return 0, false
	}
}

// ofFlips makes a number of one source of changed answers: the share of agents whose answers it changes.
func ofFlips(part func(team.Sources) int) number {
	return func(r Row) (float64, bool) {
		if r.Flips == nil || r.Flips.Sources.N == 0 {
			return 0, false
		}
		return stat.Share(part(r.Flips.Sources), r.Flips.Sources.N), true
	}
}

// ofIdentity makes a number of what it does to an answer that agents see whose it is.
func ofIdentity(measure func(*peers.Identity) (float64, bool)) number {
	return func(r Row) (float64, bool) {
		if r.Identity == nil {
			return 0, false
		}
		return measure(r.Identity)
	}
}

// numbers are the measures by the names that experiments give to what a paper reports. Names are part of the format of
// experiments and never change their meaning. All are shares from 0 to 1, but for log-likelihood, which is in
// bits, identity-delta (from -1 to 1) and identity-bias (from -2 to 2).
//
// Where they come from: log-likelihood is MADC's, in the readings of its paper and its program. Packages peers and
// stat/team name the sources of the others.
var numbers = map[string]number{
	MeasureAccuracy: func(r Row) (float64, bool) { return r.Accuracy, true },
	"best-member": func(r Row) (float64, bool) {
		if m := r.BestMember(); m != nil {
			return m.Own, true
		}
		return 0, false
	},
	"log-likelihood":      ofDynamics(func(d *Dynamics) *float64 { return d.LogLikelihood.Paper }),
	"log-likelihood-code": ofDynamics(func(d *Dynamics) *float64 { return d.LogLikelihood.Code }),
	"spontaneous":         ofFlips(func(s team.Sources) int { return s.Spontaneous }),
	"stance":              ofFlips(func(s team.Sources) int { return s.Stance }),
	"reasoning":           ofFlips(func(s team.Sources) int { return s.Reasoning }),
	"identity-delta":      ofIdentity(func(n *peers.Identity) (float64, bool) { return n.Delta() }),
	"identity-bias":       ofIdentity((*peers.Identity).Coefficient),
}

// decidedIn begins the names of the shares of debates that were decided in a certain turn.
const decidedIn = "decided-in-turn-"

// MeasureNames lists the names of what a published number can measure, sorted; K stands for the number of a turn.
func MeasureNames() []string {
	names := append(relation.MeasureNames(), MeasureSimilarity, MeasurePeople, decidedIn+"K")
	for name := range numbers {
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// IsMeasure reports whether this is the name of a measure.
func IsMeasure(name string) bool {
	if turn, ok := strings.CutPrefix(name, decidedIn); ok {
		n, err := strconv.Atoi(turn)
		return err == nil && n > 0
	}
	return slices.Contains(MeasureNames(), name)
}

// Number is a number of the row by its name, one of MeasureNames. known is false if the row's debates do not have it.
func (r Row) Number(name string) (value float64, known bool) {
	if r.N == 0 {
		return 0, false
	}
	if r.Partial != nil && r.Partial.Degree == name {
		return r.Partial.Mean, true
	}
	if number, ok := numbers[name]; ok {
		return number(r)
	}
	if number, known := r.Measures.Number(name); known {
		return number, true
	}
	if r.Dynamics == nil {
		return 0, false
	}
	if turn, ok := strings.CutPrefix(name, decidedIn); ok {
		return r.decidedIn(turn)
	}
	return 0, false
}

// decidedIn is the share of debates that were decided in this turn, counted from 1. It is 0, and known, of a turn that
// no debate reached, but not known where no debate was decided at all.
func (r Row) decidedIn(turn string) (float64, bool) {
	n, err := strconv.Atoi(turn)
	switch {
	case err != nil || n < 1:
		return 0, false
	case n > len(r.Dynamics.Decided):
		return 0, len(r.Dynamics.Decided) > 0
	}
	return stat.Share(r.Dynamics.Decided[n-1], r.N), true
}
