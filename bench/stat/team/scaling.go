package team

import (
	"errors"
	"fmt"
	"math"

	"github.com/parley-debate/parley/bench/stat"
)

// Scaling is the law R(N) = 1 / (1 + C (N-1) N^-Beta) of the share of a team of N agents that is worth as much as
// independent ones (Bertalanič and Fortuna, The Ringelmann effect in multi-agent LLM systems, arXiv 2606.02646).
type Scaling struct {
	C     float64 `json:"c"`     // 0 if every agent counts in full
	Beta  float64 `json:"beta"`  // 0 if C is
	Error float64 `json:"error"` // root of the mean squared error of the ratios
	// Explained is R², the share of the squared deviations of the ratios from their mean that the law explains; below 0
	// where it explains less than their mean does, nil where they do not differ, and of two sizes, which two parameters
	// meet whatever their ratios are.
	Explained *float64 `json:"r_squared,omitempty"`
}

// Ratio is R of a team of n agents, 0 to 1.
func (s Scaling) Ratio(n int) float64 { return 1 / (1 + s.C*growth(n, s.Beta)) }

// Regime names what becomes of large teams: linear growth with their size from Beta = 1 on, sublinear growth, or a hard
// ceiling at 1/C agents if Beta is 0. Below 0 they shrink.
func (s Scaling) Regime() string {
	switch {
	case s.C == 0 || s.Beta >= 1:
		return "linear"
	case s.Beta > 0:
		return "sublinear"
	case s.Beta == 0:
		return "hard ceiling"
	}
	return "shrinking"
}

func growth(n int, beta float64) float64 { return float64(n-1) * math.Pow(float64(n), -beta) }

// betas are where a fit may end.
const leastBeta, mostBeta = -4.0, 4.0

// FitScaling fits the law to the ratios of teams of several sizes by least squares, and so tells from small teams what
// larger ones would be worth. Sizes are at least 1 and ratios within (0, 1]; two different sizes of 2 or more are
// needed. The best point of a grid is improved by Levenberg and Marquardt's method, so that equal input has equal
// output. It fails if no Beta between -4 and 4 is best.
func FitScaling(sizes []int, ratios []float64) (Scaling, error) {
	if len(sizes) != len(ratios) {
		return Scaling{}, fmt.Errorf("%d sizes for %d ratios", len(sizes), len(ratios))
	}
	several, all := make(map[int]bool), true // the different sizes of 2 or more; every ratio is 1
	for i, n := range sizes {
		switch r := ratios[i]; {
		case n < 1 || n > 1e6:
			return Scaling{}, fmt.Errorf("a team of %d agents", n)
		case !(r > 0 && r <= 1):
			return Scaling{}, fmt.Errorf("a team of %d has the ratio %g: it must be above 0 and at most 1", n, r)
		case n > 1:
			several[n] = true
		}
		all = all && (n == 1 || ratios[i] == 1)
	}
	switch {
	case len(several) < 2:
		return Scaling{}, errors.New("the law needs ratios of two different sizes of 2 agents or more")
	case all:
		return Scaling{}, nil
	}
	p := problem{sizes, ratios}
	s := p.improve(p.start())
	if !(s.Beta > leastBeta && s.Beta < mostBeta) {
		return Scaling{}, fmt.Errorf("no exponent between %g and %g fits the ratios best", leastBeta, mostBeta)
	}
	squares := p.squares(s)
	s.Error = math.Sqrt(squares / float64(len(sizes)))
	if all := p.deviations(); all > 1e-18 && len(several) > 2 { // but for rounding
		explained := 1 - squares/all
		s.Explained = &explained
	}
	return s, nil
}

// problem is what the law is fitted to.
type problem struct {
	sizes  []int
	ratios []float64
}

func (p problem) squares(s Scaling) (sum float64) {
	for i, n := range p.sizes {
		e := s.Ratio(n) - p.ratios[i]
		sum += e * e
	}
	return sum
}

// deviations are the squares of what the ratios' mean misses.
func (p problem) deviations() (sum float64) {
	mean := stat.Mean(p.ratios)
	for _, r := range p.ratios {
		sum += (r - mean) * (r - mean)
	}
	return sum
}

// start is the best point of a grid.
func (p problem) start() Scaling {
	best, least := Scaling{}, math.Inf(1)
	for beta := leastBeta; beta <= mostBeta; beta += 0.25 {
		for c := 1e-4; c <= 1e4; c *= 1.5 {
			if s := (Scaling{C: c, Beta: beta}); p.squares(s) < least {
				best, least = s, p.squares(s)
			}
		}
	}
	return best
}

// improve goes downhill in the logarithm of C, which keeps C above 0, and Beta, until steps are rounding.
func (p problem) improve(s Scaling) Scaling {
	for damping := 1e-3; damping < 1e12; {
		logC, beta := p.step(s, damping)
		next := Scaling{C: s.C * math.Exp(logC), Beta: s.Beta + beta}
		if !(p.squares(next) < p.squares(s)) {
			damping *= 10
			continue
		}
		s, damping = next, math.Max(1e-15, damping/10)
	}
	return s
}

// step solves the damped normal equations of the law, linear about s.
func (p problem) step(s Scaling, damping float64) (logC, beta float64) {
	var cc, cb, bb, c, b float64
	for i, n := range p.sizes {
		r := s.Ratio(n)
		slope := -r * r * s.C * growth(n, s.Beta) // of the ratio in log C
		byBeta := -slope * math.Log(float64(n))
		missed := p.ratios[i] - r
		cc, cb, bb = cc+slope*slope, cb+slope*byBeta, bb+byBeta*byBeta
		c, b = c+slope*missed, b+byBeta*missed
	}
	cc, bb = cc*(1+damping), bb*(1+damping)
	determinant := cc*bb - cb*cb
	if determinant <= 0 {
		return 0, 0
	}
	return (bb*c - cb*b) / determinant, (cc*b - cb*c) / determinant
}
