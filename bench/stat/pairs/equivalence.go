package pairs

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/parley-debate/parley/bench/stat"
)

// Verdicts of an equivalence test.
const (
	Equivalent  = "equivalent"   // the difference lies within the bounds
	NotInferior = "not inferior" // it lies above the lower one
	NotShown    = "not shown"    // neither, which says nothing of the opposite
)

// equivalenceAlpha is the largest p of an equivalence test that is called shown.
const equivalenceAlpha = 0.05

// Equivalence says whether the difference of two conditions, first minus second, is too small to matter: whether it
// lies between two bounds that were chosen before. A p-value that finds no difference does not say so.
//
// It is two one-sided tests (Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987, 657-680). Each is
// at 0.05, and no correction is needed for both. They agree with the 90 % interval: the conditions are equivalent where
// it lies within the bounds.
type Equivalence struct {
	Bounds   stat.Bounds   `json:"bounds"`
	Low      float64       `json:"p_low"`    // that the difference is at most the lower bound: of non-inferiority
	High     float64       `json:"p_high"`   // that it is at least the upper bound
	Interval stat.Interval `json:"interval"` // 90 %
	Verdict  string        `json:"verdict"`
}

func (e *Equivalence) judge() {
	switch {
	case e.Low > equivalenceAlpha:
		e.Verdict = NotShown
	case e.High > equivalenceAlpha:
		e.Verdict = NotInferior
	default:
		e.Verdict = Equivalent
	}
}

// TOST tests the mean of paired differences of real scores with t, as ttost_paired of statsmodels. Differences of one
// cluster may depend on each other, see stat.ByCluster; with nil for clusters each is one of its own. All differences
// are within a range. Where they do not vary, t knows nothing: p is then that of the interval which stat.Bounded
// gives, of clusters that may have been missed. With fewer than two clusters nothing is shown. Of questions that are
// right or wrong Tango is better: t finds equivalence too often where few come out differently.
func TOST(differences []float64, clusters []string, within, bounds stat.Bounds) Equivalence {
	checkBounds(bounds)
	c := stat.ByCluster(differences, clusters, within.Low, within.High, 1-2*equivalenceAlpha)
	e := Equivalence{Bounds: bounds, Interval: c.Interval, Low: 1, High: 1}
	switch {
	case c.Clusters < 2:
	case c.Error == 0:
		e.Low = missed(c.Mean-bounds.Low, c.Mean-within.Low, c.Clusters)
		e.High = missed(bounds.High-c.Mean, within.High-c.Mean, c.Clusters)
	default:
		t := distuv.StudentsT{Sigma: 1, Nu: float64(c.Clusters - 1)}
		e.Low = t.Survival((c.Mean - bounds.Low) / c.Error)
		e.High = t.CDF((c.Mean - bounds.High) / c.Error)
	}
	e.judge()
	return e
}

// Bounded is the equivalence with an interval of the difference at any level beside that of t, which knows only
// differences that were seen: each p is at least that at which the interval's end is the bound, and the interval holds
// both.
func (e Equivalence) Bounded(at func(level float64) stat.Interval) Equivalence {
	const level = 1 - 2*equivalenceAlpha
	reached := func(p float64, inside func(stat.Interval) bool) float64 {
		return math.Max(p, stat.LeavingOut(at, inside, level, 2*p)/2)
	}
	e.Low = reached(e.Low, func(i stat.Interval) bool { return i.Low > e.Bounds.Low })
	e.High = reached(e.High, func(i stat.Interval) bool { return i.High < e.Bounds.High })
	i := at(level)
	e.Interval = stat.Interval{Low: math.Min(e.Interval.Low, i.Low), High: math.Max(e.Interval.High, i.High)}
	e.judge()
	return e
}

// missed is the one-sided p that equal clusters have missed others, at the end of the range, which would bring the mean
// to a bound: that at which the end of stat.Bounded's interval is the bound.
func missed(toBound, toEnd float64, clusters int) float64 {
	switch share := toBound / toEnd; { // of clusters that would have to be unlike these
	case toBound <= 0:
		return 1
	case share >= 1:
		return 0
	default:
		return distuv.UnitNormal.Survival(math.Sqrt(share / (1 - share) * float64(clusters)))
	}
}

// fewPairs is the number of questions below which Tango's p are those of exact too: of three that come out alike, the
// score test shows a difference below 0.5, although one of 0.5 leaves three alike in 12.5 % of samples.
const fewPairs = 10

// Tango tests the difference of two shares of right answers to the same questions, from how many questions only the
// first and only the second condition got right, of n, with the score test of paired shares and its interval (Tango,
// Statistics in Medicine 17, 1998, 891-908). Its variance is that of the difference at the bound, so that it has one
// even if no question comes out differently. Without questions nothing is shown, and below fewPairs never more than is
// exact. From there on, bounds up to 0.2 are found to hold wrongly in at most 7 % of samples, unless nearly every
// question comes out differently (8 %), and wider ones in at most 11 %.
func Tango(onlyFirst, onlySecond, n int, bounds stat.Bounds) Equivalence {
	checkBounds(bounds)
	if onlyFirst < 0 || onlySecond < 0 || onlyFirst+onlySecond > n {
		panic(fmt.Sprintf("%d and %d of %d questions", onlyFirst, onlySecond, n))
	}
	e := Equivalence{Bounds: bounds, Interval: stat.Interval{Low: -1, High: 1}, Low: 1, High: 1}
	if n > 0 {
		score := func(difference float64) float64 { return tangoScore(onlyFirst, onlySecond, n, difference) }
		z := distuv.UnitNormal.Quantile(1 - equivalenceAlpha)
		e.Interval = stat.Interval{Low: crossing(score, z), High: crossing(score, -z)}
		e.Low, e.High = distuv.UnitNormal.Survival(score(bounds.Low)), distuv.UnitNormal.CDF(score(bounds.High))
	}
	if n > 0 && n < fewPairs {
		p, low := exact(onlyFirst, onlySecond, n, bounds.Low)
		e.Low, e.Interval.Low = math.Max(e.Low, p), math.Min(e.Interval.Low, low)
		p, high := exact(onlySecond, onlyFirst, n, -bounds.High)
		e.High, e.Interval.High = math.Max(e.High, p), math.Max(e.Interval.High, -high)
	}
	e.judge()
	return e
}

// exact is the largest chance of a score as high as that seen if the difference is at most a bound, and the bound up to
// which that chance is at most equivalenceAlpha.
func exact(onlyFirst, onlySecond, n int, bound float64) (p, low float64) {
	const steps = 100
	low = -1
	for i, shown := 0, true; i <= 2*steps; i++ {
		assumed := float64(i)/steps - 1
		chance := scoreChance(onlyFirst, onlySecond, n, assumed)
		if shown = shown && chance <= equivalenceAlpha; shown {
			low = assumed
		}
		if assumed <= bound {
			p = math.Max(p, chance)
		}
	}
	return math.Max(p, scoreChance(onlyFirst, onlySecond, n, bound)), low
}

// scoreChance is the largest chance of a score as high as that of what was seen if a difference is as assumed, over how
// often only the second is right.
func scoreChance(onlyFirst, onlySecond, n int, assumed float64) (largest float64) {
	seen := tangoScore(onlyFirst, onlySecond, n, assumed) - 1e-9
	var as, bs []int
	for a := range n + 1 {
		for b := range n + 1 - a {
			if tangoScore(a, b, n, assumed) >= seen {
				as, bs = append(as, a), append(bs, b)
			}
		}
	}
	const steps = 20
	for i := range steps + 1 {
		second := math.Max(0, -assumed) + (1-math.Abs(assumed))/2*float64(i)/steps
		first, other := powers(second+assumed), powers(second)
		neither, chance := powers(1-2*second-assumed), 0.0
		for j, a := range as {
			b := bs[j]
			chance += float64(combin.Binomial(n, a)*combin.Binomial(n-a, b)) * first[a] * other[b] * neither[n-a-b]
		}
		largest = math.Max(largest, chance)
	}
	return math.Min(1, largest)
}

// powers are those of a chance, but for rounding.
func powers(chance float64) (list [fewPairs]float64) {
	list[0] = 1
	for i := 1; i < fewPairs; i++ {
		list[i] = list[i-1] * math.Max(0, chance)
	}
	return list
}

// tangoScore is how many standard deviations the difference that was seen is above one that is assumed, -1 to 1. It
// falls as that grows.
func tangoScore(onlyFirst, onlySecond, n int, assumed float64) float64 {
	first, second, all := float64(onlyFirst), float64(onlySecond), float64(n)
	above := first - second - all*assumed
	// the likeliest chance that only the second is right, if the difference is as assumed, is a root of this parabola
	b := (2*all-first+second)*assumed - first - second
	c := -second * assumed * (1 - assumed)
	chance := (math.Sqrt(math.Max(0, b*b-8*all*c)) - b) / (4 * all)
	variance := all * (2*chance + assumed*(1-assumed))
	if variance <= 1e-12*all {
		if math.Abs(above) <= 1e-9*all { // what was seen is what is assumed
			return 0
		}
		return math.Copysign(math.Inf(1), above)
	}
	return above / math.Sqrt(variance)
}

// crossing is the difference at which a score falls below z.
func crossing(score func(difference float64) float64, z float64) float64 {
	low, high := -1.0, 1.0
	for range 60 {
		if middle := (low + high) / 2; score(middle) >= z {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

func checkBounds(b stat.Bounds) {
	if !(b.Low < b.High) || math.IsInf(b.Low, 0) || math.IsInf(b.High, 0) {
		panic(fmt.Sprintf("bounds %g and %g of an equivalence", b.Low, b.High))
	}
}
