package analysis

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/wording"
)

// Noise is by how much conditions differ from themselves: the accuracies of two repeats on the questions that both
// held, between which only seeds differ; or of the reference and its second draw.
type Noise struct {
	Again   string  `json:"again,omitempty"` // the condition that is a second draw of the reference, if it is of that
	Repeats int     `json:"repeats"`         // of each condition, at most
	Pairs   int     `json:"pairs"`           // of repeats, over all conditions
	Changed int     `json:"changed"`         // questions that a pair answers differently, over all pairs
	Median  float64 `json:"median"`
	Largest float64 `json:"largest"`
	// Floor is the largest gap as that of means over all repeats, which differences between conditions are. One gap may
	// be small by luck: of a second draw it is no less than the standard deviation of such gaps, the root of the share
	// of questions that changed over their number.
	Floor float64 `json:"floor"`
}

// holds reports whether a difference between conditions is no larger than noise.
func (n *Noise) holds(difference float64) bool { return n != nil && math.Abs(difference) <= n.Floor }

// noise compares each method whose answers were measured with itself, and marks the differences in accuracy that are no
// larger.
func (c *Comparison) noise(_ planned, t *outcome.Table) {
	n, measured := &Noise{}, c.Validity()
	var gaps []float64
	least := 0.0
	for _, r := range c.Distinct() {
		if r.Repeats == nil || r.Bound || r.Same != nil || r.Again || !measured.Comparable(r.Condition) {
			continue
		}
		n.Repeats = max(n.Repeats, r.Repeats.N)
		more, changed := gapsOf(t.Under(r.Condition).Correct)
		gaps, n.Changed = append(gaps, more...), n.Changed+changed
	}
	if c.Again != "" && len(gaps) == 0 && measured.Comparable(c.Reference, c.Again) {
		first, second := t.Under(c.Reference), t.Under(c.Again)
		if gap, changed, of := gapOf(first.Correct.Questions, sharesOf(first), sharesOf(second)); of > 0 {
			n.Again, n.Repeats, n.Changed, gaps = c.Again, 1, changed, []float64{gap}
			least = math.Sqrt(float64(changed)) / float64(of)
		}
	}
	if c.Noise = nil; len(gaps) == 0 || c.Samples() > 0 {
		return
	}
	slices.Sort(gaps)
	n.Pairs, n.Largest = len(gaps), gaps[len(gaps)-1]
	n.Median = (gaps[(n.Pairs-1)/2] + gaps[n.Pairs/2]) / 2
	n.Floor = max(least, n.Largest/math.Sqrt(float64(n.Repeats)))
	c.Noise = n
	for _, r := range c.Rows {
		r.Paired.mark(n)
	}
	for _, k := range c.Contrasts {
		if k.Measure == "" {
			k.Paired.mark(n)
		}
	}
}

// mark enters whether the difference is no larger than noise.
func (p *Paired) mark(n *Noise) {
	if p != nil && !p.Unmeasured {
		p.Noise = n.holds(p.Difference)
	}
}

// mostAgainst is of how many repeats all pairs are compared: more would take long, and tell no more.
const mostAgainst = 30

// gapsOf are the differences between the accuracies of all pairs of repeats, and how many answers differ in them.
func gapsOf(c outcome.Correctness) (gaps []float64, changed int) {
	of := make(map[int]map[string]float64)
	for q, asked := range c.Of {
		for _, once := range asked {
			if of[once.Repeat] == nil {
				of[once.Repeat] = make(map[string]float64)
			}
			of[once.Repeat][q] = once.Value()
		}
	}
	repeats := slices.Sorted(maps.Keys(of))
	repeats = repeats[:min(len(repeats), mostAgainst)]
	for i, a := range repeats {
		for _, b := range repeats[:i] {
			if gap, differ, n := gapOf(c.Questions, of[a], of[b]); n > 0 {
				gaps, changed = append(gaps, gap), changed+differ
			}
		}
	}
	return gaps, changed
}

// gapOf is the difference between two accuracies, how many answers differ, and on how many questions both were held.
func gapOf(questions []string, a, b map[string]float64) (gap float64, changed, of int) {
	var differences []float64
	for _, q := range questions {
		one, held := a[q]
		if other, both := b[q]; held && both {
			differences = append(differences, one-other)
		}
	}
	if of = len(differences); of == 0 {
		return 0, 0, 0
	}
	above, below := stat.Signs(differences)
	return math.Abs(stat.Mean(differences)), above + below, of
}

// sharesOf are the shares of right answers to the questions that a condition held.
func sharesOf(p *outcome.Debates) map[string]float64 {
	of := make(map[string]float64)
	for _, q := range p.Correct.Questions {
		of[q] = p.Share(q)
	}
	return of
}

// drawnTwice reports whether some condition was held more than once, so that noise would be known if its answers were.
func (c Comparison) drawnTwice() bool {
	repeated := slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Repeats != nil })
	return c.Samples() == 0 && (c.Again != "" || repeated)
}

// NoiseText says what noise is, or why it is not known; "" where nothing is compared.
func (c Comparison) NoiseText() string {
	switch n := c.Noise; {
	case len(c.tests()) == 0 || c.Samples() > 0: // whose test is one over seeds
		return ""
	case n == nil:
		if c.drawnTwice() {
			return "noise: not measured, as the answers were not"
		}
		if task.Scored(c.Measure) {
			return "noise: not measured, as the logs have each question once"
		}
		return "noise: not measured, as each debate was held once (--repeats 2 measures it)"
	case n.Again != "" && n.Changed == 0:
		return fmt.Sprintf("noise: none seen, as %s drawn again is right on the same questions; what is left is which "+
			"questions were drawn", c.Reference)
	case n.Again != "":
		return fmt.Sprintf("noise: %s drawn again differs by %s points, with %s changed; differences are marked up to "+
			"%s (that, and at least one standard deviation of such draws)", c.Reference, unsigned(n.Largest),
			wording.Count(n.Changed, "answer"), unsigned(n.Floor))
	case n.Changed == 0:
		return fmt.Sprintf("noise: none, as in %s of repeats of a condition no answer differs; what is left is which "+
			"questions were drawn", wording.Count(n.Pairs, "pair"))
	default:
		return fmt.Sprintf("noise: two repeats of a condition differ by %s points in the median, %s at most (%s); "+
			"differences over %d repeats are marked up to %s", unsigned(n.Median), unsigned(n.Largest),
			wording.Count(n.Pairs, "pair"), n.Repeats, unsigned(n.Floor))
	}
}

// Signed is the difference, if it says something, with a mark where it is no larger than noise.
func (p Paired) Signed() string {
	switch {
	case bool(p.Unmeasured):
		return "not measured"
	case p.Noise:
		return table.Signed(p.Difference) + " (noise)"
	}
	return table.Signed(p.Difference)
}

// Between is the interval of the difference, if it says something.
func (p Paired) Between() string {
	return p.Unmeasured.Text(table.Between("%+.3f", p.Interval.Low, p.Interval.High))
}
