package serve

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"net/http"

	"github.com/parley-debate/parley/inference/serve/wire"
)

// embed answers POST /v1/embeddings. Each text is computed on its own, so that its vector does not depend on the
// others.
func (s *Server) embed(w http.ResponseWriter, r *http.Request) error {
	var request struct {
		wire.Common
		Input    wire.Prompts `json:"input"`
		Encoding string       `json:"encoding_format"`
		User     string       `json:"user"`
	}
	if err := decode(r, &request); err != nil {
		return err
	}
	m, err := s.model(request.Model)
	if err != nil {
		return err
	}
	switch {
	case len(request.Input) == 0:
		return wire.Invalid("input", "input is missing or empty")
	case len(request.Input) > s.options.MaxChoices:
		return wire.Invalid("input", "%d texts: at most %d are allowed (parley serve --max-choices)",
			len(request.Input), s.options.MaxChoices)
	case request.Encoding != "" && request.Encoding != "float" && request.Encoding != "base64":
		return wire.Invalid("encoding_format", "encoding_format %q: must be float or base64", request.Encoding)
	}
	if err := turn(r.Context(), m.fingerprint()); err != nil {
		return err
	}
	embedder, err := m.embedder()
	if err != nil {
		return err
	}
	holdingOf(r.Context()).prepared()
	s.ahead.claim(tenantIn(r), nil) // embeddings pass no gate, but compute on the same threads
	var u usage
	data := make([]any, len(request.Input))
	for i, p := range request.Input {
		if p.Text == nil {
			if m.checkTokens("input", p.Tokens) != nil {
				return wire.Invalid("input", "input: text %d has tokens that %s does not have, and so comes from the "+
					"tokenizer of another model: send the text (LangChain does with "+
					"check_embedding_ctx_length=False), or the tokens of POST /tokenize", i, m.id)
			}
		} else {
			p.Tokens, err = m.tokensOf(*p.Text, "input", true, false)
		}
		if err != nil {
			return err
		}
		if n := len(p.Tokens); n == 0 || n > embedder.Most() {
			return wire.Invalid("input", "text %d has %d tokens: must be from 1 to %d", i, n, embedder.Most())
		}
		u.PromptTokens += len(p.Tokens)
		vectors, err := embedder.EmbedTokens(r.Context(), [][]int32{p.Tokens})
		if err != nil {
			return err
		}
		var written any = vectors[0]
		if request.Encoding == "base64" {
			written = packBase64(vectors[0])
		}
		data[i] = map[string]any{"object": "embedding", "index": i, "embedding": written}
	}
	u.TotalTokens = u.PromptTokens
	return answer(w, map[string]any{"object": "list", "data": data, "model": m.id, "usage": map[string]int{
		"prompt_tokens": u.PromptTokens, "total_tokens": u.TotalTokens}})
}

// packBase64 encodes a vector as little-endian floats in base64.
func packBase64(vector []float32) string {
	bytes := make([]byte, 0, 4*len(vector))
	for _, x := range vector {
		bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(bytes)
}
