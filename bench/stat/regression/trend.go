package regression

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/parley-debate/parley/bench/stat"
)

// Line is the trend of scores along a setting, such as the number of agents or rounds.
type Line struct {
	Slope     stat.Estimated `json:"slope"`     // of the score, for one more agent or round
	Intercept stat.Estimated `json:"intercept"` // the score that the line has at 0
}

// Trend fits a line to the mean score at each value of a setting, where every question was asked at every value:
// scores[i][j] is the score of question i at[j], the mean over its repeats, and lies within the given range.
//
// Scores of one question are not independent of each other, so that the unit is the question: each has its own least
// squares line, and slope and intercept are means over questions with intervals of stat.Bounded. That is the line
// through the mean scores. Its slope is also that of a regression with an effect of each question, and its standard
// error the one clustered by question, times √(G/(G-1)) for G questions. So it allows that questions differ in level
// and in trend. Nothing is weighted, as all values have the same questions; leave out those that lack a value.
// Questions may be in clusters, as stat.BoundedAt takes them.
func Trend(at []float64, scores [][]float64, clusters []string, within stat.Bounds) (Line, error) {
	weights, err := lineWeights(at)
	if err != nil {
		return Line{}, err
	}
	if len(scores) < 2 {
		return Line{}, fmt.Errorf("a trend over %d questions has no interval: two are needed", len(scores))
	}
	for i, s := range scores {
		if len(s) != len(at) {
			return Line{}, fmt.Errorf("question %d has %d scores, one at each of %d values is needed", i+1, len(s),
				len(at))
		}
		for j, x := range s {
			if !(x >= within.Low && x <= within.High) {
				return Line{}, fmt.Errorf("question %d has the score %g at %g, not within %g to %g", i+1, x, at[j],
					within.Low, within.High)
			}
		}
	}
	return Line{meanOf(weights.slope, scores, clusters, within),
		meanOf(weights.intercept, scores, clusters, within)}, nil
}

// weights are what each score of a question adds to its slope and intercept.
type weights struct{ slope, intercept []float64 }

func lineWeights(at []float64) (w weights, err error) {
	if len(at) < 2 {
		return w, fmt.Errorf("a trend needs scores at two values, there are %d", len(at))
	}
	for _, x := range at {
		if !usable(x) {
			return w, fmt.Errorf("a trend along %g cannot be fitted", x)
		}
	}
	mean, squares := meanAndSquares(at)
	if !varies(at, squares) {
		return w, fmt.Errorf("a trend needs scores at two values, all are at %g", at[0])
	}
	for _, x := range at {
		slope := (x - mean) / squares
		w.slope = append(w.slope, slope)
		w.intercept = append(w.intercept, 1/float64(len(at))-mean*slope)
	}
	return w, nil
}

// meanOf is the mean over questions of a weighted sum of their scores.
func meanOf(weights []float64, scores [][]float64, clusters []string, within stat.Bounds) stat.Estimated {
	var low, high float64 // that such a sum can be
	for _, w := range weights {
		low += math.Min(w*within.Low, w*within.High)
		high += math.Max(w*within.Low, w*within.High)
	}
	var sums []float64
	for _, s := range scores {
		sums = append(sums, math.Min(math.Max(low, floats.Dot(weights, s)), high))
	}
	return stat.Estimated{Estimate: stat.Mean(sums), Interval: stat.BoundedAt(sums, clusters, low, high)(level)}
}
