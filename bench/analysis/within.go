package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/wording"
)

// Within says which conditions are worth it for those who can spend one budget: what fits it competes.
type Within struct {
	Budget int `json:"budget"` // in lengths of one answer
	// Use is the condition of the fewest tokens than which nothing that fits the budget is shown to be better.
	Use string `json:"use"`
	// Open and Worse are the other conditions of this very budget: those that cannot be told apart from Use, and those
	// that something that fits is shown to beat.
	Open  []Rival `json:"open,omitempty"`
	Worse []Rival `json:"worse,omitempty"`
}

// Rival is a condition beside another one.
type Rival struct {
	Condition string        `json:"condition"`
	Against   string        `json:"against"`
	Times     float64       `json:"times"`    // as many tokens as Against
	Interval  stat.Interval `json:"interval"` // of its accuracy less that of Against
}

// duels are the intervals of all differences: of the first condition's accuracy less the second's.
type duels map[[2]int]stat.Interval

// beats reports whether a condition is shown to be better.
func (d duels) beats(a, b int) bool { return a != b && d[[2]int{a, b}].Low > 0 }

// cheapest is, of some points, the one of the fewest tokens than which none of them is shown to be better.
func (f *Front) cheapest(of []int, d duels) int {
	use := -1
	for _, i := range of {
		beaten := slices.ContainsFunc(of, func(j int) bool { return d.beats(j, i) })
		if !beaten && (use < 0 || f.Points[i].Tokens < f.Points[use].Tokens) {
			use = i
		}
	}
	if use < 0 { // debates that failed let pairs differ in their questions
		use = slices.MaxFunc(of, func(i, j int) int { return cmp.Compare(f.Points[i].Accuracy, f.Points[j].Accuracy) })
	}
	return use
}

// within looks at each budget.
func (f *Front) within(d duels) {
	var budgets []int
	for _, p := range f.Points {
		if p.Budget > 0 && !slices.Contains(budgets, p.Budget) {
			budgets = append(budgets, p.Budget)
		}
		if p.Budget == 1 && f.Answer == 0 {
			f.Answer = p.Tokens
		}
	}
	slices.Sort(budgets)
	for _, budget := range budgets {
		f.Budgets = append(f.Budgets, f.rivals(budget, f.fitting(budget), d))
	}
}

// fitting are the places of the points that may spend no more than a budget.
func (f *Front) fitting(budget int) (places []int) {
	for i, p := range f.Points {
		if p.Budget > 0 && p.Budget <= budget {
			places = append(places, i)
		}
	}
	return places
}

// best is the point of the highest accuracy.
func best(points []Point) Point {
	return slices.MaxFunc(points, func(a, b Point) int { return cmp.Compare(a.Accuracy, b.Accuracy) })
}

// rivals compares the conditions of a budget with what to use within it.
func (f *Front) rivals(budget int, fitting []int, d duels) Within {
	use := f.cheapest(fitting, d)
	w := Within{Budget: budget, Use: f.Points[use].Condition}
	rival := func(i, against int) Rival {
		return Rival{f.Points[i].Condition, f.Points[against].Condition, f.Points[i].Tokens / f.Points[against].Tokens,
			d[[2]int{i, against}]}
	}
	for _, i := range fitting {
		if i == use || f.Points[i].Budget != budget {
			continue
		}
		by := slices.MaxFunc(fitting, func(a, b int) int {
			return cmp.Compare(d[[2]int{a, i}].Low, d[[2]int{b, i}].Low) // i itself has none, which is 0
		})
		if d.beats(by, i) {
			w.Worse = append(w.Worse, rival(i, by))
		} else {
			w.Open = append(w.Open, rival(i, use))
		}
	}
	return w
}

// mostOpen is how many conditions of a budget a verdict names that cannot be told apart from the one to use; of more it
// names those on the front.
const mostOpen = 3

// sentences say so; they are "" where a budget has nothing to compare.
func (f Front) sentences(w Within) string {
	if len(w.Open)+len(w.Worse) == 0 {
		return ""
	}
	text := fmt.Sprintf(" Within %s use %s.", wording.Count(w.Budget, "answer"), w.Use)
	var open, worse []string
	others := 0
	for _, r := range w.Open {
		at := slices.IndexFunc(f.Points, func(p Point) bool { return p.Condition == r.Condition })
		if len(w.Open) > mostOpen && !f.Points[at].OnFront {
			others++
		} else {
			open = append(open, r.costs())
		}
	}
	for _, r := range w.Worse {
		worse = append(worse, fmt.Sprintf("%s, at least %s points below %s", r.Condition, unsigned(-r.Interval.High),
			r.Against))
	}
	text += notTold(open, others)
	if len(worse) > 0 {
		text += fmt.Sprintf(" Worse: %s.", strings.Join(worse, "; "))
	}
	return text
}

// notTold lists what is not told apart from the condition to use, and counts others that are not on the front; it is ""
// of none.
func notTold(open []string, others int) string {
	if others > 0 {
		open = append(open, wording.Count(others, "other")+", for more tokens than something as good")
	}
	if len(open) == 0 {
		return ""
	}
	return fmt.Sprintf(" Not told apart from it: %s.", strings.Join(open, "; "))
}

// costs says what a condition takes, and what it may bring.
func (r Rival) costs() string {
	much := fmt.Sprintf("%.2g times as much", r.Times)
	if much == "1 times as much" {
		much = "about as much"
	}
	return fmt.Sprintf("%s costs %s for %s points", r.Condition, much, between(r.Interval))
}

// spent says how much of its budget a condition used.
func (f Front) spent(p Point) string {
	used := table.Number("%.1f", p.Tokens/f.Answer)
	if p.Budget == 0 {
		return used
	}
	return fmt.Sprintf("%s of %d", used, p.Budget)
}
