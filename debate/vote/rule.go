// Package vote decides debates: by rules over what agents said (Rules), or by elections, for which agents are asked for
// ballots (Elections, Poll). Rule.Decide and Election.Count are pure functions of what a transcript records, so that a
// run can be decided again without a model. rule.go has the rules; election.go the elections, ballot.go how ballots are
// read, count.go how they are counted, and poll.go how agents are asked; players.go is for puzzles, whose players are
// voted on one by one.
package vote

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/internal/unknown"
)

// Rule decides by what agents said in a debate; nobody is asked for a ballot.
type Rule struct {
	Name, Source, Meaning string
	weigh                 func(rounds [][]debate.Turn) []debate.Count // answers in the order in which they came up
	heads                 bool                                        // the agents of an answer count, not its weight
}

// Rules lists the rules; the first is the majority.
func Rules() []Rule {
	return []Rule{
		{MajorityDecision, "Du et al. 2023", "the answer that most agents give in the last round", weighHeads, true},
		{"weighted", "ReConcile (Chen et al. 2023)", "the same, with each vote weighted by the agent's confidence",
			weighConfidence, false},
		{"trajectory", "FREE-MAD (Cui et al. 2025)", "points over all rounds: answers gain when they are kept or " +
			"adopted, and lose when they are given up", weighTrajectory, false},
		{"first", "Debate or Vote (Choi et al. 2025)", "the answer of agent 0, which hears all others", weighFirst,
			true},
		{"last", "none of the sources", "the answer of the last agent, which decides after it has heard all others",
			weighLast, true},
		{Confident + "10", deepConf, "the tenth of the answers of the last round that is given with most confidence, " +
			"each with that as its weight", weighConfident(0.1), false},
		{Confident + "90", deepConf, "the same of nine tenths", weighConfident(0.9), false},
	}
}

// Confident is how the names of DeepConf's rules begin.
const (
	Confident = "confident-"
	deepConf  = "DeepConf (Fu et al. 2025)"
)

// Majority returns the vote of a round: the answer that most turns give. Ties go to the answer first in agent order
// (MADC, the agents-lab lesson and Du et al.). A turn without a readable answer has no vote; without any vote the
// decision is unparsed.
func Majority(turns []debate.Turn) debate.Decision {
	return Rules()[0].Decide(debate.Transcript{Rounds: [][]debate.Turn{turns}}, debate.TiesFirst, nil)
}

// Decide returns the decision of the rule on a debate, whether it has just been held or comes from a record. random
// draws among tied answers; only debate.TiesRandom needs it.
func (r Rule) Decide(t debate.Transcript, ties string, random *rand.Rand) debate.Decision {
	if ties == "" {
		ties = debate.TiesFirst
	}
	// Votes is not nil, since records have a list there even if nobody voted.
	d := debate.Decision{Rule: debate.Rule{Means: debate.MeansRule, Name: r.Name, Ties: ties}, Votes: []debate.Count{}}
	if len(t.Rounds) == 0 {
		return d
	}
	d.Votes = append(d.Votes, r.weigh(withoutConfederate(t.Rounds))...)
	slices.SortStableFunc(d.Votes, func(a, b debate.Count) int { return cmp.Compare(r.weight(b), r.weight(a)) })
	best := 0
	for best < len(d.Votes) && r.weight(d.Votes[best]) == r.weight(d.Votes[0]) {
		best++
	}
	d.Tie = best > 1
	switch {
	case best == 0 || d.Tie && ties == debate.TiesOpen:
	case d.Tie && ties == debate.TiesRandom:
		d.Answer = answer.Of(d.Votes[random.IntN(best)].Answer)
	default:
		d.Answer = answer.Of(d.Votes[0].Answer)
	}
	return d
}

// withoutConfederate returns rounds without the turns of a confederate, which has no vote.
func withoutConfederate(rounds [][]debate.Turn) [][]debate.Turn {
	scripted := func(t debate.Turn) bool { return t.Kind == debate.KindConfederate }
	voters := slices.Clone(rounds)
	for r, turns := range voters {
		if slices.ContainsFunc(turns, scripted) {
			voters[r] = slices.DeleteFunc(slices.Clone(turns), scripted)
		}
	}
	return voters
}

// weight returns what counts for an answer by the rule: how many agents gave it, or their weight.
func (r Rule) weight(c debate.Count) float64 {
	if r.heads {
		return float64(len(c.Agents))
	}
	return Round(c.Weight)
}

// Round returns a sum without the rounding error that depends on the order of its terms, so that equal sums are
// equal.
func Round(sum float64) float64 { return math.Round(sum*1e9) / 1e9 }

// counts collects answers in the order in which they come up.
type counts []debate.Count

// of returns the entry of an answer, which it adds if there is none. The pointer is valid until the next call, which
// may move the entries.
func (c *counts) of(a string) *debate.Count {
	at := slices.IndexFunc(*c, func(x debate.Count) bool { return x.Answer == a })
	if at < 0 {
		at = len(*c)
		*c = append(*c, debate.Count{Answer: a})
	}
	return &(*c)[at]
}

// weighed counts the answers of turns, each by a weight. Unparsed answers get none.
func weighed(turns []debate.Turn, weight func(debate.Turn) float64) []debate.Count {
	c := counts{}
	for _, t := range turns {
		if t.Answer.Parsed {
			count := c.of(t.Answer.Text)
			count.Agents, count.Weight = append(count.Agents, t.Agent), count.Weight+weight(t)
		}
	}
	return c
}

// weighHeads gives each agent of the last round one vote for its answer.
func weighHeads(rounds [][]debate.Turn) []debate.Count {
	return weighed(rounds[len(rounds)-1], func(debate.Turn) float64 { return 0 }) // their number counts
}

// weighFirst counts only the first agent of the last round.
func weighFirst(rounds [][]debate.Turn) []debate.Count {
	last := rounds[len(rounds)-1]
	return weighHeads([][]debate.Turn{last[:min(1, len(last))]})
}

// weighLast is the answer of the agent with the highest number.
func weighLast(rounds [][]debate.Turn) []debate.Count {
	last := rounds[len(rounds)-1]
	return weighHeads([][]debate.Turn{last[max(0, len(last)-1):]})
}

// weighConfidence is ReConcile's vote: confidences are rescaled in steps, since models are overconfident. An agent that
// stated none has the least weight.
func weighConfidence(rounds [][]debate.Turn) []debate.Count {
	return weighed(rounds[len(rounds)-1], func(t debate.Turn) float64 { return rescale(t.Confidence) })
}

// rescale returns the weight of a confidence from 0 to 1; nil means that the agent stated none.
func rescale(confidence *float64) float64 {
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

// weighConfident is DeepConf's vote: of the answers of the last round, those count whose confidence is among the
// highest share, or as high as the interpolated quantile where that begins, each by its confidence. One without has 0.
func weighConfident(share float64) func(rounds [][]debate.Turn) []debate.Count {
	return func(rounds [][]debate.Turn) []debate.Count {
		var voters []debate.Turn
		var sure []float64
		for _, t := range rounds[len(rounds)-1] {
			if t.Answer.Parsed {
				voters, sure = append(voters, t), append(sure, confidenceOf(t))
			}
		}
		least := quantile(sure, 1-share)
		unsure := func(t debate.Turn) bool { return confidenceOf(t) < least }
		return weighed(slices.DeleteFunc(voters, unsure), confidenceOf)
	}
}

func confidenceOf(t debate.Turn) float64 {
	if sure := cmp.Or(t.Weight, t.Confidence); sure != nil {
		return *sure
	}
	return 0
}

// quantile returns a quantile as numpy.percentile does, between two values in proportion; of none it is 0.
func quantile(values []float64, at float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	place := at * float64(len(sorted)-1)
	below := int(place)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (place-float64(below))*(sorted[above]-sorted[below])
}

// Points of FREE-MAD's score, each divided by the number of the round, counted from 1.
const (
	pointsInitial = 20  // for an agent's first answer
	pointsLeft    = -25 // for the answer that an agent gives up
	pointsTaken   = 30  // for the answer that it adopts instead
	pointsKept    = 20  // for the answer that it keeps
)

// weighTrajectory is FREE-MAD's score: an answer's points over all rounds, divided by the number of agents that ever
// held it. Where an agent states a verdict, that says whether it changes, as in the source: who keeps holds the answer
// that it had, whatever else its reply says, and so does who revises and gives none. Who revises to the same answer
// takes points from it and gives it more.
func weighTrajectory(rounds [][]debate.Turn) []debate.Count {
	c := counts{}
	held := make(map[int]answer.Answer)
	for r, round := range rounds {
		for _, t := range round {
			before, decay := held[t.Agent], 1/float64(r+1)
			keeps := before.Same(t.Answer)
			if t.Verdict != "" {
				keeps = t.Verdict == debate.VerdictKeep || !t.Answer.Parsed
			}
			switch {
			case t.Silent() || !before.Parsed && !t.Answer.Parsed:
				continue
			case !before.Parsed:
				c.give(t.Agent, t.Answer, pointsInitial*decay)
			case keeps:
				c.give(t.Agent, before, pointsKept*decay)
				continue
			default:
				c.of(before.Text).Weight += pointsLeft * decay
				if t.Answer.Parsed {
					c.give(t.Agent, t.Answer, pointsTaken*decay)
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

// give adds points to the answer of an agent, which has now held it.
func (c *counts) give(agent int, a answer.Answer, points float64) {
	count := c.of(a.Text)
	count.Weight += points
	if !slices.Contains(count.Agents, agent) {
		count.Agents = append(count.Agents, agent)
	}
}

// RuleNamed returns one of Rules.
func RuleNamed(name string) (Rule, error) {
	var names []string
	for _, r := range Rules() {
		if r.Name == name {
			return r, nil
		}
		names = append(names, r.Name)
	}
	return Rule{}, unknown.Name("decision rule", name, names)
}

// Again decides a debate again by the rule that its record names, from the answers that the record has now; a random
// tie is drawn with the seeds. It refuses decisions that a judge took or that an election made: no rule leads to those.
func Again(t debate.Transcript, seeds debate.Seeds) (debate.Decision, error) {
	by := t.Decision.Rule
	if r, err := RuleNamed(by.Name); err == nil && by.Means == debate.MeansRule && by.Withheld == 0 {
		return r.Decide(t, by.Ties, seeds.Ties(t.Case)), nil
	}
	return debate.Decision{}, fmt.Errorf("case %q was decided by %q, which is no rule over what was said", t.Case,
		t.Decision.Rule)
}
