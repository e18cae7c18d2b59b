package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/wording"
)

// Choice says what it would be worth to choose the method question by question, of those that Front compares (Beyond
// the best method, arXiv 2605.09618).
type Choice struct {
	Budget    int     `json:"budget,omitempty"` // that the conditions fit, in lengths of one answer; 0: of all
	Questions int     `json:"questions"`        // that all conditions held
	Ceiling   float64 `json:"ceiling"`          // tokens a question of the costliest
	Oracle    Chosen  `json:"oracle"`           // right where some condition is
	// Tries and More compare it with chance: of so many conditions that are drawn from all, some one is right more
	// often than some one of as many answers of Of, which is a condition's repeats or first answers. Nil without both.
	Tries int     `json:"tries,omitempty"`
	Of    string  `json:"of,omitempty"`
	More  *Chosen `json:"more,omitempty"`
	// Vote is the condition of the fewest first answers, at least three if there is one, and Unanimous what becomes of
	// the debates in which these agree.
	Vote      string      `json:"vote,omitempty"`
	Unanimous []Unanimous `json:"unanimous,omitempty"`
	Router    *Router     `json:"router,omitempty"`
	// Within says so of the conditions that fit each smaller budget, on the same questions.
	Within []Choice `json:"within,omitempty"`
}

// Chosen is an accuracy, or a difference of two, with its interval by question.
type Chosen struct {
	Value    float64        `json:"value"`
	Interval *stat.Interval `json:"interval,omitempty"` // nil where nothing is known of other questions
}

// Unanimous is how often a condition is right where the first answers of the vote agree. Of the vote itself, these are
// other repeats of the same question: what other seeds alone would change.
type Unanimous struct {
	Condition string `json:"condition"`
	Wrong     int    `json:"wrong"`   // debates where they agree on a wrong answer
	Rescued   int    `json:"rescued"` // of these, decided right
	Right     int    `json:"right"`   // debates where they agree on a right one
	Kept      int    `json:"kept"`    // of these, decided right
}

// chosenFrom are the debates of several conditions, which all held these cases.
type chosenFrom struct {
	names     []string
	tokens    []float64      // of each condition, a question
	cases     []chosenCase   // in the order of the questions
	questions []string       // of the cases, each once
	clusters  []string       // of these questions
	asked     [][]stat.Asked // [question][condition]
}

// chosenCase is one repeat of a question, with a debate of each condition.
type chosenCase struct {
	question int
	debates  []*outcome.Debate
}

// choice compares the conditions of the front question by question.
func (c *Comparison) choice(_ planned, t *outcome.Table) {
	if c.Choice = nil; c.Front == nil || c.Stopped != nil { // for questions whose number was fixed
		return
	}
	from := chosenFrom{}
	for _, p := range c.Front.Points {
		from.names, from.tokens = append(from.names, p.Condition), append(from.tokens, p.Tokens)
	}
	if from.fill(outcome.HeldByAll(under(t, from.names)), c.Cluster != ""); len(from.questions) < 2 {
		return
	}
	made := from.choice()
	for _, w := range c.Front.Budgets {
		fitting := c.Front.fitting(w.Budget)
		if n := len(fitting); n < 2 || n == len(from.names) {
			continue
		}
		within := from.only(fitting).choice()
		within.Budget = w.Budget
		made.Within = append(made.Within, within)
	}
	c.Choice = &made
}

// choice chooses among all conditions.
func (f chosenFrom) choice() Choice {
	made := Choice{Questions: len(f.questions), Ceiling: slices.Max(f.tokens)}
	made.Oracle = f.mean(func(_ int, k chosenCase) float64 { return stat.One[float64](k.asked().Right > 0) }, 0)
	vote, largest := f.votes()
	made.againstChance(f, largest)
	if vote >= 0 {
		made.Vote, made.Unanimous = f.names[vote], f.unanimous(vote)
		made.Router = f.route(vote)
	}
	return made
}

// only has some of the conditions, on the same cases.
func (f chosenFrom) only(conditions []int) chosenFrom {
	some := f
	some.names, some.tokens = picked(f.names, conditions), picked(f.tokens, conditions)
	some.cases, some.asked = slices.Clone(f.cases), slices.Clone(f.asked)
	for i := range some.cases {
		some.cases[i].debates = picked(f.cases[i].debates, conditions)
	}
	for q := range some.asked {
		some.asked[q] = picked(f.asked[q], conditions)
	}
	return some
}

// picked are the elements at some places.
func picked[T any](of []T, places []int) (list []T) {
	for _, i := range places {
		list = append(list, of[i])
	}
	return list
}

// fill enters the cases that all conditions held.
func (f *chosenFrom) fill(held []*outcome.Debates, clustered bool) {
	at := make(map[string][]*outcome.Debate) // by case
	for i, p := range held {
		for j, name := range p.Cases {
			if len(at[name]) == i {
				at[name] = append(at[name], p.All[j])
			}
		}
	}
	place := make(map[string]int)
	for j, name := range held[0].Cases {
		if len(at[name]) < len(held) {
			continue
		}
		q := held[0].All[j].Question
		if _, met := place[q]; !met {
			place[q] = len(f.questions)
			f.questions, f.asked = append(f.questions, q), append(f.asked, make([]stat.Asked, len(held)))
			cluster := q
			if clustered {
				cluster = held[0].Clusters[q]
			}
			f.clusters = append(f.clusters, cluster)
		}
		k := chosenCase{place[q], at[name]}
		for i, d := range k.debates {
			f.asked[k.question][i] = f.asked[k.question][i].With(d.Solved())
		}
		f.cases = append(f.cases, k)
	}
}

// asked counts the conditions, and those that are right.
func (k chosenCase) asked() (q stat.Asked) {
	for _, d := range k.debates {
		q = q.With(d.Solved())
	}
	return q
}

// mean is that of a number over questions, each with the mean over its repeats; of gives it for each case, between low
// and 1.
func (f chosenFrom) mean(of func(i int, k chosenCase) float64, low float64) (m Chosen) {
	sums, times := make([]float64, len(f.questions)), make([]float64, len(f.questions))
	for i, k := range f.cases {
		sums[k.question], times[k.question] = sums[k.question]+of(i, k), times[k.question]+1
	}
	for q := range sums {
		sums[q] /= times[q]
	}
	m.Value = stat.Mean(sums)
	if i, why := stat.MeanInterval(sums, f.clusters, low, 1, Level); why == "" {
		m.Interval = &i
	}
	return m
}

// againstChance enters by how much different conditions are right on more questions than as many tries of one. Tries
// are repeats, on the average over conditions; where nothing was repeated, the first answers of the vote.
func (c *Choice) againstChance(f chosenFrom, vote int) {
	repeats := f.asked[0][0].Times
	for _, asked := range f.asked {
		repeats = min(repeats, asked[0].Times)
	}
	var chance func(chosenCase) float64
	switch {
	case repeats > 1:
		c.Tries, c.Of = min(repeats, len(f.names)), "repeats of one condition, mean over conditions"
		chance = func(k chosenCase) (sum float64) {
			for _, q := range f.asked[k.question] {
				any, _ := stat.PassAny(q, c.Tries)
				sum += any / float64(len(f.names))
			}
			return sum
		}
	case vote >= 0:
		c.Tries, c.Of = len(f.names), "first answers of "+f.names[vote]
		for _, k := range f.cases {
			c.Tries = min(c.Tries, len(k.debates[vote].FirstAlone()))
		}
		chance = func(k chosenCase) float64 {
			any, _ := stat.PassAny(k.debates[vote].FirstAsked(), c.Tries)
			return any
		}
	default:
		return
	}
	more := f.mean(func(_ int, k chosenCase) float64 {
		any, _ := stat.PassAny(k.asked(), c.Tries)
		return any - chance(k)
	}, -1)
	c.More = &more
}

// votes are the conditions whose debates have the fewest first answers that nobody's reply led to, of those with at
// least three if there are any, and the most; the cheapest of several. Many rarely agree. They are -1 if none has two
// in every debate.
func (f chosenFrom) votes() (vote, largest int) {
	vote, largest = -1, -1
	fewest, most := 0, 1
	for i := range f.names {
		least := -1
		for _, k := range f.cases {
			if n := len(k.debates[i].FirstAlone()); least < 0 || n < least {
				least = n
			}
		}
		if least > most {
			largest, most = i, least
		}
		if least > 1 && (vote < 0 || fewest < 3 && least > fewest || least >= 3 && least < fewest) {
			vote, fewest = i, least
		}
	}
	return vote, largest
}

// unanimous says of each condition how often it is right where the first answers of the vote agree.
func (f chosenFrom) unanimous(vote int) []Unanimous {
	list := make([]Unanimous, len(f.names))
	for i, name := range f.names {
		list[i].Condition = name
	}
	for _, k := range f.cases {
		first := k.debates[vote].FirstAlone()
		if first[0].ID == agreement.Unparsed ||
			slices.ContainsFunc(first, func(t outcome.Turn) bool { return t.ID != first[0].ID }) {
			continue
		}
		for i, d := range k.debates {
			q := stat.Asked{}.With(d.Solved())
			if all := f.asked[k.question][i]; i == vote {
				q = stat.Asked{Right: all.Right - q.Right, Times: all.Times - 1}
			}
			if u := &list[i]; first[0].IsRight() {
				u.Right, u.Kept = u.Right+q.Times, u.Kept+q.Right
			} else {
				u.Wrong, u.Rescued = u.Wrong+q.Times, u.Rescued+q.Right
			}
		}
	}
	return list
}

// ChoiceTable has a row for each condition; it has no lines if nothing is compared.
func (c Comparison) ChoiceTable() table.Table {
	if c.Choice == nil || len(c.Choice.Unanimous) == 0 {
		return table.Table{}
	}
	part := func(n, of int) string {
		if of == 0 {
			return table.Absent
		}
		return fmt.Sprintf("%d of %d", n, of)
	}
	t := table.New([]table.Column[Unanimous]{
		table.Words("condition", func(u Unanimous) string {
			if u.Condition == c.Choice.Vote {
				return u.Condition + ", other repeats"
			}
			return u.Condition
		}, "condition"),
		{Name: "right where all are wrong", Text: func(u Unanimous) string { return part(u.Rescued, u.Wrong) },
			Fields: []string{"rescued", "wrong"}, Values: func(u Unanimous) []any { return []any{u.Rescued, u.Wrong} }},
		{Name: "right where all are right", Text: func(u Unanimous) string { return part(u.Kept, u.Right) },
			Fields: []string{"kept", "right"}, Values: func(u Unanimous) []any { return []any{u.Kept, u.Right} }},
	}, c.Choice.Unanimous)
	t.Title, t.Sentence = "If the method were chosen by question", c.Choice.Verdict(c.Front)
	t.Caption = "All: the first answers of " + c.Choice.Vote + ", where they agree. In its own row are other repeats " +
		"of the same questions, which show what other seeds alone change."
	if c.Choice.Router != nil {
		t.Caption += " A router sees how far these answers differ (their entropy) and how probable their tokens are. " +
			"It is fitted on each half of the questions and counts on the other one, like the best condition."
	}
	return t
}

// CeilingsTable has a row for each budget within which the method could be chosen, and one for all conditions. It has
// no lines if they are one.
func (c Comparison) CeilingsTable() table.Table {
	if c.Choice == nil || len(c.Choice.Within) == 0 {
		return table.Table{}
	}
	of := func(k Choice) []Point {
		if k.Budget == 0 {
			return c.Front.Points
		}
		return picked(c.Front.Points, c.Front.fitting(k.Budget))
	}
	t := table.New([]table.Column[Choice]{
		table.Right("answers", func(k Choice) string {
			if k.Budget == 0 {
				return "all"
			}
			return fmt.Sprint(k.Budget)
		}),
		table.Counts("conditions", func(k Choice) int { return len(of(k)) }),
		table.Right("some one is right", func(k Choice) string { return table.Number("%.3f", k.Oracle.Value) }),
		table.Words("the best alone", func(k Choice) string {
			best := best(of(k))
			return fmt.Sprintf("%.3f %s", best.Accuracy, best.Condition)
		}),
		table.Right("more than chance", func(k Choice) string {
			if k.More == nil {
				return table.Absent
			}
			return points(k.More.Value) + k.More.ends()
		}),
		table.Words("most often right where all are wrong", func(k Choice) string {
			most := k.rescuer()
			if most.Rescued == 0 {
				return table.Absent
			}
			return fmt.Sprintf("%s, %d of %d", most.Condition, most.Rescued, most.Wrong)
		}),
		table.Right("router", func(k Choice) string {
			if k.Router == nil {
				return table.Absent
			}
			return points(k.Router.Gain.Value) + k.Router.Gain.ends()
		}),
	}, append(slices.Clone(c.Choice.Within), *c.Choice))
	t.Title = "If the method were chosen within each budget"
	t.Caption = fmt.Sprintf("On %s, of the conditions that may spend so many answers. More than chance: by how many "+
		"points some one of them is right more often than one of as many repeats or first answers. All: the first "+
		"answers of the smallest vote among them, from three on, where they agree. Router: its gain on questions that "+
		"it was not fitted on.", wording.Count(c.Choice.Questions, "question"))
	return t
}

// Verdict says in a few sentences what choosing by question would be worth.
func (c Choice) Verdict(f *Front) string {
	var b strings.Builder
	best := best(f.Points)
	fmt.Fprintf(&b, "Of %s that cost up to %s tokens, some one is right on %s %% of %s, the best (%s) on %s %%.",
		wording.Count(len(f.Points), "condition"), wording.Comma(int(c.Ceiling+0.5)), unsigned(c.Oracle.Value),
		wording.Count(c.Questions, "question"), best.Condition, unsigned(best.Accuracy))
	if c.More != nil {
		fmt.Fprintf(&b, " Several tries gain by chance, too: some one of %d conditions is right more often than of %d "+
			"%s, by %s points%s.", c.Tries, c.Tries, c.Of, points(c.More.Value), c.More.ends())
	}
	if most := c.rescuer(); most.Rescued > 0 {
		fmt.Fprintf(&b, " Where the first answers of %s agree on a wrong one, %s is right most often (%d of %d).",
			c.Vote, most.Condition, most.Rescued, most.Wrong)
	}
	if r := c.Router; r != nil {
		fmt.Fprintf(&b, " A router that is fitted on one half of the questions gains %s points on the other one%s.",
			points(r.Gain.Value), r.Gain.ends())
	}
	return b.String()
}

// rescuer is the condition, other than the vote, that is right most often where the vote is unanimous and wrong.
func (c Choice) rescuer() (most Unanimous) {
	for _, u := range c.Unanimous {
		if u.Condition != c.Vote && u.Rescued > most.Rescued {
			most = u
		}
	}
	return most
}

// ends are those of a difference in percentage points, "" where they are not known.
func (c Chosen) ends() string {
	if c.Interval == nil {
		return ""
	}
	return " (" + table.Between("%+.1f", 100*c.Interval.Low, 100*c.Interval.High) + ")"
}
