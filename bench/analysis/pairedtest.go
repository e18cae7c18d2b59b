package analysis

import (
	"fmt"
	"slices"

	"github.com/parley-debate/parley/bench/contrast"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/pairs"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/validity"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/internal/bounds"
	"github.com/parley-debate/parley/internal/bug"
)

// Tests of a paired comparison.
const (
	TestMcNemar = "mcnemar"         // exact; every question was asked once
	TestSamples = "mcnemar-repeats" // exact, over the paired repeats of a single question
	TestFisher  = "fisher"          // exact; a single question was not asked equally often
	// signs of the questions' differences, and the interval; see stat.CompareRepeated
	TestFlip       = "flip"
	TestClusters   = "flip-clusters" // clusters of questions are flipped; see stat.ClustersAt
	TestTasks      = "flip-tasks"    // an average over tasks, see pairs.CompareGroups
	TestSequential = "sequential"    // valid however often one looks: for runs that may stop early
)

// Paired compares two conditions on the same questions. With repeats, the difference is the mean over questions of the
// difference between the two shares of right answers, and OnlyFirst and OnlySecond count the questions that one
// condition got right more often than the other. With a single question they count its repeats, if these are paired.
type Paired struct {
	stat.Paired
	Against        string  `json:"against,omitempty"`  // the condition that the row is compared with
	Questions      int     `json:"questions"`          // with debates of both that did not fail
	Clusters       int     `json:"clusters,omitempty"` // of these questions, in runs that have clusters
	Test           string  `json:"test"`               // the test that gives P
	Holm           float64 `json:"p_holm"`             // P adjusted for all comparisons of the table
	FalseDiscovery float64 `json:"p_bh"`               // P adjusted by Benjamini and Hochberg (false discovery rate)

	// Detectable is the smallest true difference that a run of as many questions detects with power near 0.8 at p 0.05
	// (not adjusted), if as many questions come out differently as here or, with repeats, if the differences spread as
	// here. Nil with very few questions.
	Detectable *float64 `json:"detectable,omitempty"`

	// Noise is whether it is no larger than a condition differs from itself, see Comparison.Noise.
	Noise bool `json:"within_noise,omitempty"`

	Unmeasured validity.Unmeasured `json:"unmeasured,omitempty"`

	// Equivalence is whether the difference is within the margin of the run, nil of runs that have none and of one
	// question whose repeats do not pair. It is not adjusted for other comparisons.
	Equivalence *pairs.Equivalence `json:"equivalence,omitempty"`
}

// Probability is the text of the adjusted p-value, if it says something.
func (p Paired) Probability() string { return p.Unmeasured.Probability(p.Holm) }

// unmeasured marks the comparisons that rest on answers that were not measured. What debates cost can be compared all
// the same.
func (c *Comparison) unmeasured(planned, *outcome.Table) {
	found := c.Validity()
	for _, r := range c.Rows {
		switch {
		case r.Paired != nil:
			r.Paired.Unmeasured = validity.Unmeasured(!found.Comparable(r.Condition, r.Paired.Against))
		case r.Above != nil:
			r.Above.Unmeasured = validity.Unmeasured(!found.Comparable(r.Condition, r.Above.Against))
		}
	}
	for _, k := range c.Contrasts {
		if k.Paired != nil {
			k.Paired.Unmeasured = UnmeasuredIn(k.Contrast, found)
		}
	}
}

// UnmeasuredIn is whether a contrast rests on answers that one of several runs did not measure.
func UnmeasuredIn(k contrast.Contrast, runs ...validity.Finding) validity.Unmeasured {
	return validity.Unmeasured(RestsOnAnswers(k.Measure) && slices.ContainsFunc(runs, func(f validity.Finding) bool {
		sides := slices.Concat(k.First, k.Second)
		return !f.Measured(sides...) || k.Measure == "" && f.NobodyIs // in full, which a score need not be
	}))
}

// RestsOnAnswers reports whether a measure, "" for accuracy, is of how good answers are, and not of what debates cost.
func RestsOnAnswers(measure string) bool { return measure == "" || measureOf(measure).Better }

// Same says that a condition differs from another in nothing: in all debates that both held, the same was sent with the
// same seeds, and the same was decided. The two are one treatment, and no test compares them.
type Same struct {
	Against string `json:"against"`
	Debates int    `json:"debates"`
}

// Above is by how much a bound, such as an oracle, is better than a condition. A bound is no method, and no test
// compares it with one.
type Above struct {
	Against    string        `json:"against"`
	Questions  int           `json:"questions"`
	Difference float64       `json:"difference"`
	Interval   stat.Interval `json:"interval"` // it is the interval of Paired
	// Unmeasured is as in Paired.
	Unmeasured validity.Unmeasured `json:"unmeasured,omitempty"`
}

// sameIn returns the number of debates of several parts if they differ in nothing, else 0. Tests ask for it first:
// equal treatments would otherwise be reported as a difference that was not found.
func sameIn(parts ...*outcome.Debates) int {
	var debates [][]*outcome.Debate
	for _, p := range parts {
		debates = append(debates, p.All)
	}
	if same, of := validity.Same(debates...); same == of {
		return same
	}
	return 0
}

// PairedTest compares two conditions on the debates that failed in neither; the result is nil if there are none on a
// common question.
func PairedTest(first, second *outcome.Debates) *Paired {
	first, second = HeldByBoth(first, second)
	return testCommon(first.Correct.Common(second.Correct))
}

// testCommon compares answers to the same questions, in the same order, by the test that the numbers of repeats allow:
//
//	questions  asked       test         pairs
//	several    once        TestMcNemar  questions
//	several    repeatedly  TestFlip     questions, each with its share of right answers
//	one        repeatedly  TestSamples  repeats, which have equal seeds under both conditions
//	one        unequally   TestFisher   none
func testCommon(a, b [][]outcome.Once) *Paired {
	switch {
	case len(a) == 0:
		return nil
	case hasRepeats(a) || hasRepeats(b):
		if len(a) == 1 {
			return testRepeats(a[0], b[0])
		}
		return testQuestions(tallies(a), tallies(b))
	}
	return testOnce(a, b)
}

// attempt makes a test, or says why there is none: because what tells its sides apart never arrived. One that panics is
// missing, and untested says why in its cells: a mistake in one comparison is no reason to lose the others.
func attempt(sides []*outcome.Debates, measure string, test func() (*Paired, string)) (p *Paired, untested string) {
	if untested = inVain(sides, measure); untested != "" {
		return nil, untested
	}
	if mistake := bug.Text(func() { p, untested = test() }); mistake != "" {
		return nil, mistake
	}
	return p, untested
}

// inVain says what agents of some of these conditions, but not of all, were asked for and never gave, "" if there is
// nothing. Measures of what debates cost do not rest on it.
func inVain(sides []*outcome.Debates, measure string) string {
	if !RestsOnAnswers(measure) {
		return ""
	}
	lacking := make([][]validity.Arrival, len(sides))
	for i, part := range sides {
		lacking[i] = validity.InVain(validity.Arrivals(part.All))
	}
	return lackedBySome(slices.Concat(lacking...), lacking)
}

// lackedBySome says which of these things that never arrived some of several conditions do not lack, "" if there is
// none; lacking has what each of them does.
func lackedBySome(of []validity.Arrival, lacking [][]validity.Arrival) string {
	for _, a := range of {
		same := func(b validity.Arrival) bool { return b.What == a.What }
		if slices.ContainsFunc(lacking, func(l []validity.Arrival) bool { return !slices.ContainsFunc(l, same) }) {
			return a.String() + " arrived"
		}
	}
	return ""
}

// HeldByBoth leaves out debates that failed under either condition, of both: see outcome.HeldByAll.
func HeldByBoth(first, second *outcome.Debates) (a, b *outcome.Debates) {
	held := outcome.HeldByAll([]*outcome.Debates{first, second})
	return held[0], held[1]
}

// hasRepeats reports whether a question was asked more than once.
func hasRepeats(questions [][]outcome.Once) bool {
	return slices.ContainsFunc(questions, func(repeats []outcome.Once) bool { return len(repeats) > 1 })
}

// testOnce compares two conditions whose questions were asked once.
func testOnce(a, b [][]outcome.Once) *Paired {
	first, second := make([]bool, len(a)), make([]bool, len(b))
	for i := range a {
		first[i], second[i] = a[i][0].Right, b[i][0].Right
	}
	return testPairs(first, second, TestMcNemar, len(a))
}

// testRepeats compares two conditions on the repeats of one question. Repeats of the same number share their seeds and
// are a pair. If the conditions do not have the same repeats, as when one is held once and the other often, they are
// compared without pairs.
func testRepeats(a, b []outcome.Once) *Paired {
	byRepeat := func(a, b outcome.Once) int { return a.Repeat - b.Repeat }
	a, b = slices.SortedFunc(slices.Values(a), byRepeat), slices.SortedFunc(slices.Values(b), byRepeat)
	if !slices.EqualFunc(a, b, func(a, b outcome.Once) bool { return a.Repeat == b.Repeat }) {
		one, other := []stat.Asked{outcome.Tally(a)}, []stat.Asked{outcome.Tally(b)}
		p := &Paired{Test: TestFisher, Questions: 1}
		p.Difference, p.Interval = stat.Difference(one, other, Level)
		p.P = stat.Fisher(one[0], other[0])
		return p
	}
	first, second := make([]bool, len(a)), make([]bool, len(b))
	for i := range a {
		first[i], second[i] = a[i].Right, b[i].Right
	}
	return testPairs(first, second, TestSamples, 1)
}

// testPairs compares single answers; first[i] and second[i] are one pair. With TestSamples, the pairs are repeats of
// one question, so their number is not that of questions.
func testPairs(first, second []bool, test string, questions int) *Paired {
	p := &Paired{Paired: stat.Compare(first, second, Level), Test: test, Questions: questions}
	// the test's power depends on how many pairs differ at all, which is taken from this run
	if d, reached := stat.Detectable(len(first), stat.Share(p.OnlyFirst+p.OnlySecond, len(first)), alpha,
		power); reached {
		p.Detectable = &d
	}
	return p
}

// testQuestions compares two conditions on questions with repeats.
func testQuestions(a, b []stat.Asked) *Paired {
	// The test flips the signs of whole questions with all their repeats, which are not independent of each other.
	// With a single question, its repeats are all that can be tested.
	p := &Paired{Paired: stat.CompareRepeated(a, b, Level, stat.Flips, stat.Seed), Test: TestFlip, Questions: len(a)}
	return p.detecting(differencesOf(a, b))
}

// detecting enters what a test of the questions' differences detects; it has its interval already.
func (p *Paired) detecting(differences []float64) *Paired {
	if d, known := stat.DetectableMean(differences, p.Interval, alpha, power); known {
		p.Detectable = &d
	}
	return p
}

// differencesOf returns the differences of the questions' shares of right answers.
func differencesOf(a, b []stat.Asked) []float64 {
	differences := shares(a)
	for i, s := range shares(b) {
		differences[i] -= s
	}
	return differences
}

// adjust enters p-values that are corrected for the number of comparisons in a table: Holm's, which bound the chance of
// any false difference, and Benjamini and Hochberg's, which bound the share of false ones among those found. Entries
// that are nil were not tested and do not count. It is called once for each table: calling it for parts of one would
// correct for too few, and calling it before a test is replaced (see steps) would correct a P that is no longer there.
func adjust(table []*Paired) {
	of := slices.DeleteFunc(slices.Clone(table), func(p *Paired) bool { return p == nil })
	p := make([]float64, len(of))
	for i := range of {
		p[i] = of[i].P
	}
	holm, discovery := stat.Holm(p), stat.BenjaminiHochberg(p)
	for i := range of {
		of[i].Holm, of[i].FalseDiscovery = holm[i], discovery[i]
	}
}

// cluster replaces the interval of a row by that of clusters of questions, such as questions on one text: these are not
// independent, so that an interval over questions would be too narrow. The accuracy stays the mean over questions.
func (r *Row) cluster(p *outcome.Debates) {
	_, r.Interval, r.Clusters = AccuracyIn(p.Correct.Counts(), p.ClustersOf(p.Correct.Questions))
}

// pairedTest compares two conditions as PairedTest does, and tests whether they are equivalent if there is a margin.
func (c *Comparison) pairedTest(first, second *outcome.Debates, margin float64) (p *Paired, untested string) {
	first, second = HeldByBoth(first, second)
	a, b := first.Correct.Common(second.Correct)
	if p = testCommon(a, b); p == nil {
		return nil, ""
	}
	if c.Cluster != "" && len(a) > 1 {
		return c.groupTest([]*outcome.Debates{first}, []*outcome.Debates{second}, "", margin)
	}
	if margin > 0 {
		p.Equivalence = equivalence(p, a, b, margin)
	}
	return p, ""
}

// equivalence tests what the paired test has compared: single answers, or the questions' shares. It returns nil for
// Fisher's test, since its repeats are no pairs.
func equivalence(p *Paired, a, b [][]outcome.Once, margin float64) *pairs.Equivalence {
	bounds := within(margin)
	var e pairs.Equivalence
	switch p.Test {
	case TestMcNemar:
		e = pairs.Tango(p.OnlyFirst, p.OnlySecond, p.Questions, bounds)
	case TestSamples:
		e = pairs.Tango(p.OnlyFirst, p.OnlySecond, len(a[0]), bounds)
	case TestFlip:
		_, at := stat.DifferenceAt(tallies(a), tallies(b))
		e = pairs.TOST(differencesOf(tallies(a), tallies(b)), nil, reach(""), bounds).Bounded(at)
	default:
		return nil
	}
	return &e
}

// EquivalenceName heads the column of verdicts, "" if the run has no margin.
func (c Comparison) EquivalenceName() string {
	if c.Equivalence == 0 {
		return ""
	}
	return fmt.Sprintf("within ±%g", c.Equivalence)
}

// EquivalenceText is the verdict with the 90 % interval that it rests on, "" if there is none.
func (p Paired) EquivalenceText() string { return p.verdict("") }

// verdict is EquivalenceText with words behind the verdict.
func (p Paired) verdict(words string) string {
	switch e := p.Equivalence; {
	case e == nil:
		return ""
	case bool(p.Unmeasured):
		return table.Absent
	default:
		return fmt.Sprintf("%s%s (%s)", e.Verdict, words, table.Span("%+.3f", e.Interval.Low, e.Interval.High))
	}
}

// TestsEquivalence reports whether it was also asked if the sides are equivalent; of no comparison, nil, it was not.
func (p *Paired) TestsEquivalence() bool { return p != nil && p.Equivalence != nil }

// EquivalenceWithin is EquivalenceText with the margin, for tables whose rows have different ones.
func (p Paired) EquivalenceWithin() string {
	if p.Equivalence == nil {
		return ""
	}
	return p.verdict(fmt.Sprintf(" within ±%g", p.Equivalence.Bounds.High))
}

// EquivalenceFields are the names in CSV of EquivalenceValues.
var EquivalenceFields = []string{"equivalence", "equivalence_low", "equivalence_high", "p_low", "p_high"}

// EquivalenceValues are the verdict, the 90 % interval and the p-values of both one-sided tests, nil if there are none.
func (p Paired) EquivalenceValues() []any {
	e := p.Equivalence
	if e == nil {
		return nil
	}
	return p.Unmeasured.Values(e.Verdict, e.Interval.Low, e.Interval.High, e.Low, e.High)
}

// equivalenceMethod says how the verdicts under a heading came about, "" if there are none. tests counts the paired
// tests whose differences were asked to be equivalent.
func equivalenceMethod(heading string, tests map[string]int) string {
	names := "Tango's score test"
	switch once := tests[TestMcNemar] + tests[TestSamples]; {
	case once+tests[TestFlip]+tests[TestClusters] == 0:
		return ""
	case tests[TestClusters] > 0:
		names = "t over clusters"
	case tests[TestFlip] > 0 && once > 0:
		names = "Tango's score test (of repeats, groups and other measures: t over questions)"
	case tests[TestFlip] > 0:
		names = "t over questions"
	}
	return fmt.Sprintf("%s: two one-sided tests at p %g, %s, uncorrected, with their 90 %% interval", heading, alpha,
		names)
}

// discordances are assumed shares of questions that come out differently under two conditions. The power of a paired
// comparison depends on this share, which nobody knows before the run.
var discordances = []float64{0.1, 0.2, 0.4}

// PowerOf says in a line which difference a run can detect, at best and if many questions differ. It is empty with
// repeats of several questions, where the answer depends on how repeats vary. The test that is assumed is exact
// McNemar, uncorrected: with several conditions, Holm's correction needs more.
func PowerOf(questions, repeats int) string {
	pairs, what := questions, "question"
	if questions == 1 && repeats > 1 {
		pairs, what = repeats, "sample" // the test is over the samples of the question
	}
	best, enough := stat.Detectable(pairs, 0, alpha, power)
	switch {
	case !enough:
		return fmt.Sprintf("power    %s: too few to detect any difference at p %g\n", wording.Count(pairs, what), alpha)
	case repeats > 1 && what == "question":
		return ""
	}
	out, many := fmt.Sprintf("power    detects paired differences of %.2f or more if all %ss that differ favour one "+
		"condition", best, what), slices.Max(discordances)
	if d, _ := stat.Detectable(pairs, many, alpha, power); d < many {
		out += fmt.Sprintf(", of %.2f or more if %.0f %% of %d differ", d, 100*many, pairs)
	}
	return out + fmt.Sprintf(" (power near %g at p %g)\n", power, alpha)
}

// QuestionsFor says how many questions it takes to detect a difference, for several shares of questions that differ.
// The least possible share is the difference itself, where all questions that differ favour one condition; of a share
// d, the better condition wins (d + difference)/2 of the questions and loses the rest of d.
func QuestionsFor(difference float64) (string, error) {
	if err := bounds.Check("difference", difference, spec.DifferenceRange); err != nil {
		return "", err
	}
	shares := slices.DeleteFunc(slices.Clone(discordances), func(d float64) bool { return d <= difference })
	out := fmt.Sprintf("a paired difference of %g between two conditions is detected with power near %g at p %g "+
		"(exact McNemar, uncorrected)\n", difference, power, alpha)
	for _, d := range append([]float64{difference}, shares...) {
		p := stat.Plan{OnlyFirst: (d + difference) / 2, OnlySecond: (d - difference) / 2, Alpha: alpha}
		need := "more than 100,000 questions"
		if n, reached := p.Needed(power); reached {
			need = wording.Comma(n) + " questions"
		}
		out += fmt.Sprintf("  with %-16s if %4.1f %% of them differ between the conditions\n", need, 100*d)
	}
	return out, nil
}
