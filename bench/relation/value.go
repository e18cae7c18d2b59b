package relation

import (
	"fmt"
	"math"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
)

// Tally is what one debate, or the debates of a condition, add to a measure: a part of something, such as agents that
// changed their answer of all that could. It is undefined where there is nothing to be a part of.
type Tally struct {
	Part, Of float64
	Unknown  bool // the records do not tell
	Empty    bool // it counts beside others, and is by itself the measure of nothing
}

// Number is the part as a share of the whole, where there is one.
func (t Tally) Number() (number float64, known bool) {
	if t.Unknown || t.Empty || t.Of == 0 {
		return 0, false
	}
	return t.Part / t.Of, true
}

// State says whether there is a number.
type State string

// The states of a Value.
const (
	Known     State = "known"
	Undefined State = "undefined" // it would be a share of nothing
	Unknown   State = "unknown"   // there is something, but the records do not tell what
)

// Value is a measure of a condition.
type Value struct {
	State State `json:"state"`
	// Number is nil unless the state is Known.
	Number *float64 `json:"value,omitempty"`
	// Interval, by question or cluster of questions, is nil where nothing is known of other questions; Why says so.
	Interval  *stat.Interval `json:"interval,omitempty"`
	Questions int            `json:"questions,omitempty"` // that it rests on
	Of        float64        `json:"of,omitempty"`        // what it is a share of, such as agents, or a mean over
	// P is that of a Tested measure: two-sided, by turning the signs of clusters of questions (stat.FlipClusters).
	P *float64 `json:"p,omitempty"`
	// Why is the reason of a state that is not Known, or of an interval that is not there.
	Why string `json:"why,omitempty"`
}

// Values are measures of a condition by their names.
type Values map[string]Value

// Number returns a measure by its name; known is false where it has no number.
func (v Values) Number(name string) (number float64, known bool) {
	if n := v[name].Number; n != nil {
		return *n, true
	}
	return 0, false
}

// Pointer is a measure by its name, nil where it has no number.
func (v Values) Pointer(name string) *float64 { return v[name].Number }

// Count is how many of how many a measure of things that are counted is a share of, 0 of 0 where there is none.
func (v Values) Count(name string) (part, of int) {
	number, known := v.Number(name)
	if !known {
		return 0, 0
	}
	return int(math.Round(number * v[name].Of)), int(v[name].Of)
}

// ValuesOf measures the debates of a condition that could be held, which are scored by the measure of a task.
func ValuesOf(rows []Debate, scoredBy string, level float64) Values {
	if len(rows) == 0 {
		return nil
	}
	values := make(Values)
	for _, m := range MeasuresOf(scoredBy) {
		if v := m.Over(rows, level); v.State != Undefined || !m.Optional {
			values[m.Name] = v
		}
	}
	return values
}

// Rows makes rows of debates.
func Rows(debates []*outcome.Debate) (rows []Debate) {
	for _, d := range debates {
		rows = append(rows, Of(d))
	}
	return rows
}

// hint says beside a number how sure it is.
func (v Value) hint(m Measure) string {
	switch {
	case v.State != Known:
		return v.Why
	case v.Interval == nil:
		return fmt.Sprintf("of %g %s; no interval: %s", v.Of, m.Of, v.Why)
	}
	return fmt.Sprintf("of %g %s; 95 %% interval %s", v.Of, m.Of,
		table.Between("%.3f", v.Interval.Low, v.Interval.High))
}

// sums are the tallies of a measure: of all debates, by debate, and by question.
type sums struct {
	all                 Tally
	parts               []float64 // of debates that have something to be a part of
	each                bool      // each of these is one
	questions, clusters []string
	of                  map[string]Tally // by question, of those that have something
}

func (m Measure) sum(rows []Debate) (s sums) {
	s.of, s.each, s.all.Empty = make(map[string]Tally), true, true
	for _, d := range rows {
		t := m.In(d)
		if s.all.Unknown = s.all.Unknown || t.Unknown; t.Of == 0 || t.Unknown {
			continue
		}
		s.all.Part, s.all.Of, s.all.Empty = s.all.Part+t.Part, s.all.Of+t.Of, s.all.Empty && t.Empty
		s.parts, s.each = append(s.parts, t.Part), s.each && t.Of == 1
		q, met := s.of[d.Question]
		if !met {
			s.questions, s.clusters = append(s.questions, d.Question), append(s.clusters, d.Cluster)
		}
		s.of[d.Question] = Tally{Part: q.Part + t.Part, Of: q.Of + t.Of}
	}
	return s
}

// pooled is the quotient of sums: all that is counted counts alike, in whichever debate it is. The values of questions
// have it as their mean, and differ from it as their residuals do (a ratio, linearized).
func (s sums) pooled() (x float64, values []float64) {
	x = s.all.Part / s.all.Of
	if s.each {
		x = stat.Mean(s.parts)
	}
	for _, q := range s.questions {
		values = append(values, x+(s.of[q].Part-x*s.of[q].Of)*float64(len(s.questions))/s.all.Of)
	}
	return x, values
}

// byQuestion is the mean over questions, which count alike however often each was asked.
func (s sums) byQuestion() (x float64, values []float64) {
	for _, q := range s.questions {
		values = append(values, s.of[q].Part/s.of[q].Of)
	}
	return stat.Mean(values), values
}

// Over sums up the debates of a condition.
func (m Measure) Over(rows []Debate, level float64) Value {
	s := m.sum(rows)
	switch {
	case s.all.Unknown:
		return Value{State: Unknown, Why: unmarked}
	case s.all.Empty: // of nothing at all, too
		return Value{State: Undefined, Why: m.None}
	}
	x, values := s.pooled()
	if m.ByQuestion {
		x, values = s.byQuestion()
	}
	v := Value{State: Known, Number: &x, Questions: len(s.questions), Of: s.all.Of}
	low, high := m.Unit.bounds()
	i, why := stat.MeanInterval(values, s.clusters, low, high, level)
	if v.Why = why; why == "" {
		v.Interval = &i
	}
	if m.Tested && v.Questions > 1 {
		p := stat.FlipClusters(values, s.clusters, stat.Flips, stat.Seed)
		v.P = &p
	}
	return v
}
