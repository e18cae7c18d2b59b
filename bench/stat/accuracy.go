package stat

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Asked counts what came of one question: how often it was asked, at least once, and how often the answer was right.
type Asked struct{ Right, Times int }

// With counts one more answer.
func (q Asked) With(right bool) Asked {
	if q.Times++; right {
		q.Right++
	}
	return q
}

func (q Asked) share() float64 { return float64(q.Right) / float64(q.Times) }

// fewQuestions is the number of repeated questions from which on their interval no longer relies on a model of them.
// The spread of fewer questions is too uncertain to be used alone; with more, the model would cost more where it is
// wrong than it gains where it is right.
const fewQuestions = 20

// Accuracy is the mean over questions of their shares of right answers, so that each weighs the same, with its
// interval.
//
//   - One question: Wilson's interval over its repeats, which is about this question's own chance and no other's.
//   - Questions that were asked once: Wilson's over questions.
//   - Fewer than 20 questions, some asked more than once: see posterior; never narrower than Wilson's interval of as
//     many independent answers.
//   - From 20 on: Wilson's of the effective number of answers (Korn and Graubard, Survey Methodology 24, 1998,
//     193-201), as in surveys that draw clusters: the variance of the mean is that between questions, and the quantile
//     that of t.
//
// Every interval has a width, lies in [0, 1] and contains the estimate. With no questions the estimate is 0 and the
// interval [0, 1].
func Accuracy(questions []Asked, level float64) (estimate float64, interval Interval) {
	return accuracy(questions, level, newPosterior)
}

// accuracy takes posteriors from a function of the number of answers, so that tests can reuse them.
func accuracy(questions []Asked, level float64, posterior func(answers int) *posterior) (estimate float64,
	interval Interval) {
	quantile(level) // panics outside of 0 to 1
	estimate, at := accuracyAt(questions, posterior)
	return estimate, at(level)
}

// accuracyAt is accuracy with its interval at any level, from 0 to 1, both excluded.
func accuracyAt(questions []Asked, posterior func(answers int) *posterior) (estimate float64,
	at func(level float64) Interval) {
	var all Asked
	for _, q := range questions {
		if q.Right < 0 || q.Times < 1 || q.Right > q.Times {
			panic(fmt.Sprintf("%d right of %d", q.Right, q.Times))
		}
		all.Right, all.Times = all.Right+q.Right, all.Times+q.Times
	}
	n := len(questions)
	switch {
	case n == 0:
		return 0, func(float64) Interval { return Interval{0, 1} }
	case n == 1 || all.Times == n:
		return all.share(), func(level float64) Interval { return Wilson(all.Right, all.Times, level) }
	}
	estimate, variance := spread(questions)
	if n < fewQuestions {
		p := posterior(all.Times)
		chances := p.chances(questions)
		return estimate, func(level float64) Interval {
			independent := wilson(estimate, float64(all.Times), level)
			return p.interval(chances, all, level).holding(estimate, independent.Low, independent.High)
		}
	}
	return estimate, func(level float64) Interval {
		return wilson(estimate, effective(estimate, variance, n, all.Times, level), level).holding(estimate)
	}
}

// spread is the mean of the questions' shares and its variance, as they differ between questions.
func spread(questions []Asked) (mean, variance float64) {
	n := float64(len(questions))
	for _, q := range questions {
		mean += q.share() / n
	}
	for _, q := range questions {
		variance += (q.share() - mean) * (q.share() - mean) / (n - 1) / n
	}
	return within(mean), variance
}

// effective is how many independent answers are worth as much as these. A share in [0, 1] varies at most as one answer
// does: it is never fewer than the questions, and never more than there are answers.
func effective(mean, variance float64, questions, answers int, level float64) float64 {
	n, inner := float64(questions), mean*(1-mean)
	switch {
	case inner < 1e-12: // all right, or all wrong
		return n
	case variance < 1e-12*inner: // as if one had asked one question
		return float64(answers)
	}
	t := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(1 - (1-level)/2)
	scale := quantile(level) / t
	return math.Min(math.Max(inner/variance*scale*scale, n), float64(answers))
}

// within clamps a share that rounding may have moved out of [0, 1].
func within(share float64) float64 { return math.Min(1, math.Max(0, share)) }

// holding is the interval, widened to contain some values.
func (i Interval) holding(values ...float64) Interval {
	return Interval{math.Min(i.Low, slices.Min(values)), math.Max(i.High, slices.Max(values))}
}
