// Package team measures how many independent voices a team of agents has, from the likeness of its texts or from its
// errors, how that grows with its size, and how agents change their answers once they have heard each other.
//
// All of it is functions of numbers and answers; answers are numbers as in package stat. What a run can have brought
// about, such as agents that never err, is an error that says so; no result has a NaN or an infinite number.
package team

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	gonum "gonum.org/v1/gonum/stat"
)

// rounding is how far a table may be from symmetric, or an eigenvalue below 0, in parts of the trace.
const rounding = 1e-8

// Channels is K*, the number of effective channels among texts with these similarities: exp of the entropy of the
// eigenvalues, divided by their sum (Yang et al., arXiv 2602.03794; Roy and Vetterli's effective rank, EUSIPCO 2007;
// Friedman and Dieng's Vendi score, Transactions on Machine Learning Research, 2023). It is 1 if all texts are the
// same and n if no two have anything in common. similarity[i][j] is that of texts i and j, a Gram matrix such as the
// cosines of embeddings: symmetric, with no negative eigenvalue.
func Channels(similarity [][]float64) (float64, error) {
	n := len(similarity)
	if n == 0 {
		return 0, errors.New("no similarities")
	}
	table, trace := mat.NewSymDense(n, nil), 0.0
	for i, row := range similarity {
		if len(row) != n {
			return 0, fmt.Errorf("row %d of the similarities has %d numbers, %d are needed", i+1, len(row), n)
		}
		if trace += row[i]; !(row[i] >= 0 && row[i] <= 1e100) {
			return 0, fmt.Errorf("text %d has the similarity %g with itself", i+1, row[i])
		}
	}
	if trace == 0 {
		return 0, errors.New("all similarities are 0")
	}
	for i := range n {
		for j := range i + 1 {
			if a, b := similarity[i][j], similarity[j][i]; !(math.Abs(a-b) <= rounding*trace) {
				return 0, fmt.Errorf("texts %d and %d have the similarity %g, and %g the other way round", i+1, j+1,
					a, b)
			}
			table.SetSym(i, j, similarity[i][j]/trace)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(table, false) {
		return 0, errors.New("the eigenvalues of the similarities cannot be computed")
	}
	entropy := 0.0
	for _, share := range eigen.Values(nil) {
		if share < -rounding {
			return 0, fmt.Errorf("the similarities have the eigenvalue %.3g: they are no products of vectors",
				share*trace)
		}
		if share > 0 {
			entropy -= share * math.Log(share)
		}
	}
	return math.Exp(entropy), nil
}

// Size is how many independent agents a team is worth.
type Size struct {
	Agents      int     `json:"agents"`
	Correlation float64 `json:"correlation"` // rho, of errors, -1/(n-1) to 1
	Pairs       int     `json:"pairs"`       // of agents that have one
	Effective   float64 `json:"effective"`   // n / (1 + (n-1) rho)
}

// EffectiveSize is how many agents that err independently would vary as much in their mean error as these n do: n / (1
// + (n-1) rho), the design effect of survey samples (Kish, Survey Sampling, 1965, section 5.4). The estimator of rho
// is the mean over pairs of agents of Pearson's correlation of their errors over questions; pairs with an agent that
// is always or never wrong have none and are left out. wrong[q][i] says that agent i was wrong on question q. Where
// errors cancel each other out, rho is below 0 and the size above n.
func EffectiveSize(wrong [][]bool) (Size, error) {
	if len(wrong) < 2 || len(wrong[0]) < 2 {
		return Size{}, errors.New("an effective team size needs two questions and two agents")
	}
	n := len(wrong[0])
	agents := make([][]float64, n)
	for q, row := range wrong {
		if len(row) != n {
			return Size{}, fmt.Errorf("question %d has %d agents, the first one %d", q+1, len(row), n)
		}
		for i, w := range row {
			x := 0.0
			if w {
				x = 1
			}
			agents[i] = append(agents[i], x)
		}
	}
	size, sum := Size{Agents: n}, 0.0
	for i := range n {
		for j := range i {
			if r := gonum.Correlation(agents[i], agents[j], nil); !math.IsNaN(r) {
				sum += r
				size.Pairs++
			}
		}
	}
	if size.Pairs == 0 {
		return Size{}, errors.New("no two agents err on some and not on all questions: their errors have no " +
			"correlation")
	}
	size.Correlation = sum / float64(size.Pairs)
	rest := 1 + float64(n-1)*size.Correlation
	if rest < rounding {
		return Size{}, fmt.Errorf("the errors of %d agents correlate by %.3f: they cancel each other out, and no size "+
			"is worth as much", n, size.Correlation)
	}
	size.Effective = float64(n) / rest
	return size, nil
}
