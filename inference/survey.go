package inference

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"iter"
	"slices"
	"strings"

	"github.com/parley-debate/parley/inference/step"
)

// Survey is a participant without a model: it finds out how long requests can become, and computes nothing. A function
// writes the replies, which are cut at the bound of their request. One survey may be used for several debates, one
// after the other (see Begin).
type Survey struct {
	// Write returns the reply to a request; fits reports whether a text is within the request's bound.
	Write func(r Request, fits func(text string) bool) string
	// Exact counts tokens as they will be sent; otherwise they are counted line by line, which is far cheaper.
	Exact bool
	// Full ends the survey with ErrTooLong at the first request that does not fit.
	Full bool

	// Work is what all requests would take together, one that is asked again nothing, while Working is set.
	Work    SurveyedWork
	Working bool

	local   *Local
	begun   map[uint64]bool // beginnings of prompts that Work has, and whole requests, as hashes
	counted map[counting]int
	bytes   int // of text that was tokenized
	longest Need
}

// counting is a text whose tokens were counted, and how.
type counting struct {
	model          *instance
	text           string
	first, special bool
}

// SurveyedWork is how many requests there are, how many different ones, the tokens of their prompts without what these
// share with each other, and the tokens of their replies at most.
type SurveyedWork struct{ Asked, Requests, Prompt, Reply int }

// Minus returns what was added to earlier work.
func (w SurveyedWork) Minus(before SurveyedWork) SurveyedWork {
	return SurveyedWork{w.Asked - before.Asked, w.Requests - before.Requests, w.Prompt - before.Prompt,
		w.Reply - before.Reply}
}

// Need is what one request takes, in tokens.
type Need struct {
	Name   string // of the request
	Prompt int
	Reply  int // at most

	Room int    // for both, of the model that is asked
	By   string // the words for what bounds it
}

// Over returns how many tokens the room is short by; it is not above 0 where the room suffices.
func (n Need) Over() int { return n.Tokens() - n.Room }

// Tokens returns the prompt and the reply together.
func (n Need) Tokens() int { return n.Prompt + n.Reply }

// String describes the need for error messages.
func (n Need) String() string {
	return fmt.Sprintf("%d prompt tokens and up to %d new ones (%s)", n.Prompt, n.Reply, n.Name)
}

// ErrSurvey is the error of a survey that would have to tokenize too much text.
var ErrSurvey = errors.New("too much text to be surveyed")

// mostSurveyed bounds the text that a survey tokenizes for one debate, in bytes: a second of work, or less.
const mostSurveyed = 1 << 20

// Survey returns a survey of this engine. Its Write has to be set before it is used.
func (l *Local) Survey() *Survey {
	return &Survey{local: l, begun: make(map[uint64]bool), counted: make(map[counting]int)}
}

// Begin starts a new debate: Longest and the count of text for ErrSurvey start from zero.
func (s *Survey) Begin() { s.longest, s.bytes = Need{}, 0 }

// Longest returns the longest request so far: the one for which there is the least room.
func (s *Survey) Longest() Need { return s.longest }

// Generate implements Participant, as does Leave.
func (s *Survey) Generate(ctx context.Context, requests []Request) ([]Reply, error) {
	replies := make([]Reply, len(requests))
	for i, r := range requests {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r = s.local.boundAsUsual(r)
		model, err := s.local.modelFor(r)
		if err != nil {
			return nil, err
		}
		prompt, err := s.prompt(ctx, model, r)
		if err != nil {
			return nil, err
		}
		need := Need{Name: r.Name, Prompt: prompt, Reply: model.most(r)}
		need.Room, need.By = model.room()
		if len(r.Continuations) > 0 {
			need.Reply = 1
		}
		// Where there is no room to go on with a reply, the debate does without.
		optional := GoesOn(r.Messages) && len(r.Messages) > 1
		if !optional && (s.longest.Room == 0 || need.Over() > s.longest.Over()) {
			s.longest = need
		}
		if s.Full && !optional && need.Over() > 0 {
			return nil, fmt.Errorf("%w: %s, and %s %d", ErrTooLong, need, need.By, need.Room)
		}
		if replies[i], err = s.reply(model, r); err != nil {
			return nil, err
		}
		replies[i].PromptTokens = prompt
	}
	return replies, ctx.Err()
}

// Leave implements Participant.
func (s *Survey) Leave() {}

func (s *Survey) prompt(ctx context.Context, model *instance, r Request) (tokens int, err error) {
	s.local.mu.RLock()
	defer s.local.mu.RUnlock()
	if s.local.closed {
		return 0, step.ErrClosed
	}
	template, err := model.templateFor(r.Sampling)
	if err != nil {
		return 0, err
	}
	segments, err := model.render(ctx, template, r.Messages)
	if err != nil {
		return 0, err
	}
	path := s.work(model)
	for i, part := range segments {
		for line := range lines(part.Text, s.Exact) {
			n, err := s.count(model, line, i == 0, !part.Plain)
			if err != nil {
				return 0, err
			}
			tokens += n
			if path.goesOn(line) {
				s.Work.Prompt += n
			}
		}
	}
	if path != nil {
		s.Work.Asked++
	}
	if path.goesOn(r.Sampling, r.Grammar, r.maxTokens(), r.Continuations) {
		s.Work.Requests++
		s.Work.Reply += r.Most()
	}
	return tokens, nil
}

// work begins the path of a request in the tree of all that Work has, or returns nil if work is not added up.
func (s *Survey) work(model *instance) *surveyedPath {
	if !s.Working {
		return nil
	}
	p := &surveyedPath{begun: s.begun, hash: fnv.New64a()}
	fmt.Fprint(p.hash, model.index)
	return p
}

// surveyedPath is how far a request has been read.
type surveyedPath struct {
	begun map[uint64]bool // see Survey
	hash  hash.Hash64     // of what was read
}

// goesOn reads more of a request, and reports whether no other one has begun like this.
func (p *surveyedPath) goesOn(more ...any) bool {
	if p == nil {
		return false
	}
	fmt.Fprint(p.hash, more...)
	at := p.hash.Sum64()
	known := p.begun[at]
	p.begun[at] = true
	return !known
}

// lines returns the lines of a text, or the whole text as one.
func lines(text string, whole bool) iter.Seq[string] {
	if whole {
		return slices.Values([]string{text})
	}
	return strings.Lines(text)
}

// count returns how many tokens a text has. Counts are kept, since most texts occur many times.
func (s *Survey) count(model *instance, text string, first, special bool) (int, error) {
	key := counting{model, text, first, special}
	if n, ok := s.counted[key]; ok {
		return n, nil
	}
	if s.bytes += len(text); s.bytes > mostSurveyed {
		return 0, ErrSurvey
	}
	tokens, err := model.model.Tokenize(text, first, special)
	if err == nil {
		s.counted[key] = len(tokens)
	}
	return len(tokens), err
}

func (s *Survey) reply(model *instance, r Request) (Reply, error) {
	reply := Reply{Key: "survey", Stop: StopEnd}
	for range r.Continuations {
		reply.LogProbs = append(reply.LogProbs, -1)
	}
	if len(r.Continuations) > 0 {
		reply.Text = r.Continuations[0]
		return reply, nil
	}
	var failed error
	reply.Text = s.Write(r, func(text string) bool {
		n, err := s.count(model, text, false, false)
		if err != nil {
			failed = err
		}
		return err == nil && n < r.Most() // the end token counts too
	})
	if failed != nil {
		return reply, failed
	}
	reply.cut(r.Stop) // loops stay: what is written here is to be long, and says nothing
	tokens, err := model.model.Tokenize(reply.Text, false, false)
	if most := r.Most(); len(tokens) > most {
		tokens, reply.Stop = tokens[:most], StopLength
		reply.Text = model.model.Detokenize(tokens, false)
	}
	reply.Tokens = len(tokens)
	return reply, err
}
