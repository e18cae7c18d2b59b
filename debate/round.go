package debate

import (
	"context"
	"errors"
	"fmt"

	"parley/debate/answer"
	"parley/inference"
)

// ErrSilence is the error of a debate in which no agent could speak.
var ErrSilence = errors.New("no agent could speak")

// ErrPrior is the error of a debate that cannot build on the one before it.
var ErrPrior = errors.New("nothing to build on")

// asker is what all requests of a debate have in common.
type asker struct {
	Asking
	speaker Speaker
	caseID  string
	extract answer.Extractor

	continuations []string // are scored, if there are any, instead of asking for a reply
}

// round asks for turns that have their messages, all at once, and reads the replies. Whoever is silent (its turn has an
// error already) is not asked.
func (a asker) round(ctx context.Context, turns []Turn) error {
	if err := a.some(ctx, turns); err != nil {
		return err
	}
	return spoken(turns)
}

// some is round, whether or not anybody speaks.
func (a asker) some(ctx context.Context, turns []Turn) error {
	var requests []inference.Request
	var asked []int
	for i, t := range turns {
		if !t.silent() {
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
		turns[i].take(replies[k], a.extract)
	}
	return nil
}

// answered are the turns that were: those of a round that was broken off may not have been.
func answered(turns []Turn) (all []Turn) {
	for _, t := range turns {
		if t.silent() || t.Reply.Text != "" || t.Reply.Key != "" || t.Before != nil {
			all = append(all, t)
		}
	}
	return all
}

// left is a transcript with what was said in a round that comes to no end. All agents have their places in it; nothing
// is, if nothing was said.
func (t Transcript) left(turns []Turn) Transcript {
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

// spoken is ErrSilence if nobody spoke.
func spoken(turns []Turn) error {
	for _, t := range turns {
		if !t.silent() {
			return nil
		}
	}
	return fmt.Errorf("round %d: %w: %w", turns[0].Round, ErrSilence, turns[0].Reply.Err)
}

// insist asks n agents, and those whose reply cannot be read again, so many times in all: ask makes the turn of one of
// them, said is told of the turns of each attempt, read reads a reply.
func (a asker) insist(ctx context.Context, n, times int, ask func(i, attempt int) Turn, said func([]Turn),
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
		if err := a.some(ctx, turns); err != nil {
			return err
		}
		// where others have spoken, who fails gives nothing to be read
		if err := spoken(turns); err != nil && len(turns) == n {
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

func (a asker) request(t Turn) inference.Request {
	sampling := a.Sampling
	if own := a.member(t.Agent).Sampling; own != nil {
		sampling = *own
	}
	sampling.Seed = a.Seeds.Of(a.caseID, t.Agent, t.Round, t.Sample)
	return inference.Request{
		Name: fmt.Sprintf("%s round %d agent %d", a.caseID, t.Round, t.Agent),
		Case: a.caseID, Round: t.Round,
		Messages: t.Messages, Sampling: sampling, MaxTokens: a.MaxTokens, Agent: t.Agent, Sample: t.Sample,
		Continuations: a.continuations, Grammar: t.Grammar,
	}
}

// take enters a reply. A failed one is no text and no answer.
func (t *Turn) take(reply inference.Reply, extract answer.Extractor) {
	t.Reply = reply
	if t.silent() {
		t.Reply.Text, t.Error = "", reply.Err.Error()
		return
	}
	t.Answer = extract(reply.Text)
}

func (t Turn) silent() bool { return t.Reply.Err != nil || t.Error != "" }

// next are the empty turns after last, or the first ones of so many agents; whoever was silent stays so.
func next(last []Turn, agents int) []Turn {
	turns := make([]Turn, agents)
	for i := range turns {
		turns[i].Agent = i
		if last != nil {
			turns[i].Round, turns[i].Reply.Err, turns[i].Error = last[i].Round+1, last[i].Reply.Err, last[i].Error
		}
	}
	return turns
}

// conversation is a system message and a first message to the agent, those that are not empty.
func conversation(system, user string) (messages []inference.Message) {
	if system != "" {
		messages = append(messages, inference.Message{Role: "system", Content: system})
	}
	if user != "" {
		messages = append(messages, inference.Message{Role: "user", Content: user})
	}
	return messages
}
