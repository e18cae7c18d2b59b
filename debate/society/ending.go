package society

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/vote"
)

// The errors in the turn of an agent that did not have to be asked.
var (
	errSpared  = errors.New("not asked: no further vote can change the result")
	errSettled = errors.New("not asked: a test tells which answer most further votes would be")
	errSure    = errors.New("not asked: the first agent is sure enough")
)

// stopsVoting reports whether the last round ends as soon as its result is known.
func (s Society) stopsVoting() bool { return s.Until == untilCertain || s.Until == untilSettled }

// sure reports whether an agent gave a readable answer, with as much confidence as it takes. What cannot be scored is
// told where confidences are read.
func (s Society) sure(t debate.Turn) bool {
	c, err := s.confidence(t)
	return err == nil && c != nil && *c >= s.Sure && t.Answer.Parsed
}

// drawnAlike reports whether all answers are drawn from one distribution: before anybody hears another, by agents that
// differ in nothing but their names.
func (s Society) drawnAlike() bool {
	for i := range s.Agents {
		one, other := s.Member(0), s.Member(i)
		one.Name, other.Name = "", ""
		if !reflect.DeepEqual(one, other) {
			return false
		}
	}
	return s.Rounds == 1
}

// missing returns how many more agents must at least be asked before the result can be known, and why the others are
// spared if it is 0.
func (s Society) missing(asked []debate.Turn, agents int) (more int, spared error) {
	more = agentsMissing(asked, agents)
	if s.Until == untilSettled && more > 0 {
		return min(more, vote.Missing(asked, agents-len(asked))), errSettled
	}
	return more, errSpared
}

// agentsMissing returns how many more agents must at least be asked before the majority can be certain, or 0 if it is
// certain now. Agents asked later come later in agent order, so that the answer that leads now wins a tie with a new
// one.
func agentsMissing(asked []debate.Turn, agents int) int {
	left := agents - len(asked)
	lead, next := 0, 0
	votes := vote.Majority(asked).Votes
	if len(votes) > 0 {
		lead = len(votes[0].Agents)
	}
	if len(votes) > 1 {
		next = len(votes[1].Agents)
		if first(votes[1]) < first(votes[0]) {
			next++ // it would win a tie
		}
	}
	if lead > 0 && next+left <= lead {
		return 0
	}
	return min(left, max(1, (next+left-lead+1)/2))
}

// first returns the first agent that gave an answer.
func first(c debate.Count) int { return c.Agents[0] }

// spare marks agents that were not asked, and why.
func spare(turns []debate.Turn, why error) {
	for i := range turns {
		turns[i].Reply.Err, turns[i].Error = why, why.Error()
	}
}

// agree reports whether all agents that spoke gave the same readable answer.
func agree(turns []debate.Turn) bool {
	spoke := slices.DeleteFunc(slices.Clone(turns), func(t debate.Turn) bool {
		return t.Silent() || t.Kind == debate.KindConfederate
	})
	votes := vote.Majority(spoke).Votes
	return len(votes) == 1 && len(votes[0].Agents) == len(spoke)
}

// conclude decides a debate after its last round: by a rule, by an election, or by one more agent.
func (s Society) conclude(ctx context.Context, ask debate.Asker, t *debate.Transcript, c debate.Case) error {
	switch {
	case s.writes():
		return s.write(ctx, ask, t, c)
	case s.elects():
		return s.elect(ctx, ask, t)
	}
	t.Decision = s.decide(*t)
	return nil
}

// rule returns the rule that decides, which is the majority unless another is named.
func (s Society) rule() vote.Rule {
	rules := vote.Rules()
	return rules[max(0, slices.IndexFunc(rules, func(r vote.Rule) bool { return r.Name == s.Decide }))]
}

// weighsConfidence reports whether votes count by confidence.
func (s Society) weighsConfidence() bool {
	return s.Decide == "weighted" || strings.HasPrefix(s.Decide, vote.Confident)
}

// decide decides by the rule.
func (s Society) decide(t debate.Transcript) debate.Decision {
	return s.rule().Decide(t, s.Ties, s.Seeds.Ties(t.Case))
}

// elects reports whether an election decides, so that agents are asked for ballots.
func (s Society) elects() bool {
	return s.Decide != "" && !s.writes() &&
		!slices.ContainsFunc(vote.Rules(), func(r vote.Rule) bool { return r.Name == s.Decide })
}

// elect has all agents that spoke in the last round vote on its solutions, including their own. After an open election
// there is no answer in the code's reading, and the first agent's answer in the paper's (MALLM).
func (s Society) elect(ctx context.Context, ask debate.Asker, t *debate.Transcript) error {
	election, err := vote.ElectionNamed(s.Decide)
	if err != nil {
		return err
	}
	election = election.As(s.Order.Reading)
	voters := slices.DeleteFunc(slices.Clone(t.Last()), debate.Turn.Silent)
	candidates := debate.Candidates(voters, s.Candidates)
	if len(candidates) == 0 { // nobody said anything
		t.Decision = debate.Decision{Answer: answer.Unparsed, Votes: vote.Majority(voters).Votes, Tie: true,
			Rule: debate.Rule{Means: debate.MeansElection, Name: election.Name}}
		return nil
	}
	ballots, err := s.poll(ctx, ask, t, election, voters, candidates)
	if err != nil {
		return fmt.Errorf("voting: %w", err)
	}
	tally := election.Count(ballots, len(candidates))
	t.Decision = debate.Decision{Answer: answer.Unparsed, Votes: vote.Majority(voters).Votes, Tie: tally.Winner < 0,
		Rule: debate.Rule{Means: debate.MeansElection, Name: election.Name}, Ballots: ballots, Tally: &tally}
	switch {
	case tally.Winner >= 0:
		t.Decision.Answer = candidates[tally.Winner].Answer
	case s.Order.Reading == debate.ReadingPaper:
		t.Decision.Answer, t.Decision.Rule.Outcome = candidates[0].Answer, debate.OutcomeFirst
	}
	return nil
}

// poll asks every voter for a ballot, after its history.
func (s Society) poll(ctx context.Context, ask debate.Asker, t *debate.Transcript, election vote.Election, voters,
	candidates []debate.Turn) ([]debate.Ballot, error) {
	question, rules := s.Prompts.VoteOn(debate.Texts(candidates), election.Name, election.Points), ""
	if s.Ballots == vote.BallotsGrammar {
		rules = election.Grammar(len(candidates))
	}
	return vote.Poll(ctx, ask, t, election, len(voters), len(candidates), func(i, attempt int) debate.Turn {
		voter := voters[i]
		return debate.Turn{Agent: voter.Agent, Round: len(t.Rounds) + attempt, Kind: debate.KindBallot, Grammar: rules,
			Messages: debate.WithMessage(debate.WithReply(voter.Messages, voter), question)}
	})
}
