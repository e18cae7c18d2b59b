package debate

import (
	"slices"

	"parley/debate/answer"
)

// MajorityRule names the rule of Vote in records.
const MajorityRule = "majority, ties to the answer first in agent order"

// Vote takes the answer that most turns give; ties go to the one met first in agent order (sources 0, 1 and Du et al.).
// Turns without a readable answer have no vote. Without any vote the decision is unparsed.
func Vote(turns []Turn) Decision {
	d := Decision{Rule: MajorityRule, Votes: []Count{}} // a list in records even if it is empty
	for _, t := range turns {
		if !t.Answer.Parsed {
			continue
		}
		at := slices.IndexFunc(d.Votes, func(c Count) bool { return c.Answer == t.Answer.Text })
		if at < 0 {
			at = len(d.Votes)
			d.Votes = append(d.Votes, Count{Answer: t.Answer.Text})
		}
		d.Votes[at].Agents = append(d.Votes[at].Agents, t.Agent)
	}
	slices.SortStableFunc(d.Votes, func(a, b Count) int { return len(b.Agents) - len(a.Agents) })
	if len(d.Votes) > 0 {
		d.Answer = answer.Of(d.Votes[0].Answer)
		d.Tie = len(d.Votes) > 1 && len(d.Votes[0].Agents) == len(d.Votes[1].Agents)
	}
	return d
}

// agree reports whether all who spoke gave the same answer, each one that can be read.
func agree(turns []Turn) bool {
	spoke := slices.DeleteFunc(slices.Clone(turns), Turn.silent)
	votes := Vote(spoke).Votes
	return len(votes) == 1 && len(votes[0].Agents) == len(spoke)
}

// VoteOf is the vote after a round; that of round 0 is the vote without debate.
func (t Transcript) VoteOf(round int) Decision { return Vote(t.Rounds[round]) }

// Last is the last round, nil if there is none.
func (t Transcript) Last() []Turn {
	if len(t.Rounds) == 0 {
		return nil
	}
	return t.Rounds[len(t.Rounds)-1]
}

// Changed reports whether an agent says something else in a round than in the one before.
func (t Transcript) Changed(agent, round int) bool {
	return round > 0 && t.Rounds[round][agent].Answer != t.Rounds[round-1][agent].Answer
}
