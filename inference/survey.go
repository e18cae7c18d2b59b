package inference

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"parley/inference/llamacpp"
	"parley/scheduler"
)

// Survey is a participant without a model: it finds out how long requests can become, and computes nothing. A function
// writes the replies, which are cut at the bound of their request. One survey may be used for several debates, one
// after the other (see Begin).
type Survey struct {
	// the replies; fits says whether a text is within the bound
	Write func(r Request, fits func(text string) bool) string
	// Exact counts tokens as they will be sent; otherwise they are counted line by line, which is far cheaper.
	Exact bool
	// Full ends the survey with ErrTooLong at the first request that does not fit.
	Full bool

	local   *Local
	counted map[counting]int
	bytes   int // of text that was tokenized
	longest Need
}

// counting is a text whose tokens were counted, and how.
type counting struct {
	text           string
	first, special bool
}

// Need is what one request takes, in tokens.
type Need struct {
	Name   string // of the request
	Prompt int
	Reply  int // at most
}

// Tokens is the prompt and the reply together.
func (n Need) Tokens() int { return n.Prompt + n.Reply }

// String is for error messages.
func (n Need) String() string {
	return fmt.Sprintf("%d prompt tokens and up to %d new ones (%s)", n.Prompt, n.Reply, n.Name)
}

// ErrSurvey is the error of a survey that would have to tokenize too much text.
var ErrSurvey = errors.New("too much text to be surveyed")

// mostSurveyed bounds the text that a survey tokenizes for one debate, in bytes: a second of work, or less.
const mostSurveyed = 1 << 20

// Survey returns a survey of this engine. Its Write has to be set before it is used.
func (l *Local) Survey() *Survey { return &Survey{local: l, counted: make(map[counting]int)} }

// Begin starts a new debate: Longest and the bound on text start from zero.
func (s *Survey) Begin() { s.longest, s.bytes = Need{}, 0 }

// Room is how many tokens a request can have, including its reply, and the words for what bounds it.
func (l *Local) Room() (tokens int, by string) {
	if trained := l.info.Context; trained > 0 && trained <= l.plan.cells {
		return trained, "the model was trained for"
	}
	return l.plan.cells, "the context has (--context)"
}

// Longest is the longest request so far.
func (s *Survey) Longest() Need { return s.longest }

// Generate implements Participant, as does Leave.
func (s *Survey) Generate(ctx context.Context, requests []Request) ([]Reply, error) {
	replies := make([]Reply, len(requests))
	for i, r := range requests {
		prompt, err := s.prompt(ctx, r)
		if err != nil {
			return nil, err
		}
		need := Need{Name: r.Name, Prompt: prompt, Reply: r.maxTokens()}
		if r.Continuations != nil {
			need.Reply = 1
		}
		if need.Tokens() > s.longest.Tokens() {
			s.longest = need
		}
		if room, by := s.local.Room(); s.Full && need.Tokens() > room {
			return nil, fmt.Errorf("%w: %s, and %s %d", ErrTooLong, need, by, room)
		}
		if replies[i], err = s.reply(r); err != nil {
			return nil, err
		}
		replies[i].PromptTokens = prompt
	}
	return replies, ctx.Err()
}

// Leave implements Participant.
func (s *Survey) Leave() {}

func (s *Survey) prompt(ctx context.Context, r Request) (tokens int, err error) {
	s.local.mu.RLock()
	defer s.local.mu.RUnlock()
	if s.local.closed {
		return 0, scheduler.ErrClosed
	}
	segments, err := s.local.template.Render(ctx, r.Messages)
	if err != nil {
		return 0, err
	}
	for i, part := range segments {
		for line := range lines(part.Text, s.Exact) {
			n, err := s.count(line, i == 0, !part.Plain)
			if err != nil {
				return 0, err
			}
			tokens += n
		}
	}
	return tokens, nil
}

// lines are the lines of a text, or the whole text as one.
func lines(text string, whole bool) iter.Seq[string] {
	if whole {
		return slices.Values([]string{text})
	}
	return strings.Lines(text)
}

// count is how many tokens a text has. Results are kept, since most texts occur many times.
func (s *Survey) count(text string, first, special bool) (int, error) {
	key := counting{text, first, special}
	if n, ok := s.counted[key]; ok {
		return n, nil
	}
	if s.bytes += len(text); s.bytes > mostSurveyed {
		return 0, ErrSurvey
	}
	tokens, err := s.local.model.Tokenize(text, first, special)
	s.counted[key] = len(tokens)
	return len(tokens), err
}

func (s *Survey) reply(r Request) (Reply, error) {
	reply := Reply{Key: "survey", Stop: StopEnd}
	for range r.Continuations {
		reply.LogProbs = append(reply.LogProbs, -1)
	}
	if r.Continuations != nil {
		reply.Text = r.Continuations[0]
		return reply, nil
	}
	var failed error
	reply.Text = s.Write(r, func(text string) bool {
		n, err := s.count(text, false, false)
		if err != nil {
			failed = err
		}
		return err == nil && n < r.maxTokens() // its end is a token too
	})
	if failed != nil {
		return reply, failed
	}
	tokens, err := s.local.model.Tokenize(reply.Text, false, false)
	if most := r.maxTokens(); len(tokens) > most {
		tokens, reply.Stop = tokens[:most], StopLength
		reply.Text = s.local.model.Detokenize(append([]llamacpp.Token(nil), tokens...), false)
	}
	reply.Tokens = len(tokens)
	return reply, err
}
