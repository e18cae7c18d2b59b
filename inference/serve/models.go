package serve

import (
	"net/http"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/chat"
	"github.com/parley-debate/parley/inference/serve/served"
	"github.com/parley-debate/parley/inference/serve/wire"
	"github.com/parley-debate/parley/internal/unknown"
)

// model returns the model that a request names. If there is only one, it answers to every name, since many programs
// have that of OpenAI's model built in.
func (s *Server) model(name string) (*served.Model, error) {
	ids := make([]string, len(s.models))
	for i, m := range s.models {
		if m.ID == name {
			return m, nil
		}
		ids[i] = m.ID
	}
	if len(s.models) == 1 || name == "" {
		return s.models[0], nil
	}
	return nil, &wire.Failure{Status: http.StatusNotFound, Param: "model", Code: "model_not_found",
		Message: unknown.Name("model", name, ids).Error()}
}

// listModels answers GET /v1/models.
func (s *Server) listModels(w http.ResponseWriter, _ *http.Request) error {
	list := make([]served.Object, len(s.models))
	for i, m := range s.models {
		list[i] = m.Object(s.options.Version)
	}
	return answer(w, map[string]any{"object": "list", "data": list})
}

// showModel answers GET /v1/models/{id}, for exactly this id: other than in requests, no other name leads to a model.
func (s *Server) showModel(w http.ResponseWriter, r *http.Request) error {
	for _, m := range s.models {
		if m.ID == r.PathValue("id") {
			return answer(w, m.Object(s.options.Version))
		}
	}
	return &wire.Failure{Status: http.StatusNotFound, Code: "model_not_found",
		Message: "there is no model " + r.PathValue("id")}
}

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
		tokens, err = m.Tokenize(*request.Prompt, "prompt", ends, true)
	default:
		var conversation []chat.Turn
		if conversation, err = request.Messages.Turns(); err == nil {
			tokens, err = m.Render(r.Context(), "messages", inference.Sampling{}, conversation, request.Tools,
				request.TemplateVariables)
		}
	}
	if err != nil {
		return err
	}
	reply := map[string]any{"count": len(tokens), "max_model_len": m.Room(), "tokens": tokens}
	if request.ReturnTokenStrs {
		strs := make([]string, len(tokens))
		for i, t := range tokens {
			strs[i] = m.TokenText(t)
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
	if err := m.CheckTokens("tokens", request.Tokens); err != nil {
		return err
	}
	return answer(w, map[string]string{"prompt": m.Text(request.Tokens)})
}

// tokenizerInfo is vLLM's /tokenizer_info, as far as programs read it.
func (s *Server) tokenizerInfo(w http.ResponseWriter, r *http.Request) error {
	m, err := s.model(r.URL.Query().Get("model"))
	if err != nil {
		return err
	}
	bos, eos := m.Vocabulary.Ends()
	return answer(w, map[string]any{"tokenizer_class": "GGUF", "bos_token": wire.OrNull(bos),
		"eos_token": wire.OrNull(eos), "vocab_size": m.Vocabulary.Size(), "max_model_len": m.Room()})
}
