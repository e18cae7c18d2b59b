package debate

import (
	"context"
	"fmt"
	"strings"

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
func (s *stage) say(ctx context.Context, agent int, messages []inference.Message, grammar ...string) (Turn, error) {
	turns := []Turn{{Agent: agent, Round: len(s.t.Rounds), Messages: messages, Grammar: strings.Join(grammar, "")}}
	if err := s.asker.round(ctx, turns); err != nil {
		return turns[0], fmt.Errorf("%s: %w", s.t.Role(agent), err)
	}
	s.round = append(s.round, turns[0])
	return turns[0], nil
}

// end ends a round.
func (s *stage) end() {
	s.t.Rounds = append(s.t.Rounds, s.round)
	s.observe(s.round)
	s.round = nil
}

// tell is a history with one more message to the agent; reply is one with what it said. Histories are shared between turns, so
// that the list is copied.
func tell(history []inference.Message, text string) []inference.Message {
	return append(history[:len(history):len(history)], inference.Message{Role: "user", Content: text})
}

func reply(history []inference.Message, t Turn) []inference.Message {
	return append(history[:len(history):len(history)], inference.Message{Role: "assistant", Content: t.Reply.Text})
}

func last(texts []string) string { return texts[len(texts)-1] }
