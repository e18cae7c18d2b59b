package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/parley-debate/parley/inference"
)

// completion is the answer of /v1/completions and /v1/chat/completions, as far as it is read. Pointers tell what is
// missing from what is zero.
type completion struct {
	Model   string       `json:"model"`
	Choices []wireChoice `json:"choices"`
	Usage   *usage       `json:"usage"`
	Timings *timings     `json:"timings"`
}

// usage counts the tokens of an answer.
type usage struct {
	PromptTokens     *int `json:"prompt_tokens"`
	CompletionTokens *int `json:"completion_tokens"`
	PromptDetails    *struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails *struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// timings are llama-server's.
type timings struct {
	Cached int `json:"cache_n"`
}

// wireChoice is one choice of such an answer: with a text, or with a message.
type wireChoice struct {
	Index        int             `json:"index"`
	Text         *string         `json:"text"`
	Message      *said           `json:"message"`
	Delta        *said           `json:"delta"` // in the place of the message, in the pieces of a stream
	FinishReason string          `json:"finish_reason"`
	StopReason   any             `json:"stop_reason"` // vLLM: the stop text that came, if one did
	LogProbs     *logProbs       `json:"logprobs"`
	Error        json.RawMessage `json:"error"` // OpenRouter: why there is no whole reply
}

// logProbs has the log-probabilities of the tokens of a reply, numbers of 32 bits as models compute them: in a list of
// their own, as text completions have them, or each with its token.
type logProbs struct {
	Tokens  []*float32 `json:"token_logprobs"`
	Content []struct {
		LogProb *float32 `json:"logprob"`
	} `json:"content"`
}

// list returns the log-probabilities in either form, nil where the server told none.
func (l *logProbs) list() []*float32 {
	switch {
	case l == nil:
		return nil
	case l.Tokens != nil:
		return l.Tokens
	}
	list := make([]*float32, len(l.Content))
	for i, c := range l.Content {
		list[i] = c.LogProb
	}
	return list
}

// drawn is what an answer says of one reply, whatever its protocol. Nothing of it is checked yet: see check. prompt,
// cached and tokens are as the server counts them: prompt includes cached, and tokens includes thought.
type drawn struct {
	text, reasoning        string
	reasoned               bool // the server told the reasoning from the answer
	finish                 string
	stopped                bool // the server says that a stop text came
	prompt, cached, tokens int
	thought                int // tokens of the reasoning, if the server counts them
	logProbs               []*float32
}

// replies asks a server for n replies. If the server refuses log-probabilities or stop texts, they are left out from
// then on: replies are then unscored, or cut here. If it refuses to answer at once, it is asked for a stream. The
// refusal is recognised by its words, as no program has a code for it; a server is asked at most three times more,
// since each of the three is found out once and for all.
func (e *Engine) replies(ctx context.Context, s *server, q question, n int) ([]inference.Reply, error) {
	path, body, err := e.body(s, q)
	if err != nil {
		return nil, err
	}
	if n > 1 {
		body["n"] = n
	}
	if s.mute.Load() {
		delete(body, "logprobs")
	}
	if s.unstopped.Load() {
		delete(body, "stop")
	}
	if s.streams.Load() {
		body["stream"], body["stream_options"] = true, map[string]any{"include_usage": true}
	}
	all, err := e.exchangeBody(ctx, s, path, body, n)
	if f := new(fault); errors.As(err, &f) && f.status == http.StatusBadRequest && !f.mine {
		if !s.mute.Load() && strings.Contains(f.Error(), "logprobs") {
			s.mute.Store(true) // OpenAI's reasoning models have none
			return e.replies(ctx, s, q, n)
		}
		if len(q.Stop) > 0 && !s.unstopped.Load() && strings.Contains(f.Error(), "stop") {
			s.unstopped.Store(true) // some models take none: replies are cut here
			return e.replies(ctx, s, q, n)
		}
		if !s.streams.Load() && strings.Contains(f.Error(), "stream") {
			s.streams.Store(true) // Alibaba's service has some thinking models answer so alone
			return e.replies(ctx, s, q, n)
		}
		if n > 1 {
			f.err = fmt.Errorf("%w; it was asked for %d replies at once: perhaps it takes fewer --choices", f.err, n)
		}
	}
	if err != nil {
		return nil, err
	}
	replies := make([]inference.Reply, n)
	for i, d := range all {
		if replies[i], err = e.replyOf(s, q, d); err != nil {
			return nil, err
		}
		if n > 1 {
			replies[i].Choice = &inference.Choice{Index: i, Of: n, Seed: q.Sampling.Seed}
		}
	}
	return replies, nil
}

// exchangeBody sends a body and reads what came: n choices, in their order.
func (e *Engine) exchangeBody(ctx context.Context, s *server, path string, body any, n int) (all []drawn, err error) {
	if s.about.program == ollama {
		var answer ollamaAnswer
		if err := s.post(ctx, path, body, &answer); err != nil {
			return nil, err
		}
		d, err := answer.read(s)
		return []drawn{d}, err
	}
	var answer completion
	if err := s.post(ctx, path, body, &answer); err != nil {
		return nil, err
	}
	return answer.read(s, n)
}

// wrong returns the fault of an answer that says something else than the protocol demands. It may be a passing one, and
// is tried again.
func (s *server) wrong(format string, args ...any) error {
	return &fault{server: s, garbled: true, err: errors.New(s.clean("the answer cannot be used: " +
		fmt.Sprintf(format, args...)))}
}

// checkModel returns the fault of a server that answers with another model, nil if it is the right one. Asking again
// cannot help.
func (s *server) checkModel(model string) error {
	if model == "" || model == s.about.model ||
		s.about.program == openAI && strings.HasPrefix(model, s.about.model+"-") { // with the date of a release
		return nil
	}
	return &fault{server: s, lasting: true, err: fmt.Errorf("the answer is of model %q, where %q was asked for: the "+
		"server serves something else now", s.clean(model), s.about.model)}
}

// read checks an answer with n choices, and returns them in their order. Of several, the prompt of the first counts as
// computed and those of the others as cached: what the server says of its cache may be true of any one of them. How
// many tokens of which choice are reasoning, it does not say.
func (a *completion) read(s *server, n int) (all []drawn, err error) {
	if err := s.checkModel(a.Model); err != nil {
		return nil, err
	}
	u := a.Usage
	switch {
	case len(a.Choices) != n:
		return nil, s.wrong("%d choices, where %d were asked for", len(a.Choices), n)
	case u == nil || u.PromptTokens == nil || u.CompletionTokens == nil:
		return nil, s.wrong("it does not say how many tokens were used")
	}
	all, seen := make([]drawn, n), make([]bool, n)
	for _, c := range a.Choices {
		if c.Index < 0 || c.Index >= n || seen[c.Index] {
			return nil, s.wrong("a choice has the number %d, where %d choices are counted from 0", c.Index, n)
		}
		seen[c.Index] = true
		if isError(c.Error) {
			return nil, s.errorOf(c.Error)
		}
		_, stopped := c.StopReason.(string)
		d := drawn{finish: c.FinishReason, stopped: stopped, logProbs: c.LogProbs.list(), prompt: *u.PromptTokens,
			cached: *u.PromptTokens}
		if err := c.into(s, &d); err != nil {
			return nil, err
		}
		all[c.Index] = d
	}
	if all[0].cached = 0; n > 1 { // then usage is the sum over the choices
		return all, tokensOfEach(s, all, *u.CompletionTokens)
	}
	a.count(&all[0])
	return all, nil
}

// count takes the numbers of tokens from an answer with one choice.
func (a *completion) count(d *drawn) {
	u := a.Usage
	d.tokens = *u.CompletionTokens
	if u.PromptDetails != nil {
		d.cached = u.PromptDetails.Cached
	} else if a.Timings != nil {
		d.cached = a.Timings.Cached
	}
	if u.CompletionDetails != nil {
		d.thought = u.CompletionDetails.Reasoning
	}
}

// into takes the text of a choice, of which there must be one.
func (c *wireChoice) into(s *server, d *drawn) error {
	switch message := cmp.Or(c.Message, c.Delta); {
	case c.Text != nil && message == nil:
		d.text = *c.Text
	case message != nil && c.Text == nil:
		return message.into(s, d)
	default:
		return s.wrong("it has no text")
	}
	return nil
}

// ollamaAnswer is the answer of Ollama's /api/chat.
type ollamaAnswer struct {
	Model    string `json:"model"`
	Message  *said  `json:"message"`
	Done     bool   `json:"done"`
	Reason   string `json:"done_reason"`
	Prompt   *int   `json:"prompt_eval_count"`
	Tokens   *int   `json:"eval_count"`
	LogProbs []struct {
		LogProb *float32 `json:"logprob"`
	} `json:"logprobs"`
}

// read checks an answer, and returns its reply. Such an answer does not say what of the prompt was cached.
func (a *ollamaAnswer) read(s *server) (d drawn, err error) {
	if err := s.checkModel(a.Model); err != nil {
		return d, err
	}
	switch {
	case a.Message == nil || !a.Done:
		return d, s.wrong("it is not the whole reply")
	case a.Prompt == nil || a.Tokens == nil:
		return d, s.wrong("it does not say how many tokens were used")
	}
	d = drawn{finish: a.Reason, prompt: *a.Prompt, tokens: *a.Tokens}
	for _, l := range a.LogProbs {
		d.logProbs = append(d.logProbs, l.LogProb)
	}
	return d, a.Message.into(s, &d)
}

// stops maps the finish reasons that a reply may have. Any other means that the reply is not what was asked for.
var stops = map[string]inference.StopReason{"stop": inference.StopEnd, "length": inference.StopLength}

// check compares what was drawn with what was asked. Its faults are passing ones, except for a prompt of another
// length: that shows another vocabulary. Counts of tokens are allowed to be one off in either direction, since programs
// do not agree on whether the token that ends a reply is one of it.
func (d drawn) check(s *server, q question) error {
	stop, known := stops[d.finish]
	switch {
	case strings.HasPrefix(d.finish, contentFilter):
		return &fault{server: s, lasting: true, mine: true, err: fmt.Errorf("its content filter ended the reply "+
			"(finish reason %s)%s", s.clean(d.finish), s.quoted(d.text))}
	case !known:
		return s.wrong("it ended for the reason %q, not by its end or its length%s", d.finish, s.quoted(d.text))
	case d.tokens < 0 || d.tokens > q.MaxTokens+1: // some programs count the token that ends it
		return s.wrong("it has %d tokens, and at most %d were asked for", d.tokens, q.MaxTokens)
	case d.prompt <= 0 || d.cached < 0 || d.cached > d.prompt || d.thought < 0 || d.thought > d.tokens:
		return s.wrong("it counts %d prompt tokens, %d of them cached, and %d of %d in reasoning", d.prompt,
			d.cached, d.thought, d.tokens)
	case stop == inference.StopLength && d.tokens < q.answer-1:
		return s.wrong("it was cut off after %d tokens, where %d were allowed: is the server's context too small "+
			"for prompt and reply?", d.tokens, q.answer)
	case d.tokens > 1 && d.text == "" && d.reasoning == "" && stop == inference.StopLength:
		return s.wrong("it has %d tokens and no text", d.tokens)
	case q.prompt != nil && d.prompt != len(q.prompt):
		return &fault{server: s, lasting: true, err: fmt.Errorf("it was sent %d token ids and counts %d: the file "+
			"in --model is of another vocabulary, or the server adds tokens; leave --model out to send messages",
			len(q.prompt), d.prompt)}
	}
	return nil
}

// replyOf turns what was drawn into a reply, if it is one to what was asked. Reasoning is set apart as a model in this
// process has it: by the server if it did that, otherwise by the vocabulary's marks, but not in a reply that follows a
// grammar or goes on from a text, where marks would be part of what was asked for.
func (e *Engine) replyOf(s *server, q question, d drawn) (r inference.Reply, err error) {
	if err := d.check(s, q); err != nil {
		return r, err
	}
	stop := stops[d.finish]
	r = inference.Reply{Text: s.without(d.text), Stop: stop, PromptTokens: d.prompt, CachedTokens: d.cached,
		Tokens: d.tokens}
	r.LogProb, r.Unscored = sum(d.logProbs, d.tokens)
	switch {
	case d.reasoned:
		r.Reasoning, r.ReasoningTokens = s.without(d.reasoning), d.thought
		r.Raw = "<think>\n" + r.Reasoning + "\n</think>\n\n" + r.Text // as most templates write it
		r.ReasoningCut = r.Text == "" && stop == inference.StopLength
	case q.Grammar == "" && q.Request.Prompt == nil && !inference.GoesOn(q.Messages):
		e.vocabulary.Divide(&r, q.opened)
		r.ReasoningTokens = d.thought
	}
	if q.End(&r); d.stopped {
		r.Stop = inference.StopText
	}
	return r, s.checkThought(q, r)
}

// sum adds log-probabilities up; unscored reports that the list does not fit the number of tokens, or has gaps. Some
// programs leave out the token that ends a reply, which nearly always is certain. What is above 0 by more than rounding
// is no logarithm of a probability.
func sum(list []*float32, tokens int) (total float64, unscored bool) {
	if len(list) < tokens-1 || len(list) > tokens+1 || len(list) == 0 {
		return 0, true
	}
	for _, l := range list {
		if l == nil || *l > 1e-3 { // JSON has neither infinities nor NaN
			return 0, true
		}
		total += float64(*l)
	}
	return total, false
}
