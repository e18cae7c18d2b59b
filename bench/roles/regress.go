package roles

import (
	"errors"
	"fmt"
	"slices"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/stat/regression"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/knights"
	"github.com/parley-debate/parley/inference"
)

// Case is one debate on a puzzle as the regressions of Wu et al. take it (its tables 4 and 5).
type Case struct {
	Condition, Question string
	Solution            string    // tells puzzles of the same name apart
	Team                Team      // who argued
	Predictors          []float64 // in the order of PredictorNames
	FinalSmooth         float64
	AgreementMajor      float64 // its AUC
	Players             int
	Shifts              agreement.Shifts

	first    []float64 // smooth accuracy of each agent's proposal
	minority []float64 // by agent: share of players on whom its proposal is in the minority
}

// PredictorNames are those of a Case, as Wu et al. call them. The strong agent of a condition is the one whose
// proposals are best on average over the condition's debates, the weak one the one whose are worst.
var PredictorNames = []string{"game_size", "n_agents", "depth", "init_smooth", "init_strict", "strong_init_smooth",
	"strong_init_strict", "weak_init_smooth", "weak_init_strict", "strong_in_minority", "weak_in_minority",
	"conf_visible", "order_same", "init_chaos"}

// Cases are the debates on puzzles among some debates of a run with this model or, in Team, these models.
func Cases(debates []*outcome.Debate, model inference.ModelInfo) (cases []Case) {
	for _, o := range debates {
		c, ok := dynamicsOf(o)
		if !ok || c.alone {
			continue
		}
		c.play()
		k := Case{Condition: o.Condition, Question: o.Question, Solution: o.Truth.Text, Team: c.team(model),
			Players: len(c.players), FinalSmooth: c.final.Smooth, AgreementMajor: areaOf(c.during).Major,
			first: c.first, minority: c.minority}
		for _, s := range c.shifts {
			k.Shifts.Count(s.before, s.after)
		}
		k.Predictors = []float64{float64(len(c.players)), float64(len(c.agents)), c.depth(), c.initial.Smooth,
			c.initial.Strict, 0, 0, 0, 0, 0, 0, stat.One[float64](c.confidenceShown()),
			stat.One[float64](o.Transcript.Order != knights.OrderChosen && o.Transcript.Order != knights.OrderAgreed),
			stat.One[float64](c.chaos)}
		cases = append(cases, k)
	}
	for condition, first := range firstBy(cases) {
		strong, weak := slices.Index(first, slices.Max(first)), slices.Index(first, slices.Min(first))
		for _, k := range cases {
			if k.Condition == condition {
				k.setAgents(strong, weak)
			}
		}
	}
	return cases
}

// firstBy is the total accuracy of each agent's proposals, by condition.
func firstBy(cases []Case) map[string][]float64 {
	totals := make(map[string][]float64)
	for _, k := range cases {
		if totals[k.Condition] == nil {
			totals[k.Condition] = make([]float64, len(k.first))
		}
		for i := range min(len(k.first), len(totals[k.Condition])) {
			totals[k.Condition][i] += k.first[i]
		}
	}
	return totals
}

// setAgents fills in the predictors of two agents.
func (k Case) setAgents(strong, weak int) {
	for i, agent := range []int{strong, weak} {
		if agent < len(k.first) {
			k.Predictors[5+2*i], k.Predictors[6+2*i] = k.first[agent], stat.One[float64](k.first[agent] == 1)
			k.Predictors[9+i] = k.minority[agent]
		}
	}
}

// depth is how often each player was debated, on average.
func (c *dynamics) depth() float64 {
	debates := 0
	for _, phase := range c.t.Phases {
		for _, player := range c.players {
			if phase == debate.PhaseDebate(player) {
				debates++
			}
		}
	}
	return float64(debates) / float64(len(c.players))
}

func (c *dynamics) confidenceShown() bool {
	return c.t.Settings != nil && debate.Typed[knights.Settings](*c.t.Settings).Confidence == knights.ConfidenceShown
}

// stand notes, of the proposals, the share of players on whom each agent is in the minority, and whether there is a
// player on whom they have no majority: the source's "Init. has chaos (T)", which is 0 or 1.
func (c *dynamics) stand() {
	c.minority = make([]float64, len(c.agents))
	for player := range c.players {
		standings := c.standings(player)
		for i, s := range standings {
			if s == agreement.MinorityWrong || s == agreement.MinorityRight {
				c.minority[i] += 1 / float64(len(c.players))
			}
		}
		if len(standings) > 0 && (standings[0] == agreement.ChaosWrong || standings[0] == agreement.ChaosRight) {
			c.chaos = true
		}
	}
}

// Regression is an ordinary least squares fit over debates.
type Regression struct {
	*regression.Fit
	Coefficients []regression.Coefficient // with classic errors, as in the source
	// Clustered has errors by question, which several conditions share; nil where NotClustered says why there are none
	Clustered    []regression.Coefficient
	NotClustered error
	LeftOut      []string // predictors that these debates do not vary, or that follow from others
	Baseline     string   // the team that the coefficients of other teams are compared with; "" if all have the same
}

// Regress fits an outcome of debates to the predictors that vary among them, in their order, and to a term for each
// team but the first. An error says why there is no fit.
func Regress(cases []Case, of func(Case) float64) (r Regression, err error) {
	var d regression.Data
	var clusters []string
	d.Rows = make([][]float64, len(cases))
	for _, k := range cases {
		d.Outcome = append(d.Outcome, of(k))
		clusters = append(clusters, fmt.Sprint(k.Players, " ", k.Question, " ", k.Solution))
	}
	names, terms := teamTerms(cases)
	if len(names) > 0 {
		r.Baseline = cases[0].Team.Name
	}
	for j, name := range slices.Concat(PredictorNames, names) {
		with := regression.Data{Names: append(slices.Clone(d.Names), name), Outcome: d.Outcome}
		for i, k := range cases {
			row := slices.Concat(k.Predictors, terms[i])
			with.Rows = append(with.Rows, append(slices.Clone(d.Rows[i]), row[j]))
		}
		fit, fitErr := regression.OLS(with)
		if fitErr != nil {
			r.LeftOut = append(r.LeftOut, name)
			continue
		}
		d, r.Fit = with, fit
	}
	if r.Fit == nil {
		return r, whyUnfitted(d.Outcome)
	}
	if r.Coefficients, err = r.Classic(); err != nil {
		return r, err
	}
	r.Clustered, r.NotClustered = r.Fit.Clustered(clusters)
	return r, nil
}

// whyUnfitted says why no predictor can be fitted to the outcomes of some debates.
func whyUnfitted(values []float64) error {
	const fewest = 3 // an intercept, a slope, and one debate to learn errors from
	switch {
	case len(values) < fewest:
		return fmt.Errorf("a line through %d debates leaves no errors to learn from: at least %d are needed",
			len(values), fewest)
	case slices.Min(values) == slices.Max(values):
		return fmt.Errorf("all %d debates have the same outcome, %.3f: there is nothing to explain", len(values),
			values[0])
	}
	return fmt.Errorf("no predictor varies among the %d debates, or one of them explains all", len(values))
}

// Transitions are the names of the twelve transitions in the order of agreement.Shifts.
func Transitions() (names []string) {
	for standing := range (agreement.Shifts{}) {
		for _, after := range []string{"wrong", "right"} {
			names = append(names, fmt.Sprintf("%s → %s", agreement.Standing(standing), after))
		}
	}
	return names
}

// Weights fits the final accuracy of debates to the counts of their twelve transitions, by ridge regression whose
// penalty is chosen by leaving out one debate at a time (Figure 5). Transitions are in the order of
// agreement.Shifts; those that are equally frequent in all debates are left out.
func Weights(cases []Case) (regression.RidgeFit, error) {
	d := regression.Data{Rows: make([][]float64, len(cases))}
	for _, k := range cases {
		d.Outcome = append(d.Outcome, k.FinalSmooth)
	}
	for t, name := range Transitions() {
		count := func(k Case) int { return k.Shifts[t/2][t%2] }
		if !slices.ContainsFunc(cases, func(k Case) bool { return count(k) != count(cases[0]) }) {
			continue
		}
		d.Names = append(d.Names, name)
		for i, k := range cases {
			d.Rows[i] = append(d.Rows[i], float64(count(k)))
		}
	}
	if len(d.Names) == 0 {
		return regression.RidgeFit{}, errors.New("the transitions are the same in all debates")
	}
	return regression.RidgeLeaveOneOut(d, []float64{0.01, 0.1, 1, 10, 100, 1000})
}
