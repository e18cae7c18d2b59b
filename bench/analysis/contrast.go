package analysis

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/parley-debate/parley/bench/contrast"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/pairs"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/internal/bug"
)

// Contrast is a difference between conditions that was asked for. Two conditions are tested like a row and its
// reference. Where a group is among them, the question's difference is that of the means over the conditions of each
// group, each condition with its share of right answers, on the questions that all conditions could hold; they are
// tested as two conditions with repeats are.
type Contrast struct {
	contrast.Contrast
	// Paired is nil without a common question, in contrasts of groups with fewer than two of them, and where Same says
	// that there is nothing to test.
	Paired *Paired `json:"paired,omitempty"`
	// Same is the number of debates if all conditions of the contrast differ in nothing, else 0.
	Same int `json:"same,omitempty"`
	// Untested says why Paired is nil although there are questions, "" if that is not so.
	Untested string `json:"untested,omitempty"`
}

// ReadContrasts reads contrasts of the conditions of a run whose debates are scored by a measure of a task. stop is
// that of the run, nil if it asks all questions.
func ReadContrasts(texts, conditions []string, scoredBy string, stop *spec.Stopping) (list []Contrast, err error) {
	read, err := contrast.Read(texts, conditions)
	if err != nil {
		return nil, err
	}
	for _, c := range read {
		switch {
		case !relation.HasMeasure(scoredBy, c.Measure):
			return nil, fmt.Errorf("contrast %q: the answers of this task have no %s: they are scored by %s", c.Name,
				c.Measure, cmp.Or(scoredBy, "equal"))
		case stop != nil && (isGroup(c) || c.Measure != "" || c.Margin > 0):
			return nil, fmt.Errorf("contrast %q: groups of conditions, measures other than accuracy and equivalence "+
				"are tested on a number of questions that is fixed before: ask for it, or for a run that stops when "+
				"a condition differs, but not for both", c.Name)
		}
		list = append(list, Contrast{Contrast: c})
	}
	return list, nil
}

// isGroup reports whether a contrast compares means of several conditions, which paired tests of two do not fit.
func isGroup(c contrast.Contrast) bool { return len(c.First) > 1 || len(c.Second) > 1 }

// contrast tests the contrasts, after the rows: c.Stopped has to be known, because it decides which test is valid. They
// are a family of their own, and adjusted apart from the rows: a further condition does not make them less certain.
func (c *Comparison) contrast(_ planned, t *outcome.Table) {
	c.Contrasts = slices.Clone(c.Contrasts) // the caller's stay as they are
	var compared []*Paired
	for i := range c.Contrasts {
		k := &c.Contrasts[i]
		first, second := under(t, k.First), under(t, k.Second)
		margin := k.MarginIn(c.Equivalence)
		if k.Same = sameIn(slices.Concat(first, second)...); k.Same > 0 {
			k.Paired = nil
			continue
		}
		k.Paired, k.Untested = attempt(slices.Concat(first, second), k.Measure, func() (*Paired, string) {
			first, second, measure := asAccuracy(first, second, k.Measure)
			if isGroup(k.Contrast) || measure != "" {
				return c.groupTest(first, second, measure, margin)
			}
			p, untested := c.pairedTest(first[0], second[0], margin)
			if p != nil && c.Stopped != nil {
				p.sequential(first[0], second[0], c.Stopped.Planned)
			}
			return p, untested
		})
		compared = append(compared, k.Paired)
	}
	adjust(compared)
}

// within are the bounds of an equivalence with a margin.
func within(margin float64) stat.Bounds { return stat.Bounds{Low: -margin, High: margin} }

// under returns the parts of several conditions, in their order.
func under(t *outcome.Table, conditions []string) (parts []*outcome.Debates) {
	for _, name := range conditions {
		parts = append(parts, t.Under(name))
	}
	return parts
}

// asAccuracy are two groups scored by a share that is 0 or 1 in all their debates, so that it is compared as accuracy
// is, and no measure; or what they were.
func asAccuracy(first, second []*outcome.Debates, measure string) (a, b []*outcome.Debates, left string) {
	if m := measureOf(measure); measure == "" || m.Unit != relation.Share || m.OverRepeats {
		return first, second, measure
	}
	var scored []*outcome.Debates
	for _, p := range slices.Concat(first, second) {
		one, whole := p.ScoredBy(measureOf(measure).Number)
		if !whole {
			return first, second, measure
		}
		scored = append(scored, one)
	}
	return scored[:len(first)], scored[len(first):], ""
}

// groupTest compares two groups of conditions, or two conditions by cluster or by another measure than accuracy, as
// stat.CompareRepeated compares two conditions; nil with fewer than two common questions or clusters, whose differences
// could not be seen to vary, and where untested says why. What difference clusters could find is not known: it depends
// on how alike their questions are. A margin of 0 tests no equivalence.
func (c *Comparison) groupTest(first, second []*outcome.Debates, measure string, margin float64) (p *Paired,
	untested string) {
	s := versusOf(first, second, measure)
	switch len(s.differences) {
	case 0:
		return nil, ""
	case 1:
		return nil, tooFew
	}
	p = &Paired{Test: TestFlip, Questions: len(s.differences)}
	// units are what the permutation test flips as a whole; clusters are nil where the interval takes each question by
	// itself
	units, clusters := s.questions, []string(nil)
	if c.Cluster != "" {
		units, clusters, p.Test = s.clusters, s.clusters, TestClusters
	}
	drawn := distinct(units)
	if measure != "" && drawn < 2 {
		return nil, "one cluster of questions"
	}
	if untested = s.unknown(drawn); untested != "" {
		return nil, untested
	}
	at := s.at(clusters)
	p.Difference, p.Interval = stat.Mean(s.differences), at(Level)
	p.OnlyFirst, p.OnlySecond = stat.Signs(s.differences)
	p.P = stat.LeavingOutZero(at, Level, stat.FlipClusters(s.differences, units, stat.Flips, stat.Seed))
	if clusters == nil {
		p.detecting(s.differences)
	} else {
		p.Clusters = drawn
	}
	if margin > 0 {
		e := pairs.TOST(s.differences, clusters, s.ends(), within(margin)).Bounded(at)
		p.Equivalence = &e
	}
	return p, ""
}

// tooFew is why nothing is known of questions that do not vary.
const tooFew = "fewer than two common questions"

// distinct counts different clusters.
func distinct(clusters []string) int {
	return len(slices.Compact(slices.Sorted(slices.Values(clusters))))
}

// versus are two groups of conditions on the questions that all of them could hold. Entry i of every column belongs to
// question i; columns with two parts have those of the first group and of the second.
type versus struct {
	questions, clusters []string
	measure             string       // "" is accuracy
	shares              [2][]float64 // the means of the conditions' shares of right answers, or of the measure
	differences         []float64    // the first group's shares minus the second's
	// asked pools the repeats of all conditions of a group. It is nil if some conditions were asked a question more
	// often than others: pooled counts would then weigh conditions by their repeats, while shares weigh them alike. Of
	// measures other than accuracy there is nothing to count.
	asked [2][]stat.Asked
}

// versusOf pairs two groups on the questions that every condition of both could hold; others are left out of both, so
// that a difference is never one of questions.
func versusOf(first, second []*outcome.Debates, measure string) (s versus) {
	if measure != "" {
		return measured(first, second, measure)
	}
	held, uneven := outcome.HeldByAll(slices.Concat(first, second)), false
	for _, q := range held[0].Correct.Questions {
		if slices.ContainsFunc(held, func(p *outcome.Debates) bool { return p.Correct.Of[q] == nil }) {
			continue
		}
		s.questions, s.clusters = append(s.questions, q), append(s.clusters, held[0].Clusters[q])
		for i, group := range [][]*outcome.Debates{held[:len(first)], held[len(first):]} {
			var all stat.Asked
			for _, p := range group {
				one := p.CountOf(q)
				all.Right, all.Times = all.Right+one.Right, all.Times+one.Times
				uneven = uneven || one.Times != group[0].CountOf(q).Times
			}
			s.asked[i] = append(s.asked[i], all)
			s.shares[i] = append(s.shares[i], meanShare(group, q))
		}
		s.differences = append(s.differences, s.shares[0][len(s.questions)-1]-s.shares[1][len(s.questions)-1])
	}
	if uneven {
		s.asked = [2][]stat.Asked{}
	}
	return s
}

// measured is versusOf by another measure than accuracy. Questions on which it is not known of some condition are left
// out too.
func measured(first, second []*outcome.Debates, name string) versus {
	s, m := versus{measure: name}, measureOf(name)
	held := outcome.HeldByAll(slices.Concat(first, second))
	var means []map[string]float64
	for _, p := range held {
		means = append(means, p.Means(m.Number))
	}
	for _, q := range held[0].Correct.Questions {
		values := make([]float64, 0, len(held))
		for _, of := range means {
			if value, known := of[q]; known {
				values = append(values, value)
			}
		}
		if len(values) < len(held) {
			continue
		}
		s.questions, s.clusters = append(s.questions, q), append(s.clusters, held[0].Clusters[q])
		a, b := stat.Mean(values[:len(first)]), stat.Mean(values[len(first):])
		s.shares[0], s.shares[1] = append(s.shares[0], a), append(s.shares[1], b)
		s.differences = append(s.differences, a-b)
	}
	return s
}

// measureOf returns the measure of a contrast, whose name was checked when it was read.
func measureOf(name string) relation.Measure {
	m, _ := relation.MeasureOf(name)
	return m
}

// unknown says why nothing is known of other questions, or clusters of them, than those that were drawn; "" where
// something is.
func (s versus) unknown(drawn int) string {
	switch {
	case !math.IsInf(reach(s.measure).High, 1):
	case s.ends().High == 0:
		return fmt.Sprintf("no difference on %s", wording.Count(len(s.differences), "question"))
	case drawn < stat.FewUnbounded:
		units := "questions"
		if drawn < len(s.differences) {
			units = "clusters"
		}
		return fmt.Sprintf("%s, not known below %d %s", table.Signed(stat.Mean(s.differences)),
			stat.FewUnbounded, units)
	}
	return ""
}

// ends are the differences of a question that are reckoned with.
func (s versus) ends() stat.Bounds {
	i := reach(s.measure)
	return stat.Ends(s.differences, i.Low, i.High)
}

// reach returns the least and the largest difference that a measure can have.
func reach(measure string) stat.Bounds {
	if measure == "" {
		return within(1)
	}
	return measureOf(measure).Unit.Differences()
}

// at returns a function for the interval of the mean difference at any level; without clusters each question is one.
func (s versus) at(clusters []string) (at func(level float64) stat.Interval) {
	switch {
	case s.measure != "" && measureOf(s.measure).Unit != relation.Share:
		ends := s.ends()
		at = stat.BoundedAt(s.differences, clusters, ends.Low, ends.High)
	case s.measure != "":
		if clusters == nil {
			clusters = s.questions
		}
		at = stat.DegreesAt(s.shares[0], s.shares[1], clusters)
	case clusters != nil:
		_, at = stat.ClustersAt(s.shares[0], s.shares[1], clusters)
	case s.asked[0] != nil:
		_, at = stat.DifferenceAt(s.asked[0], s.asked[1])
	default: // a share is worth one answer at least, of however many it is
		_, at = stat.ClustersAt(s.shares[0], s.shares[1], s.questions)
	}
	return at
}

// GroupMean is the mean of the accuracies of a group of conditions, at least one, over the questions that all of them
// held, with its interval over these, or over their clusters if the run has a field of clusters.
func GroupMean(t *outcome.Table, conditions []string, cluster string) (mean float64, interval stat.Interval,
	questions int) {
	var shares []float64
	var clusters []string
	held := outcome.HeldByAll(under(t, conditions))
	for _, q := range held[0].Correct.Questions {
		if slices.ContainsFunc(held, func(p *outcome.Debates) bool { return p.Correct.Of[q] == nil }) {
			continue
		}
		shares, clusters = append(shares, meanShare(held, q)), append(clusters, q)
		if cluster != "" {
			clusters[len(clusters)-1] = held[0].Clusters[q]
		}
	}
	mean, interval = stat.ShareByCluster(shares, clusters, Level)
	return mean, interval, len(shares)
}

// meanShare is the mean of the conditions' shares of right answers to a question.
func meanShare(group []*outcome.Debates, question string) float64 {
	var shares []float64
	for _, p := range group {
		shares = append(shares, p.Share(question))
	}
	return stat.Mean(shares)
}

// taskIn returns what an average has of a contrast on a task, or why it has nothing.
func taskIn(k contrast.Contrast, t *outcome.Table) (of pairs.Task, why string) {
	first, second := under(t, k.First), under(t, k.Second)
	if sameIn(slices.Concat(first, second)...) > 0 {
		return of, SameText // the treatment was never applied
	}
	if why := inVain(slices.Concat(first, second), k.Measure); why != "" {
		return of, why
	}
	a, b, measure := asAccuracy(first, second, k.Measure)
	s := versusOf(a, b, measure)
	if len(s.differences) < 2 {
		return of, tooFew
	}
	clusters, drawn := s.clusters, distinct(s.clusters)
	if clusters[0] == "" { // the run has none
		clusters, drawn = nil, len(s.questions)
	}
	if why := s.unknown(drawn); why != "" {
		return of, why
	}
	return pairs.Task{Differences: s.differences, At: s.at(clusters), Clusters: clusters}, ""
}

// LeftOut says why an average over tasks has nothing of a contrast on a task; "" if it has.
func LeftOut(k contrast.Contrast, t *outcome.Table) (why string) {
	_, why = taskIn(k, t)
	return why
}

// PoolContrast averages a contrast over tasks that each count the same, see pairs.CompareGroups. Each table has the
// outcomes of one task. Tasks with fewer than two questions that all of its conditions could hold are left out, and so
// are those in which its conditions differ in nothing, or in what never arrived; pooled has the indices of the others.
// It is an error if fewer than two remain, and a bug.Error if the test panics.
func PoolContrast(k contrast.Contrast, tasks []*outcome.Table) (p *Paired, pooled []int, err error) {
	defer bug.Catch(&err)
	var all []pairs.Task
	for i, t := range tasks {
		if of, why := taskIn(k, t); why == "" {
			all, pooled = append(all, of), append(pooled, i)
		}
	}
	if len(all) < 2 {
		return nil, nil, errors.New("fewer than two tasks have enough questions")
	}
	d, err := pairs.CompareGroups(all, reach(k.Measure), pairs.EqualTasks, stat.Flips, stat.Seed, Level)
	if err != nil {
		return nil, nil, err
	}
	p = &Paired{Paired: stat.Paired{Difference: d.Estimate, Interval: d.Interval, P: d.P}, Questions: d.Questions,
		Test: TestTasks}
	if k.Margin > 0 {
		e := d.Equivalence(within(k.Margin))
		p.Equivalence = &e
	}
	return p, pooled, nil
}

// ContrastsBlocks has a row for each contrast, with what it means; it has no blocks if there are none.
func (c Comparison) ContrastsBlocks() table.Document {
	if len(c.Contrasts) == 0 {
		return nil
	}
	text := func(format func(Paired) string) func(Contrast) string {
		return func(k Contrast) string {
			if k.Paired == nil {
				return table.Absent
			}
			return format(*k.Paired)
		}
	}
	difference := text(Paired.Signed)
	return table.Document{table.Text("\n"), table.New([]table.Column[Contrast]{
		table.Left("contrast", func(k Contrast) string { return k.Name }),
		table.Right("questions", text(func(p Paired) string { return wording.Comma(p.Questions) })),
		table.Right("difference", func(k Contrast) string {
			switch {
			case k.Same > 0:
				return SameText
			case k.Untested != "":
				return k.Untested
			}
			return difference(k)
		}),
		table.Right("95 % interval", text(func(p Paired) string {
			return p.Unmeasured.Text(table.Span("%+.3f", p.Interval.Low, p.Interval.High))
		})),
		table.Right("p", text(Paired.Probability)),
		{Name: "equivalence", Hidden: !slices.ContainsFunc(c.Contrasts,
			func(k Contrast) bool { return k.Paired.TestsEquivalence() }),
			Text: text(Paired.EquivalenceWithin)},
	}, c.Contrasts), table.Text(c.ContrastsMethod() + "\n\n")}
}

// ContrastsMethod says how the contrasts are tested, "" if there are none.
func (c Comparison) ContrastsMethod() string {
	if len(c.Contrasts) == 0 {
		return ""
	}
	tests, equivalence, groups := make(map[string]int), make(map[string]int), ""
	n := 0
	for _, k := range c.Contrasts {
		if k.Paired != nil {
			n++
			tests[k.Paired.Test]++
		}
		if k.Paired.TestsEquivalence() {
			equivalence[k.Paired.Test]++
		}
		if isGroup(k.Contrast) {
			groups = "; a group counts as the mean of its conditions on each question"
		}
	}
	same := ""
	if slices.ContainsFunc(c.Contrasts, func(k Contrast) bool { return k.Same > 0 }) {
		same = sameMeans
	}
	switch {
	case n == 0 && same != "":
		return same
	case n == 0 && slices.ContainsFunc(c.Contrasts, func(k Contrast) bool { return k.Untested != "" }):
		return "no contrast could be tested"
	case n == 0:
		return "no question was held by all conditions of a contrast"
	case same != "":
		groups += "; " + same
	}
	if method := equivalenceMethod("equivalence", equivalence); method != "" {
		groups += "; " + method
	}
	return fmt.Sprintf("p: %s test, two-sided, Holm-corrected for %s%s", testNames(tests), wording.Count(n, "contrast"),
		groups)
}

// PoolRuns averages a contrast over runs on the same questions, such as those of several models. Each table has the
// outcomes of one run. Each run counts the same: a question's difference is the mean of its differences in the runs,
// and only questions that all conditions of all runs could hold count. They are tested like groups of conditions, over
// questions or, if cluster is not "", over the clusters of that field: the result is about other questions for these
// runs, not about other models. Nil with fewer than two such questions, and where untested says why.
func PoolRuns(k contrast.Contrast, runs []*outcome.Table, cluster string) (p *Paired, untested string) {
	var first, second []*outcome.Debates
	for _, t := range runs {
		first, second = append(first, under(t, k.First)...), append(second, under(t, k.Second)...)
	}
	c := Comparison{Run: spec.Run{Tests: spec.Tests{Cluster: cluster}}}
	return attempt(slices.Concat(first, second), k.Measure, func() (*Paired, string) {
		first, second, measure := asAccuracy(first, second, k.Measure)
		return c.groupTest(first, second, measure, k.Margin)
	})
}
