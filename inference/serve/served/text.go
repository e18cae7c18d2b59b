package served

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/chat"
	"github.com/parley-debate/parley/inference/serve/limits"
	"github.com/parley-debate/parley/inference/serve/wire"
)

// Render turns a conversation, which stands in the field param, into tokens. What the model's template refuses, the
// client is told.
func (m *Model) Render(ctx context.Context, param string, s inference.Sampling, turns []chat.Turn, tools wire.Tools,
	v wire.TemplateVariables) ([]int32, error) {
	bytes := len(v.Variables)
	for _, t := range turns {
		bytes += len(t.Name) + len(t.Content)
		for _, c := range t.Calls {
			bytes += len(c.Name) + len(c.Arguments)
		}
	}
	shown := make([]json.RawMessage, len(tools))
	for i, t := range tools {
		shown[i] = t.Raw
		bytes += len(t.Raw)
	}
	if err := m.checkText(bytes, param); err != nil {
		return nil, err
	}
	tokens, err := m.Vocabulary.RenderTurns(ctx, s, turns, chat.Extras{Tools: shown,
		Variables: v.Variables})
	switch {
	case err == nil || ctx.Err() != nil:
		return tokens, err
	case errors.Is(err, chat.ErrThinking):
		return nil, wire.Invalid("reasoning_tokens", "reasoning_tokens: %v, so that they cannot be bounded: leave out "+
			"what bounds reasoning or switches it off", chat.ErrThinking)
	case errors.Is(err, inference.ErrWaits):
		return nil, wire.Invalid("reasoning_waits", "reasoning_waits: %v: leave it out", inference.ErrWaits)
	case errors.Is(err, chat.ErrVariables):
		return nil, wire.Invalid("chat_template_kwargs", "chat_template_kwargs: %v", err)
	}
	return nil, wire.Invalid(param, "%s: %v", param, err)
}

// checkText refuses texts of more bytes than the prompt that they become can have; param is the field that has them. It
// comes before the tokenizer, which takes a second for a megabyte and cannot be interrupted.
func (m *Model) checkText(bytes int, param string) error {
	return limits.Texts.CheckOf(bytes, max(limits.Texts.Most, 32*int64(m.Room())), param)
}

// Tokenize returns the tokens of a text in the field param. ends and special are those of Vocabulary.Tokenize.
func (m *Model) Tokenize(text, param string, ends, special bool) ([]int32, error) {
	if err := m.checkText(len(text), param); err != nil {
		return nil, err
	}
	return m.Vocabulary.Tokenize(text, ends, special)
}

// CheckTokens refuses tokens that the model does not have; field is what the error names. The engine relies on it.
func (m *Model) CheckTokens(field string, tokens []int32) error {
	for i, t := range tokens {
		if t < 0 || int(t) >= m.Vocabulary.Size() {
			return wire.Invalid(field, "token %d is %d: the model has %d", i, t, m.Vocabulary.Size())
		}
	}
	return nil
}

// Text returns the text of tokens, with the names of control tokens. Bytes that are no text become replacement
// characters.
func (m *Model) Text(tokens []int32) string {
	var b strings.Builder
	for _, t := range tokens {
		b.Write(m.Vocabulary.Bytes(t))
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

// TokenText returns a token as OpenAI writes it: its text, or its bytes if these are no text.
func (m *Model) TokenText(token int32) string {
	bytes := m.Vocabulary.Bytes(token)
	if text := string(bytes); strings.ToValidUTF8(text, "") == text {
		return text
	}
	text := "bytes:"
	for _, b := range bytes {
		text += fmt.Sprintf(`\x%02x`, b)
	}
	return text
}

// Offsets returns, for each token of a prompt, how many characters (code points) come before it. A token that goes on
// with a character begins with it. What the tokenizer puts before a text, a token that texts begin with or a space, is
// no part of the text and does not count. text is nil where the client gave tokens.
func (m *Model) Offsets(tokens []int32, text *string) []int {
	added := ""
	if text != nil {
		written := m.Text(tokens)
		if bos, _ := m.Vocabulary.Ends(); bos != "" && !strings.HasPrefix(*text, bos) && strings.HasPrefix(written,
			bos) {
			added = bos
		}
		if space := added + " "; !strings.HasPrefix(*text, " ") && strings.HasPrefix(written, space) {
			added = space
		}
	}
	list := make([]int, len(tokens))
	var open []byte // of a character that is not complete
	complete, before, broken := 0, utf8.RuneCountInString(added), false
	for i, t := range tokens {
		list[i] = max(0, complete-before)
		open = append(open, m.Vocabulary.Bytes(t)...)
		for len(open) > 0 && utf8.FullRune(open) {
			r, size := utf8.DecodeRune(open)
			open = open[size:]
			invalid := r == utf8.RuneError && size == 1
			if !invalid || !broken { // Text writes one character for several bytes that are none
				complete++
			}
			broken = invalid
		}
	}
	return list
}
