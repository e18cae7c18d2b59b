package debate

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/team"
	"github.com/parley-debate/parley/internal/plaintext"
)

// Router is a Speaker that passes the requests of some agents to speakers of their own, such as a person. Several
// models are one speaker: see inference.Also. All speakers must be comparable, since agents that share one are asked by
// one call.
type Router struct {
	Others Speaker         // for agents that have none of their own
	Own    map[int]Speaker // by agent
}

// Generate implements Speaker. All speakers are asked at the same time; an error of one ends the others.
func (r Router) Generate(ctx context.Context, requests []inference.Request) ([]inference.Reply, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return team.ByOwner(requests, func(request inference.Request) (Speaker, error) {
		if own := r.Own[request.Agent]; own != nil {
			return own, nil
		}
		return r.Others, nil
	}, func(speaker Speaker, asked []inference.Request) ([]inference.Reply, error) {
		replies, err := speaker.Generate(ctx, asked)
		if err != nil {
			cancel() // what the others would reply is of no use any more
		}
		return replies, err
	})
}

// Human is a Speaker for a person at a terminal, who may be an agent, a moderator or a judge.
type Human struct {
	in  *bufio.Reader
	out io.Writer
}

// humanKey is the key of what a person said.
const humanKey = "human"

// NewHuman returns a speaker that writes requests to out and reads replies from in, each ended by an empty line.
func NewHuman(in io.Reader, out io.Writer) *Human { return &Human{bufio.NewReader(in), out} }

// Generate implements Speaker: one request after the other. Where continuations are to be scored, the one that is typed
// has probability 1.
func (h *Human) Generate(ctx context.Context, requests []inference.Request) ([]inference.Reply, error) {
	replies := make([]inference.Reply, len(requests))
	for i, r := range requests {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		fmt.Fprintf(h.out, "\n%s\n\n", r.Messages[len(r.Messages)-1].Content)
		if r.Continuations != nil {
			fmt.Fprintf(h.out, "One of %q.\n", r.Continuations)
		}
		fmt.Fprintf(h.out, "Round %d, your turn. Your reply as agent %d, ended by an empty line:\n", r.Round, r.Agent)
		text, err := h.read()
		if err != nil {
			return nil, fmt.Errorf("agent %d, a person: %w", r.Agent, err)
		}
		replies[i] = inference.Reply{Text: text, Key: humanKey, Stop: inference.StopEnd}
		for _, c := range r.Continuations {
			logProb := -100.0
			if c == text {
				logProb = 0
			}
			replies[i].LogProbs = append(replies[i].LogProbs, logProb)
		}
	}
	return replies, nil
}

// maxTypedBytes bounds a reply.
const maxTypedBytes = 1 << 20

// read returns the lines up to the first empty one that follows text, or up to the end of the input.
func (h *Human) read() (string, error) {
	var text strings.Builder
	for text.Len() < maxTypedBytes {
		line, err := h.in.ReadString('\n')
		text.WriteString(line)
		if err == io.EOF && strings.TrimSpace(text.String()) != "" ||
			err == nil && strings.TrimSpace(line) == "" && strings.TrimSpace(text.String()) != "" {
			typed, err := plaintext.Of([]byte(text.String()))
			return strings.TrimSpace(string(typed)), err
		}
		if err != nil {
			return "", err
		}
	}
	return "", fmt.Errorf("more than %d bytes", maxTypedBytes)
}

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
		turns[i].Round, turns[i].Sample = len(s.Transcript.Rounds), s.TimesAsked(turns[i].Agent)
	}
	ask := s.Asker
	if s.Transcript.Presides(turns[0].Agent) && !s.Concludes {
		ask.Closing = false
	}
	err := ask.Ask(ctx, turns)
	s.Current = append(s.Current, repliesOf(turns)...)
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

// TimesAsked returns how often an agent has been asked in this round.
func (s *Stage) TimesAsked(agent int) (times int) {
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
