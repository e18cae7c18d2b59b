package serve

import (
	"net/http"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/chat"
	"github.com/parley-debate/parley/inference/serve/generation"
	"github.com/parley-debate/parley/inference/serve/served"
	"github.com/parley-debate/parley/inference/serve/wire"
)

// defaultMaxTokens bounds a reply to a conversation for which the client set no bound.
const defaultMaxTokens = inference.DefaultMaxTokens

// chat answers POST /v1/chat/completions. Everything that can be refused for its own sake is, before the request gets
// its seeds: a refused request must not change which seeds later ones get.
func (s *Server) chat(w http.ResponseWriter, r *http.Request) error {
	var request wire.ChatRequest
	if err := decode(r, &request); err != nil {
		return err
	}
	if err := request.Settle(); err != nil {
		return err
	}
	turns, err := request.Messages.Turns()
	if err != nil {
		return err
	}
	form, choices, u, err := s.startChat(r, &request, turns, "chatcmpl-")
	if err != nil {
		return err
	}
	if form.calls != nil && request.Stream {
		return s.reply(w, r, &request.Settings, choices, &gathered{form, make([][]generation.Token, len(choices))}, u)
	}
	return s.reply(w, r, &request.Settings, choices, form, u)
}

// startChat begins the replies to a conversation. prefix is what the name of the whole answer begins with.
func (s *Server) startChat(r *http.Request, request *wire.ChatRequest, turns []chat.Turn, prefix string) (
	form *chatForm, choices []*generation.Choice, u usage, err error) {
	m, err := s.model(request.Model)
	if err != nil {
		return nil, nil, u, err
	}
	alternatives, err := request.Alternatives()
	if err != nil {
		return nil, nil, u, err
	}
	n, err := request.Choices(s.options.MaxChoices)
	if err != nil {
		return nil, nil, u, err
	}
	from, err := s.expect(r, request.User, n, leastBytes(m, &request.Settings, alternatives))
	if err != nil {
		return nil, nil, u, err
	}
	tools, calls, err := request.Callable(r.Context(), m.Vocabulary.Calls(), m.ID)
	if err != nil {
		return nil, nil, u, err
	}
	prompt, err := m.Render(r.Context(), request.Fields.Prompt, request.Thinks(), turns, tools,
		request.TemplateVariables)
	if err != nil {
		return nil, nil, u, err
	}
	g, err := generation.New(r.Context(), m, &request.Settings, prompt, alternatives, defaultMaxTokens)
	if err != nil {
		return nil, nil, u, err
	}
	// From here on the request counts: it has its seeds, and a caller of WithTurn is told that it may send the next.
	all, err := g.Seeded(request.Seed, n, s.sessions, from.session)
	if err != nil {
		return nil, nil, u, err
	}
	form = &chatForm{id: identity(prefix, all), request: request, model: m, calls: calls}
	turn(r.Context(), form.id+m.Fingerprint())
	if err := reserve(r.Context(), all, 0); err != nil {
		return nil, nil, u, err
	}
	if choices, err = s.startChoices(r.Context(), from, all); err != nil {
		return nil, nil, u, err
	}
	format := s.options.ReasoningFormat
	wire.Set(&format, request.ReasoningFormat)
	for _, c := range choices {
		if format != "none" && g.Request.Grammar == "" { // what a grammar shapes is an answer
			c.Split, c.Whole = m.Vocabulary.Splitter(prompt), format == "deepseek-legacy"
		}
	}
	return form, choices, usage{PromptTokens: len(prompt)}, nil
}

// chatForm writes replies as /v1/chat/completions does.
type chatForm struct {
	id      string
	request *wire.ChatRequest
	model   *served.Model
	calls   *chat.Calls // nil if the reply calls no tools
}

// chatChoice is one choice of a body: with a message, or of a stream with a delta.
type chatChoice struct {
	Index        int           `json:"index"`
	Message      *chatMessage  `json:"message,omitempty"`
	Delta        *chatDelta    `json:"delta,omitempty"`
	Logprobs     *chatLogprobs `json:"logprobs"`
	FinishReason *string       `json:"finish_reason"`
}

// chatMessage is the reply of a choice. Its content is null beside calls of tools if there is no text.
type chatMessage struct {
	Role    string  `json:"role"`
	Content *string `json:"content"`
	Refusal *string `json:"refusal"`

	Reasoning string `json:"reasoning_content,omitempty"`

	ToolCalls []wire.ToolCall `json:"tool_calls,omitempty"`
}

// chatDelta is what an event adds to a choice.
type chatDelta struct {
	Role    string  `json:"role,omitempty"`
	Content *string `json:"content,omitempty"`

	Reasoning string `json:"reasoning_content,omitempty"`

	ToolCalls []wire.ToolCall `json:"tool_calls,omitempty"`
}

// chatLogprobs are those of the tokens of a message or of a delta; Refusal is always null.
type chatLogprobs struct {
	Content []chatLogprob `json:"content"`
	Refusal *string       `json:"refusal"`
}

// head implements form; chunks have a type of their own in OpenAI's protocol.
func (f *chatForm) head(chunk bool) head {
	object := "chat.completion"
	if chunk {
		object += ".chunk"
	}
	return head{ID: f.id, Object: object, Model: f.model.ID, Fingerprint: f.model.Fingerprint()}
}

// logprobs returns the log-probabilities of tokens, nil if the client did not ask for them. Tokens that were not drawn
// and the end token are left out.
func (f *chatForm) logprobs(tokens []generation.Token) *chatLogprobs {
	if !f.request.Logprobs {
		return nil
	}
	list := make([]chatLogprob, 0, len(tokens))
	most := 0
	wire.Set(&most, f.request.TopLogprobs)
	for _, t := range tokens {
		if t.ID != generation.Rest && !t.End { // OpenAI shows no end token
			list = append(list, newChatLogprob(f.model, t, most))
		}
	}
	return &chatLogprobs{Content: list}
}

// whole implements form.
func (f *chatForm) whole(_, index int, tokens []generation.Token, finish string) any {
	content, calls, finish := f.divide(index, tokens, finish)
	_, reasoning := joinTexts(tokens)
	return chatChoice{Index: index, Message: &chatMessage{Role: "assistant", Content: content, Reasoning: reasoning,
		ToolCalls: calls}, Logprobs: f.logprobs(tokens), FinishReason: &finish}
}

// first implements form: OpenAI's first chunk names the role, and has no text.
func (f *chatForm) first(_, index int) any {
	empty := ""
	return chatChoice{Index: index, Delta: &chatDelta{Role: "assistant", Content: &empty}}
}

// part implements form. The end token has no text, and is not shown.
func (f *chatForm) part(_, index int, t generation.Token) any {
	if t.End {
		return nil
	}
	c := chatChoice{Index: index, Delta: &chatDelta{Reasoning: t.Reasoning}}
	if t.Answer != "" || t.Reasoning == "" {
		c.Delta.Content = &t.Answer
	}
	if t.ID != generation.Rest {
		c.Logprobs = f.logprobs([]generation.Token{t})
	}
	return c
}

// last implements form: OpenAI's last chunk has the finish reason alone.
func (f *chatForm) last(index int, finish string) []any {
	return []any{chatChoice{Index: index, Delta: &chatDelta{}, FinishReason: &finish}}
}
