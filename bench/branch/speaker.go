package branch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// ErrGreedy is the error of branches that would all be one.
var ErrGreedy = errors.New("replies are drawn at temperature 0, so that all branches would be the same: set " +
	"--temperature, or ask for one sample")

// ErrTool is the error of a message whose agent may call a tool.
var ErrTool = errors.New("replies that may call the calculator cannot go on from within: choose others")

// speaker has a debate take another turn at a message. What comes before is as recorded; the message begins with a
// text and goes on as it is drawn under another seed, and so does all that is asked for later.
type speaker struct {
	debate.Speaker
	at Message
	place
	sample int // number of the branch, from 0
	draw   Drawing

	said  string // what the message says in this branch, once it is said
	taken bool
}

// Generate implements debate.Speaker.
func (s *speaker) Generate(ctx context.Context, requests []inference.Request) ([]inference.Reply, error) {
	if s.taken {
		asked := slices.Clone(requests)
		for i := range asked {
			s.reseed(&asked[i])
		}
		return s.Speaker.Generate(ctx, asked)
	}
	i := slices.IndexFunc(requests, s.at.is)
	if i < 0 {
		return s.Speaker.Generate(ctx, requests)
	}
	s.taken = true
	if s.whole {
		s.said = s.at.Turn.Reply.Text
		return s.Speaker.Generate(ctx, requests)
	}
	before, err := s.at.reasoning()
	if err != nil {
		return nil, err
	}
	asked := slices.Clone(requests)
	if err := s.begin(&asked[i], before); err != nil {
		return nil, err
	}
	replies, err := s.Speaker.Generate(ctx, asked)
	if err == nil && replies[i].Err == nil {
		replies = slices.Clone(replies)
		s.join(&replies[i], before)
		s.said = replies[i].Text
	}
	return replies, err
}

// begin has a reply go on behind its beginning, with what is left of its bound.
func (s *speaker) begin(r *inference.Request, reasoning string) error {
	s.reseed(r)
	if r.Sampling.Temperature == 0 && s.draw.Samples > 1 {
		return fmt.Errorf("agent %d: %w", r.Agent, ErrGreedy)
	}
	begins := reasoning + s.begins
	switch {
	case begins == "":
		return nil
	case r.Tool != "":
		return fmt.Errorf("agent %d: %w", r.Agent, ErrTool)
	}
	r.MaxTokens = max(1, cmp.Or(r.MaxTokens, inference.DefaultMaxTokens)-s.kept(*r, begins))
	r.Messages = append(slices.Clone(r.Messages), inference.Message{Role: inference.RoleText, Content: begins})
	return nil
}

// kept is how many tokens of the request's bound the beginning takes, by its share of the recorded reply, whose tokens
// are not recorded one by one.
func (s *speaker) kept(r inference.Request, begins string) int {
	reply := s.at.Turn.Reply
	tokens, bytes := reply.Tokens, len(reply.Whole())
	if _, bounded := r.Sampling.ReasoningTokens.Tokens(); bounded { // the bound is that of the answer alone
		begins, tokens, bytes = s.begins, reply.Tokens-reply.ReasoningTokens, len(reply.Text)
	}
	return int(math.Round(float64(tokens) * float64(len(begins)) / float64(max(1, bytes))))
}

// join makes the reply whole.
func (s *speaker) join(r *inference.Reply, reasoning string) {
	if reasoning+s.begins == "" {
		return
	}
	r.Text = s.begins + r.Text
	if reasoning != "" {
		r.Raw, r.Reasoning = reasoning+r.Text, s.at.Turn.Reply.Reasoning
	}
}

// reseed has a request drawn anew.
func (s *speaker) reseed(r *inference.Request) {
	r.Sampling.Seed = debate.Seeds{Run: s.draw.Seed}.Hash("branch", s.at.Condition, int(r.Sampling.Seed), s.sample)
	if s.draw.Temperature != nil {
		r.Sampling.Temperature = *s.draw.Temperature
	}
}
