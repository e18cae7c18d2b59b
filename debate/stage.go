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

// stage is where agents speak one after the other. Their turns of a round stand together in the transcript.
type stage struct {
	asker
	t     *Transcript
	round []Turn
}

// say has one agent reply to messages, by a grammar if there is one.
func (s *stage) say(ctx context.Context, agent int, messages []inference.Message, grammar string) (Turn, error) {
	turns, err := s.sayAll(ctx, []Turn{{Agent: agent, Messages: messages, Grammar: grammar}})
	return turns[0], err
}

// sayAll has agents reply to their messages at once. One that fails ends the debate with its error.
func (s *stage) sayAll(ctx context.Context, turns []Turn) ([]Turn, error) {
	for i := range turns {
		turns[i].Round, turns[i].Sample = len(s.t.Rounds), s.asked(turns[i].Agent)
	}
	err := s.asker.round(ctx, turns)
	s.round = append(s.round, answered(turns)...)
	if err != nil {
		s.leave()
		return turns, fmt.Errorf("%s: %w", s.t.Role(turns[0].Agent), err)
	}
	for _, t := range turns {
		if t.silent() {
			s.leave()
			return turns, fmt.Errorf("%s: %w: %w", s.t.Role(t.Agent), ErrSilence, t.Reply.Err)
		}
	}
	return turns, nil
}

// leave enters what was said in a round that comes to no end.
func (s *stage) leave() {
	if len(s.round) > 0 {
		s.t.Rounds, s.round = append(s.t.Rounds, s.round), nil
	}
}

// asked is how often an agent has spoken in this round.
func (s *stage) asked(agent int) (times int) {
	for _, t := range s.round {
		if t.Agent == agent {
			times++
		}
	}
	return times
}

// end ends a round.
func (s *stage) end() {
	s.t.Rounds = append(s.t.Rounds, s.round)
	s.observe(s.round)
	s.round = nil
}

// tell is a history with one more message to the agent; reply is one with what it said. Histories are shared between
// turns, so that the list is copied.
func tell(history []inference.Message, text string) []inference.Message {
	return append(history[:len(history):len(history)], inference.Message{Role: "user", Content: text})
}

func reply(history []inference.Message, t Turn) []inference.Message {
	return append(history[:len(history):len(history)], inference.Message{Role: "assistant", Content: t.Reply.Text})
}

func last(texts []string) string { return texts[len(texts)-1] }
