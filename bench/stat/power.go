package stat

import (
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// Plan is a paired comparison before it is run.
type Plan struct {
	OnlyFirst  float64 // share of questions that only the first condition is expected to get right, 0 to 1
	OnlySecond float64 // likewise; both together at most 1
	Alpha      float64 // largest p-value that is called a difference, such as 0.05
}

// Power is the chance that exact McNemar on n questions finds a difference, in either direction. It is summed over how
// many questions may differ and how they may fall, with no approximation (Duffy, Biometrics 40, 1984, 1005-1015). With
// no questions it is 0.
func (p Plan) Power(n int) float64 {
	p.check()
	if n < 0 {
		panic(fmt.Sprintf("%d questions", n))
	}
	return p.power(n, &rejections{plan: p, critical: -1})
}

// mostNeeded is where Needed gives up.
const mostNeeded = 100_000

// Needed is a number of questions that reaches a power such as 0.8 while one question fewer does not, or false if
// 100,000 do not reach it, as when both shares are equal. Power grows with n except for small steps back, because the
// counts of the test are whole numbers, so a slightly smaller n may reach it too.
func (p Plan) Needed(power float64) (n int, reached bool) {
	p.check()
	if !(power > 0 && power < 1) {
		panic(fmt.Sprintf("power %g is not between 0 and 1", power))
	}
	r := &rejections{plan: p, critical: -1}
	low, high := 0, 1
	for p.power(high, r) < power {
		if high == mostNeeded {
			return 0, false
		}
		low, high = high, min(2*high, mostNeeded)
	}
	for high-low > 1 {
		if middle := (low + high) / 2; p.power(middle, r) < power {
			low = middle
		} else {
			high = middle
		}
	}
	return high, true
}

func (p Plan) check() {
	if !(p.OnlyFirst >= 0 && p.OnlySecond >= 0 && p.OnlyFirst+p.OnlySecond <= 1+1e-12) {
		panic(fmt.Sprintf("shares %g and %g", p.OnlyFirst, p.OnlySecond))
	}
	quantile(p.Alpha) // panics outside of 0 to 1
}

func (p Plan) power(n int, r *rejections) float64 {
	sum := 0.0
	for d := range n + 1 {
		if chance := binomial(n, d, math.Min(1, p.OnlyFirst+p.OnlySecond)); chance > 0 {
			sum += chance * r.chance(d)
		}
	}
	return math.Min(1, sum)
}

// rejections remembers the chance that McNemar finds a difference when d questions differ, which does not depend on n.
type rejections struct {
	plan     Plan
	critical int // most wins of the losing side at which the last d is still called a difference; never falls with d
	chances  []float64
}

func (r *rejections) chance(d int) float64 {
	for i := len(r.chances); i <= d; i++ {
		for next := r.critical + 1; McNemar(next, i-next) <= r.plan.Alpha; next++ {
			r.critical = next
		}
		r.chances = append(r.chances, r.tails(i))
	}
	return r.chances[d]
}

func (r *rejections) tails(d int) float64 {
	if r.critical < 0 {
		return 0
	}
	share := r.plan.OnlyFirst / (r.plan.OnlyFirst + r.plan.OnlySecond)
	most, n := float64(r.critical), float64(d)
	return distuv.Binomial{N: n, P: share}.CDF(most) + distuv.Binomial{N: n, P: 1 - share}.CDF(most)
}

// binomial is the chance of k of n; a share of 0 or 1 is allowed.
func binomial(n, k int, share float64) float64 {
	switch {
	case share == 0 && k == 0, share == 1 && k == n:
		return 1
	case share == 0, share == 1:
		return 0
	}
	return distuv.Binomial{N: float64(n), P: share}.Prob(float64(k))
}

// Detectable is the smallest difference between two shares of right answers, to a thousandth, that exact McNemar on n
// questions detects with a power such as 0.8, if a share discordant of the questions comes out differently. Differences
// above that share assume that all questions that differ favour one side. reached is false if even n questions that all
// differ in favour of one side are not enough.
func Detectable(n int, discordant, alpha, power float64) (difference float64, reached bool) {
	const steps = 1000
	difference = float64(sort.Search(steps+1, func(i int) bool {
		d := float64(i) / steps
		lost := max(0, discordant-d) / 2
		return Plan{OnlyFirst: min(1, lost+d), OnlySecond: lost, Alpha: alpha}.Power(n) >= power
	})) / steps
	return difference, difference <= 1
}
