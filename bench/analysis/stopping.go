package analysis

import (
	"cmp"
	"fmt"
	"slices"

	"parley/bench/stat"
	"parley/bench/trial"
	"parley/bench/wording"
	"parley/bounds"
)

// Stopping ends a run as soon as it is clear which of two conditions is right more often. Questions are then asked in
// blocks, and after each block one looks. Looking often finds differences that are none, unless the test is made for
// it: see stat.Sequential.
type Stopping struct {
	Condition string  `json:"condition"`           // that is compared with the reference
	Reference string  `json:"reference,omitempty"` // that of the run
	Every     int     `json:"every"`               // questions in a block; 0 is 25
	Alpha     float64 `json:"alpha"`               // 0 is 0.05
}

// What the numbers of a Stopping can be, for flags, files of experiments and callers.
var (
	StopEveryRange = bounds.From(1, 500_000)
	AlphaRange     = bounds.From(1e-9, 0.5)
)

// Stopped is how it came out.
type Stopped struct {
	Stopping
	Planned int     `json:"planned"` // questions
	Asked   int     `json:"asked"`
	P       float64 `json:"p"` // always-valid
	// of the questions that one got right more often, the share that the condition did: valid at every look
	Wins  stat.Interval `json:"wins"`
	Clear bool          `json:"clear"` // p is at most alpha
}

func (s *Stopping) EnsureDefaults() {
	s.Reference = cmp.Or(s.Reference, trial.Reference)
	if s.Every == 0 {
		s.Every = 25
	}
	if s.Alpha == 0 {
		s.Alpha = alpha
	}
}

func (s Stopping) Validate(conditions []trial.Condition) error {
	has := func(name string) bool {
		return slices.ContainsFunc(conditions, func(c trial.Condition) bool { return c.Name == name })
	}
	if err := cmp.Or(bounds.Check("stop-every", s.Every, StopEveryRange), bounds.Check("alpha", s.Alpha,
		AlphaRange)); err != nil {
		return err
	}
	switch {
	case s.Condition == s.Reference:
		return fmt.Errorf("stop when %s is clear: it is what the others are compared with; name another condition",
			s.Reference)
	case !has(s.Reference) || !has(s.Condition):
		return fmt.Errorf("stop when %s differs from %s: both have to be conditions of the run", s.Condition,
			s.Reference)
	}
	return nil
}

// String is such as "when madc differs from mad (p 0.05), seen after every 25 questions".
func (s *Stopping) String() string {
	if s == nil {
		return "after all questions"
	}
	return fmt.Sprintf("when %s differs from %s (p %g), seen after every %d questions", s.Condition, s.Reference,
		s.Alpha, s.Every)
}

// Look says how the comparison stands.
func (s Stopping) Look(t *Table, planned int) Stopped {
	test := sequential(t.Under(s.Condition), t.Under(s.Reference), planned)
	return Stopped{Stopping: s, Planned: planned, Asked: QuestionsIn(t.Outcomes), P: test.P(),
		Wins: test.Share(1 - s.Alpha), Clear: test.P() <= s.Alpha}
}

// sequential tests question by question, in their order, on the debates that both could hold. With repeats a question
// is won by who got it right more often. Where one question is planned, what is looked at are its repeats.
func sequential(first, second *Part, planned int) (test stat.Sequential) {
	first, second = HeldByBoth(first, second)
	if planned == 1 {
		first, second = SameCases(first, second)
		for i, right := range first.right {
			test.Observe(right, second.right[i])
		}
		return test
	}
	a, b := first.correct.common(second.correct)
	one, other := shares(tallies(a)), shares(tallies(b))
	for i := range one {
		test.Observe(one[i] > other[i], other[i] > one[i])
	}
	return test
}

// QuestionsIn is how many there are.
func QuestionsIn(outcomes []trial.Outcome) int {
	questions := make(map[string]bool)
	for _, o := range outcomes {
		questions[o.Question] = true
	}
	return len(questions)
}

// stopped enters how a run that might stop early came out. All its tests are those that may be looked at at any time,
// since the number of questions depends on what was seen.
func (c *Comparison) stopped(s Stopping, t *Table) {
	look := s.Look(t, c.Questions)
	c.Stopped = &look
	for _, row := range c.Rows {
		if row.Paired != nil {
			test := sequential(t.Under(row.Condition), t.Under(row.Paired.Against), look.Planned)
			row.Paired.P, row.Paired.Test, row.Paired.Detectable = test.P(), TestSequential, nil
		}
	}
	if look.Asked < look.Planned {
		c.Questions, c.Guess = look.Asked, ConstantGuess(t.Outcomes)
	}
}

// sentence says how the run ended, for the legend.
func (s Stopped) sentence() string {
	how := fmt.Sprintf("the run asked all of its %d questions", s.Asked)
	switch {
	case s.Asked < s.Planned && s.Clear:
		how = fmt.Sprintf("the run stopped after %d of %d questions", s.Asked, s.Planned)
	case s.Asked < s.Planned:
		how = fmt.Sprintf("the run has asked %d of %d questions", s.Asked, s.Planned)
	}
	return fmt.Sprintf(`%s, and was to end when %s differs from %s at p %g:
looked at after every %d questions, that p is %s (before Holm). Intervals and differences are those of a fixed number of questions:
where a run stops early, differences come out too large`, how, s.Condition, s.Reference, s.Alpha, s.Every,
		wording.Probability(s.P))
}
