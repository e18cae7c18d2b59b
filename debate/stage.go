package debate

import (
	"context"
	"fmt"

	"github.com/parley-debate/parley/inference"
)

// How replies that have several fields are written.
const (
	RepliesJSON = "json" // as JSON, which a grammar enforces
	RepliesFree = "free" // freely; as much is read as can be
)

// Stage asks the agents of a debate in which they speak one after the other, and adds their turns to the transcript
// round by round. Unlike in a society, an agent that fails ends the debate.
type Stage struct {
	Asker
	Transcript *Transcript
	Current    []Turn // the turns of the round in progress, which End adds to the transcript
	// Concludes says that what comes next answers the question, even if it is said by an agent that presides: it gets a
	// closing turn like that of others.
	Concludes bool
}

// Say has one agent reply to messages, following a grammar unless it is "".
func (s *Stage) Say(ctx context.Context, agent int, messages []inference.Message, grammar string) (Turn, error) {
	turns, err := s.SayAll(ctx, []Turn{{Agent: agent, Messages: messages, Grammar: grammar}})
	return turns[0], err
}

// SayAll has agents reply to their messages at once. If one fails, its error is returned, and the transcript has what
// was said until then.
func (s *Stage) SayAll(ctx context.Context, turns []Turn) ([]Turn, error) {
	for i := range turns {
		turns[i].Round, turns[i].Sample = len(s.Transcript.Rounds), s.Asked(turns[i].Agent)
	}
	ask := s.Asker
	if s.Transcript.Presides(turns[0].Agent) && !s.Concludes {
		ask.Closing = false
	}
	err := ask.Ask(ctx, turns)
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

// BreakOff adds an unfinished round to the transcript, so that nothing that was said is lost.
func (s *Stage) BreakOff() {
	if len(s.Current) > 0 {
		s.Transcript.Rounds, s.Current = append(s.Transcript.Rounds, s.Current), nil
	}
}

// Asked returns how often an agent has been asked in this round.
func (s *Stage) Asked(agent int) (times int) {
	for _, t := range s.Current {
		if t.Agent == agent {
			times++
		}
	}
	return times
}

// End adds the round to the transcript and begins the next one.
func (s *Stage) End() {
	s.Transcript.Rounds = append(s.Transcript.Rounds, s.Current)
	s.Report(s.Current)
	s.Current = nil
}

// WithMessage returns a history with one more message to the agent. Turns of a transcript share their histories, so it
// copies the list: an append in place would write into an earlier turn. So does WithReply.
func WithMessage(history []inference.Message, text string) []inference.Message {
	return append(history[:len(history):len(history)], inference.Message{Role: "user", Content: text})
}

// WithReply returns a history with the agent's reply: see WithMessage.
func WithReply(history []inference.Message, t Turn) []inference.Message {
	return append(history[:len(history):len(history)], inference.Message{Role: "assistant", Content: t.Reply.Text})
}
