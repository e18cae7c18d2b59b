package stat

import (
	"cmp"
	"math"
	"slices"
)

// posterior is that of the mean of questions which were asked several times: the chances of questions have a beta
// distribution with some mean and some correlation of two answers to one question (Skellam, Journal of the Royal
// Statistical Society B 10, 1948, 257-261). The mean is uniform before, the correlation has the arcsine distribution:
// it may be that all questions are alike, or that each is always right or always wrong. Intervals leave out equal
// chances on both sides; over this distribution they hold the mean exactly as often as they say, which intervals of few
// clusters by their spread do not.
//
// It is computed on a grid, even in the arcsines of the roots of both numbers, where a proportion is known about
// equally well everywhere.
type posterior struct {
	means, edges []float64           // of cells: their middles, and where they begin and end
	prior        []float64           // log, of each mean and each correlation
	rows         map[Asked][]float64 // log likelihood of the grid, of a question with these answers
}

// correlations is how many there are for each mean.
const correlations = 32

// newPosterior has a grid that is fine enough for so many answers.
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

// arcsine is a share whose root has an arcsine of so many of the parts of a right angle.
func arcsine(part float64, of int) float64 {
	root := math.Sin(math.Pi / 2 * part / float64(of))
	return root * root
}

// row is the beta-binomial likelihood of one question.
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

// interval leaves out as much on the one side as on the other, but nothing beyond answers that were all wrong or all
// right.
func (p *posterior) interval(questions []Asked, level float64) Interval {
	chances := p.chances(questions)
	tail, i := (1-level)/2, Interval{0, 1}
	wrong, right := false, false
	for _, q := range questions {
		wrong, right = wrong || q.Right < q.Times, right || q.Right > 0
	}
	if right {
		i.Low = p.below(chances, tail)
	}
	if wrong {
		i.High = p.below(chances, 1-tail)
	}
	return i
}

// chances are those of the cells of the mean.
func (p *posterior) chances(questions []Asked) []float64 {
	sorted := slices.Clone(questions) // sums depend on no order
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
		if x > top-40 {
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

// below is the mean that has this chance below it.
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
