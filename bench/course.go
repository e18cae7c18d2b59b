package bench

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"parley/bench/stat"
	"parley/debate"
	"parley/debate/titfortat"
)

// Course says how the debates of a condition went. It is a function of their transcripts.
type Course struct {
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

// CourseOf sums up the debates of one condition that could be held, those of several repeats alike.
func CourseOf(c Condition, outcomes []Outcome) *Course {
	codes := codesOf(outcomes)
	course := &Course{Rounds: roundsOf(outcomes, codes), Agents: spentIn(outcomes), ByEquality: true}
	var held []float64
	for _, o := range outcomes {
		if rounds := roundsHeld(o.Transcript); rounds > 0 {
			held = append(held, float64(rounds))
			course.decide(o.Transcript, rounds)
		}
		course.change(o)
		course.ByEquality = course.ByEquality && c.scoreOf(o.Transcript, equals(o.Truth)) == o.Score
	}
	course.MeanRounds, course.Disagreement, course.Roles = mean(held), disagreement(codes.debates), rolesOf(outcomes)
	course.Challenges, course.Probes = challengesOf(outcomes), probesOf(outcomes)
	if !c.Oracle {
		course.cover(outcomes)
	}
	course.agree(codes.standing)
	course.Entropy, course.LogLikelihood = readings(codes.whole(), share(len(outcomes), questionsIn(outcomes)))
	return course
}

func spentIn(outcomes []Outcome) (agents []Spent) {
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

func (c *Course) decide(t debate.Transcript, rounds int) {
	if rounds > len(c.Decided) {
		c.Decided = grow(c.Decided, rounds-len(c.Decided))
	}
	c.Decided[rounds-1]++
	if t.Decision.Tie {
		c.Ties++
	}
	if slices.Contains(t.Roles, "affirmative") {
		if c.Sides == nil {
			c.Sides = make(map[string]int)
		}
		c.Sides[cmp.Or(strings.ToLower(strings.TrimSpace(t.Decision.Side)), "neither")]++
		if c.Chosen == nil {
			c.Chosen = make(map[string]int)
		}
		c.Chosen[titfortat.Chosen(t)]++
	}
}

// roundsHeld leaves out what stands around the rounds in a transcript: the answer that a side will defend, what a judge
// is asked, the casting of personas, and a challenge.
func roundsHeld(t debate.Transcript) (rounds int) {
	if len(t.Records) > 0 {
		for _, r := range t.Records {
			rounds = max(rounds, r.Turn)
		}
		return min(rounds, len(t.Records)) // each turn has one at least, whatever a journal says
	}
	moderator := slices.Index(t.Roles, "moderator")
	if moderator < 0 {
		return len(t.Rounds)
	}
	for _, turns := range t.Rounds {
		if slices.ContainsFunc(turns, func(turn debate.Turn) bool { return turn.Agent == moderator }) {
			rounds++
		}
	}
	return rounds
}

// change counts what became of the agents' first answers.
func (c *Course) change(o Outcome) {
	first, last := make(map[int]debate.Turn), make(map[int]debate.Turn)
	for r := range o.Transcript.Rounds {
		for _, turn := range Answers(o.Transcript, r) {
			if _, answered := first[turn.Agent]; answered {
				last[turn.Agent] = turn
			} else {
				first[turn.Agent] = turn
			}
		}
	}
	mark := func(turn debate.Turn) stat.Mark {
		switch {
		case !turn.Answer.Parsed:
			return stat.Unread
		case turn.Answer.Equal(o.Truth):
			return stat.Right
		}
		return stat.Wrong
	}
	for agent, turn := range last {
		c.Transitions[mark(first[agent])][mark(turn)]++
	}
}

func (c *Course) agree(standing [][]int) {
	var shares []float64
	for _, answers := range standing {
		if share, known := stat.PairAgreement(answers); known {
			shares = append(shares, share)
		}
	}
	if len(shares) > 0 {
		agreement := mean(shares)
		c.Agreement = &agreement
	}
	if alpha, known := stat.Alpha(standing); known {
		c.Alpha = &alpha
	}
}
