package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/inference/chat/jinja"
)

// ErrTemplate is the error of a conversation that a template refuses, or does not render whole.
var ErrTemplate = errors.New("chat template")

// ErrNoTemplate is the ErrTemplate of conversations with a model whose file has none.
var ErrNoTemplate = fmt.Errorf("the model has no %w (tokenizer.chat_template): it completes, scores, embeds and "+
	"tokenizes texts, but holds no chats and debates; give it a template with --chat-template, a file or one of %s",
	ErrTemplate, strings.Join(TemplateNames(), ", "))

// needs is what a template wants otherwise than most, as Open finds out.
type needs struct {
	parts     bool // content as a list of parts, and not as a text
	noSystem  bool // no system message: it goes to the head of the first user message
	alternate bool // never two messages of one role in a row: they are joined
}

// Open parses a model's own template like NewTemplate and tries it, as llama.cpp does: what it does with a text as
// content, with a system message, and with two messages of one role in a row. Conversations are then rendered in the
// way that works. A template into which no message gets is refused; one that fails on longer conversations is not,
// since not all need them. From then on a conversation of which a message is missing in the rendered prompt is an
// error.
func Open(source, bos, eos string, control []string) (*Template, error) {
	t, err := NewTemplate(source, bos, eos, control)
	if err != nil {
		return nil, err
	}
	if err := t.probe(); err != nil {
		return nil, fmt.Errorf("chat template of %d bytes cannot be used: %w; use another one with --chat-template",
			len(source), err)
	}
	return t, nil
}

// Messages that a template is tried with.
var (
	probeSystem = Message{Role: "system", Content: "Answer in few words."}
	probeUser   = Message{Role: "user", Content: "Which month comes after May?"}
	probeAgain  = Message{Role: "user", Content: "And which one before?"}
)

// probe renders small conversations to find out what the template refuses, so that conversations are adapted
// beforehand. It sets complete first: a template that drops a message's text without an error has refused it too.
func (t *Template) probe() error {
	t.complete = true
	renders := func(messages ...Message) error {
		_, err := t.Render(context.Background(), messages)
		return err
	}
	if err := renders(probeUser); err != nil {
		t.needs.parts = true
		if renders(probeUser) != nil {
			return err // what it says of a text
		}
	}
	if renders(probeSystem, probeUser) != nil {
		t.needs.noSystem = true
	}
	if renders(probeUser, probeAgain) != nil {
		t.needs.alternate = true
	}
	return nil
}

// Adapted says in words how conversations are changed for the template; the result is "" if they are not.
func (t *Template) Adapted() string {
	if t == nil {
		return ""
	}
	var all []string
	if t.needs.noSystem {
		all = append(all, "it takes no system message, which goes to the head of the first user message")
	}
	if t.needs.alternate {
		all = append(all, "it takes no two messages of one role in a row, which are joined")
	}
	return strings.Join(all, "; ")
}

// adapt changes a conversation as the template needs it. Messages of different speakers that are joined have no name.
func (n needs) adapt(turns []turn) []turn {
	if n.noSystem {
		system := slices.IndexFunc(turns, func(t turn) bool { return t.Role == "system" })
		first := slices.IndexFunc(turns, func(t turn) bool { return t.Role == "user" })
		if system >= 0 && first > system {
			turns = slices.Clone(turns)
			turns[first].Content = joinTexts(turns[system].Content, turns[first].Content)
			turns = slices.Delete(turns, system, system+1)
		}
	}
	if !n.alternate || slices.ContainsFunc(turns, func(t turn) bool { return t.Role == "tool" || t.calls != nil }) {
		return turns
	}
	var joined []turn
	for _, t := range turns {
		last := len(joined) - 1
		if last < 0 || joined[last].Role != t.Role {
			joined = append(joined, t)
			continue
		}
		joined[last].Content = joinTexts(joined[last].Content, t.Content)
		if joined[last].name != t.name {
			joined[last].name = ""
		}
	}
	return joined
}

// joinTexts puts two texts that become one message below each other.
func joinTexts(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// content returns a message's text as the template takes it.
func (n needs) content(text string) any {
	if !n.parts {
		return text
	}
	return []any{dict("type", "text", "text", text)}
}

// missing returns an error if a prompt lacks the text of a message. Templates may trim texts, and leave out reasoning
// and results of tools, or write those in a way of their own.
func missing(prompt string, messages []turn, contents []string) error {
	for i, m := range messages {
		text := contents[i]
		switch m.Role {
		case "system", "user":
		case "assistant":
			text = afterReasoning(text)
		default:
			continue
		}
		if !strings.Contains(prompt, strings.TrimFunc(text, jinja.IsSpace)) {
			return fmt.Errorf("it leaves out the text of message %d (%s), or changes it", i+1, m.Role)
		}
	}
	return nil
}

// afterReasoning returns what follows the last mark in a text that ends some family's reasoning.
func afterReasoning(text string) string {
	for _, f := range families {
		for _, end := range f.end {
			if at := strings.LastIndex(text, end); at >= 0 {
				text = text[at+len(end):]
			}
		}
	}
	return text
}
