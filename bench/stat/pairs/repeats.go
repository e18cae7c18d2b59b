package pairs

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	gonum "gonum.org/v1/gonum/stat"

	"github.com/parley-debate/parley/bench/stat"
)

// Variances says where the uncertainty of a mean over questions comes from.
type Variances struct {
	Questions int     `json:"questions"`
	Between   float64 `json:"between"` // variance of the questions' expected scores: question variance
	Within    float64 `json:"within"`  // mean variance of a question's scores over repeats: sampling variance
}

// SplitVariance splits the variance of scores[question][repeat] into that between questions, which more questions
// average out, and that of sampling, which more repeats do too (Miller, arXiv 2411.00640, sections 2.3 and 3.1; Bowyer,
// Aitchison and Ivanova, arXiv 2503.01747, warn of such formulas below a few hundred questions). The estimates are
// those of the one-way analysis of variance: Within is the mean over questions, asked at least twice, of the variance
// of their scores, and Between the variance of the questions' means, less what sampling adds to it, at least 0.
// Questions may differ in their repeats.
func SplitVariance(scores [][]float64) (Variances, error) {
	var means, within []float64
	sampling := 0.0 // mean of 1/repeats
	for q, s := range scores {
		if err := finite(s); err != nil {
			return Variances{}, fmt.Errorf("question %d %w", q+1, err)
		}
		means = append(means, stat.Mean(s))
		sampling += 1 / float64(len(s)) / float64(len(scores))
		if len(s) > 1 {
			within = append(within, gonum.Variance(s, nil))
		}
	}
	switch {
	case len(scores) < 2:
		return Variances{}, fmt.Errorf("%d questions: it takes two to see how they differ", len(scores))
	case within == nil:
		return Variances{}, errors.New("no question was asked twice: what sampling adds is not known")
	}
	v := Variances{Questions: len(scores), Within: stat.Mean(within)}
	v.Between = math.Max(0, gonum.Variance(means, nil)-v.Within*sampling)
	return v, nil
}

// Error is the standard error of the mean that as many questions would have, each asked so many times.
func (v Variances) Error(repeats int) float64 {
	if repeats < 1 {
		panic(fmt.Sprintf("%d repeats", repeats))
	}
	return math.Sqrt((v.Between + v.Within/float64(repeats)) / float64(v.Questions))
}

// RepeatedDifference compares a number that debates have, such as the entropy of their answers, under two conditions.
type RepeatedDifference struct {
	First      *stat.Spread  `json:"first,omitempty"` // over repeats, of the mean over questions; nil with one repeat
	Second     *stat.Spread  `json:"second,omitempty"`
	Difference float64       `json:"difference"` // mean over questions, first minus second
	Interval   stat.Interval `json:"interval"`   // over questions, see stat.BoundedAt
	P          float64       `json:"p"`          // the larger of that of stat.Flip, over questions, and the interval's
}

// CompareRepeats pairs two conditions by question: first[q][r] is the number in repeat r of question q, such as an
// entropy in bits. Questions are what is drawn, so that the test takes each question's mean over its repeats; how
// repeats spread says only how well this run would repeat. Numbers are finite: of log-likelihoods of minus infinity
// there is no mean. All questions of a condition have the same number of repeats. Differences of two questions' numbers
// lie within bounds, such as those of the entropy of so many answers. Questions may be in clusters, as stat.BoundedAt
// takes them.
func CompareRepeats(first, second [][]float64, clusters []string, within stat.Bounds, resamples int, seed uint64,
	level float64) (RepeatedDifference, error) {
	if len(first) != len(second) || len(first) < 2 {
		return RepeatedDifference{}, fmt.Errorf("%d questions cannot be compared with %d: two or more, the same "+
			"ones, are needed", len(first), len(second))
	}
	one, oneSpread, err := spreadOf(first, level)
	if err != nil {
		return RepeatedDifference{}, fmt.Errorf("first condition: %w", err)
	}
	other, otherSpread, err := spreadOf(second, level)
	if err != nil {
		return RepeatedDifference{}, fmt.Errorf("second condition: %w", err)
	}
	differences := make([]float64, len(one))
	floats.SubTo(differences, one, other)
	slack := 1e-9 * (within.High - within.Low) // of rounding
	for q, d := range differences {
		if !(within.Low < within.High && d >= within.Low-slack && d <= within.High+slack) {
			return RepeatedDifference{}, fmt.Errorf("question %d differs by %g, which is not within %g to %g", q+1, d,
				within.Low, within.High)
		}
	}
	at := stat.BoundedAt(differences, clusters, within.Low, within.High)
	return RepeatedDifference{First: oneSpread, Second: otherSpread, Difference: stat.Seeds(differences, level).Mean,
		Interval: at(level),
		P:        stat.LeavingOutZero(at, level, stat.FlipClusters(differences, clusters, resamples, seed))}, nil
}

// spreadOf are the means of the questions, and how the mean over questions spreads over repeats.
func spreadOf(values [][]float64, level float64) (means []float64, spread *stat.Spread, err error) {
	totals, err := ByRepeat(values)
	if err != nil {
		return nil, nil, err
	}
	for _, v := range values {
		means = append(means, stat.Mean(v))
	}
	if len(totals) > 1 {
		s := stat.Seeds(totals, level)
		spread = &s
	}
	return means, spread, nil
}

// ByRepeat is the mean over questions in each repeat, of values[question][repeat] as CompareRepeats takes them.
func ByRepeat(values [][]float64) (means []float64, err error) {
	if len(values) == 0 {
		return nil, errors.New("there are no questions")
	}
	means = make([]float64, len(values[0]))
	for q, v := range values {
		if err := finite(v); err != nil {
			return nil, fmt.Errorf("question %d %w", q+1, err)
		}
		if len(v) != len(means) {
			return nil, fmt.Errorf("question %d has %d repeats, the first one %d", q+1, len(v), len(means))
		}
		floats.Add(means, v)
	}
	floats.Scale(1/float64(len(values)), means)
	return means, nil
}

// finite refuses what has no mean.
func finite(values []float64) error {
	if len(values) == 0 {
		return errors.New("has no scores")
	}
	for _, x := range values {
		if math.IsNaN(x) || math.Abs(x) > 1e100 {
			return fmt.Errorf("has the score %g, of which there is no mean", x)
		}
	}
	return nil
}
