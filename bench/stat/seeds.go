package stat

import (
	"math"

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

// Seeds is the spread over runs that differ in nothing but their seeds, with the t interval of the mean (Student, Biometrika
// 6, 1908, 1-25). It says how runs differ and nothing of other questions. One run has no deviation and an unbounded
// interval; so have none, with a mean of 0.
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
