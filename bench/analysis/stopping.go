package analysis

import (
	"fmt"
	"slices"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/wording"
)

// Stopped says how the comparison of a Stopping stands, or stood when its run ended.
type Stopped struct {
	spec.Stopping
	Planned int `json:"planned"` // questions of the run
	Asked   int `json:"asked"`   // questions so far
	// P is valid at every look, see stat.Sequential; nil where all conditions are compared.
	P *float64 `json:"p,omitempty"`
	// Wins is the interval of Condition's share of the questions that one of the two got right and the other did not.
	// It is valid at every look, and nil with repeats.
	Wins *stat.Interval `json:"wins,omitempty"`
	// Difference is, with repeats, the interval of the mean difference of the questions' shares of right answers. It is
	// valid at every look, and nil without repeats.
	Difference *stat.Interval `json:"difference,omitempty"`
	Clear      bool           `json:"clear"` // P is at most Alpha, or Front leaves nothing open
	// Unknown says why nothing can be clear, whatever P is, such as that answers were not read.
	Unknown string `json:"unknown,omitempty"`
}

// look says how the comparison of a run that may stop stands after the questions in the table, of so many planned ones.
func look(s spec.Stopping, t *outcome.Table, planned int) Stopped {
	stands := Stopped{Stopping: s, Planned: planned, Asked: QuestionsIn(t.Debates())}
	if s.All() {
		return stands // Clear is entered with the front
	}
	test, shares := sequential(t.Under(s.Condition), t.Under(s.Reference), planned)
	p := test.P()
	stands.P, stands.Clear = &p, p <= s.Alpha
	if shares {
		i := test.Mean(1 - s.Alpha)
		stands.Difference = &i
	} else {
		i := test.Share(1 - s.Alpha)
		stands.Wins = &i
	}
	return stands
}

// Clear reports whether a run that may stop does so after the questions in the table.
func (c Comparison) Clear(conditions []trial.Condition, t *outcome.Table, stop spec.Stopping) bool {
	c.compute(deciding, conditions, t, &stop)
	return c.Stopped != nil && c.Stopped.Clear
}

// sequential tests question by question, in their order, on the debates that failed in neither part. The order is that
// in which questions were asked, so that a look at fewer questions is a beginning of a look at more: the test's bound
// holds for such sequences alone, and sorting the questions by what came of them would break it. With repeats,
// which it reports, the difference of a question is that of its shares of right answers. If only one question is
// planned, the test goes over its repeats instead. Of questions that ask the same, only the first counts.
func sequential(first, second *outcome.Debates, planned int) (test stat.Sequential, repeats bool) {
	first, second = HeldByBoth(first, second)
	if planned == 1 {
		first, second = outcome.SameCases(first, second)
		for i, right := range first.Right {
			test.Observe(outcome.Once{Right: right}.Value() - outcome.Once{Right: second.Right[i]}.Value())
		}
		return test, false
	}
	a, b := first.FirstOfClusters().Common(second.Correct)
	for _, d := range differencesOf(tallies(a), tallies(b)) {
		test.Observe(d)
	}
	return test, hasRepeats(a) || hasRepeats(b)
}

// QuestionsIn counts the questions of some debates.
func QuestionsIn(debates []*outcome.Debate) int {
	questions := make(map[string]bool)
	for _, d := range debates {
		questions[d.Question] = true
	}
	return len(questions)
}

// enterStop enters how a run that might stop early ended. All its tests become sequential ones, because the number of
// questions depends on the outcomes.
func (c *Comparison) enterStop(plan planned, t *outcome.Table) {
	if plan.stop == nil {
		return
	}
	s := look(*plan.stop, t, c.Questions)
	c.Stopped = &s
	if !s.All() {
		c.Stopped.refuse(c.unlike(s.Condition, s.Reference))
	}
	for _, row := range c.Rows {
		if row.Paired != nil {
			row.Paired.sequential(t.Under(row.Condition), t.Under(row.Paired.Against), s.Planned)
		}
	}
	if s.Asked < s.Planned {
		c.Questions = s.Asked
	}
}

// unlike says why two conditions cannot be told apart by their answers, "" if they can.
func (c *Comparison) unlike(condition, reference string) string {
	of := c.Rows[slices.IndexFunc(c.Rows, func(r Row) bool { return r.Condition == condition })]
	measured := c.Validity()
	for _, name := range []string{condition, reference} {
		if !measured.Comparable(name) {
			return name + ": " + unmeasured
		}
	}
	return of.Untested
}

// refuse enters why nothing is clear, if there is a reason.
func (s *Stopped) refuse(why string) { s.Unknown, s.Clear = why, s.Clear && why == "" }

// sequential replaces the test by one that holds however often one looks.
func (p *Paired) sequential(first, second *outcome.Debates, planned int) {
	test, _ := sequential(first, second, planned)
	p.P, p.Test, p.Detectable = test.P(), TestSequential, nil
}

// sentence says how the run ended, as a clause of the legend.
func (s Stopped) sentence() string {
	how := fmt.Sprintf("the run asked all of its %d questions", s.Asked)
	switch {
	case s.Asked < s.Planned && s.Clear:
		how = fmt.Sprintf("the run stopped after %d of %d questions", s.Asked, s.Planned)
	case s.Asked < s.Planned:
		how = fmt.Sprintf("the run has asked %d of %d questions", s.Asked, s.Planned)
	}
	if s.All() {
		return fmt.Sprintf("%s; it was to stop %s%s. Intervals other than those at once are computed as for a fixed "+
			"number of questions: if a run stops early, its differences are overestimated", how, s.String(),
			ifUnknown(", and nothing could be decided (%s)", s.Unknown))
	}
	within := ""
	if i := s.Difference; i != nil {
		within = fmt.Sprintf(", and the difference from %s, an interval of level %g that holds at every look",
			table.Between("%+.3f", i.Low, i.High), 1-s.Alpha)
	}
	within += ifUnknown("; that decides nothing (%s)", s.Unknown)
	return fmt.Sprintf(`%s; it was to stop when %s differs from %s at p %g,
and by the test after every %d questions p is %s (before Holm)%s. Intervals and differences are computed as for a fixed number of
questions: if a run stops early, its differences are overestimated`, how, s.Condition, s.Reference, s.Alpha, s.Every,
		wording.Probability(*s.P), within)
}

// ifUnknown fills in why nothing can be clear, where there is a reason.
func ifUnknown(text, why string) string {
	if why == "" {
		return ""
	}
	return fmt.Sprintf(text, why)
}
