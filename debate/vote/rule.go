// Package vote decides: by rules over what was said (Rules), or by elections, in which agents are asked for ballots
// (Elections, Poll). Rules and Election.Count are pure functions of what a transcript records, so that a run can be
// decided anew without a model.
package vote

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"parley/debate"
	"parley/debate/answer"
)

// Rule decides by what was said in a debate, without asking anybody.
type Rule struct {
	Name, Source, Meaning string
	weigh                 func(rounds [][]debate.Turn) []debate.Count // in the order in which the answers were met
	heads                 bool                                        // are counted, not weights
}

// Rules lists them.
func Rules() []Rule {
	return []Rule{
		{MajorityDecision, "Du et al. 2023", "the answer that most agents give in the last round", weighHeads, true},
		{"weighted", "ReConcile (Chen et al. 2023)", "the same, each vote weighed by the agent's confidence",
			weighConfidence, false},
		{"trajectory", "FREE-MAD (Cui et al. 2025)", "points over all rounds for answers that are kept or taken up, " +
			"against those given up", weighTrajectory, false},
		{"first", "Debate or Vote (Choi et al. 2025)", "the answer of agent 0, whom all others inform", weighFirst,
			true},
	}
}

// How ties between answers end.
const (
	TiesFirst  = "first"  // the answer first in agent order (sources 0, 1 and 2)
	TiesRandom = "random" // drawn with the seed (Debate or Vote)
	TiesOpen   = "open"   // no answer
)

// Vote is the majority of a round: the answer that most turns give; ties go to the one met first in agent order
// (sources 0, 1 and Du et al.). Turns without a readable answer have no vote. Without any vote the decision is
// unparsed.
func Majority(turns []debate.Turn) debate.Decision {
	return Rules()[0].Decide(debate.Transcript{Rounds: [][]debate.Turn{turns}}, TiesFirst, nil)
}

// Decide weighs the answers of a debate again, as it stands in a record. random draws among tied answers, where they
// are to be drawn.
func (r Rule) Decide(t debate.Transcript, ties string, random *rand.Rand) debate.Decision {
	if ties == "" {
		ties = TiesFirst
	}
	// a list in records even if it is empty
	d := debate.Decision{Rule: r.Name + ", " + TiesMeaning[ties], Votes: []debate.Count{}}
	if len(t.Rounds) == 0 {
		return d
	}
	d.Votes = append(d.Votes, r.weigh(t.Rounds)...)
	slices.SortStableFunc(d.Votes, func(a, b debate.Count) int { return cmp.Compare(r.weight(b), r.weight(a)) })
	best := 0
	for best < len(d.Votes) && r.weight(d.Votes[best]) == r.weight(d.Votes[0]) {
		best++
	}
	d.Tie = best > 1
	switch {
	case best == 0 || d.Tie && ties == TiesOpen:
	case d.Tie && ties == TiesRandom:
		d.Answer = answer.Of(d.Votes[random.IntN(best)].Answer)
	default:
		d.Answer = answer.Of(d.Votes[0].Answer)
	}
	return d
}

var TiesMeaning = map[string]string{TiesFirst: "ties to the answer first in agent order", TiesRandom: "ties drawn",
	TiesOpen: "ties open"}

// weight is what an answer has by the rule.
func (r Rule) weight(c debate.Count) float64 {
	if r.heads {
		return float64(len(c.Agents))
	}
	return Rounded(c.Weight)
}

// rounded is a sum without what its order added to it, so that equal sums are equal.
func Rounded(sum float64) float64 { return math.Round(sum*1e9) / 1e9 }

// counts collects answers in the order in which they are met.
type counts []debate.Count

func (c *counts) of(a string) *debate.Count {
	at := slices.IndexFunc(*c, func(x debate.Count) bool { return x.Answer == a })
	if at < 0 {
		at = len(*c)
		*c = append(*c, debate.Count{Answer: a})
	}
	return &(*c)[at]
}

func weighHeads(rounds [][]debate.Turn) []debate.Count {
	c := counts{}
	for _, t := range rounds[len(rounds)-1] {
		if t.Answer.Parsed {
			count := c.of(t.Answer.Text)
			count.Agents = append(count.Agents, t.Agent)
		}
	}
	return c
}

func weighFirst(rounds [][]debate.Turn) []debate.Count {
	last := rounds[len(rounds)-1]
	return weighHeads([][]debate.Turn{last[:min(1, len(last))]})
}

// weighConfidence is ReConcile's vote: confidences are rescaled in steps, since models claim too much. Who gave none
// has the least weight.
func weighConfidence(rounds [][]debate.Turn) []debate.Count {
	c := counts{}
	for _, t := range rounds[len(rounds)-1] {
		if t.Answer.Parsed {
			count := c.of(t.Answer.Text)
			count.Agents, count.Weight = append(count.Agents, t.Agent), count.Weight+rescaled(t.Confidence)
		}
	}
	return c
}

func rescaled(confidence *float64) float64 {
	switch {
	case confidence == nil || *confidence <= 0.6:
		return 0.1
	case *confidence < 0.8:
		return 0.3
	case *confidence < 0.9:
		return 0.5
	case *confidence < 1:
		return 0.8
	}
	return 1
}

// Points of FREE-MAD's score, each divided by the number of the round, from 1: for an answer given first, for the one
// given up, for the one taken up, and for one that is kept.
const (
	pointsInitial = 20
	pointsLeft    = -25
	pointsTaken   = 30
	pointsKept    = 20
)

// weighTrajectory is FREE-MAD's score: an answer's points, divided by the number of agents that ever held it.
func weighTrajectory(rounds [][]debate.Turn) []debate.Count {
	c := counts{}
	held := make(map[int]answer.Answer)
	for r, round := range rounds {
		for _, t := range round {
			before, decay := held[t.Agent], 1/float64(r+1)
			switch {
			case t.Silent() || !before.Parsed && !t.Answer.Parsed:
				continue
			case !before.Parsed:
				c.give(t, pointsInitial*decay)
			case before == t.Answer:
				c.give(t, pointsKept*decay)
			default:
				c.of(before.Text).Weight += pointsLeft * decay
				if t.Answer.Parsed {
					c.give(t, pointsTaken*decay)
				}
			}
			held[t.Agent] = t.Answer
		}
	}
	for i := range c {
		c[i].Weight /= float64(max(1, len(c[i].Agents)))
	}
	return c
}

func (c *counts) give(t debate.Turn, points float64) {
	count := c.of(t.Answer.Text)
	count.Weight += points
	if !slices.Contains(count.Agents, t.Agent) {
		count.Agents = append(count.Agents, t.Agent)
	}
}

// RuleNamed finds one of Rules.
func RuleNamed(name string) (Rule, error) {
	var names []string
	for _, r := range Rules() {
		if r.Name == name {
			return r, nil
		}
		names = append(names, r.Name)
	}
	return Rule{}, fmt.Errorf("no rule %q; there are %s", name, strings.Join(names, ", "))
}

// Again decides by the rule that the record of a debate names, from its answers as they stand there now. Ties that are
// drawn are drawn with the seeds. Decisions that somebody took, or that were voted on, are no rule over what was said.
func Again(t debate.Transcript, seeds debate.Seeds) (debate.Decision, error) {
	for _, r := range Rules() {
		for ties, words := range TiesMeaning {
			if t.Decision.Rule == r.Name+", "+words {
				return r.Decide(t, ties, seeds.Ties(t.Case)), nil
			}
		}
	}
	return debate.Decision{}, fmt.Errorf("case %q was decided by %q, which is no rule over what was said", t.Case,
		t.Decision.Rule)
}
