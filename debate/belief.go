package debate

import (
	"context"

	"parley/debate/answer"
)

// Belief is the probability with which an agent holds an answer.
type Belief struct {
	Answer      string  `json:"answer"`
	Probability float64 `json:"probability"`
}

// chance is the one that draws from two agents' beliefs are the same answer.
func chance(a, b []Belief) (p float64) {
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
func (s Society) believe(ctx context.Context, ask asker, turns []Turn) error {
	for _, v := range Vote(turns).Votes {
		ask.continuations = append(ask.continuations, v.Answer)
	}
	if len(ask.continuations) == 0 {
		return nil
	}
	ask.extract = answer.Raw
	var asked []Turn
	for _, t := range turns {
		if !t.silent() {
			asked = append(asked, Turn{Agent: t.Agent, Round: t.Round,
				Messages: tell(reply(t.Messages, t), s.Prompts.AnswerAlone())})
		}
	}
	if err := ask.round(ctx, asked); err != nil {
		return err
	}
	for _, b := range asked {
		for k, p := range softmax(b.Reply.LogProbs) {
			turns[b.Agent].Beliefs = append(turns[b.Agent].Beliefs, Belief{ask.continuations[k], p})
		}
	}
	return nil
}
