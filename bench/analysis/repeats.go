package analysis

import (
	"maps"
	"slices"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/stat/pairs"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/validity"
)

// Repeated is a metric of MADC in the debates of a condition that were repeated: its Figures 4 and 5. The entropy
// is the mean over questions, the log-likelihood the sum, both in bits; see agreement.Reading.
type Repeated struct {
	Condition, Metric string // a name of Metrics
	Questions         int    // questions of which no repeat failed
	Repeats           int
	// Values has the metric of each repeat. It is nil if a log-likelihood by the paper is minus infinity in some
	// debate, and where the metric would be of nothing, see agreement.Reading.Counted.
	Values []float64
	// Against is the condition that it is compared with, "" in the row of the reference. Pairs has the values of the
	// two on the questions and repeats that both have, [question][repeat]; RepeatsTable tests them, since that takes
	// time.
	Against  string
	Pairs    [2][][]float64
	Clusters []string    // of these questions, "" of each where the run has none
	Within   stat.Bounds // all differences of two questions' values that are possible

	Unmeasured validity.Unmeasured // of the comparison of the two
}

// Spread says how the metric differs between repeats.
func (r Repeated) Spread() stat.Spread { return stat.Seeds(r.Values, Level) }

// metric is a metric of MADC in one reading.
type metric struct {
	name     string
	of       func([]agreement.Debate, agreement.Reading) float64
	reading  agreement.Reading
	isSum    bool // it is a sum over questions; otherwise it is their mean
	ofTarget bool // it depends on which answers are right
}

// Metrics of MADC in both readings.
const (
	EntropyByPaper    = "entropy, paper"
	EntropyByCode     = "entropy, code"
	LikelihoodByPaper = "likelihood, paper"
	LikelihoodByCode  = "likelihood, code"
)

var metrics = []metric{
	{LikelihoodByPaper, agreement.LogLikelihood, agreement.ByPaper, true, true},
	{LikelihoodByCode, agreement.LogLikelihood, agreement.ByCode, true, true},
	{EntropyByPaper, agreement.MeanEntropy, agreement.ByPaper, false, false},
	{EntropyByCode, agreement.MeanEntropy, agreement.ByCode, false, false},
}

// repeats are the metrics of all conditions in which several agents answer and questions are repeated. A run that may
// stop early is not tested: when it stops depends on the differences. Nor is a condition that Row.Paired does not test.
func (c *Comparison) repeats(plan planned, t *outcome.Table) {
	var list []Repeated
	for _, m := range metrics {
		for _, r := range c.Rows {
			part := t.Under(r.Condition)
			if r.Repeats == nil || !inCompany(part) || m.ofTarget && r.Dynamics.Unmarked {
				continue
			}
			made := Repeated{Condition: r.Condition, Metric: m.name}
			made.measure(m, part)
			against := trial.ReferenceOf(r.Condition, c.Reference, trial.Names(plan.conditions))
			if against != r.Condition && c.Stopped == nil && r.Paired != nil && r.DuplicateOf == "" {
				if made.Against, made.Unmeasured = against, r.Paired.Unmeasured; made.Values != nil {
					made.Pairs, made.Clusters, made.Within = m.pair(part, t.Under(against))
				}
			}
			list = append(list, made)
		}
	}
	c.Repeated = list
}

// inCompany reports whether in some round of a debate several agents answered.
func inCompany(p *outcome.Debates) bool {
	return slices.ContainsFunc(p.Held().All, func(d *outcome.Debate) bool {
		return slices.ContainsFunc(d.Rounds(), func(r outcome.Round) bool { return len(r.Answers) > 1 })
	})
}

// measure enters the metric in each repeat. Questions of which a repeat failed are left out of all repeats, so that the
// repeats differ in sampling alone and not in their questions.
func (r *Repeated) measure(m metric, p *outcome.Debates) {
	of := m.values(p)
	repeats := repeatsIn(of)
	grid := m.grid(of, p.Correct.Questions, repeats)
	r.Questions, r.Repeats = len(grid), len(repeats)
	if read, right := m.reading.Counted(inAllRounds(p.Held().All)); m.ofTarget && !right || !read {
		return
	}
	if values, err := pairs.ByRepeat(grid); err == nil {
		r.Values = values
	}
}

// pair has the values of two conditions on the questions and repeats that both have, and what bounds the difference of
// two values.
func (m metric) pair(first, second *outcome.Debates) (values [2][][]float64, clusters []string,
	within stat.Bounds) {
	one, other := m.values(first), m.values(second)
	repeats := slices.DeleteFunc(repeatsIn(one), func(r int) bool { return !slices.Contains(repeatsIn(other), r) })
	common := slices.DeleteFunc(slices.Clone(first.Correct.Questions), func(q string) bool {
		return len(m.grid(one, []string{q}, repeats)) == 0 || len(m.grid(other, []string{q}, repeats)) == 0
	})
	values = [2][][]float64{m.grid(one, common, repeats), m.grid(other, common, repeats)}
	within = stat.Bounds{Low: -m.most(second), High: m.most(first)} // of entropies, at least 0
	if m.ofTarget {
		within = stat.Bounds{Low: -m.most(first), High: m.most(second)} // of likelihoods, at most 0
	}
	if m.isSum {
		within.Low, within.High = within.Low*float64(len(common)), within.High*float64(len(common))
	}
	return values, first.ClustersOf(common), within
}

// most is how far from 0 the metric of a debate can be, by the number of answers.
func (m metric) most(p *outcome.Debates) (bits float64) {
	for _, d := range p.Held().All {
		bits = max(bits, m.reading.Most(d.IDs()))
	}
	return bits
}

// tested is a metric of a condition with its test. The test is made when a table is drawn, not with the run, because it
// takes time.
type tested struct {
	Repeated
	paired *pairs.RepeatedDifference // it is nil if it is not tested
	holm   float64                   // its P adjusted for the comparisons of this metric
}

// testRepeated tests the metrics, and corrects the p-values of each metric for the number of conditions tested by it:
// the metrics answer different questions and are families of their own. p is used up in the order in which it was
// filled, which is that of list.
func testRepeated(list []Repeated) (made []tested) {
	p := make(map[string][]float64) // by metric
	for _, r := range list {
		k := tested{Repeated: r}
		if d, err := pairs.CompareRepeats(r.Pairs[0], r.Pairs[1], r.Clusters, r.Within, stat.Flips, stat.Seed,
			Level); err == nil {
			k.paired = &d
			p[r.Metric] = append(p[r.Metric], d.P)
		}
		made = append(made, k)
	}
	for metric := range p {
		p[metric] = stat.Holm(p[metric])
	}
	for i, k := range made {
		if k.paired != nil {
			made[i].holm, p[k.Metric] = p[k.Metric][0], p[k.Metric][1:]
		}
	}
	return made
}

// values returns the metric of single debates, by question and repeat. A log-likelihood may be minus infinity there.
// Debates that failed have no value.
func (m metric) values(p *outcome.Debates) map[string]map[int]float64 {
	of := make(map[string]map[int]float64)
	for _, o := range p.Held().All {
		d := o.IDs()
		d.Rounds = slices.DeleteFunc(slices.Clone(d.Rounds), func(answers []int) bool { return len(answers) == 0 })
		if of[o.Question] == nil {
			of[o.Question] = make(map[int]float64)
		}
		of[o.Question][o.Repeat] = m.of([]agreement.Debate{d}, m.reading)
	}
	return of
}

// repeatsIn lists the numbers of repeats that any question has, sorted.
func repeatsIn(values map[string]map[int]float64) []int {
	all := make(map[int]bool)
	for _, repeats := range values {
		for r := range repeats {
			all[r] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// grid has the values of these questions, [question][repeat], of those that have all of these repeats. Where the metric
// is a sum over questions, they are scaled so that their mean is that sum.
func (m metric) grid(values map[string]map[int]float64, questions []string, repeats []int) (grid [][]float64) {
	for _, q := range questions {
		var row []float64
		for _, r := range repeats {
			if v, held := values[q][r]; held {
				row = append(row, v)
			}
		}
		if len(row) == len(repeats) {
			grid = append(grid, row)
		}
	}
	if m.isSum {
		for _, row := range grid {
			for i := range row {
				row[i] *= float64(len(grid))
			}
		}
	}
	return grid
}

// RepeatsTable has a line for each metric and condition; none without repeats.
func (c Comparison) RepeatsTable() table.Table {
	paired := func(text func(tested) string) func(tested) string {
		return func(k tested) string { return ifPaired(k, text) }
	}
	spread := func(name string, of func(stat.Spread) float64) table.Column[tested] {
		return table.Decimals(name, func(k tested) *float64 {
			if k.Values == nil {
				return nil
			}
			value := of(k.Spread())
			return &value
		})
	}
	t := table.New([]table.Column[tested]{
		table.Words("metric", func(k tested) string { return k.Metric }),
		table.Words("condition", func(k tested) string { return k.Condition }),
		table.Counts("questions", func(k tested) int { return k.Questions }),
		table.Counts("repeats", func(k tested) int { return k.Repeats }),
		spread("mean", func(s stat.Spread) float64 { return s.Mean }),
		spread("SD", func(s stat.Spread) float64 { return s.Deviation }),
		table.Words("against", func(k tested) string { return k.Against }),
		table.Right("difference", paired(func(k tested) string {
			return k.Unmeasured.Text(table.Signed(k.paired.Difference))
		})),
		table.Right("95 % interval", paired(func(k tested) string {
			return k.Unmeasured.Text(table.Between("%+.3f", k.paired.Interval.Low, k.paired.Interval.High))
		})),
		table.Right("p", paired(func(k tested) string { return k.Unmeasured.Probability(k.holm) })),
	}, testRepeated(c.Repeated))
	t.Title, t.Each = "Likelihood and entropy over repeats", "metric"
	t.Caption = "Log-likelihood of right answers, summed over questions, and entropy of answers, mean over " +
		"questions, in bits: their mean and standard deviation (SD) over repeats, which says how well this run would " +
		"repeat (MADC, Figures 4 and 5). The interval of a difference is over questions, each with the mean of " +
		"its repeats: that of t, widened as if as many questions as a run may miss differed by as much as answers " +
		"can. p is the larger of its and that of a permutation test, Holm-corrected for each metric. A metric is – " +
		"if no answer was read, if no agent is ever right, or if none is in some debate: the paper's log-likelihood " +
		"is then minus infinity."
	return t
}

// ifPaired is a text of a metric that was tested, "" of others.
func ifPaired(k tested, text func(tested) string) string {
	if k.paired == nil {
		return ""
	}
	return text(k)
}
