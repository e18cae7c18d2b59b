package serve

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/parley-debate/parley/inference/chat"
	"github.com/parley-debate/parley/inference/serve/limits"
	"github.com/parley-debate/parley/inference/serve/wire"
)

// tokenize is vLLM's /tokenize: a text, or a conversation, as tokens.
func (s *Server) tokenize(w http.ResponseWriter, r *http.Request) error {
	var request struct {
		wire.Common
		Prompt           *string       `json:"prompt"`
		Messages         wire.Messages `json:"messages"`
		Tools            wire.Tools    `json:"tools"`
		AddSpecialTokens *bool         `json:"add_special_tokens"`
		ReturnTokenStrs  bool          `json:"return_token_strs"`
		wire.TemplateVariables
	}
	if err := decode(r, &request); err != nil {
		return err
	}
	m, err := s.model(request.Model)
	if err != nil {
		return err
	}
	var tokens []int32
	switch {
	case (request.Prompt == nil) == (request.Messages == nil):
		return wire.Invalid("prompt", "either prompt or messages is needed")
	case request.Prompt != nil && request.Variables != nil:
		return wire.Invalid("chat_template_kwargs", "chat_template_kwargs belong to messages: leave them out, or "+
			"prompt")
	case request.Prompt != nil && len(request.Tools) > 0:
		return wire.Invalid("tools", "tools belong to messages: leave them out, or prompt")
	case request.Messages != nil && request.AddSpecialTokens != nil && *request.AddSpecialTokens:
		return wire.Invalid("add_special_tokens", "add_special_tokens: the model's chat template adds those of "+
			"messages: leave it out, or set it to false")
	case request.Prompt != nil:
		ends := request.AddSpecialTokens == nil || *request.AddSpecialTokens
		tokens, err = m.tokensOf(*request.Prompt, "prompt", ends, true)
	default:
		var conversation []chat.Turn
		if conversation, err = request.Messages.Turns(); err == nil {
			tokens, err = m.render(r.Context(), "messages", conversation, request.Tools,
				request.TemplateVariables)
		}
	}
	if err != nil {
		return err
	}
	room, _ := m.vocabulary.Room()
	reply := map[string]any{"count": len(tokens), "max_model_len": room, "tokens": tokens}
	if request.ReturnTokenStrs {
		strs := make([]string, len(tokens))
		for i, t := range tokens {
			strs[i] = m.tokenText(t)
		}
		reply["token_strs"] = strs
	}
	return answer(w, reply)
}

// detokenize is vLLM's /detokenize.
func (s *Server) detokenize(w http.ResponseWriter, r *http.Request) error {
	var request struct {
		wire.Common
		Tokens []int32 `json:"tokens"`
	}
	if err := decode(r, &request); err != nil {
		return err
	}
	m, err := s.model(request.Model)
	if err != nil {
		return err
	}
	if err := m.checkTokens("tokens", request.Tokens); err != nil {
		return err
	}
	return answer(w, map[string]string{"prompt": m.textOf(request.Tokens)})
}

// tokenizerInfo is vLLM's /tokenizer_info, as far as programs read it.
func (s *Server) tokenizerInfo(w http.ResponseWriter, r *http.Request) error {
	m, err := s.model(r.URL.Query().Get("model"))
	if err != nil {
		return err
	}
	bos, eos := m.vocabulary.Ends()
	room, _ := m.vocabulary.Room()
	return answer(w, map[string]any{"tokenizer_class": "GGUF", "bos_token": wire.OrNull(bos),
		"eos_token": wire.OrNull(eos), "vocab_size": m.vocabulary.Size(), "max_model_len": room})
}

// checkText refuses texts of more bytes than the prompt that they become can have; param is the field that has them. It
// comes before the tokenizer, which takes a second for a megabyte and cannot be interrupted.
func (m *model) checkText(bytes int, param string) error {
	room, _ := m.vocabulary.Room()
	return limits.Texts.CheckOf(bytes, max(limits.Texts.Most, 32*int64(room)), param)
}

// tokensOf returns the tokens of a text in the field param. ends and special are those of Vocabulary.Tokenize.
func (m *model) tokensOf(text, param string, ends, special bool) ([]int32, error) {
	if err := m.checkText(len(text), param); err != nil {
		return nil, err
	}
	return m.vocabulary.Tokenize(text, ends, special)
}

// checkTokens refuses tokens that the model does not have; field is what the error names. The engine relies on it.
func (m *model) checkTokens(field string, tokens []int32) error {
	for i, t := range tokens {
		if t < 0 || int(t) >= m.vocabulary.Size() {
			return wire.Invalid(field, "token %d is %d: the model has %d", i, t, m.vocabulary.Size())
		}
	}
	return nil
}

// textOf returns the text of tokens, with the names of control tokens. Bytes that are no text become replacement
// characters.
func (m *model) textOf(tokens []int32) string {
	var b strings.Builder
	for _, t := range tokens {
		b.Write(m.vocabulary.Bytes(t))
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

// tokenText returns a token as OpenAI writes it: its text, or its bytes if these are no text.
func (m *model) tokenText(token int32) string {
	bytes := m.vocabulary.Bytes(token)
	if text := string(bytes); strings.ToValidUTF8(text, "") == text {
		return text
	}
	text := "bytes:"
	for _, b := range bytes {
		text += fmt.Sprintf(`\x%02x`, b)
	}
	return text
}
