package society

import (
	"context"
	"fmt"
	"slices"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/vote"
)

// rule returns the rule that decides, which is the majority unless another is named.
func (s Society) rule() vote.Rule {
	rules := vote.Rules()
	return rules[max(0, slices.IndexFunc(rules, func(r vote.Rule) bool { return r.Name == s.Decide }))]
}

// decide decides by the rule.
func (s Society) decide(t debate.Transcript) debate.Decision {
	return s.rule().Decide(t, s.Ties, s.Seeds.Ties(t.Case))
}

// elects reports whether an election decides, so that agents are asked for ballots.
func (s Society) elects() bool {
	return s.Decide != "" && !slices.ContainsFunc(vote.Rules(), func(r vote.Rule) bool { return r.Name == s.Decide })
}

// elect has all agents that spoke in the last round vote on its solutions, including their own. After an open election
// there is no answer in the code's reading, and the first agent's answer in the paper's (source 4).
func (s Society) elect(ctx context.Context, ask debate.Asker, t *debate.Transcript) error {
	election, err := vote.ElectionNamed(s.Decide)
	if err != nil {
		return err
	}
	election = election.As(s.Order.Reading)
	voters := slices.DeleteFunc(slices.Clone(t.Last()), debate.Turn.Silent)
	candidates := debate.Candidates(voters, s.Candidates)
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
