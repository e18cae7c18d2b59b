package society

import (
	"context"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/vote"
)

// believe enters every agent's beliefs over the answers of a round. It scores them without generating anything: each
// agent is sent its history, its own reply, and a request for its answer alone. The probabilities of the answers add up
// to 1.
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
