package debate

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bug"
	"github.com/parley-debate/parley/internal/plaintext"
)

// Router is a Speaker that passes the requests of some agents to speakers of their own, such as a person. Several
// models are one speaker: see inference.Also. All speakers must be comparable, since agents that share one are asked by
// one call.
type Router struct {
	Others Speaker         // for agents that have none of their own
	Own    map[int]Speaker // by agent
}

// Generate implements Speaker. All speakers are asked at the same time.
func (r Router) Generate(ctx context.Context, requests []inference.Request) ([]inference.Reply, error) {
	whose := make(map[Speaker][]int)
	for i, request := range requests {
		speaker := r.Own[request.Agent]
		if speaker == nil {
			speaker = r.Others
		}
		whose[speaker] = append(whose[speaker], i)
	}
	replies := make([]inference.Reply, len(requests))
	group, ctx := errgroup.WithContext(ctx)
	for speaker, places := range whose {
		group.Go(func() (err error) {
			defer bug.Catch(&err)
			asked := make([]inference.Request, len(places))
			for k, i := range places {
				asked[k] = requests[i]
			}
			got, err := speaker.Generate(ctx, asked)
			if err != nil {
				return err
			}
			if len(got) != len(asked) {
				return fmt.Errorf("%d replies to %d requests", len(got), len(asked))
			}
			for k, i := range places {
				replies[i] = got[k]
			}
			return nil
		})
	}
	return replies, group.Wait()
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
