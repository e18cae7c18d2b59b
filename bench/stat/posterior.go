package stat

import (
	"cmp"
	"math"
	"slices"
)

// posterior is the posterior distribution of the mean accuracy over questions that were asked several times each.
//
// The model is beta-binomial: each question has a chance of being answered right, and the chances have a beta
// distribution with a mean and with a correlation between two answers to one question (Skellam, Journal of the Royal
// Statistical Society B 10, 1948, 257-261). The prior of the mean is uniform. The prior of the correlation is the
// arcsine distribution, which gives weight to both extremes: all questions are alike, or each question is always right
// or always wrong. Intervals leave out equal probability on both sides. Averaged over this prior, they contain the mean
// exactly as often as their level says; intervals from the spread of a few clusters do not.
//
// The posterior is computed on a grid of means and correlations. Cells are equally wide in the arcsine of the square
// root of both numbers, the scale on which a proportion is known about equally well everywhere.
//
// Accuracy makes one for a condition whose questions were repeated, Difference two for a comparison. Rows of the grid
// are kept by the counts of a question, because most questions share their counts. A posterior therefore belongs to one
// goroutine.
type posterior struct {
	// cell i of the mean is [edges[i], edges[i+1]) with the middle means[i]; edges begin at 0 and end at 1
	means, edges []float64
	prior        []float64           // logs; the cell of mean i and correlation j is at i*correlations + j, as in rows
	rows         map[Asked][]float64 // log likelihoods on the grid, by the counts of a question
}

// correlations is the number of correlations in the grid for each mean.
const correlations = 32

// newPosterior makes a grid for a number of answers. The posterior becomes narrower with the root of the answers, and
// the number of cells grows with it, so that an interval always spans many cells.
func newPosterior(answers int) *posterior {
	cells := min(1024, max(64, int(3.2*math.Sqrt(float64(answers)))))
	p := &posterior{rows: make(map[Asked][]float64), edges: []float64{0}}
	for i := range cells {
		p.means, p.edges = append(p.means, arcsine(float64(i)+0.5, cells)), append(p.edges, arcsine(float64(i)+1,
			cells))
		width := math.Log(math.Sin(math.Pi * (float64(i) + 0.5) / float64(cells)))
		for range correlations {
			p.prior = append(p.prior, width)
		}
	}
	return p
}

// arcsine is the share at part of equal parts from 0 to 1 on the arcsine scale: the square of the sine of part/of of a
// right angle. arcsine(0, n) is 0 and arcsine(n, n) is 1.
func arcsine(part float64, of int) float64 {
	root := math.Sin(math.Pi / 2 * part / float64(of))
	return root * root
}

// row is the log of the beta-binomial likelihood of one question, for each cell of the grid. The binomial coefficient
// is left out: it is the same in all cells.
func (p *posterior) row(q Asked) []float64 {
	if row, known := p.rows[q]; known {
		return row
	}
	row := make([]float64, 0, len(p.prior))
	right, wrong := float64(q.Right), float64(q.Times-q.Right)
	for _, mean := range p.means {
		for j := range correlations {
			size := 1/arcsine(float64(j)+0.5, correlations) - 1
			row = append(row, rising(mean*size, right)+rising((1-mean)*size, wrong)-rising(size, right+wrong))
		}
	}
	p.rows[q] = row
	return row
}

// rising is the log of x (x + 1) ... (x + n - 1).
func rising(x, n float64) float64 {
	above, _ := math.Lgamma(x + n)
	below, _ := math.Lgamma(x)
	return above - below
}

// interval has the given level of probability, with equal tails, from the chances of the means and the answers to all
// questions. If all answers were wrong it begins at 0, and if all were right it ends at 1: no answer then speaks
// against that end.
func (p *posterior) interval(chances []float64, all Asked, level float64) Interval {
	tail, i := (1-level)/2, Interval{0, 1}
	if all.Right > 0 {
		i.Low = p.below(chances, tail)
	}
	if all.Right < all.Times {
		i.High = p.below(chances, 1-tail)
	}
	return i
}

// chances are the posterior probabilities of the cells of the mean; they sum to 1. Questions are sorted first, so that
// the sums, and with them the last digits, do not depend on the order of questions.
func (p *posterior) chances(questions []Asked) []float64 {
	sorted := slices.Clone(questions)
	slices.SortFunc(sorted, func(a, b Asked) int { return cmp.Or(a.Times-b.Times, a.Right-b.Right) })
	logs, top := slices.Clone(p.prior), math.Inf(-1)
	for len(sorted) > 0 {
		q := sorted[0]
		alike := slices.IndexFunc(sorted, func(o Asked) bool { return o != q })
		if alike < 0 {
			alike = len(sorted)
		}
		for i, x := range p.row(q) {
			logs[i] += float64(alike) * x
		}
		sorted = sorted[alike:]
	}
	for _, x := range logs {
		top = math.Max(top, x)
	}
	chances, sum := make([]float64, len(p.means)), 0.0
	for i, x := range logs {
		if x > top-40 { // less than e^-40 of the largest changes no digit of the sum
			chance := math.Exp(x - top)
			chances[i/correlations] += chance
			sum += chance
		}
	}
	for i := range chances {
		chances[i] /= sum
	}
	return chances
}

// below is the mean below which the posterior has a given probability, interpolated within its cell.
func (p *posterior) below(chances []float64, chance float64) float64 {
	sum := 0.0
	for i, c := range chances {
		if sum+c >= chance && c > 0 {
			return p.edges[i] + (p.edges[i+1]-p.edges[i])*within((chance-sum)/c)
		}
		sum += c
	}
	return 1
}
