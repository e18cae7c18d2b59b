package analysis

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"parley/bench/stat"
	"parley/bench/trial"
	"parley/debate"
	"parley/debate/titfortat"
)

// Dynamics says how the debates of a condition went. It is a function of their transcripts.
type Dynamics struct {
	Rounds []Round `json:"rounds"` // of the transcripts
	Agents []Spent `json:"agents"` // what each was asked in all, ballots included

	MeanRounds float64 `json:"mean_rounds"`   // to the decision, the first one included; of a discussion its turns
	Decided    []int   `json:"decided_after"` // debates whose last round that was; [0] is the first
	Ties       int     `json:"ties"`          // debates that the tie rule decided

	// of debates between sides: how many each won, in the words of the moderator; neither is one of them
	Sides map[string]int `json:"sides,omitempty"`

	// ByEquality says that the scores come from answers that equal the target. If not, an answer that is right in
	// another form counts as wrong in what follows and in the rounds.
	ByEquality bool `json:"by_equality"`
	// of agents that answered more than once, from their first answer to their last
	Transitions stat.Transitions `json:"transitions"`

	// mean share of pairs of agents with different answers in a round, over its rounds, then debates
	Disagreement *float64 `json:"disagreement,omitempty"`
	Roles        *Roles   `json:"roles,omitempty"` // of puzzles of knights
	// of debates between sides: whose last answer was decided for, whoever decided
	Chosen     map[string]int `json:"chosen,omitempty"`
	Challenges *Challenges    `json:"challenges,omitempty"` // where agents were shown the decision once more
	// where agents were asked again with the others listed in other ways
	Probes *Probes `json:"probes,omitempty"`
	// accuracy of answering only with enough votes, where debates differ in their votes
	Coverage     []stat.Covered `json:"coverage,omitempty"`
	CoverageArea float64        `json:"coverage_area,omitempty"` // under that curve

	Agreement     *float64 `json:"agreement,omitempty"` // mean share of pairs of agents whose last answers are equal
	Alpha         *float64 `json:"alpha,omitempty"`     // Krippendorff's, of the last answers
	Entropy       Readings `json:"entropy"`
	LogLikelihood Readings `json:"log_likelihood"`
}

// Spent is what one agent cost.
type Spent struct {
	Agent int `json:"agent"`
	Cost
}

// DynamicsOf sums up the debates of one condition that could be held, those of several repeats alike.
func DynamicsOf(c trial.Condition, p *Part) *Dynamics {
	outcomes, said := p.held.outcomes, p.said()
	d := &Dynamics{Rounds: roundsOf(p), Agents: spentIn(outcomes), ByEquality: true}
	var held []float64
	for i, o := range outcomes {
		if rounds := o.Transcript.RoundsHeld(); rounds > 0 {
			held = append(held, float64(rounds))
			d.decide(o.Transcript, rounds)
		}
		d.change(said.cells[i])
		d.ByEquality = d.ByEquality && c.ScoreOf(o.Transcript, trial.ByEquality(o.Truth)) == o.Score
	}
	d.MeanRounds, d.Disagreement, d.Roles = stat.Mean(held), disagreement(said.ids.debates), rolesOf(outcomes)
	d.Challenges, d.Probes = challengesOf(outcomes), probesOf(outcomes)
	if !c.Oracle {
		d.cover(outcomes)
	}
	d.agree(said.ids.standing)
	d.Entropy, d.LogLikelihood = readings(said.ids.whole(), stat.Share(len(outcomes), len(p.correct.questions)))
	return d
}

func spentIn(outcomes []trial.Outcome) (agents []Spent) {
	costs := make(map[int]Cost)
	for _, o := range outcomes {
		for call := range o.Transcript.Calls() {
			cost := costs[call.Agent]
			cost.add(call)
			costs[call.Agent] = cost
		}
	}
	for _, agent := range slices.Sorted(maps.Keys(costs)) {
		agents = append(agents, Spent{agent, costs[agent]})
	}
	return agents
}

func (d *Dynamics) decide(t debate.Transcript, rounds int) {
	if rounds > len(d.Decided) {
		d.Decided = append(d.Decided, make([]int, rounds-len(d.Decided))...)
	}
	d.Decided[rounds-1]++
	if t.Decision.Tie {
		d.Ties++
	}
	if t.HasSides() {
		if d.Sides == nil {
			d.Sides = make(map[string]int)
		}
		d.Sides[cmp.Or(strings.ToLower(strings.TrimSpace(t.Decision.Side)), "neither")]++
		if d.Chosen == nil {
			d.Chosen = make(map[string]int)
		}
		d.Chosen[titfortat.Chosen(t)]++
	}
}

// change counts what became of the agents' first answers in a debate.
func (d *Dynamics) change(rounds [][]cell) {
	first, last := make(map[int]cell), make(map[int]cell)
	for _, cells := range rounds {
		for _, c := range cells {
			if _, answered := first[c.turn.Agent]; answered {
				last[c.turn.Agent] = c
			} else {
				first[c.turn.Agent] = c
			}
		}
	}
	for agent, c := range last {
		d.Transitions[first[agent].mark()][c.mark()]++
	}
}

func (d *Dynamics) agree(standing [][]int) {
	var shares []float64
	for _, answers := range standing {
		if share, known := stat.PairAgreement(answers); known {
			shares = append(shares, share)
		}
	}
	if len(shares) > 0 {
		agreement := stat.Mean(shares)
		d.Agreement = &agreement
	}
	if alpha, known := stat.Alpha(standing); known {
		d.Alpha = &alpha
	}
}
