package analysis

import (
	"fmt"
	"slices"

	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/internal/bounds"
)

// discordances are assumed shares of questions that come out differently under two conditions. The power of a paired
// comparison depends on this share, which nobody knows before the run.
var discordances = []float64{0.1, 0.2, 0.4}

// PowerOf says in a line which difference a run can detect, at best and if many questions differ. It is empty with
// repeats of several questions, where the answer depends on how repeats vary. The test that is assumed is exact
// McNemar, uncorrected: with several conditions, Holm's correction needs more.
func PowerOf(questions, repeats int) string {
	pairs, what := questions, "question"
	if questions == 1 && repeats > 1 {
		pairs, what = repeats, "sample" // the test is over the samples of the question
	}
	best, enough := stat.Detectable(pairs, 0, alpha, power)
	switch {
	case !enough:
		return fmt.Sprintf("power    %s: too few to detect any difference at p %g\n", wording.Count(pairs, what), alpha)
	case repeats > 1 && what == "question":
		return ""
	}
	out, many := fmt.Sprintf("power    detects paired differences of %.2f or more if all %ss that differ favour one "+
		"condition", best, what), slices.Max(discordances)
	if d, _ := stat.Detectable(pairs, many, alpha, power); d < many {
		out += fmt.Sprintf(", of %.2f or more if %.0f %% of %d differ", d, 100*many, pairs)
	}
	return out + fmt.Sprintf(" (power %g at p %g)\n", power, alpha)
}

// QuestionsFor says how many questions it takes to detect a difference, for several shares of questions that differ.
// The least possible share is the difference itself, where all questions that differ favour one condition; of a share
// d, the better condition wins (d + difference)/2 of the questions and loses the rest of d.
func QuestionsFor(difference float64) (string, error) {
	if err := bounds.Check("difference", difference, spec.DifferenceRange); err != nil {
		return "", err
	}
	shares := slices.DeleteFunc(slices.Clone(discordances), func(d float64) bool { return d <= difference })
	out := fmt.Sprintf("a paired difference of %g between two conditions is detected with power %g at p %g "+
		"(exact McNemar, uncorrected)\n", difference, power, alpha)
	for _, d := range append([]float64{difference}, shares...) {
		p := stat.Plan{OnlyFirst: (d + difference) / 2, OnlySecond: (d - difference) / 2, Alpha: alpha}
		need := "more than 100,000 questions"
		if n, reached := p.Needed(power); reached {
			need = wording.Comma(n) + " questions"
		}
		out += fmt.Sprintf("  with %-16s if %4.1f %% of them differ between the conditions\n", need, 100*d)
	}
	return out, nil
}
