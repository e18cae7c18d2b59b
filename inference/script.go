package inference

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"
)

// Script is an engine without a model: a function writes the replies. It is for tests of code that is built on engines.
// Words stand in for tokens, equal requests are one generation, and different requests share nothing. It has every
// model that a request names: replies give the name in the place of a file's hash. A reply that begins with a mark of
// reasoning has reasoning, as those of a model whose family is not known.
type Script struct {
	reply func(Request) string

	mu      sync.Mutex // guards what follows
	replies map[string]Reply
	stats   Stats
}

// NewScript returns an engine whose replies are written by a function of the request, which may be called from several
// goroutines.
func NewScript(reply func(Request) string) *Script {
	return &Script{reply: reply, replies: make(map[string]Reply)}
}

// Join implements Engine; the order does not matter here.
func (s *Script) Join(order int) Participant { return scripted{s} }

// Model implements Engine.
func (s *Script) Model() ModelInfo { return ModelInfo{Name: "script", Architecture: "none"} }

// Close implements Engine.
func (s *Script) Close() error { return nil }

// Stats implements Engine; tokens are words.
func (s *Script) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

type scripted struct{ script *Script }

func (scripted) Leave() {}

// Generate implements Participant.
func (p scripted) Generate(ctx context.Context, requests []Request) ([]Reply, error) {
	replies := make([]Reply, len(requests))
	for i, r := range requests {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		replies[i] = p.script.answer(r)
		(&pieces{show: r.OnPiece}).end(replies[i])
	}
	return replies, nil
}

func (s *Script) answer(r Request) Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := scriptKey(r)
	reply, known := s.replies[key]
	if !known {
		reply.Text = s.reply(r)
		for _, m := range r.Messages {
			reply.PromptTokens += len(strings.Fields(m.Content))
		}
		reply.Model = r.Model
		reply.Key, reply.Stop = fmt.Sprintf("%.16x", sha256.Sum256([]byte(key))), StopEnd
		reply.Tokens = len(strings.Fields(reply.Text))
		if r.reasons() {
			reply.divide(nil, false)
			reply.ReasoningTokens = reply.Tokens - len(strings.Fields(reply.Text))
		}
		if len(r.Continuations) == 0 {
			r.End(&reply)
		}
		for _, text := range r.Continuations { // the one that the script writes is likely
			reply.Stop = StopScored
			if text == reply.Text {
				reply.LogProbs = append(reply.LogProbs, -0.1)
			} else {
				reply.LogProbs = append(reply.LogProbs, -5)
			}
		}
		s.replies[key] = reply
		s.stats.Generations++
		s.stats.PromptComputed += reply.PromptTokens
		s.stats.Decoded += reply.Tokens
	} else {
		reply.CachedTokens = reply.PromptTokens
		s.stats.Joined++
	}
	s.stats.PromptAsked += reply.PromptTokens
	return reply
}

// scriptKey names a request by its content. Recorded runs of scripts have these keys, so the text never changes,
// whatever fields are called.
func scriptKey(r Request) string {
	s := r.Sampling
	sampling := fmt.Sprintf("{Temperature:%v TopK:%v TopP:%v MinP:%v RepeatPenalty:%v RepeatLastN:%v IgnoreEnd:%v "+
		"Seed:%v Rivals:%v}", s.Temperature, s.TopK, s.TopP, s.MinP, s.RepeatPenalty, s.RepeatLastN, s.IgnoreEnd,
		s.Seed, s.Alternatives)
	if s.FrequencyPenalty != 0 || s.PresencePenalty != 0 || len(s.Bias) > 0 {
		sampling += fmt.Sprintf("{FrequencyPenalty:%v PresencePenalty:%v Bias:%v}", s.FrequencyPenalty,
			s.PresencePenalty, s.Bias)
	}
	for _, p := range s.Marked() {
		sampling += fmt.Sprintf("{%s:%v}", p.Name, p.Of(s))
	}
	key := fmt.Sprintf("%q %s %d %q %q", r.Messages, sampling, r.MaxTokens, r.Continuations, r.Grammar)
	if len(r.Stop) > 0 || r.EndLoops {
		key += fmt.Sprintf(" %q %v", r.Stop, r.EndLoops)
	}
	if r.Tool != "" {
		key += fmt.Sprintf(" tool %q", r.Tool)
	}
	if r.Model != "" {
		key += fmt.Sprintf(" %q", r.Model)
	}
	return key
}
