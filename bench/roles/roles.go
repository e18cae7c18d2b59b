// Package roles says how debates on puzzles of knights, knaves and spies went, role by role, as Wu et al. measure them
// (Wu, Li and Li, arXiv 2511.07784, appendix B): a debate round is what is said on one player, after which everybody
// goes over its whole solution. It also checks by program what agents claim about a puzzle.
//
// Of sums up the debates of a condition; dynamics.go goes through one debate, game.go reads its puzzle.
package roles

import (
	"slices"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/agreement"
)

// Summary is what the debates of a condition on puzzles come to.
type Summary struct {
	N       int     `json:"n"` // debates
	Initial Round   `json:"initial"`
	Rounds  []Round `json:"rounds"` // mean over the debates that have so many players
	Final   Round   `json:"final"`
	AUC     Round   `json:"auc"` // mean over the rounds of each debate, then over debates

	// Shifts are on the player under debate: from where an agent stood before, to a wrong or a right role after.
	Shifts agreement.Shifts `json:"shifts"`

	Sizes  []Size  `json:"sizes,omitempty"`  // shifts by number of players, ascending
	Depths []Depth `json:"depths,omitempty"` // solutions by the puzzles' difficulty, ascending
	Agents []Agent `json:"agents,omitempty"` // by number, and by model where an agent had several
	// Opinions counts whose roles for the player under debate others took up, by where their giver stood before.
	Opinions []Held `json:"opinions,omitempty"`
	// Claims says what replies claim, by kind of phase; Changes has the claims of adjustments, by what became of the
	// role of the player under debate. Both are nil where no puzzle could be read.
	Claims  []Claimed `json:"claims,omitempty"`
	Changes []Claimed `json:"claims_by_change,omitempty"`
	// Ratings is what a judge made of the agents' arguments, by what became of their solutions; nil without a judge.
	Ratings []Rated `json:"ratings,omitempty"`
	// Reasons rates why agents agreed and disagreed with others on players.
	Reasons []RatedReasons `json:"reasons,omitempty"`
}

// Rated are ratings of the soundness of agents' arguments.
type Rated struct {
	Of      string `json:"of"` // one of outcomes
	Ratings [4]int `json:"ratings"`
	Unread  int    `json:"unread"`
}

// outcomes are what becomes of an agent's solution between its proposal and the end, by its smooth accuracy.
var outcomes = []string{"improved", "worsened", "right throughout", "no better"}

// Size is what became of agents in puzzles of one size.
type Size struct {
	Players int              `json:"players"`
	N       int              `json:"n"` // debates
	Shifts  agreement.Shifts `json:"shifts"`
}

// Agent is one agent of a condition.
type Agent struct {
	Agent  int              `json:"agent"`
	Model  string           `json:"model,omitempty"` // SHA-256 of the model that replied, in a run with several
	Shifts agreement.Shifts `json:"shifts"`
	// Opinions is what others made of the roles that it gave.
	Opinions Opinions `json:"opinions"`
	// Confidence has the accuracy of its proposals for each confidence that it stated, or nil if it states none.
	Confidence []Bin  `json:"confidence,omitempty"`
	Claims     Claims `json:"claims"`
	// Behaviours are how it dealt with rated reasons, nil where none were rated.
	Behaviours []Behaviour `json:"behaviours,omitempty"`
	Alone      *Alone      `json:"alone,omitempty"` // its proposals, where no debate followed

	smooth [sureties + 1][]float64 // of its proposals, by confidence
}

// sureties is the highest confidence that agents state; the lowest is 1.
const sureties = 10

// Bin has the proposals of one confidence.
type Bin struct {
	Confidence int     `json:"confidence"` // 1 to 10
	N          int     `json:"n"`
	Smooth     float64 `json:"smooth"` // mean share of players whose role is right
	// 95 %, of the t distribution; nil of one proposal
	Interval *stat.Interval `json:"interval,omitempty"`
}

// Round says how good the agents' solutions are at one time, and how far they agree. All fields are shares, from 0 to
// 1.
type Round struct {
	Strict      float64 `json:"strict"`          // 1 if the votes on the players have all roles right
	Smooth      float64 `json:"smooth"`          // share of players whose role the vote has right
	AgentStrict float64 `json:"agent_strict"`    // Strict for each agent's own solution, mean over agents
	AgentSmooth float64 `json:"agent_smooth"`    // Smooth for each agent's own solution, mean over agents
	All         float64 `json:"agreement_all"`   // share of players to whom all agents give the same role
	Major       float64 `json:"agreement_major"` // share of players to whom a majority gives the same role
}

// measures are the fields in a fixed order.
func (r *Round) measures() []*float64 {
	return []*float64{&r.Strict, &r.Smooth, &r.AgentStrict, &r.AgentSmooth, &r.All, &r.Major}
}

// Played is a debate on a puzzle, gone through once.
type Played struct{ of *dynamics }

// Play goes through a debate; the result is nil of one that is on no puzzle, or that broke off.
func Play(o *outcome.Debate) *Played {
	c, ok := dynamicsOf(o)
	if !ok {
		return nil
	}
	c.play()
	return &Played{c}
}

// Initial says how good the proposals are, and Final the solutions in the end.
func (p *Played) Initial() Round { return p.of.initial }
func (p *Played) Final() Round   { return p.of.final }

// Area is the mean over the rounds after the debates on players; known is false where there were none.
func (p *Played) Area() (area Round, known bool) { return areaOf(p.of.during), len(p.of.during) > 0 }

// Of sums up puzzles; the result is nil if there are none. Debates on none are nil.
func Of(debates []*Played) *Summary {
	var initial, final, areas []Round
	var rounds [][]Round // by number
	var played []*dynamics
	s := &Summary{}
	for _, p := range debates {
		if p == nil {
			continue
		}
		c := p.of
		initial, final, areas = append(initial, c.initial), append(final, c.final), append(areas, areaOf(c.during))
		for i, round := range c.during {
			if i == len(rounds) {
				rounds = append(rounds, nil)
			}
			rounds[i] = append(rounds[i], round)
		}
		s.add(c)
		s.countOpinions(c)
		s.judge(c)
		played = append(played, c)
	}
	if s.N = len(initial); s.N == 0 {
		return nil
	}
	s.Initial, s.Final, s.AUC = over(initial, stat.Mean), over(final, stat.Mean), over(areas, stat.Mean)
	for _, round := range rounds {
		s.Rounds = append(s.Rounds, over(round, stat.Mean))
	}
	s.Depths = depths(played)
	s.finish()
	return s
}

// add counts a debate by size, by agent and by phase.
func (s *Summary) add(c *dynamics) {
	size := find(&s.Sizes, func(z Size) bool { return z.Players == len(c.players) }, Size{Players: len(c.players)})
	size.N++
	for _, turn := range c.shifts {
		s.Shifts.Count(turn.before, turn.after)
		size.Shifts.Count(turn.before, turn.after)
		for i, agent := range c.agents {
			s.agent(agent, c.models[agent]).Shifts.Count(turn.before[i:i+1], turn.after[i:i+1])
		}
	}
	if c.alone {
		s.alone(c)
	}
	for _, p := range c.proposals {
		a := s.agent(p.agent, c.models[p.agent])
		a.smooth[p.confidence] = append(a.smooth[p.confidence], p.smooth)
	}
	for _, r := range c.ratings {
		rated := find(&s.Ratings, func(of Rated) bool { return of.Of == r.outcome }, Rated{Of: r.outcome})
		if r.rating == 0 {
			rated.Unread++
		} else {
			rated.Ratings[r.rating-1]++
		}
	}
	if c.game == nil {
		return
	}
	for _, k := range c.claims {
		s.agent(k.agent, c.models[k.agent]).Claims.add(k.verdicts)
		find(&s.Claims, func(of Claimed) bool { return of.Of == k.phase }, Claimed{Of: k.phase}).add(k.verdicts)
		if k.change != "" {
			find(&s.Changes, func(of Claimed) bool { return of.Of == k.change }, Claimed{Of: k.change}).add(k.verdicts)
		}
	}
}

// agent is the entry of an agent under a model.
func (s *Summary) agent(agent int, model string) *Agent {
	return find(&s.Agents, func(a Agent) bool { return a.Agent == agent && a.Model == model },
		Agent{Agent: agent, Model: model})
}

// find returns the entry of a list that is meant, after it has appended a new one if there is none.
func find[T any](list *[]T, meant func(T) bool, or T) *T {
	i := slices.IndexFunc(*list, meant)
	if i < 0 {
		i, *list = len(*list), append(*list, or)
	}
	return &(*list)[i]
}

// finish sorts the lists, computes the bins, and leaves out the models of a run with one.
func (s *Summary) finish() {
	slices.SortFunc(s.Sizes, func(a, b Size) int { return a.Players - b.Players })
	slices.SortStableFunc(s.Agents, func(a, b Agent) int { return a.Agent - b.Agent })
	slices.SortFunc(s.Opinions, byStanding)
	slices.SortFunc(s.Claims, func(a, b Claimed) int {
		return slices.Index(phaseKinds, a.Of) - slices.Index(phaseKinds, b.Of)
	})
	slices.SortFunc(s.Changes, func(a, b Claimed) int {
		return slices.Index(changes, a.Of) - slices.Index(changes, b.Of)
	})
	slices.SortFunc(s.Ratings, func(a, b Rated) int {
		return slices.Index(outcomes, a.Of) - slices.Index(outcomes, b.Of)
	})
	for i := range s.Agents {
		for confidence, smooth := range s.Agents[i].smooth {
			if len(smooth) == 0 {
				continue
			}
			bin := Bin{Confidence: confidence, N: len(smooth), Smooth: stat.Mean(smooth)}
			if len(smooth) > 1 {
				interval := stat.Bounded(smooth, 0, 1, level)
				bin.Interval = &interval
			}
			s.Agents[i].Confidence = append(s.Agents[i].Confidence, bin)
		}
		s.Agents[i].smooth = [sureties + 1][]float64{}
		s.Agents[i].Alone.finish()
	}
}

// level is that of intervals.
const level = 0.95

// areaOf is the area under each measure of one debate.
func areaOf(rounds []Round) Round { return over(rounds, agreement.RoundArea) }

// over sums up each measure of some rounds.
func over(rounds []Round, sum func([]float64) float64) (total Round) {
	for i, measure := range total.measures() {
		values := make([]float64, len(rounds))
		for k := range rounds {
			values[k] = *rounds[k].measures()[i]
		}
		*measure = sum(values)
	}
	return total
}
