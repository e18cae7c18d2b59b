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
// Biometrika 6, 1908, 1-25). It says how runs differ, and nothing about other questions. Of one run, of none, whose
// mean is 0, and of runs that do not differ, the interval is unknown.
func Seeds(values []float64, level float64) Spread {
	quantile(level) // panics outside of 0 to 1
	s := Spread{N: len(values), Interval: unknown}
	if s.N > 0 {
		s.Mean = meanOf(values)
	}
	if s.N < 2 {
		return s
	}
	s.Deviation = gonum.StdDev(values, nil)
	s.Error = s.Deviation / math.Sqrt(float64(s.N))
	if s.Varies() {
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(s.N - 1)}.Quantile(1 - (1-level)/2)
		s.Interval = Interval{s.Mean - t*s.Error, s.Mean + t*s.Error}
	}
	return s
}

// Varies reports whether the number differs between runs by more than rounding does.
func (s Spread) Varies() bool { return varies(s.Error, s.Mean) }

// varies reports whether the standard error of a mean is more than rounding.
func varies(standardError, mean float64) bool {
	return standardError > 1e-12*math.Max(1, math.Abs(mean))
}

// Bounded is BoundedAt at a level, where each question is a cluster of its own.
func Bounded(values []float64, low, high, level float64) Interval {
	quantile(level) // panics outside of 0 to 1
	return BoundedAt(values, nil, low, high)(level)
}

// BoundedAt is the interval, at any level, of a mean over questions of numbers that lie between two bounds, within
// these. Questions of one cluster may depend on each other, see ByCluster; with nil for clusters, or "", each is its
// own. It is that of t over clusters, widened to hold two others, because t is symmetric, and knows only numbers that
// were seen:
//
//   - As many clusters as Wilson's upper end for none of n lie at a bound. Of one condition that is the same in all
//     repeats of a question and another one that is not, few questions may all favour the first, by nearly the same
//     number, although a rare one would make up for it.
//   - Wilson's interval of the effective number of questions, as that of ShareByCluster. Where nine in ten of 50
//     questions are at a bound, t holds the mean in 89 % of samples.
//
// With fewer than two clusters, the interval is the bounds. Numbers without bounds have that of t alone,
// which is unknown where they do not differ.
func BoundedAt(values []float64, clusters []string, low, high float64) func(level float64) Interval {
	clusters = eachIn(clusters, len(values))
	if math.IsInf(high-low, 1) {
		return func(level float64) Interval { return ByCluster(values, clusters, low, high, level).Interval }
	}
	shares := make([]float64, len(values)) // of the way from bound to bound
	for i, x := range values {
		shares[i] = (x - low) / (high - low)
	}
	sums := clusterSums(shares, clusters)
	c := meanByCluster(shares, sums)
	if c.Clusters < 2 {
		return func(float64) Interval { return Interval{low, high} }
	}
	mean, wilsonAt := shareByClusterAt(shares, sums, math.Inf(1))
	return func(level float64) Interval {
		missed := Wilson(0, c.Clusters, level).High
		i := Interval{mean - missed*mean, mean + missed*(1-mean)}
		if t := c.reach(level); t > 1e-9 { // but for rounding
			w := wilsonAt(level)
			i = i.holding(c.Mean-t, c.Mean+t, w.Low, w.High)
		}
		return Interval{low + (high-low)*within(i.Low), low + (high-low)*within(i.High)}
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
