package bench

import (
	"fmt"
	"slices"

	"parley/bench/stat"
)

// discordances are shares of questions that come out differently under two conditions. The power of a paired comparison depends on that, and nobody
// knows it before.
var discordances = []float64{0.1, 0.2, 0.4}

// Power says in a line what a run can find, at best and if many questions differ. It is empty where that is another test's: with repeats, or where
// the run may stop early.
func (h Header) Power() string {
	if h.Repeats > 1 || h.Stop != nil {
		return ""
	}
	best, enough := stat.Detectable(h.Questions, 0, alpha, power)
	if !enough {
		return fmt.Sprintf("power    %s: too few to find any difference at p %g\n", count(h.Questions, "question"), alpha)
	}
	out, many := fmt.Sprintf("power    finds paired differences from %.2f on if all questions that differ fall to one side", best), slices.Max(discordances)
	if d, _ := stat.Detectable(h.Questions, many, alpha, power); d < many {
		out += fmt.Sprintf(", from %.2f on if %.0f %% of %d differ", d, 100*many, h.Questions)
	}
	return out + fmt.Sprintf(" (power %g at p %g)\n", power, alpha)
}

// QuestionsFor says how many questions it takes to find a difference.
func QuestionsFor(difference float64) (string, error) {
	if !(difference > 0 && difference <= 1) {
		return "", fmt.Errorf("a difference of %g cannot be found: it is a share of questions, more than 0 and at most 1", difference)
	}
	shares := slices.DeleteFunc(slices.Clone(discordances), func(d float64) bool { return d <= difference })
	out := fmt.Sprintf("a paired difference of %g between two conditions is found with power %g at p %g (exact McNemar, uncorrected)\n", difference, power, alpha)
	for _, d := range append([]float64{difference}, shares...) {
		p := stat.Plan{OnlyFirst: (d + difference) / 2, OnlySecond: (d - difference) / 2, Alpha: alpha}
		need := "more than 100,000 questions"
		if n, reached := p.Needed(power); reached {
			need = comma(n) + " questions"
		}
		out += fmt.Sprintf("  with %-16s if %4.1f %% of them come out differently\n", need, 100*d)
	}
	return out, nil
}
