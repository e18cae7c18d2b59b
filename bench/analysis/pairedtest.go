package analysis

import (
	"slices"

	"parley/bench/stat"
	"parley/bench/trial"
)

// Tests of a paired comparison.
const (
	TestMcNemar    = "mcnemar"         // exact, where every question was asked once
	TestSamples    = "mcnemar-repeats" // the same of one question, whose repeats are paired
	TestFisher     = "fisher"          // exact, of one question that was not asked equally often
	TestFlip       = "flip"            // of the signs of the questions' mean differences
	TestSequential = "sequential"      // valid however often it was looked at: of runs that stop when it is clear
)

// Paired compares two conditions on the same questions. With repeats the difference is the mean over questions of the
// difference of their means, and OnlyFirst and OnlySecond are the questions that one got right more often than the
// other; of a single question they are its repeats, where these are paired.
type Paired struct {
	stat.Paired
	Against        string  `json:"against,omitempty"` // the condition that the row is compared with
	Questions      int     `json:"questions"`         // on which both have been held
	Test           string  `json:"test"`              // which one gives P
	Holm           float64 `json:"p_holm"`            // adjusted for all comparisons of the table: of any wrong one
	FalseDiscovery float64 `json:"p_bh"`              // likewise, of Benjamini and Hochberg: of a share of wrong ones

	// Detectable is the smallest difference that a run of as many questions sees with power 0.8 at p 0.05 (not
	// adjusted), if as many questions come out differently as did; with repeats, if their differences spread as they
	// did. Nil with very few questions.
	Detectable *float64 `json:"detectable,omitempty"`
}

// PairedTest compares two conditions on the debates that both could hold, nil if there are none on a common question.
func PairedTest(first, second *Part) *Paired {
	first, second = HeldByBoth(first, second)
	a, b := first.correct.common(second.correct)
	switch {
	case len(a) == 0:
		return nil
	case repeated(a) || repeated(b):
		if len(a) == 1 {
			return testRepeats(a[0], b[0])
		}
		return testQuestions(tallies(a), tallies(b))
	}
	return testOnce(a, b)
}

// HeldByBoth leaves out what failed, and on the other side the same repeat of the same question: what makes debates
// fail, such as a long question, may make them hard too.
func HeldByBoth(first, second *Part) (a, b *Part) {
	failed := make(map[string]bool)
	for _, p := range []*Part{first, second} {
		for i, name := range p.cases {
			failed[name] = failed[name] || p.failed[i]
		}
	}
	without := func(p *Part) *Part {
		return partOf(p.without(func(i int) bool { return failed[p.cases[i]] }))
	}
	return without(first), without(second)
}

// SameCases are the debates on questions that are in both, each repeat with the same one, in the order of the first.
func SameCases(first, second *Part) (a, b *Part) {
	at := make(map[string]trial.Outcome)
	for i, name := range second.cases {
		at[name] = second.outcomes[i]
	}
	var one, other []trial.Outcome
	for i, name := range first.cases {
		if same, ok := at[name]; ok {
			one, other = append(one, first.outcomes[i]), append(other, same)
		}
	}
	return partOf(one), partOf(other)
}

// repeated reports whether a question was asked more than once.
func repeated(questions [][]answered) bool {
	return slices.ContainsFunc(questions, func(marks []answered) bool { return len(marks) > 1 })
}

func testOnce(a, b [][]answered) *Paired {
	first, second := make([]bool, len(a)), make([]bool, len(b))
	for i := range a {
		first[i], second[i] = a[i][0].right, b[i][0].right
	}
	return testPairs(first, second, TestMcNemar, len(a))
}

// testRepeats compares the repeats of one question. Those of one number have seeds in common, and are a pair; where
// one condition was held once and the other often, they are not paired.
func testRepeats(a, b []answered) *Paired {
	byRepeat := func(a, b answered) int { return a.repeat - b.repeat }
	a, b = slices.SortedFunc(slices.Values(a), byRepeat), slices.SortedFunc(slices.Values(b), byRepeat)
	if !slices.EqualFunc(a, b, func(a, b answered) bool { return a.repeat == b.repeat }) {
		one, other := []stat.Asked{tally(a)}, []stat.Asked{tally(b)}
		p := &Paired{Test: TestFisher, Questions: 1}
		p.Difference, p.Interval = stat.Difference(one, other, Level)
		p.P = stat.Fisher(one[0], other[0])
		return p
	}
	first, second := make([]bool, len(a)), make([]bool, len(b))
	for i := range a {
		first[i], second[i] = a[i].right, b[i].right
	}
	return testPairs(first, second, TestSamples, 1)
}

func testPairs(first, second []bool, test string, questions int) *Paired {
	p := &Paired{Paired: stat.Compare(first, second, Level), Test: test, Questions: questions}
	if d, reached := stat.Detectable(len(first), stat.Share(p.OnlyFirst+p.OnlySecond, len(first)), alpha,
		power); reached {
		p.Detectable = &d
	}
	return p
}

func testQuestions(a, b []stat.Asked) *Paired {
	p := &Paired{Test: TestFlip, Questions: len(a)}
	first, second := shares(a), shares(b)
	differences := make([]float64, len(first))
	for i := range first {
		differences[i] = first[i] - second[i]
		switch {
		case differences[i] > 0:
			p.OnlyFirst++
		case differences[i] < 0:
			p.OnlySecond++
		}
	}
	p.Difference, p.Interval = stat.Difference(a, b, Level)
	p.P = stat.Flip(first, second, flips, statSeed)
	if d, known := stat.DetectableMean(differences, alpha, power); known {
		p.Detectable = &d
	}
	return p
}

// adjust corrects the p-values of a table for how many they are.
func adjust(rows []Row) {
	var p []float64
	var of []*Paired
	for _, r := range rows {
		if r.Paired != nil {
			p, of = append(p, r.Paired.P), append(of, r.Paired)
		}
	}
	holm, discovery := stat.Holm(p), stat.BenjaminiHochberg(p)
	for i := range of {
		of[i].Holm, of[i].FalseDiscovery = holm[i], discovery[i]
	}
}
