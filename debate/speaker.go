package debate

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/parley-debate/parley/inference"
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
	return inference.ByOwner(requests, func(request inference.Request) (Speaker, error) {
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
		fmt.Fprintf(h.out, "Your reply as agent %d, ended by an empty line:\n", r.Agent)
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
