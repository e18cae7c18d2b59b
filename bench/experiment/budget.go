package experiment

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/contrast"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bounds"
)

// BudgetRange is how many times the length of one answer a condition may generate.
var BudgetRange = bounds.From(1, 1000)

// fills are what can fill a budget: the number of agents or of rounds, since an agent answers once in each round, or
// how much longer each of them reasons.
func fills() []string { return []string{fillAgents, "rounds", fillReasoning} }

// fillAgents has more agents. Those of a team take turns, see inTurn.
const fillAgents = "agents"

// fillReasoning has agents reason for a multiple of what others may, and makes them go on where they would end: as
// often as a vote within the budget begins anew.
const fillReasoning = "reasoning"

// withBudgets returns the experiment at other budgets, and without the contrasts of conditions that it then lacks.
func (e Experiment) withBudgets(budgets []int) (Experiment, error) {
	if len(budgets) == 0 {
		return e, nil
	}
	if !slices.ContainsFunc(e.Conditions, func(c Condition) bool { return c.Fill != "" || c.Budget > 0 }) {
		return e, fmt.Errorf("budgets: no condition of the experiment %s has one, or fills any", e.Name)
	}
	before := e.Contrasts
	e.Budgets, e.text = budgets, nil
	e.Contrasts, e.Notes = e.fittingContrasts(), slices.Clone(e.Notes)
	left := slices.DeleteFunc(slices.Clone(before), func(text string) bool {
		return slices.ContainsFunc(e.Contrasts, func(kept string) bool { return sameContrast(text, kept) })
	})
	if len(left) > 0 {
		e.Notes = append(e.Notes, fmt.Sprintf("%s left out, whose conditions have other budgets: %s.",
			wording.Count(len(left), "contrast"), strings.Join(left, "; ")))
	}
	return e, e.checkNumbers()
}

// sameContrast reports whether two contrasts compare the same, on whatever tasks.
func sameContrast(a, b string) bool {
	a, _ = contrast.OnTasks(a)
	b, _ = contrast.OnTasks(b)
	return a == b
}

// affords reports whether a condition is held at the budgets of the experiment. The reference always is: its answer
// may be the one that budgets are counted in.
func (e Experiment) affords(c Condition) bool {
	return len(e.Budgets) == 0 || c.Budget == 0 || c.label() == e.Reference || slices.Contains(e.Budgets, c.Budget)
}

// checkBudget refuses what contradicts itself.
func (c Condition) checkBudget(budgets []int) error {
	of := func(p Pairs) bool { return slices.ContainsFunc(p, func(one Pair) bool { return one.Name == c.Fill }) }
	switch {
	case c.Fill == "":
		return bounds.Check("budget", c.Budget, BudgetRange.OrZero())
	case !slices.Contains(fills(), c.Fill):
		return fmt.Errorf("fill %q: must be one of %s", c.Fill, strings.Join(fills(), ", "))
	case c.Budget > 0:
		return errors.New("fill says that it is held at each of the budgets, and budget that it is held at one")
	case len(budgets) == 0:
		return errors.New("fill needs the budgets of the experiment, such as budgets: [1, 3, 9]")
	case of(c.Set) || of(c.Sweep):
		return fmt.Errorf("the number of %s follows from the budgets: leave it out of set and sweep", c.Fill)
	}
	return nil
}

// filled makes a point for each budget: as near to it as whole agents, rounds or lengths come. What would take fewer
// than two is no method of its own, and left out.
func (c Condition) filled(one Point, w where, budgets []int) (points []Point, err error) {
	of := one.Protocol.Settings
	if c.Fill != fillReasoning {
		of = of.With(c.Fill, 1)
	}
	answers := max(1, of.Agents()) * max(1, of.Rounds())
	for _, budget := range budgets {
		n := int(math.Round(float64(budget) / float64(answers)))
		if n < 2 {
			continue
		}
		p := one
		if c.Fill == fillReasoning {
			p.Lengths = n
		} else if err := set(&p.Protocol, w, c.Fill, n); err != nil {
			return nil, err
		}
		p.Condition, p.Budget = fmt.Sprintf("%s-%d", one.Condition, budget), budget
		p.Protocol.Name, p.Series = p.Condition, p.Condition
		p.Protocol.Meaning = strings.ReplaceAll(p.Protocol.Meaning, "{"+c.Fill+"}", fmt.Sprint(n))
		points = append(points, p)
	}
	return points, nil
}

// inTurn gives n agents the members of a team in turn, from the first on: where sizes follow from budgets, so that each
// has its share of every member.
func inTurn[M any](team []M, n int) (members []M) {
	for i := range n {
		members = append(members, team[i%len(team)])
	}
	return members
}

// reason gives a point that fills its budget with reasoning what each of its agents may take of that, or says why that
// cannot be.
func (p *Point) reason(ask debate.Asking, model inference.ModelInfo) (whyNot string) {
	usual, bounded := ask.Sampling.ReasoningTokens.Tokens()
	models := model.All()
	silent := slices.IndexFunc(models, func(m inference.ModelInfo) bool { return m.Reasons == 0 && m.Remote == nil })
	switch {
	case silent >= 0:
		return fmt.Sprintf("%s does not reason before it answers", models[silent].Name)
	case bounded && usual == 0:
		return "Nobody is to reason (--reasoning-tokens 0)"
	case !bounded:
		return "Only the servers know how long their models reason: give --reasoning-tokens, which budgets multiply"
	}
	bound, answer := p.Lengths*usual, cmp.Or(ask.MaxTokens, inference.DefaultMaxTokens)
	waits := p.Lengths - 1
	for _, m := range models {
		if !m.RoomFor(bound, answer) {
			return fmt.Sprintf("Reasoning of %d tokens and an answer of %d do not fit beside the prompt into the %d "+
				"tokens that a request can have: lower --reasoning-tokens, which budgets multiply, or raise --context "+
				"as far as the model goes", bound, answer, cmp.Or(m.Room, m.Context))
		}
		if !m.Waits {
			waits = 0
		}
	}
	team := slices.Clone(p.Protocol.Team())
	team = append(team, make([]debate.Member, max(0, max(1, p.Protocol.Agents())-len(team)))...)
	for i := range team {
		tokens := inference.BudgetOf(bound)
		team[i].ReasoningTokens, team[i].ReasoningWaits = &tokens, nil
		if waits > 0 {
			team[i].ReasoningWaits = &waits
		}
	}
	p.Protocol.Settings = p.Protocol.With(teamSetting, team)
	return ""
}
