package debate

import (
	"context"
	"fmt"

	"parley/inference"
)

// How replies with several fields are held to their form.
const (
	RepliesJSON = "json" // by a grammar
	RepliesFree = "free" // by nothing; they are read as far as they can be
)

// Stage is where agents speak one after the other. Their turns of a round stand together in the transcript.
type Stage struct {
	Asker
	Transcript *Transcript
	Current    []Turn
}

// Say has one agent reply to messages, by a grammar if there is one.
func (s *Stage) Say(ctx context.Context, agent int, messages []inference.Message, grammar string) (Turn, error) {
	turns, err := s.SayAll(ctx, []Turn{{Agent: agent, Messages: messages, Grammar: grammar}})
	return turns[0], err
}

// SayAll has agents reply to their messages at once. One that fails ends the debate with its error.
func (s *Stage) SayAll(ctx context.Context, turns []Turn) ([]Turn, error) {
	for i := range turns {
		turns[i].Round, turns[i].Sample = len(s.Transcript.Rounds), s.Asked(turns[i].Agent)
	}
	err := s.Asker.Ask(ctx, turns)
	s.Current = append(s.Current, answered(turns)...)
	if err != nil {
		s.BreakOff()
		return turns, fmt.Errorf("%s: %w", s.Transcript.Role(turns[0].Agent), err)
	}
	for _, t := range turns {
		if t.Silent() {
			s.BreakOff()
			return turns, fmt.Errorf("%s: %w: %w", s.Transcript.Role(t.Agent), ErrSilence, t.Reply.Err)
		}
	}
	return turns, nil
}

// BreakOff enters what was said in a round that comes to no end.
func (s *Stage) BreakOff() {
	if len(s.Current) > 0 {
		s.Transcript.Rounds, s.Current = append(s.Transcript.Rounds, s.Current), nil
	}
}

// Asked is how often an agent has spoken in this round.
func (s *Stage) Asked(agent int) (times int) {
	for _, t := range s.Current {
		if t.Agent == agent {
			times++
		}
	}
	return times
}

// End ends a round.
func (s *Stage) End() {
	s.Transcript.Rounds = append(s.Transcript.Rounds, s.Current)
	s.Report(s.Current)
	s.Current = nil
}

// WithMessage is a history with one more message to the agent; WithReply is one with what it said. Turns of a
// transcript share their histories, so both copy the list: an append in place would write into an earlier turn.
func WithMessage(history []inference.Message, text string) []inference.Message {
	return append(history[:len(history):len(history)], inference.Message{Role: "user", Content: text})
}

// WithReply is a history with what the agent said: see WithMessage.
func WithReply(history []inference.Message, t Turn) []inference.Message {
	return append(history[:len(history):len(history)], inference.Message{Role: "assistant", Content: t.Reply.Text})
}
