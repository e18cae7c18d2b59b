package serve

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"github.com/parley-debate/parley/inference/serve/generation"
	"github.com/parley-debate/parley/inference/serve/wire"
)

// head begins every body of a reply. Created is always 0, so that equal requests get equal bytes: programs that cache
// by content, and tests, rely on it.
type head struct {
	ID          string `json:"id"`
	Object      string `json:"object"`
	Created     int64  `json:"created"`
	Model       string `json:"model"`
	Fingerprint string `json:"system_fingerprint"`
}

// usage counts the tokens of a request. The prompt is counted once, however many choices it has.
type usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`

	PromptDetails     *promptDetails     `json:"prompt_tokens_details,omitempty"`
	CompletionDetails *completionDetails `json:"completion_tokens_details,omitempty"` // of models that reason

	computed int // of the prompts, for all choices
}

// promptDetails say what of the prompts came from the cache.
type promptDetails struct {
	CachedTokens int `json:"cached_tokens"`
}

// completionDetails say how many tokens of the replies are reasoning.
type completionDetails struct {
	ReasoningTokens int `json:"reasoning_tokens"`
}

// end adds a choice that has ended, and returns how it ended, as OpenAI names it. It is called once for each, after its
// last token.
func (u *usage) end(c *generation.Choice) string {
	reason, drawn, computed := c.Finish()
	u.CompletionTokens += drawn
	u.computed += computed
	if c.Split != nil {
		if u.CompletionDetails == nil {
			u.CompletionDetails = new(completionDetails)
		}
		u.CompletionDetails.ReasoningTokens += c.Thought()
	}
	return reason
}

// total completes the counts. It is called when all choices have ended: until then cached tokens are not known.
func (s *Server) total(u *usage) *usage {
	u.TotalTokens = u.PromptTokens + u.CompletionTokens
	if s.options.PromptDetails {
		u.PromptDetails = &promptDetails{u.PromptTokens - min(u.PromptTokens, u.computed)}
	}
	return u
}

// body is a whole reply, or an event of a stream whose client did not ask for its usage.
type body struct {
	head
	Choices []any  `json:"choices"`
	Usage   *usage `json:"usage,omitempty"`
}

// chunk is a body whose usage is null until the end.
type chunk struct {
	head
	Choices []any  `json:"choices"`
	Usage   *usage `json:"usage"`
}

// form writes choices the way one of the two kinds of completions does. choice counts all choices of the request, and
// index is what the client sees of it. For each choice first is called once, then part for each token, then last; whole
// does all of it at once. Calls for different choices alternate, those for one are in order.
type form interface {
	head(chunk bool) head
	whole(choice, index int, tokens []generation.Token, finish string) any
	first(choice, index int) any                    // the first chunk; nil for none
	part(choice, index int, t generation.Token) any // nil for none
	last(index int, finish string) []any
}

// identity returns the ID of a reply: a hash of all that was asked, so that equal requests get equal IDs.
func identity(prefix string, all []generation.Spec) string {
	h := sha256.New()
	for _, g := range all {
		h.Write([]byte(g.ID()))
	}
	return prefix + hex.EncodeToString(h.Sum(nil)[:12])
}

// joinTexts returns what tokens add to the answer and to the reasoning.
func joinTexts(tokens []generation.Token) (answer, reasoning string) {
	var said, thought strings.Builder
	for _, t := range tokens {
		said.WriteString(t.Answer)
		thought.WriteString(t.Reasoning)
	}
	return said.String(), thought.String()
}

// reply writes all choices of a request, whole or as a stream. At its end, however it comes, it cancels the choices:
// what the client no longer waits for is given up. An error of a stream that has begun can only end the stream.
func (s *Server) reply(w http.ResponseWriter, r *http.Request, asked *wire.Settings, choices []*generation.Choice,
	f form, u usage) error {
	defer func() {
		for _, c := range choices {
			c.Cancel()
		}
	}()
	if asked.Stream {
		include := asked.StreamOptions != nil && asked.StreamOptions.IncludeUsage
		events := &events{w: w, connection: http.NewResponseController(w), patience: s.options.Reading}
		if err := s.stream(r.Context(), events, choices, f, u, include); err != nil {
			events.fail(r.Context(), err)
		}
		return nil
	}
	all := make([]any, len(choices))
	for i, c := range choices {
		tokens, err := c.All(r.Context())
		if err != nil {
			return err
		}
		all[i] = f.whole(i, i, tokens, u.end(c))
	}
	return answer(w, body{f.head(false), all, s.total(&u)})
}

// stream writes one event for each token. The choices take turns, so that the order of events does not depend on which
// was faster.
func (s *Server) stream(ctx context.Context, to *events, choices []*generation.Choice, f form, u usage,
	include bool) error {
	write := func(c any) error {
		if c == nil {
			return nil
		}
		if include {
			return to.write(chunk{f.head(true), []any{c}, nil})
		}
		return to.write(body{f.head(true), []any{c}, nil})
	}
	for i := range choices {
		if err := write(f.first(i, i)); err != nil {
			return err
		}
	}
	// In each round every choice that has not ended writes one token, and all wait for the slowest.
	open := len(choices)
	done := make([]bool, open)
	for open > 0 {
		for i, c := range choices {
			if done[i] {
				continue
			}
			t, more, err := c.Next(ctx)
			if err == nil && more {
				err = write(f.part(i, i, t))
			} else if err == nil {
				done[i] = true
				open--
				for _, c := range f.last(i, u.end(c)) {
					if err == nil {
						err = write(c)
					}
				}
			}
			if err != nil {
				return err
			}
		}
	}
	if include {
		if err := to.write(chunk{f.head(true), []any{}, s.total(&u)}); err != nil {
			return err
		}
	}
	return to.event([]byte("[DONE]"))
}

// events writes server-sent events. The status is sent with the first of them.
type events struct {
	w          http.ResponseWriter
	connection *http.ResponseController
	patience   time.Duration // for the client to take an event
	begun      bool
}

// write sends a value as one event, as compact JSON.
func (e *events) write(value any) error {
	text, err := wire.Compact(value)
	if err != nil {
		return err
	}
	return e.event(text)
}

// event sends data as one event, and has it reach the client now.
func (e *events) event(data []byte) error { return e.send(append([]byte("data: "), data...)) }

// send sends the lines of one event.
func (e *events) send(lines []byte) error {
	if !e.begun {
		e.begun = true
		e.w.Header().Set("Content-Type", "text/event-stream")
		e.w.Header().Set("Cache-Control", "no-cache")
	}
	_ = e.connection.SetWriteDeadline(time.Now().Add(e.patience)) // a test's recorder has none
	if _, err := e.w.Write(append(lines, "\n\n"...)); err != nil {
		return err
	}
	return e.connection.Flush()
}

// fail ends the stream with an error; where nothing was written, it is the whole answer.
func (e *events) fail(ctx context.Context, err error) {
	f := wire.FailureIn(ctx, err)
	if !e.begun {
		f.Answer(e.w)
		return
	}
	_ = e.event(f.Body()) // the client has gone if this fails
}
