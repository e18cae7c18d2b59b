package bench

import "parley/bench/stat"

// Tests of a paired comparison.
const (
	TestMcNemar    = "mcnemar"    // exact, where every question was asked once
	TestFlip       = "flip"       // of the signs of the questions' mean differences, where some were asked more often
	TestSequential = "sequential" // valid however often it was looked at: of runs that stop when it is clear
)

// Paired compares two conditions on the same questions. With repeats the difference is the mean over questions of the difference of their means,
// its interval is resampled, and OnlyFirst and OnlySecond are the questions that one got right more often than the other.
type Paired struct {
	stat.Paired
	Test           string  `json:"test"`   // which one gives P
	Holm           float64 `json:"p_holm"` // adjusted for all comparisons of the table: of any wrong one
	FalseDiscovery float64 `json:"p_bh"`   // likewise, of Benjamini and Hochberg: of a share of wrong ones

	// Detectable is the smallest difference that a run of as many questions sees with power 0.8 at p 0.05 (not adjusted), if as many questions
	// come out differently as did; with repeats, if their differences spread as they did. Nil with very few questions.
	Detectable *float64 `json:"detectable,omitempty"`
}

// contrast compares two conditions, nil if they have no question in common.
func contrast(first, second []Outcome) *Paired {
	a, b := marksOf(first).common(marksOf(second))
	switch {
	case len(a) == 0:
		return nil
	case repeated(a) || repeated(b):
		return contrastRepeats(a, b)
	}
	return contrastOnce(a, b)
}

func contrastOnce(a, b [][]float64) *Paired {
	wins := func(questions [][]float64) []bool {
		list := make([]bool, len(questions))
		for i, marks := range questions {
			list[i] = marks[0] == 1
		}
		return list
	}
	p := &Paired{Paired: stat.Compare(wins(a), wins(b), level), Test: TestMcNemar}
	if d, reached := stat.Detectable(len(a), share(p.OnlyFirst+p.OnlySecond, len(a)), alpha, power); reached {
		p.Detectable = &d
	}
	return p
}

func contrastRepeats(a, b [][]float64) *Paired {
	p := &Paired{Test: TestFlip}
	first, second := means(a), means(b)
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
	r := bootstrap.Difference(a, b)
	p.Difference, p.Interval = r.Estimate, stat.Interval{Low: max(-1, r.BCa.Low), High: min(1, r.BCa.High)} // of one question it is unbounded
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
