package analysis

import (
	"slices"
	"strconv"
	"strings"

	"parley/bench/stat"
	"parley/bench/task"
)

// Names that a published number may have and that are no numbers of a Row.
const (
	MeasureAccuracy   = "accuracy"           // what a published number is of, unless it says something else
	MeasureSimilarity = "similarity"         // of the agents' last answers, see Similarity
	MeasurePeople     = "accuracy-by-people" // source 3's judgement of translations, which nothing here computes
)

// number is one measure of a row; not known where the debates do not have it.
type number func(Row) (value float64, known bool)

// ofDynamics are the measures that a course has by pointers, nil where they are not known.
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

// ofRoles are measures of puzzles.
func ofRoles(measure func(*Roles) float64) number {
	return ofDynamics(func(c *Dynamics) *float64 {
		if c.Roles == nil {
			return nil
		}
		value := measure(c.Roles)
		return &value
	})
}

// numbers are the measures by their names, as experiments name what a paper reports.
var numbers = map[string]number{
	MeasureAccuracy:       func(r Row) (float64, bool) { return r.Accuracy, true },
	"unparsed":            func(r Row) (float64, bool) { return stat.Share(r.Unparsed, r.N), true },
	"agreement":           ofDynamics(func(c *Dynamics) *float64 { return c.Agreement }),
	"disagreement":        ofDynamics(func(c *Dynamics) *float64 { return c.Disagreement }),
	"entropy":             ofDynamics(func(c *Dynamics) *float64 { return c.Entropy.Paper }),
	"entropy-code":        ofDynamics(func(c *Dynamics) *float64 { return &c.Entropy.Code }),
	"log-likelihood":      ofDynamics(func(c *Dynamics) *float64 { return c.LogLikelihood.Paper }),
	"log-likelihood-code": ofDynamics(func(c *Dynamics) *float64 { return &c.LogLikelihood.Code }),
	"challenged":          ofDynamics((*Dynamics).challenged),
	"swayed":              ofDynamics((*Dynamics).swayed),
	"initial-strict":      ofRoles(func(r *Roles) float64 { return r.Initial.Strict }),
	"initial-smooth":      ofRoles(func(r *Roles) float64 { return r.Initial.Smooth }),
	"initial-agent":       ofRoles(func(r *Roles) float64 { return r.Initial.AgentStrict }),
	"final-agent":         ofRoles(func(r *Roles) float64 { return r.Final.AgentStrict }),
	"auc-strict":          ofRoles(func(r *Roles) float64 { return r.AUC.Strict }),
	"auc-smooth":          ofRoles(func(r *Roles) float64 { return r.AUC.Smooth }),
	"auc-agreement-all":   ofRoles(func(r *Roles) float64 { return r.AUC.All }),
	"auc-agreement-major": ofRoles(func(r *Roles) float64 { return r.AUC.Major }),
}

// sides are who may win a debate between sides; a tie is of those who both gave the answer that was decided for.
var sides = map[string][]string{
	"won-by-": {"affirmative", "negative", "neither"},
	"chosen-": {"affirmative", "negative", "tie", "neither"},
}

// decidedIn begins the name of the share of debates that were decided in a turn.
const decidedIn = "decided-in-turn-"

// MeasureNames lists what a published number can be of, sorted; K stands for the number of a turn.
func MeasureNames() []string {
	// K is read below, and no name itself
	names := append(task.Degrees(), MeasureSimilarity, MeasurePeople, decidedIn+"K")
	for name := range numbers {
		names = append(names, name)
	}
	for prefix, of := range sides {
		for _, side := range of {
			names = append(names, prefix+side)
		}
	}
	slices.Sort(names)
	return names
}

// IsMeasure reports whether a published number can be of this.
func IsMeasure(name string) bool {
	if turn, ok := strings.CutPrefix(name, decidedIn); ok {
		n, err := strconv.Atoi(turn)
		return err == nil && n > 0
	}
	return slices.Contains(MeasureNames(), name)
}

// Measured is a number of the row by its name, one of MeasureNames. It is not known of what the debates do not have.
func (r Row) Measured(name string) (value float64, known bool) {
	if r.N == 0 {
		return 0, false
	}
	if r.Partial != nil && r.Partial.Degree == name {
		return r.Partial.Mean, true
	}
	if number, ok := numbers[name]; ok {
		return number(r)
	}
	if r.Dynamics == nil {
		return 0, false
	}
	if turn, ok := strings.CutPrefix(name, decidedIn); ok {
		return r.decidedIn(turn)
	}
	if side, ok := strings.CutPrefix(name, "won-by-"); ok {
		return stat.Share(r.Dynamics.Sides[side], r.N), len(r.Dynamics.Sides) > 0
	}
	if side, ok := strings.CutPrefix(name, "chosen-"); ok {
		return stat.Share(r.Dynamics.Chosen[side], r.N), len(r.Dynamics.Chosen) > 0
	}
	return 0, false
}

// decidedIn is the share of debates that were decided in a turn.
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

// challenged is the share of panelists who challenged the decision, nil if nobody was asked.
func (c *Dynamics) challenged() *float64 {
	if c.Challenges == nil {
		return nil
	}
	value := stat.Share(c.Challenges.Disagreed, c.Challenges.Asked)
	return &value
}

// swayed is the share of turns whose answer another listing of the others changes, nil if nobody was asked for one.
func (c *Dynamics) swayed() *float64 {
	if c.Probes == nil {
		return nil
	}
	value := stat.Share(c.Probes.Swayed, c.Probes.Probed)
	return &value
}
