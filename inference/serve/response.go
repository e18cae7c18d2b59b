package serve

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/parley-debate/parley/inference/serve/generation"
	"github.com/parley-debate/parley/inference/serve/wire"
)

// response writes a reply as /v1/responses does.
type response struct {
	*chatForm
	request *wire.ResponsesRequest
	output  []any
	before  int    // items before the message: one of reasoning, or none
	status  string // "in_progress" until the reply has ended
}

// responseObject is the body of a reply, and what the first and last events of a stream have. What this server does not
// do has the value that says so.
type responseObject struct {
	ID                string            `json:"id"`
	Object            string            `json:"object"`
	CreatedAt         int64             `json:"created_at"` // always 0; see head
	Status            string            `json:"status"`
	Background        bool              `json:"background"`
	Error             *string           `json:"error"`
	IncompleteDetails *incomplete       `json:"incomplete_details"`
	Instructions      *string           `json:"instructions"`
	MaxOutputTokens   *int              `json:"max_output_tokens"`
	Metadata          struct{}          `json:"metadata"`
	Model             string            `json:"model"`
	Output            []any             `json:"output"`
	ParallelToolCalls bool              `json:"parallel_tool_calls"`
	Previous          *string           `json:"previous_response_id"`
	Store             bool              `json:"store"`
	Fingerprint       string            `json:"system_fingerprint"`
	Temperature       float32           `json:"temperature"`
	ToolChoice        any               `json:"tool_choice"`
	Tools             []json.RawMessage `json:"tools"`
	TopP              float32           `json:"top_p"`
	Truncation        string            `json:"truncation"`
	Usage             *responseUsage    `json:"usage"`
}

// incomplete says why a reply was cut off.
type incomplete struct {
	Reason string `json:"reason"`
}

// responseUsage is usage in the words of this protocol. The details are never left out, since clients read them.
type responseUsage struct {
	InputTokens   int           `json:"input_tokens"`
	InputDetails  promptDetails `json:"input_tokens_details"` // 0 unless the server tells what came from the cache
	OutputTokens  int           `json:"output_tokens"`
	OutputDetails struct {
		ReasoningTokens int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	TotalTokens int `json:"total_tokens"`
}

// responseMessage is the text of a reply.
type responseMessage struct {
	Type    string       `json:"type"`
	ID      string       `json:"id"`
	Status  string       `json:"status"`
	Role    string       `json:"role"`
	Content []outputText `json:"content"`
}

// responseReasoning is the reasoning of a reply.
type responseReasoning struct {
	Type    string          `json:"type"`
	ID      string          `json:"id"`
	Status  string          `json:"status"`
	Summary []string        `json:"summary"`
	Content []reasoningText `json:"content"`
}

// reasoningText is the one part of a responseReasoning.
type reasoningText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// outputText is the one part of a responseMessage.
type outputText struct {
	Type        string        `json:"type"`
	Annotations []string      `json:"annotations"`
	Logprobs    []chatLogprob `json:"logprobs"`
	Text        string        `json:"text"`
}

// responseCall is a call of a function.
type responseCall struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	Status    string `json:"status"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// object is the reply as far as it has come; u is nil until it has ended.
func (f *response) object(u *usage) *responseObject {
	r := f.request
	o := &responseObject{ID: f.id, Object: "response", Status: f.status, Instructions: wire.OrNull(r.Instructions),
		MaxOutputTokens: r.MaxOutputTokens, Model: f.model.ID, Output: append([]any{}, f.output...),
		ParallelToolCalls: r.ParallelToolCalls == nil || *r.ParallelToolCalls, Fingerprint: f.model.Fingerprint(),
		Temperature: 1, ToolChoice: "auto", Tools: []json.RawMessage{}, TopP: 1, Truncation: "disabled"}
	wire.Set(&o.Temperature, r.Temperature)
	wire.Set(&o.TopP, r.TopP)
	switch c := r.ToolChoice; {
	case c.Name != "":
		o.ToolChoice = map[string]string{"type": "function", "name": c.Name}
	case c.Mode != "":
		o.ToolChoice = c.Mode
	}
	for _, t := range r.Tools {
		o.Tools = append(o.Tools, t.Given)
	}
	if f.status == "incomplete" {
		o.IncompleteDetails = &incomplete{"max_output_tokens"}
	}
	if u != nil {
		o.Usage = &responseUsage{InputTokens: u.PromptTokens, OutputTokens: u.CompletionTokens,
			TotalTokens: u.TotalTokens}
		wire.Set(&o.Usage.InputDetails, u.PromptDetails)
		if d := u.CompletionDetails; d != nil {
			o.Usage.OutputDetails.ReasoningTokens = d.ReasoningTokens
		}
	}
	return o
}

// name returns the ID of a part of the reply: a hash, so that equal requests get equal ones.
func (f *response) name(prefix string, index int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %d", f.id, prefix, index))
	return prefix + hex.EncodeToString(sum[:12])
}

// message is the item of the reply's text.
func (f *response) message(status string, parts ...outputText) responseMessage {
	return responseMessage{"message", f.name("msg_", 0), status, "assistant", append([]outputText{}, parts...)}
}

// reasoning is the item of the reply's reasoning.
func (f *response) reasoning(status string, parts ...reasoningText) responseReasoning {
	return responseReasoning{"reasoning", f.name("rs_", 0), status, []string{}, append([]reasoningText{}, parts...)}
}

// text is the part of the reply that has these tokens.
func (f *response) text(text string, tokens []generation.Token) outputText {
	part := outputText{"output_text", []string{}, []chatLogprob{}, text}
	if l := f.logprobs(tokens); l != nil {
		part.Logprobs = l.Content
	}
	return part
}

// end completes the reply with all its tokens: its reasoning and its text, if it has them, and the calls in it.
func (f *response) end(tokens []generation.Token, finish string) {
	text, calls, finish := f.divide(0, tokens, finish)
	if f.status = "completed"; finish == "length" {
		f.status = "incomplete"
	}
	_, thought := joinTexts(tokens)
	if thought != "" {
		f.output = append(f.output, f.reasoning(f.status, reasoningText{"reasoning_text", thought}))
	}
	if text != nil && (*text != "" || thought == "") {
		f.output = append(f.output, f.message(f.status, f.text(*text, tokens)))
	}
	for i, c := range calls {
		f.output = append(f.output, responseCall{"function_call", f.name("fc_", i), f.status, c.ID, c.Function.Name,
			c.Function.Arguments})
	}
}

// responseEvents numbers the events of a stream.
type responseEvents struct {
	*events
	next int
}

// eventFields are those of an event besides its type and number.
type eventFields map[string]any

// tell sends an event.
func (e *responseEvents) tell(kind string, f eventFields) error {
	f["type"], f["sequence_number"] = kind, e.next
	e.next++
	text, err := wire.Compact(f)
	if err != nil {
		return err
	}
	return e.send(append([]byte("event: "+kind+"\ndata: "), text...))
}

// streamResponse writes the events of a reply. A text comes token by token, unless the reply may call functions: then
// all of it comes at the end, since only that tells what is a call.
func (s *Server) streamResponse(ctx context.Context, to *events, c *generation.Choice, f *response, u usage) error {
	e := &responseEvents{events: to}
	f.status = "in_progress"
	for _, kind := range []string{"response.created", "response.in_progress"} {
		if err := e.tell(kind, eventFields{"response": f.object(nil)}); err != nil {
			return err
		}
	}
	streamed := f.calls == nil
	said, thought := streamed && c.Split == nil, false // what has begun
	if said {
		if err := f.beginText(e); err != nil {
			return err
		}
	}
	var tokens []generation.Token
	for {
		t, more, err := c.Next(ctx)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		tokens = append(tokens, t)
		if streamed && t.Reasoning != "" {
			if err := f.think(e, t.Reasoning, thought); err != nil {
				return err
			}
			thought = true
		}
		if !streamed || t.End || c.Split != nil && t.Answer == "" {
			continue
		}
		if !said {
			if err := f.beginText(e); err != nil {
				return err
			}
			said = true
		}
		if err := f.delta(e, f.text(t.Answer, []generation.Token{t})); err != nil {
			return err
		}
	}
	f.end(tokens, u.end(c))
	for i, item := range f.output {
		if err := f.finishItem(e, i, item, said, thought); err != nil {
			return err
		}
	}
	return e.tell("response."+f.status, eventFields{"response": f.object(s.total(&u))})
}

// beginText announces the reply's text, which is its first item.
func (f *response) beginText(e *responseEvents) error {
	item := eventFields{"output_index": f.before, "item": f.message("in_progress")}
	if err := e.tell("response.output_item.added", item); err != nil {
		return err
	}
	return e.tell("response.content_part.added", f.part(eventFields{"part": f.text("", nil)}))
}

// think sends more of the reasoning, which is the first item; begun tells whether some was sent.
func (f *response) think(e *responseEvents, more string, begun bool) error {
	if f.before = 1; !begun {
		item := eventFields{"output_index": 0, "item": f.reasoning("in_progress")}
		if err := e.tell("response.output_item.added", item); err != nil {
			return err
		}
	}
	return e.tell("response.reasoning_text.delta", eventFields{"item_id": f.name("rs_", 0), "output_index": 0,
		"content_index": 0, "delta": more})
}

// part adds to the fields of an event which part of the reply it is about.
func (f *response) part(more eventFields) eventFields {
	more["item_id"], more["output_index"], more["content_index"] = f.name("msg_", 0), f.before, 0
	return more
}

// delta sends more of the text.
func (f *response) delta(e *responseEvents, more outputText) error {
	return e.tell("response.output_text.delta", f.part(eventFields{"delta": more.Text, "logprobs": more.Logprobs}))
}

// finishItem sends the end of an item, and what of it has not been sent: said and thought tell whether text and
// reasoning were.
func (f *response) finishItem(e *responseEvents, index int, item any, said, thought bool) (err error) {
	say := func(kind string, more eventFields) {
		if err == nil {
			err = e.tell(kind, more)
		}
	}
	switch item := item.(type) {
	case responseReasoning:
		text := item.Content[0].Text
		if !thought {
			err = f.think(e, text, false)
		}
		say("response.reasoning_text.done", eventFields{"item_id": item.ID, "output_index": index, "content_index": 0,
			"text": text})
	case responseMessage:
		text := item.Content[0]
		if !said {
			if err = f.beginText(e); err == nil {
				err = f.delta(e, text)
			}
		}
		say("response.output_text.done", f.part(eventFields{"text": text.Text, "logprobs": text.Logprobs}))
		say("response.content_part.done", f.part(eventFields{"part": text}))
	case responseCall:
		begun := item
		begun.Status, begun.Arguments = "in_progress", ""
		say("response.output_item.added", eventFields{"output_index": index, "item": begun})
		say("response.function_call_arguments.delta", eventFields{"item_id": item.ID, "output_index": index,
			"delta": item.Arguments})
		say("response.function_call_arguments.done", eventFields{"item_id": item.ID, "output_index": index,
			"name": item.Name, "arguments": item.Arguments})
	}
	say("response.output_item.done", eventFields{"output_index": index, "item": item})
	return err
}

// respond answers POST /v1/responses.
func (s *Server) respond(w http.ResponseWriter, r *http.Request) error {
	var request wire.ResponsesRequest
	if err := decode(r, &request); err != nil {
		return err
	}
	asked, err := request.ChatRequest()
	if err != nil {
		return err
	}
	turns, err := request.Turns()
	if err != nil {
		return err
	}
	form, choices, u, err := s.startChat(r, asked, turns, "resp_")
	if err != nil {
		return err
	}
	defer choices[0].Cancel()
	reply := &response{chatForm: form, request: &request}
	if request.Stream {
		events := &events{w: w, connection: http.NewResponseController(w), patience: s.options.Reading}
		if err := s.streamResponse(r.Context(), events, choices[0], reply, u); err != nil {
			events.fail(r.Context(), err)
		}
		return nil
	}
	tokens, err := choices[0].All(r.Context())
	if err != nil {
		return err
	}
	reply.end(tokens, u.end(choices[0]))
	return answer(w, reply.object(s.total(&u)))
}
