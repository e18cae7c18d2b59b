package debate

import (
	"context"
	"errors"
	"fmt"
	"math"

	"parley/debate/answer"
	"parley/inference"
)

// ErrSilence is the error of a debate in which no agent could speak.
var ErrSilence = errors.New("no agent could speak")

// ErrPrior is the error of a debate that cannot build on the one before it.
var ErrPrior = errors.New("nothing to build on")

// Asker is what all requests of a debate have in common.
type Asker struct {
	Asking
	speaker Speaker
	caseID  string
	Extract answer.Extractor

	Continuations []string // are scored, if there are any, instead of asking for a reply
}

// Ask asks for turns that have their messages, all at once, and reads the replies. Whoever is silent (its turn has an
// error already) is not asked.
func (a Asker) Ask(ctx context.Context, turns []Turn) error {
	if err := a.Try(ctx, turns); err != nil {
		return err
	}
	return Spoken(turns)
}

// Try is Ask for turns that may all be silent. All requests go out in one Generate: what an
// engine computes together then depends on the round alone, and not on which agent asks first.
func (a Asker) Try(ctx context.Context, turns []Turn) error {
	var requests []inference.Request
	var asked []int
	for i, t := range turns {
		if !t.Silent() {
			requests, asked = append(requests, a.request(t)), append(asked, i)
		}
	}
	replies, err := a.speaker.Generate(ctx, requests)
	if err != nil {
		return err
	}
	if len(replies) != len(requests) {
		return fmt.Errorf("round %d: %d replies to %d requests", turns[0].Round, len(replies), len(requests))
	}
	for k, i := range asked {
		turns[i].take(replies[k], a.Extract)
	}
	return nil
}

// answered are the turns that were: those of a round that was broken off may not have been.
func answered(turns []Turn) (all []Turn) {
	for _, t := range turns {
		if t.Silent() || t.Reply.Text != "" || t.Reply.Key != "" || t.Before != nil {
			all = append(all, t)
		}
	}
	return all
}

// BrokenOff is a transcript with what was said in a round that comes to no end. All agents have their places in it;
// nothing is, if nothing was said.
func (t Transcript) BrokenOff(turns []Turn) Transcript {
	if len(answered(turns)) == 0 {
		return t
	}
	for i := range turns {
		if len(answered(turns[i:i+1])) == 0 {
			turns[i].Error = "the debate was broken off"
		}
	}
	t.Rounds = append(t.Rounds, turns)
	return t
}

// Spoken is ErrSilence if nobody spoke.
func Spoken(turns []Turn) error {
	for _, t := range turns {
		if !t.Silent() {
			return nil
		}
	}
	return fmt.Errorf("round %d: %w: %w", turns[0].Round, ErrSilence, turns[0].Reply.Err)
}

// Insist asks n agents, and those whose reply cannot be read again, so many times in all: ask makes the turn of one of
// them, said is told of the turns of each attempt, read reads a reply.
func (a Asker) Insist(ctx context.Context, n, times int, ask func(i, attempt int) Turn, said func([]Turn),
	read func(i int, t Turn) error) error {
	missing := make([]int, n)
	for i := range missing {
		missing[i] = i
	}
	for attempt := 0; attempt < times && len(missing) > 0; attempt++ {
		turns := make([]Turn, len(missing))
		for k, i := range missing {
			turns[k] = ask(i, attempt)
		}
		if err := a.Try(ctx, turns); err != nil {
			return err
		}
		// where others have spoken, who fails gives nothing to be read
		if err := Spoken(turns); err != nil && len(turns) == n {
			return err
		}
		said(turns)
		var again []int
		for k, i := range missing {
			if read(i, turns[k]) != nil {
				again = append(again, i)
			}
		}
		missing = again
	}
	return nil
}

func (a Asker) request(t Turn) inference.Request {
	sampling := a.Sampling
	if own := a.Member(t.Agent).Sampling; own != nil {
		sampling = *own
	}
	sampling.Seed = a.Seeds.Of(a.caseID, t.Agent, t.Round, t.Sample)
	return inference.Request{
		Name: fmt.Sprintf("%s round %d agent %d", a.caseID, t.Round, t.Agent),
		Case: a.caseID, Round: t.Round,
		Messages: t.Messages, Sampling: sampling, MaxTokens: a.MaxTokens, Agent: t.Agent, Sample: t.Sample,
		Continuations: a.Continuations, Grammar: t.Grammar,
	}
}

// take enters a reply. A failed one is no text and no answer.
func (t *Turn) take(reply inference.Reply, extract answer.Extractor) {
	t.Reply = reply
	if t.Silent() {
		t.Reply.Text, t.Error = "", reply.Err.Error()
		return
	}
	t.Answer = extract(reply.Text)
}

// Silent reports whether the agent said nothing: its request failed, now or in an earlier round.
func (t Turn) Silent() bool { return t.Reply.Err != nil || t.Error != "" }

// NextRound are the empty turns after last, or the first ones of so many agents; whoever was silent stays so.
func NextRound(last []Turn, agents int) []Turn {
	turns := make([]Turn, agents)
	for i := range turns {
		turns[i].Agent = i
		if last != nil {
			turns[i].Round, turns[i].Reply.Err, turns[i].Error = last[i].Round+1, last[i].Reply.Err, last[i].Error
		}
	}
	return turns
}

// Conversation is a system message and a first message to the agent, those that are not empty.
func Conversation(system, user string) (messages []inference.Message) {
	if system != "" {
		messages = append(messages, inference.Message{Role: "system", Content: system})
	}
	if user != "" {
		messages = append(messages, inference.Message{Role: "user", Content: user})
	}
	return messages
}

// Likelihood is the probability of a reply's mean token, 0 where none was generated.
func (t Turn) Likelihood() float64 {
	if t.Reply.Tokens == 0 {
		return 0
	}
	return math.Exp(t.Reply.LogProb / float64(t.Reply.Tokens))
}

// Texts are the replies of turns; a silent one is empty.
func Texts(turns []Turn) []string {
	all := make([]string, len(turns))
	for i, t := range turns {
		all[i] = t.Reply.Text
	}
	return all
}
