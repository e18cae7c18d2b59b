package society

import (
	"context"
	"regexp"
	"strconv"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/vote"
)

// Where the confidence of an agent comes from.
const (
	ConfidenceAsked = "asked" // the agent is asked for it
	// ConfidenceTokens is the mean probability of the tokens, as MALLM computes it: exp of the mean log-probability.
	ConfidenceTokens = "tokens"
)

var stated = regexp.MustCompile(`(?i)confidence[^0-9]{0,20}([0-9]+(?:\.[0-9]+)?)[` + answer.SpaceClass + `]*(%?)`)

// confidence returns an agent's confidence, from 0 to 1, or nil if nobody asked or it did not say. The error is
// debate.ErrUnscored.
func (s Society) confidence(t debate.Turn) (*float64, error) {
	var c float64
	switch {
	case t.Silent() || s.Confidence == "":
		return nil, nil
	case s.Confidence == ConfidenceTokens:
		if t.Reply.Tokens == 0 {
			return nil, nil
		}
		var err error
		if c, err = t.Likelihood(); err != nil {
			return nil, err
		}
	default:
		said := stated.FindAllStringSubmatch(t.Reply.Text, -1)
		if said == nil {
			return nil, nil
		}
		last := said[len(said)-1]
		c, _ = strconv.ParseFloat(last[1], 64)
		if last[2] == "%" || c > 1 {
			c /= 100
		}
	}
	c = min(c, 1)
	return &c, nil
}

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
