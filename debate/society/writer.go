package society

import (
	"context"
	"fmt"
	"slices"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/vote"
)

// Agents that write the answer after the last round, whose replies they are shown. Each is one more agent, which has
// not taken part. The names are values of the setting decide.
const (
	// writerAggregator is shown what a later round of layout anonymous shows, so that it is a last layer of one agent
	// (mixture of agents, Wang et al. 2024).
	writerAggregator = debate.RoleAggregator
	// writerChairman is shown the reviews of all agents too, in which each ranks all replies, its own among them,
	// without knowing whose they are (karpathy/llm-council). That program tells its chairman the names of models, but
	// not which response was whose, so that it cannot follow the reviews; ours sees the letters that these speak of.
	writerChairman = debate.RoleChairman
	// writerArbiter is shown all that was said in all rounds, under names, and is told to check it: the judge of a
	// consultancy, of a proposer and a critic, and of a debate (Kenton et al. 2024; Elasky et al. 2026).
	writerArbiter = debate.RoleArbiter
)

var writers = []string{writerAggregator, writerChairman, writerArbiter}

// writes reports whether one more agent writes the answer.
func (s Society) writes() bool { return slices.Contains(writers, s.Decide) }

// write has the answer written. The votes of the last round are kept with it, and so are the ballots of the reviews,
// which decide nothing.
func (s Society) write(ctx context.Context, ask debate.Asker, t *debate.Transcript, c debate.Case) error {
	rounds := t.Rounds[len(t.Rounds)-1:]
	if s.Decide == writerArbiter {
		rounds = t.Rounds
	}
	var texts []string
	var heard []int
	for _, turn := range debate.Candidates(slices.Concat(rounds...), debate.CandidatesTexts) {
		texts, heard = append(texts, turn.Told()), append(heard, turn.Agent)
	}
	d := debate.Decision{Answer: answer.Unparsed, Votes: vote.Majority(t.Last()).Votes,
		Rule: debate.Rule{Means: debate.MeansWritten, Name: s.Decide}}
	request := s.Prompts.HearAnonymous(c.Question, texts)
	switch {
	case len(texts) == 0: // nobody said anything
		request = s.Prompts.First(c.Question)
	case s.Decide == writerChairman:
		reviews, err := s.review(ctx, ask, t, c, texts, &d)
		if err != nil {
			return fmt.Errorf("reviews: %w", err)
		}
		request = s.Prompts.Preside(c.Question, texts, reviews)
	case s.Decide == writerArbiter:
		for i, agent := range heard {
			texts[i] = s.Prompts.Label(s.nameOf(agent), texts[i])
		}
		request = s.Prompts.Arbitrate(c.Question, texts, t.Assigned != nil)
	}
	writer := s.Agents + len(s.presiders()) - 1
	turns := []debate.Turn{{Agent: writer, Round: len(t.Rounds) + len(t.Voting), Kind: debate.KindJudgement,
		Heard: heard, Messages: debate.Conversation(s.Member(writer).Persona, request)}}
	err := ask.Ask(ctx, turns)
	if t.Voting = append(t.Voting, turns); err != nil {
		return fmt.Errorf("the %s: %w", s.Decide, err)
	}
	t.Decision = d
	t.Decision.Answer = turns[0].Answer
	return nil
}

// review asks everybody who spoke last for a review of all texts, and returns what they wrote. The ranking in each is
// its ballot.
func (s Society) review(ctx context.Context, ask debate.Asker, t *debate.Transcript, c debate.Case, texts []string,
	d *debate.Decision) (reviews []string, err error) {
	var voters []debate.Turn
	for _, turn := range t.Last() {
		if !turn.Silent() {
			voters = append(voters, turn)
		}
	}
	ranking, request := vote.PeerRanking(), s.Prompts.Review(c.Question, texts)
	d.Ballots, err = vote.Poll(ctx, ask, t, ranking, len(voters), len(texts), func(i, attempt int) debate.Turn {
		return debate.Turn{Agent: voters[i].Agent, Round: len(t.Rounds) + attempt, Kind: debate.KindBallot,
			Messages: debate.Conversation(s.Member(voters[i].Agent).Persona, request)}
	})
	if err != nil {
		return nil, err
	}
	tally := ranking.Count(d.Ballots, len(texts))
	d.Tally = &tally
	for _, turn := range t.Voting[0] {
		if turn.Tells() {
			reviews = append(reviews, turn.Told())
		}
	}
	return reviews, nil
}
