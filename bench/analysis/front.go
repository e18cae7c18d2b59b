package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/validity"
	"github.com/parley-debate/parley/bench/wording"
)

// Front says which conditions are worth the tokens that they generate. All of its intervals hold at once with 95 %, see
// stat.Simultaneous, so that the best of many is not chosen for its luck.
type Front struct {
	Questions int     `json:"questions"` // which all of its conditions held
	Level     float64 `json:"level"`     // at which each of its intervals is taken
	Points    []Point `json:"points"`    // by tokens, from the fewest on
	// Use is the condition of the fewest tokens than which none is shown to be better.
	Use string `json:"use"`
	// Answer is the length in tokens of one answer, that of the condition with a budget of 1; 0 without one.
	Answer float64 `json:"answer,omitempty"`
	// Budgets say so of what fits each budget.
	Budgets []Within `json:"budgets,omitempty"`
	// Detectable is about the smallest difference between two conditions that such a run shows with power 0.8.
	Detectable float64 `json:"detectable"`
	// LeftOut has conditions that are no part of the comparison, each with the reason.
	LeftOut []string `json:"left_out,omitempty"`
}

// Point is what a condition costs and achieves.
type Point struct {
	Condition string        `json:"condition"`
	Budget    int           `json:"budget,omitempty"` // in lengths of one answer
	Tokens    float64       `json:"tokens"`           // generated for one question, thinking included
	Accuracy  float64       `json:"accuracy"`
	Interval  stat.Interval `json:"interval"`         // of the accuracy alone
	Models    string        `json:"models,omitempty"` // that replied, with their roles
	// OnFront is whether no condition of at most these tokens has a higher accuracy in this run.
	OnFront bool `json:"on_front"`
	// BeatenBy are the conditions, at any cost, that are shown to be better.
	BeatenBy []string `json:"beaten_by,omitempty"`
	// Difference is the accuracy less that of Front.Use, with its interval; of Use itself 0 and nil.
	Difference float64        `json:"difference"`
	Versus     *stat.Interval `json:"versus,omitempty"`
}

// unmeasured is why a condition is not compared too few of whose answers could be read.
const unmeasured = "its answers were not measured"

// frontResamples is a compromise: the level of an interval is found to about 0.0005.
const frontResamples = 4000

// front compares all conditions by accuracy and tokens, where there are several.
func (c *Comparison) front(plan planned, t *outcome.Table) {
	c.Front = nil
	f := &Front{}
	var names []string
	asked, most := make(map[string]int), 0
	for _, r := range c.Rows {
		asked[r.Condition] = questionsOf(t.Under(r.Condition))
		most = max(most, asked[r.Condition])
	}
	measured := c.Validity()
	for _, r := range c.Distinct() {
		switch why := c.leftOut(r, asked[r.Condition], most); {
		case r.Bound || r.Again || r.Same != nil: // no method, and no other one
		case !measured.Comparable(r.Condition):
			f.LeftOut = append(f.LeftOut, r.Condition+": "+unmeasured)
		case why != "":
			f.LeftOut = append(f.LeftOut, r.Condition+": "+why)
		default:
			names = append(names, r.Condition)
			f.Points = append(f.Points, Point{Condition: r.Condition, Budget: c.Budgets[r.Condition],
				Accuracy: r.Accuracy, Interval: r.Interval,
				Tokens: float64(r.Cost.Tokens) / float64(r.N+r.Failed)})
			if len(c.Model.Team) > 0 {
				f.Points[len(f.Points)-1].Models = c.cast(r, rolesByModel(t.Under(r.Condition).Held().All))
			}
		}
	}
	all := c.Stopped != nil && c.Stopped.All()
	if len(f.Points) < 2 {
		if all {
			c.Stopped.refuse(strings.Join(f.LeftOut, "; "))
		}
		return
	}
	pairs := 0 // of all that may come, where a look must not choose which are counted
	if c.Stopped != nil {
		methods := len(trial.Methods(plan.conditions))
		pairs = methods * (methods - 1) / 2
	}
	if !f.compare(outcome.HeldByAll(under(t, names)), c.Cluster != "", pairs) {
		return
	}
	if c.Front = f; all {
		c.Stopped.Clear = f.decided(c.Stopped.Within)
	}
}

// leftOut says why a condition cannot be compared by its cost. In a run that has not ended, most conditions have been
// asked a few questions less than others; what is compared is compared on the questions of all, so that one which was
// asked less than half would cost the others theirs.
func (c *Comparison) leftOut(r Row, asked, most int) string {
	switch {
	case r.N == 0:
		return "no debate was held"
	case 2*asked < most:
		return fmt.Sprintf("asked %s of %d alone", wording.Count(asked, "question"), most)
	case r.Tokens == 0:
		return "its tokens are not known"
	}
	sides := make([][]validity.Arrival, len(c.Rows))
	for i, other := range c.Rows {
		sides[i] = validity.InVain(other.Arrived)
	}
	return lackedBySome(validity.InVain(r.Arrived), sides)
}

// questionsOf counts the questions of debates, also of those that failed.
func questionsOf(p *outcome.Debates) int {
	asked := make(map[string]bool)
	for _, d := range p.All {
		asked[d.Question] = true
	}
	return len(asked)
}

// compare enters all differences on the questions that every condition held, and reports whether there are two. Where a
// run may stop early, so many pairs share the level among them, and intervals hold at every look.
func (f *Front) compare(held []*outcome.Debates, clustered bool, sequential int) bool {
	s := versusOf(held[:1], held[1:], "") // of all, so that each has the same questions
	if sequential > 0 {
		s = s.firstOfClusters()
	}
	if f.Questions = len(s.questions); f.Questions < 2 {
		return false
	}
	var clusters []string
	if clustered {
		if clusters = s.clusters; distinct(clusters) < 2 {
			return false
		}
	}
	shares, asked := make([][]float64, len(held)), make([][]stat.Asked, len(held))
	for i, p := range held {
		for _, q := range s.questions {
			shares[i], asked[i] = append(shares[i], p.Share(q)), append(asked[i], p.CountOf(q))
		}
		f.Points[i].Accuracy = stat.Mean(shares[i])
	}
	interval := versus.duel
	if f.Level = 1 - (1-Level)/float64(sequential); sequential > 0 {
		interval = versus.duelAtEveryLook
	} else {
		f.Level = stat.Simultaneous(shares, clusters, Level, frontResamples, stat.Seed)
	}
	between := make(duels)
	var widths []float64
	for i := range held {
		for j := range i {
			pair := versus{questions: s.questions, clusters: clusters, shares: [2][]float64{shares[i], shares[j]}}
			if slices.EqualFunc(asked[i], asked[j], func(a, b stat.Asked) bool { return a.Times == b.Times }) {
				pair.asked = [2][]stat.Asked{asked[i], asked[j]}
			}
			for q := range s.questions {
				pair.differences = append(pair.differences, shares[i][q]-shares[j][q])
			}
			at := interval(pair, f.Level)
			between[[2]int{i, j}], between[[2]int{j, i}] = at, at.Mirrored()
			widths = append(widths, (at.High-at.Low)/2)
		}
	}
	f.decide(between)
	f.Detectable = detectable(widths, f.Level)
	return true
}

// duel is the interval of one condition's accuracy less another's. It holds zero also where an exact test at its level
// does not tell them apart: of few questions that differ, the interval alone tells apart too many.
func (s versus) duel(level float64) stat.Interval {
	return s.at(s.clusters)(level).Unless(s.exact(), level)
}

// exact is the p of the test of signs of a pair.
func (s versus) exact() float64 {
	above, below := stat.Signs(s.differences)
	whole := !slices.ContainsFunc(s.differences, func(d float64) bool { return d != math.Trunc(d) })
	if whole && s.clusters == nil {
		return stat.McNemar(above, below)
	}
	units := s.clusters
	if units == nil {
		units = s.questions
	}
	return stat.FlipClusters(s.differences, units, stat.Flips, stat.Seed)
}

// duelAtEveryLook is the interval that holds however often a run is looked at.
func (s versus) duelAtEveryLook(level float64) stat.Interval {
	var test stat.Sequential
	for _, d := range s.differences {
		test.Observe(d)
	}
	return test.Mean(level)
}

// firstOfClusters leaves of each cluster the first question.
func (s versus) firstOfClusters() versus {
	met, first := make(map[string]bool), versus{}
	for i, q := range s.questions {
		if c := s.clusters[i]; c == "" || !met[c] {
			met[c] = true
			first.questions, first.clusters = append(first.questions, q), append(first.clusters, c)
		}
	}
	return first
}

// decide says which conditions are beaten, which one to use, and by how much the others differ from it.
func (f *Front) decide(between duels) {
	var all []int
	for i := range f.Points {
		p := &f.Points[i]
		p.OnFront, all = true, append(all, i)
		for j, other := range f.Points {
			if between.beats(j, i) {
				p.BeatenBy = append(p.BeatenBy, other.Condition)
			}
			if other.Accuracy > p.Accuracy && other.Tokens <= p.Tokens {
				p.OnFront = false
			}
		}
	}
	use := f.cheapest(all, between)
	f.Use = f.Points[use].Condition
	f.within(between)
	for i := range f.Points {
		if i != use {
			f.Points[i].Difference = f.Points[i].Accuracy - f.Points[use].Accuracy
			versus := between[[2]int{i, use}]
			f.Points[i].Versus = &versus
		}
	}
	slices.SortStableFunc(f.Points, func(a, b Point) int { return cmp.Compare(a.Tokens, b.Tokens) })
}

// decided reports whether the verdict leaves nothing open: what is not beaten is shown to be better than what to use by
// at most so much, and costs more.
func (f *Front) decided(within float64) bool {
	var open []stat.Interval
	for _, p := range f.Points {
		if f.Budgets == nil && p.Versus != nil && len(p.BeatenBy) == 0 {
			open = append(open, *p.Versus)
		}
	}
	for _, w := range f.Budgets {
		for _, r := range w.Open {
			open = append(open, r.Interval)
		}
	}
	return !slices.ContainsFunc(open, func(i stat.Interval) bool { return i.High > within })
}

// detectable is the difference that lies as far from zero as the median interval reaches, and as much again as makes
// up for bad luck in a fifth of runs.
func detectable(widths []float64, level float64) float64 {
	slices.Sort(widths)
	reach := distuv.UnitNormal.Quantile(1 - (1-level)/2)
	return math.Min(1, widths[len(widths)/2]*(1+distuv.UnitNormal.Quantile(0.8)/reach))
}

// Verdict says in a few sentences which condition to use, what others cost and how much better or worse they may be.
func (f Front) Verdict() string {
	var b strings.Builder
	use := f.Points[slices.IndexFunc(f.Points, func(p Point) bool { return p.Condition == f.Use })]
	fmt.Fprintf(&b, "Use %s (%s tokens a question): with all pairs compared at once, nothing is shown to be better.",
		f.Use, wording.Comma(int(use.Tokens+0.5)))
	if f.Budgets == nil {
		b.WriteString(f.others(use))
	}
	for _, w := range f.Budgets {
		b.WriteString(f.sentences(w))
	}
	fmt.Fprintf(&b, " On %s, all intervals holding at once with 95 %%, a difference of about %s points can be seen.",
		wording.Count(f.Questions, "question"), unsigned(f.Detectable))
	b.WriteString(f.models())
	if len(f.LeftOut) > 0 {
		names := make([]string, len(f.LeftOut))
		for i, why := range f.LeftOut {
			names[i], _, _ = strings.Cut(why, ": ")
		}
		fmt.Fprintf(&b, " Left out, as the table says: %s.", strings.Join(names, ", "))
	}
	return b.String()
}

// models says which models replied under which conditions, in a run with several.
func (f Front) models() string {
	var teams []string
	under := make(map[string][]string)
	for _, p := range f.Points {
		if p.Models != "" && under[p.Models] == nil {
			teams = append(teams, p.Models)
		}
		under[p.Models] = append(under[p.Models], p.Condition)
	}
	if len(teams) == 0 {
		return ""
	}
	for i, models := range teams {
		teams[i] = fmt.Sprintf("of %s under %s", models, strings.Join(under[models], ", "))
	}
	return fmt.Sprintf(" Replies are %s; a token of one model may cost more than one of another.",
		strings.Join(teams, "; "))
}

// others say what conditions beside the one to use cost and bring, whatever they may spend.
func (f Front) others(use Point) (text string) {
	var beaten, open []string
	others := 0
	for _, p := range f.Points {
		switch {
		case p.Condition == f.Use:
		case len(p.BeatenBy) > 0:
			beaten = append(beaten, p.Condition)
		case !p.OnFront:
			others++
		default:
			open = append(open, Rival{p.Condition, f.Use, p.Tokens / use.Tokens, *p.Versus}.costs())
		}
	}
	text = notTold(open, others)
	if len(beaten) > 0 {
		text += fmt.Sprintf(" Beaten by some other condition: %s.", strings.Join(beaten, ", "))
	}
	return text
}

// points is a difference of shares in percentage points.
func points(difference float64) string { return table.Number("%+.1f", 100*difference) }

// between is the interval of a difference in percentage points.
func between(i stat.Interval) string { return table.Between("%+.1f", 100*i.Low, 100*i.High) }

// unsigned is a size in percentage points.
func unsigned(difference float64) string { return table.Number("%.1f", 100*difference) }

// together says how the intervals of all differences hold at once.
func (c Comparison) together() string {
	if c.Stopped != nil {
		return fmt.Sprintf("Bonferroni, each at %.5f, and at every look", c.Front.Level)
	}
	return fmt.Sprintf("max-T, each at %.4f", c.Front.Level)
}

// FrontTable has a row for each condition by its tokens; it has no lines if nothing is compared.
func (c Comparison) FrontTable() table.Table {
	if c.Front == nil {
		return table.Table{}
	}
	f := *c.Front
	columns := []table.Column[Point]{
		table.Words("condition", func(p Point) string { return p.Condition }, "condition"),
		{Name: "tokens a question", Text: func(p Point) string { return wording.Comma(int(math.Round(p.Tokens))) },
			Values: func(p Point) []any { return []any{p.Tokens} }},
		table.Decimals("accuracy", func(p Point) *float64 { return &p.Accuracy }),
		table.Right("vs "+f.Use, func(p Point) string {
			switch {
			case p.Condition == f.Use:
				return table.Absent
			case c.Noise.holds(p.Difference):
				return points(p.Difference) + " (noise)"
			}
			return points(p.Difference)
		}),
		table.Right("95 % at once", func(p Point) string {
			if p.Condition == f.Use {
				return table.Absent
			}
			return between(*p.Versus)
		}),
		table.Words("on the front", func(p Point) string {
			if p.OnFront {
				return "yes"
			}
			return ""
		}),
	}
	if slices.ContainsFunc(f.Points, func(p Point) bool { return len(p.BeatenBy) > 0 }) {
		columns = append(columns,
			table.Words("beaten by", func(p Point) string { return strings.Join(p.BeatenBy, ", ") }))
	}
	if f.Answer > 0 {
		columns = slices.Insert(columns, 1, table.Right("answers", f.spent))
	}
	t := table.New(columns, f.Points)
	t.Title, t.Sentence = "What is worth its tokens", f.Verdict()
	t.Caption = "tokens: generated, thinking included. On the front is what no other condition beats with as few " +
		"tokens in this run. Differences are in percentage points; all differences between two conditions have " +
		"intervals that hold at once with 95 % (" + c.together() + "), and what one of them shows to be better beats."
	if f.Answer > 0 {
		t.Caption += " Answers: these tokens in lengths of one answer, of those that the condition may spend."
	}
	for _, why := range f.LeftOut {
		t.Caption += " Left out - " + why + "."
	}
	return t
}
