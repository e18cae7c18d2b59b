package stat

import (
	"math"

	"gonum.org/v1/gonum/floats"
	gonum "gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Spread says how a number differs between runs, in the unit of the number.
type Spread struct {
	N         int      `json:"n"`
	Mean      float64  `json:"mean"`
	Deviation float64  `json:"deviation"` // of the sample, dividing by n-1
	Error     float64  `json:"error"`     // standard error of the mean
	Interval  Interval `json:"interval"`  // of the mean, see Seeds
}

// Seeds is the spread over runs that differ only in their seeds, with the t interval of the mean (Student,
// Biometrika 6, 1908, 1-25). It says how runs differ, and nothing about other questions. One run has no deviation and
// an unbounded interval; so have no runs, whose mean is 0.
func Seeds(values []float64, level float64) Spread {
	quantile(level) // panics outside of 0 to 1
	s := Spread{N: len(values), Interval: Interval{math.Inf(-1), math.Inf(1)}}
	if s.N > 0 {
		s.Mean = meanOf(values)
	}
	if s.N < 2 {
		return s
	}
	s.Deviation = gonum.StdDev(values, nil)
	s.Error = s.Deviation / math.Sqrt(float64(s.N))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(s.N - 1)}.Quantile(1 - (1-level)/2)
	s.Interval = Interval{s.Mean - t*s.Error, s.Mean + t*s.Error}
	return s
}

// Varies reports whether the number differs between runs by more than rounding does.
func (s Spread) Varies() bool { return s.Error > 1e-12*math.Max(1, math.Abs(s.Mean)) }

// Bounded is the interval of the mean over questions of a number that lies between two bounds: the t interval of Seeds,
// clamped to the bounds. If all questions have the same value, that interval would have no width, as if no question
// could have another one. Instead, as many questions as Wilson's upper end for none of n are then assumed to lie at a
// bound. With fewer than two questions, the interval is the bounds.
func Bounded(values []float64, low, high, level float64) Interval {
	s := Seeds(values, level)
	if s.N < 2 {
		return Interval{low, high}
	}
	i := s.Interval
	if s.Error <= 1e-9*(high-low) { // zero up to rounding
		missed := Wilson(0, s.N, level).High
		i = Interval{s.Mean + missed*(low-s.Mean), s.Mean + missed*(high-s.Mean)}
	}
	return Interval{math.Min(math.Max(low, i.Low), high), math.Max(math.Min(high, i.High), low)}
}

// WidenedAt is the interval, at any level, of a mean over questions of differences that lie between two bounds: that of
// Seeds, widened to hold what Bounded assumes where all have the same value. t knows only differences that were seen.
// Of one condition that is the same in all repeats of a question and another one that is not, few questions may all
// favour the first, by nearly the same number, although a rare one would make up for it. Numbers have no other interval
// that knows of such questions, as shares have that of CompareRepeated.
func WidenedAt(values []float64, low, high float64) func(level float64) Interval {
	return func(level float64) Interval {
		s := Seeds(values, level)
		if s.N < 2 {
			return Interval{low, high}
		}
		missed := Wilson(0, s.N, level).High
		i := s.Interval.holding(s.Mean+missed*(low-s.Mean), s.Mean+missed*(high-s.Mean))
		return Interval{math.Max(low, i.Low), math.Min(high, i.High)}
	}
}

// meanOf is the mean of at least one number.
func meanOf(x []float64) float64 {
	if len(x) == 0 {
		panic("the mean of nothing")
	}
	return number(floats.Sum(x) / float64(len(x)))
}

// number panics on NaN.
func number(x float64) float64 {
	if math.IsNaN(x) {
		panic("not a number")
	}
	return x
}
