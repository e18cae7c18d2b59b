package chat

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/parley-debate/parley/inference/chat/jinja"
)

// Template is a model's own chat template (Jinja, from tokenizer.chat_template), with the settings that its authors
// render it with: blocks trimmed, as transformers' apply_chat_template does.
type Template struct {
	parsed   *jinja.Template
	source   string
	bos, eos string
	control  []string // texts that the tokenizer would read as control tokens
	marks    *Marks   // of the reasoning in replies; nil if none are known
	needs    needs
	complete bool // a prompt that lacks a message's text is an error
	thinking thinking
}

// maxTemplateBytes bounds the template of a model file. Those of public models have up to 20 KB.
const maxTemplateBytes = 256 << 10

// NewTemplate parses a template. bos and eos are the texts of the model's tokens of these names; control are the texts
// of all its control tokens.
func NewTemplate(source, bos, eos string, control []string) (*Template, error) {
	switch {
	case source == "":
		return nil, ErrNoTemplate
	case len(source) > maxTemplateBytes:
		return nil, fmt.Errorf("chat template of %d bytes; at most %d are accepted", len(source), maxTemplateBytes)
	}
	parsed, err := jinja.Parse(source, map[string]jinja.Function{
		"raise_exception": func(texts ...string) (string, error) { return "", errors.New(strings.Join(texts, " ")) },
		"strftime_now":    func(texts ...string) (string, error) { return strftime(strings.Join(texts, "")) },
	})
	if err != nil {
		return nil, fmt.Errorf("%w of %d bytes cannot be used: %w; give another one with --chat-template", ErrTemplate,
			len(source), err)
	}
	return &Template{parsed: parsed, source: source, bos: bos, eos: eos, control: control, marks: MarksOf(source)}, nil
}

// Segment is a piece of a rendered prompt. In a plain segment nothing is read as a control token, whatever it looks
// like.
type Segment struct {
	Text  string
	Plain bool
}

// Render writes the conversation as the model was trained to read it, up to where its reply begins. A conversation that
// ends with the assistant's message is rendered up to that message's end: the reply continues it. Where a message
// spells a control token ("<|im_end|>"), that text becomes a plain segment, so that no message can end its turn or
// speak for others. A message of RoleText ends the prompt as it is.
//
// What a template may do is bounded (jinja.ErrBounds), and the end of ctx stops it.
func (t *Template) Render(ctx context.Context, messages []Message) ([]Segment, error) {
	if rest, reply, text, ok := splitBegun(messages); ok {
		return t.goOn(ctx, rest, reply, text)
	}
	turns := turnsOf(messages)
	return t.render(ctx, turns, rendering{generation: true, continued: endsBegun(turns)})
}

// goOn renders a conversation up to where its reply begins, and the beginning of that reply behind it: what the model
// has written, reasoning that it left open closed, and the text. Only marks of reasoning are control tokens in it.
func (t *Template) goOn(ctx context.Context, messages []Message, reply, text string) (segments []Segment, err error) {
	if t == nil && len(messages) == 0 && reply == "" {
		return []Segment{{Text: text, Plain: true}}, nil
	}
	if t == nil || len(messages) > 0 {
		if segments, err = t.render(ctx, turnsOf(messages), rendering{generation: true}); err != nil {
			return nil, err
		}
	}
	if reply != "" {
		last := len(segments) - 1
		opened := last >= 0 && !segments[last].Plain && t.marks.Opened(segments[last].Text)
		text = closeReasoning(t.marks, opened, reply) + text
	}
	return append(segments, t.replySegments(text)...), nil
}

// replySegments is text of a reply, in which only marks of reasoning are control tokens.
func (t *Template) replySegments(text string) (segments []Segment) {
	marks := slices.DeleteFunc(t.marks.Texts(), func(m string) bool { return !slices.Contains(t.control, m) })
	from := 0
	for at := 0; at < len(text); {
		i := slices.IndexFunc(marks, func(m string) bool { return strings.HasPrefix(text[at:], m) })
		if i < 0 {
			at++
			continue
		}
		segments = append(segments, Segment{Text: text[from:at], Plain: true}, Segment{Text: marks[i]})
		at += len(marks[i])
		from = at
	}
	segments = append(segments, Segment{Text: text[from:], Plain: true})
	return slices.DeleteFunc(segments, func(s Segment) bool { return s.Text == "" })
}

// rendering is what transformers' apply_chat_template takes besides the messages.
type rendering struct {
	generation bool        // add_generation_prompt: up to where a reply begins
	continued  bool        // continue_final_message: up to the end of the last message's text, whatever follows it
	tools      []any       // definitions, nil for none
	variables  *jinja.Dict // further ones of the template, nil for none
}

// turn is a message as a template is given it.
type turn struct {
	Message
	name  string // of its speaker; "" for none
	calls []any
}

func turnsOf(messages []Message) []turn {
	turns := make([]turn, len(messages))
	for i, m := range messages {
		turns[i].Message = m
	}
	return turns
}

// endsBegun reports whether a conversation ends with a message of the assistant, which the reply continues.
func endsBegun(turns []turn) bool {
	last := len(turns) - 1
	return last >= 0 && turns[last].Role == "assistant" && turns[last].calls == nil
}

// value returns the message for the template, with its texts as hide makes them; content is hidden already.
func (t turn) value(content any, hide func(string) string) *jinja.Dict {
	pairs := []any{"role", t.Role, "content", content}
	if t.name != "" {
		pairs = append(pairs, "name", hide(t.name))
	}
	if t.calls != nil {
		pairs = append(pairs, "tool_calls", texts(t.calls, hide))
	}
	return dict(pairs...)
}

// render adapts messages, hides what looks like a control token in all that strangers may have written (texts, names,
// tools, calls, variables), renders, and checks that no message was lost.
func (t *Template) render(ctx context.Context, messages []turn, r rendering) ([]Segment, error) {
	if t == nil {
		return nil, ErrNoTemplate
	}
	messages = t.needs.adapt(t.thinking.makeRoom(messages))
	var said []string // whatever the prompt may have
	size := 0
	note := func(text string) string {
		said, size = append(said, text), size+len(text)
		return text
	}
	for _, m := range messages {
		note(m.Content)
		if m.name != "" {
			note(m.name)
		}
		texts(m.calls, note)
	}
	texts(r.tools, note)
	if r.variables != nil {
		texts(r.variables, note)
	}
	guard := newGuard(t.control, said)
	list, contents := make([]any, len(messages)), make([]string, len(messages))
	for i, m := range messages {
		if contents[i] = guard.hide(m.Content); r.continued && i == len(messages)-1 {
			contents[i] += guard.end()
		}
		list[i] = m.value(t.needs.content(t.thinking.say(i, contents[i])), guard.hide)
	}
	variables := map[string]any{
		"messages": list, "add_generation_prompt": r.generation && !r.continued, "bos_token": t.bos, "eos_token": t.eos,
		"tools": nil, "documents": nil,
	}
	maps.Copy(variables, t.thinking.variables)
	if r.tools != nil {
		variables["tools"] = texts(r.tools, guard.hide)
	}
	if r.variables != nil {
		for _, p := range texts(r.variables, guard.hide).(*jinja.Dict).Pairs() {
			variables[p.Key.(string)] = p.Value
		}
	}
	text, err := t.parsed.Render(ctx, variables, len(said), size)
	if err == nil && r.continued {
		last := len(messages) - 1
		text, err = guard.upToEnd(text, contents[last])
		messages, contents = messages[:last], contents[:last]
	}
	if err == nil && t.complete {
		err = missing(text, messages, contents)
	}
	if err != nil {
		return nil, fmt.Errorf("%w, %d messages: %w", ErrTemplate, len(messages), err)
	}
	segments := guard.segments(text)
	t.skip(segments, r)
	return segments, nil
}

// guard replaces what looks like a control token in messages by marks before the template sees it, and the marks by
// plain segments afterwards. A mark is a number between two runes that no message has. A template could write one
// itself, so its number is checked.
type guard struct {
	control []string // longest first
	mark    rune     // occurs in no message
	hidden  []string // texts that were replaced, by the numbers in their marks
}

// newGuard looks for a rune of the private use area that no text has. Only control tokens that occur in these texts
// need to be hidden; longer ones come first, as one may begin with another.
func newGuard(control, said []string) *guard {
	g := &guard{mark: '\uE000'}
	for _, c := range control {
		if c != "" && slices.ContainsFunc(said, func(text string) bool { return strings.Contains(text, c) }) {
			g.control = append(g.control, c)
		}
	}
	slices.SortFunc(g.control, func(a, b string) int { return len(b) - len(a) })
	for slices.ContainsFunc(said, func(text string) bool { return strings.ContainsRune(text, g.mark) }) {
		g.mark++
	}
	return g
}

// hide replaces control tokens by marks. What a mark stands for is kept by its number, also where a token occurs
// twice.
func (g *guard) hide(content string) string {
	for _, c := range g.control {
		parts := strings.Split(content, c)
		content = parts[0]
		for _, part := range parts[1:] {
			content += fmt.Sprintf("%c%d%c", g.mark, len(g.hidden), g.mark) + part
			g.hidden = append(g.hidden, c)
		}
	}
	return content
}

// segments cuts a rendered prompt at the marks. A number that no mark has comes from the template itself, and is
// dropped.
func (g *guard) segments(text string) (segments []Segment) {
	for i, part := range strings.Split(text, string(g.mark)) {
		if i%2 == 0 {
			segments = append(segments, Segment{Text: part})
			continue
		}
		var n int
		if _, err := fmt.Sscan(part, &n); err == nil && n >= 0 && n < len(g.hidden) {
			segments = append(segments, Segment{Text: g.hidden[n], Plain: true})
		}
	}
	return slices.DeleteFunc(segments, func(s Segment) bool { return s.Text == "" })
}

// end marks where a message that is to be continued ends. The blank behind it tells whether the template keeps blanks
// there.
func (g *guard) end() string { return fmt.Sprintf("%cend%c ", g.mark, g.mark) }

// upToEnd returns a rendered text up to the mark behind the content of its last message. A template that trims the
// message trims it before the reply goes on, too.
func (g *guard) upToEnd(text, content string) (string, error) {
	mark := g.end()
	at := strings.LastIndex(text, strings.TrimSpace(mark))
	if at < 0 || !strings.Contains(text, strings.TrimFunc(strings.TrimSuffix(content, mark), jinja.IsSpace)) {
		return "", errors.New("it changes the assistant's last message, which the reply is to continue; end with a " +
			"message of the user")
	}
	if strings.HasPrefix(text[at:], mark) {
		return text[:at], nil
	}
	return strings.TrimRightFunc(text[:at], jinja.IsSpace), nil
}
