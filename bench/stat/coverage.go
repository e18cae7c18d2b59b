package stat

import (
	"cmp"
	"fmt"
	"slices"
)

// Covered is what answering only with enough votes achieves.
type Covered struct {
	Votes    float64 `json:"votes"`    // smallest share of votes that is answered
	Coverage float64 `json:"coverage"` // share of questions that are answered, more than 0
	Accuracy float64 `json:"accuracy"` // of those that are answered
}

// Coverage is the curve of accuracy against coverage when answers with few votes are withheld, from the fewest
// questions answered to all of them (El-Yaniv and Wiener, Journal of Machine Learning Research 11, 2010, 1605-1641, who
// draw the risk, 1 - accuracy). votes[i] is the share of votes of the answer to question i, right[i] whether it is
// right. Questions with equal votes are answered together, so there is one point for every distinct share. No questions
// give no points.
func Coverage(votes []float64, right []bool) []Covered {
	if len(votes) != len(right) {
		panic(fmt.Sprintf("%d shares of votes for %d answers", len(votes), len(right)))
	}
	order := make([]int, len(votes))
	for i, v := range votes {
		if !(v >= 0 && v <= 1) {
			panic(fmt.Sprintf("share of votes %g", v))
		}
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(votes[b], votes[a]) })
	var curve []Covered
	nRight := 0
	for i, q := range order {
		if right[q] {
			nRight++
		}
		if n := i + 1; n == len(order) || votes[order[n]] != votes[q] {
			answered := float64(n)
			curve = append(curve, Covered{votes[q], answered / float64(len(votes)), float64(nRight) / answered})
		}
	}
	return curve
}

// CoverageArea is the area under the curve, 0 to 1, with straight lines between its points, and level before the first.
// If votes say nothing about who is right, it is about the accuracy of answering all questions; any excess is what
// votes are worth. With no points it is 0.
func CoverageArea(curve []Covered) float64 {
	area, last := 0.0, Covered{}
	for i, c := range curve {
		if i == 0 {
			last.Accuracy = c.Accuracy
		}
		area += (c.Coverage - last.Coverage) * (c.Accuracy + last.Accuracy) / 2
		last = c
	}
	return area
}
