// Package stat has the statistics of comparisons on the same questions: intervals, paired tests, corrections for many
// tests and many looks, and the number of questions that a test needs.
//
// All functions are functions of counts and numbers; nothing here knows where these come from, and randomness comes
// from a seed that the caller passes. Impossible arguments (more right answers than answers, a level outside 0 to 1,
// NaN) are a bug of the caller, and panic.
package stat

import (
	"encoding/json"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Mean is the mean of some numbers, 0 if there are none. It adds them in their order, so that it repeats to the last
// bit.
func Mean(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum / float64(max(1, len(list)))
}

// Share is a part as a share of the whole, 0 if the whole is 0.
func Share(part, of int) float64 { return float64(part) / float64(max(1, of)) }

// Bounds are the least and the largest that something can be, such as a difference of shares, or may be, such as one
// that is called equivalence. Nothing is estimated by them.
type Bounds struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Interval is a confidence interval, ends included. Only this package and those below it make them, which a test of the
// house holds. It has a width: where data have no spread and their mean no bounds,
// its ends are infinite, and say that nothing is known. JSON has null in the place of such an interval.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Unless is the interval with zero in it, unless a test with this p tells its mean from zero at the level.
func (i Interval) Unless(p, level float64) Interval {
	if p > 1-level {
		i.Low, i.High = math.Min(i.Low, 0), math.Max(i.High, 0)
	}
	return i
}

// Mirrored is the interval of the negative.
func (i Interval) Mirrored() Interval { return Interval{-i.High, -i.Low} }

// unknown is the interval of what nothing is known of.
var unknown = Interval{math.Inf(-1), math.Inf(1)}

// Unknown returns that interval.
func Unknown() Interval { return unknown }

// Known reports whether the interval has ends.
func (i Interval) Known() bool { return !math.IsInf(i.Low, 0) && !math.IsInf(i.High, 0) }

// Times is the interval of the same number in other units, of which one is a positive factor of the old.
func (i Interval) Times(factor float64) Interval { return Interval{i.Low * factor, i.High * factor} }

// ends are an interval without methods.
type ends Interval

// MarshalJSON implements json.Marshaler.
func (i Interval) MarshalJSON() ([]byte, error) {
	if !i.Known() {
		return []byte("null"), nil
	}
	return json.Marshal(ends(i))
}

// UnmarshalJSON implements json.Unmarshaler.
func (i *Interval) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*i = unknown
		return nil
	}
	return json.Unmarshal(text, (*ends)(i))
}

// Wilson is the score interval of a proportion (Wilson, Journal of the American Statistical Association 22, 1927,
// 209-212), right of n, at a level such as 0.95. With n = 0 it is [0, 1].
func Wilson(right, n int, level float64) Interval {
	if right < 0 || right > n {
		panic(fmt.Sprintf("%d right of %d", right, n))
	}
	if n == 0 {
		return Interval{0, 1}
	}
	i := wilson(float64(right)/float64(n), float64(n), level)
	if right == 0 {
		i.Low = 0 // exactly, whatever the rounding
	}
	if right == n {
		i.High = 1
	}
	return i
}

// wilson is the interval of a share of a number of answers that need not be whole, as an effective number is.
func wilson(p, n, level float64) Interval {
	z := quantile(level)
	middle := p + z*z/(2*n)
	width := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	scale := 1 + z*z/n
	return Interval{math.Max(0, (middle-width)/scale), math.Min(1, (middle+width)/scale)}
}

// One counts what is so: 1, and 0 of what is not.
func One[N int | float64](so bool) N {
	if so {
		return 1
	}
	return 0
}

// quantile is how many standard deviations a two-sided interval reaches.
func quantile(level float64) float64 {
	if math.IsNaN(level) || level <= 0 || level >= 1 {
		panic(fmt.Sprintf("confidence level %g is not between 0 and 1", level))
	}
	return distuv.UnitNormal.Quantile(1 - (1-level)/2)
}

// McNemar is the exact two-sided p-value for the hypothesis that two conditions are right equally often, from the
// number of questions that only the first and only the second got right (McNemar, Psychometrika 12, 1947, 153-157, with
// the binomial in place of its approximation); 1 if there are none.
func McNemar(onlyFirst, onlySecond int) float64 {
	if onlyFirst < 0 || onlySecond < 0 {
		panic(fmt.Sprintf("%d questions against %d", onlyFirst, onlySecond))
	}
	n := onlyFirst + onlySecond
	if n == 0 {
		return 1
	}
	tail := distuv.Binomial{N: float64(n), P: 0.5}.CDF(float64(min(onlyFirst, onlySecond)))
	return math.Min(1, 2*tail)
}

// Paired compares two conditions on the same questions.
type Paired struct {
	Difference float64  `json:"difference"` // share right, first minus second
	Interval   Interval `json:"interval"`   // Newcombe 1998, see Compare
	OnlyFirst  int      `json:"only_first"` // questions that only the first got right
	OnlySecond int      `json:"only_second"`
	P          float64  `json:"p"` // exact McNemar, two-sided, not corrected for other comparisons
}

// Compare pairs outcomes by question: first[i] and second[i] say who got question i right. The interval of the
// difference is the square-and-add interval for paired data with corrected correlation (Newcombe, Statistics in
// Medicine 17, 1998, 2635-2650, method 10). With no questions it is [-1, 1].
func Compare(first, second []bool, level float64) Paired {
	if len(first) != len(second) {
		panic(fmt.Sprintf("%d outcomes cannot be paired with %d", len(first), len(second)))
	}
	var t table
	for i := range first {
		t.add(first[i], second[i])
	}
	p := Paired{OnlyFirst: t.onlyFirst, OnlySecond: t.onlySecond, P: McNemar(t.onlyFirst, t.onlySecond),
		Interval: Interval{-1, 1}}
	if n := len(first); n > 0 {
		p.Difference = float64(t.onlyFirst-t.onlySecond) / float64(n)
		p.Interval = t.interval(level)
	}
	return p
}

// table counts pairs of outcomes.
type table struct{ both, onlyFirst, onlySecond, neither int }

func (t *table) add(first, second bool) {
	switch {
	case first && second:
		t.both++
	case first:
		t.onlyFirst++
	case second:
		t.onlySecond++
	default:
		t.neither++
	}
}

func (t table) interval(level float64) Interval {
	n := t.both + t.onlyFirst + t.onlySecond + t.neither
	first, second := t.both+t.onlyFirst, t.both+t.onlySecond
	a, b := margin{float64(first) / float64(n), Wilson(first, n, level)}, margin{float64(second) / float64(n),
		Wilson(second, n, level)}
	return squareAndAdd(a, b, t.correlation())
}

// margin is one of the two accuracies of a difference, with its interval.
type margin struct {
	estimate float64
	Interval
}

// squareAndAdd is the interval of a difference of estimates with intervals and a correlation.
func squareAndAdd(first, second margin, phi float64) Interval {
	reach := func(a, b float64) float64 { return math.Sqrt(math.Max(0, a*a-2*phi*a*b+b*b)) }
	d := first.estimate - second.estimate
	return Interval{
		Low:  math.Max(-1, d-reach(first.estimate-first.Low, second.High-second.estimate)),
		High: math.Min(1, d+reach(first.High-first.estimate, second.estimate-second.Low)),
	}
}

// correlation is phi; if it is positive, its numerator is moved towards zero by n/2 (Newcombe's continuity correction).
func (t table) correlation() float64 {
	a, b, c, d := float64(t.both), float64(t.onlyFirst), float64(t.onlySecond), float64(t.neither)
	scale := math.Sqrt((a + b) * (c + d) * (a + c) * (b + d))
	if scale == 0 {
		return 0
	}
	numerator := a*d - b*c
	if numerator > 0 {
		numerator = math.Max(0, numerator-(a+b+c+d)/2)
	}
	return numerator / scale
}
