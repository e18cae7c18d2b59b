package inference

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/parley-debate/parley/models"
)

// usualSampling draws the replies of a model of which nothing is known; docs/log.md has the measurement.
var usualSampling = Sampling{Temperature: 0.7, TopP: 0.9}

// UsualSampling returns how replies of the model are drawn where nobody chooses it, and who says so: its file or card,
// or else what real models bear.
func (m ModelInfo) UsualSampling() (s Sampling, from string, err error) {
	a := m.Advice
	switch {
	case m.Embedded:
		return Sampling{Temperature: 1}, "the embedded model's default", nil
	case a == nil:
		return usualSampling, "the default", nil
	}
	if s, err = checkAdvice(*a); err != nil {
		return s, "", fmt.Errorf("%s of %s: %w", a.From, m.Name, err)
	}
	if m.Remote != nil { // not all servers take the rest
		return Sampling{Temperature: s.Temperature, TopP: s.TopP}, "temperature and top-p of " + a.From, nil
	}
	return s, a.From, nil
}

// BoundReasoning returns a sampling with a bound on reasoning for those models of the engine that reason
// (Request.UsualBound): as many tokens as they usually take, or half of what replies of maxTokens leave of the context,
// since prompts need the rest, whichever is less: of that which a model was trained for, and of a smaller one that it
// has here if the reasoning does not fit into that. said is from, and what bounds the reasoning.
func (m ModelInfo) BoundReasoning(s Sampling, from string, maxTokens int) (_ Sampling, said string) {
	most, by := math.MaxInt, "reasoning tokens as such models usually take"
	reasoning := slices.DeleteFunc(m.All(), func(one ModelInfo) bool { return one.Reasons == 0 })
	for _, one := range reasoning {
		most = min(most, one.Reasons)
	}
	answer := cmp.Or(maxTokens, DefaultMaxTokens)
	for _, one := range reasoning {
		for _, room := range []int{one.Context, one.Room} {
			left := (room - answer) / 2
			if room > 0 && left < most && (room == one.Context || !one.RoomFor(most, answer)) {
				most, by = left, "reasoning tokens half of what replies leave of the context"
			}
		}
	}
	if most <= 0 || len(reasoning) == 0 {
		return s, from
	}
	s.ReasoningTokens = BudgetOf(most)
	if from != "" {
		by = from + ", " + by
	}
	return s, by
}

// RoomFor reports whether reasoning and an answer of so many tokens fit into a request beside its prompt, to which an
// eighth of the room is left.
func (m ModelInfo) RoomFor(reasoning, answer int) bool {
	room := cmp.Or(m.Room, m.Context)
	return room == 0 || reasoning+answer+room/8 <= room
}

// checkAdvice returns the sampling that the makers of a model advise, or an error if it lies outside our ranges. The
// fields of advice have the names of those of a Sampling.
func checkAdvice(a models.Advice) (s Sampling, err error) {
	to := reflect.ValueOf(&s).Elem()
	for f, v := range reflect.ValueOf(a).Fields() {
		if own := to.FieldByName(f.Name); own.IsValid() {
			own.Set(v.Convert(own.Type()))
		}
	}
	return s, s.Validate()
}
