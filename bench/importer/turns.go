package importer

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/chat"
)

// reply is what an agent said, with the messages that it answered if the log has them.
type reply struct {
	text string
	sent []inference.Message
}

// repliesIn returns the replies of an agent in its chat, each with all messages before it.
func repliesIn(messages []inference.Message) (found []reply) {
	for i, m := range messages {
		if m.Role == "assistant" {
			found = append(found, reply{m.Content, messages[:i:i]})
		}
	}
	return found
}

// turn is a reply as a turn.
func (r reply) turn(agent, round int) debate.Turn {
	return debate.Turn{Agent: agent, Round: round, Messages: r.sent, Reply: Said(r.text)}
}

// Said is a reply as a log has it, with its reasoning apart, by the marks of any family.
func Said(text string) inference.Reply {
	said, reply := chat.SplitRecorded(text), inference.Reply{Text: text}
	if said.Reasons {
		reply.Raw, reply.Text, reply.Reasoning, reply.ReasoningCut = text, said.Answer, said.Reasoning, said.Cut
	}
	return reply
}

// inRounds returns the rounds of agents who all speak in each of them, and who hear all others' replies of the round
// before.
func inRounds(agents [][]reply) ([][]debate.Turn, error) {
	if len(agents) == 0 || len(agents[0]) == 0 {
		return nil, errors.New("no agent says anything")
	}
	if len(agents)*len(agents[0]) > maxTurns {
		return nil, fmt.Errorf("%d agents and %d rounds are too many: at most %d turns are read", len(agents),
			len(agents[0]), maxTurns)
	}
	rounds := make([][]debate.Turn, len(agents[0]))
	for i, replies := range agents {
		if len(replies) != len(rounds) {
			return nil, fmt.Errorf("agent 0 speaks %d times, agent %d %d times", len(rounds), i, len(replies))
		}
		for r, reply := range replies {
			turn := reply.turn(i, r)
			for other := range agents {
				if r > 0 && other != i {
					turn.Heard = append(turn.Heard, other)
				}
			}
			rounds[r] = append(rounds[r], turn)
		}
	}
	return rounds, nil
}

// contentKey makes a key for a reply, which no engine of ours generated, from its messages and its text. Without the
// messages the text alone would give different replies one key, so there is none.
func contentKey(t debate.Turn) string {
	if len(t.Messages) == 0 {
		return ""
	}
	h := sha256.New()
	for _, m := range t.Messages {
		fmt.Fprintf(h, "%q %q\n", m.Role, m.Content)
	}
	fmt.Fprintf(h, "%q\n", t.Reply.Text)
	return "log-" + hex.EncodeToString(h.Sum(nil)[:16])
}
