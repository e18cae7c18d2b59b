// Package likelihood answers multiple-choice questions as lm-evaluation-harness has models answer them: nobody writes
// anything, and the most probable of the options behind the question counts.
package likelihood

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/vote"
)

// Likelihood is one agent whose answer is the option with the highest log-probability behind the question, without a
// chat template and without reasoning. Options are scored all the same however it is set up: what differs is which one
// counts.
type Likelihood struct {
	debate.Asking
	// PerCharacter divides log-probabilities by the number of characters of the option, so that short options are not
	// favoured: the harness' acc_norm, where its acc takes the sums.
	PerCharacter bool
}

// reply is the room for an option, in tokens.
const reply = 256

// ErrNoOptions is the error of a case that has nothing to choose from.
var ErrNoOptions = errors.New("the question has no options that could be scored")

// Run scores the options of the case (Case.Choices) in one request.
func (l Likelihood) Run(ctx context.Context, speaker debate.Speaker, c debate.Case) (debate.Transcript, error) {
	t := debate.Transcript{Protocol: "likelihood", Case: c.ID}
	if err := l.CheckChoices(c.Choices); err != nil {
		return t, fmt.Errorf("case %q: %w", c.ID, err)
	}
	l.MaxTokens, l.Stop, l.EndLoops, l.Team = reply, nil, false, nil
	ask := l.For(speaker, c)
	ask.Extract = func(string) answer.Answer { return answer.Unparsed }
	for _, text := range c.Choices.Texts {
		ask.Continuations = append(ask.Continuations, " "+text)
	}
	turns := []debate.Turn{{Messages: c.Choices.Messages()}}
	if err := ask.Ask(ctx, turns); err != nil {
		return t.BrokenOff(turns), err
	}
	scores := turns[0].Reply.LogProbs
	if len(scores) != len(c.Choices.Texts) {
		return t.BrokenOff(turns), fmt.Errorf("case %q: %d scores of %d options", c.ID, len(scores),
			len(c.Choices.Texts))
	}
	best := l.best(scores, c.Choices.Texts) // of which the record tells, where the engine's reply is that of the sums
	turns[0].Reply.Text, turns[0].Reply.LogProb = ask.Continuations[best], scores[best]
	turns[0].Answer = answer.Of(c.Choices.Answers[best])
	t.Rounds = [][]debate.Turn{turns}
	l.Report(turns)
	t.Decision = vote.Majority(turns)
	return t, nil
}

// CheckChoices implements debate.Chooser: without a text to continue, two options and an answer for each of them,
// nothing can be scored.
func (Likelihood) CheckChoices(c debate.Choices) error {
	if c.Prompt == "" || len(c.Texts) < 2 || len(c.Answers) != len(c.Texts) {
		return ErrNoOptions
	}
	return nil
}

// best is the option that counts. Of equal ones it is the first.
func (l Likelihood) best(scores []float64, texts []string) (best int) {
	value := func(i int) float64 {
		if !l.PerCharacter {
			return scores[i]
		}
		return scores[i] / float64(max(1, utf8.RuneCountInString(texts[i])))
	}
	for i := range scores {
		if value(i) > value(best) {
			best = i
		}
	}
	return best
}
