package society

import (
	"context"

	"parley/debate"
	"parley/debate/answer"
	"parley/debate/vote"
)

// chance is the one that draws from two agents' beliefs are the same answer.
func chance(a, b []debate.Belief) (p float64) {
	for _, x := range a {
		for _, y := range b {
			if x.Answer == y.Answer {
				p += x.Probability * y.Probability
			}
		}
	}
	return p
}

// believe asks every agent for its beliefs about the answers of a round, in one scoring pass without generation: each
// is sent what it was sent and what it said, and a question for its answer alone; the probabilities of the answers that
// were given add up to 1.
func (s Society) believe(ctx context.Context, ask debate.Asker, turns []debate.Turn) error {
	for _, v := range vote.Majority(turns).Votes {
		ask.Continuations = append(ask.Continuations, v.Answer)
	}
	if len(ask.Continuations) == 0 {
		return nil
	}
	ask.Extract = answer.Raw
	var asked []debate.Turn
	for _, t := range turns {
		if !t.Silent() {
			asked = append(asked, debate.Turn{Agent: t.Agent, Round: t.Round,
				Messages: debate.WithMessage(debate.WithReply(t.Messages, t), s.Prompts.AnswerAlone())})
		}
	}
	if err := ask.Ask(ctx, asked); err != nil {
		return err
	}
	for _, b := range asked {
		for k, p := range vote.Softmax(b.Reply.LogProbs) {
			turns[b.Agent].Beliefs = append(turns[b.Agent].Beliefs,
				debate.Belief{Answer: ask.Continuations[k], Probability: p})
		}
	}
	return nil
}
