package serve

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"net/http"

	"github.com/parley-debate/parley/inference/serve/served"
	"github.com/parley-debate/parley/inference/serve/wire"
)

// embeddingRequest is a body of /v1/embeddings.
type embeddingRequest struct {
	wire.Common
	Input    wire.Prompts `json:"input"`
	Encoding string       `json:"encoding_format"`
	User     string       `json:"user"`
}

// embed answers POST /v1/embeddings. Each text is computed on its own, so that its vector does not depend on the
// others, and has its turn at the gate as a generation has.
func (s *Server) embed(w http.ResponseWriter, r *http.Request) error {
	var request embeddingRequest
	if err := decode(r, &request); err != nil {
		return err
	}
	m, err := s.model(request.Model)
	if err != nil {
		return err
	}
	if err := request.check(s.options.MaxChoices); err != nil {
		return err
	}
	from, err := s.expect(r, request.User, len(request.Input), 0)
	if err != nil {
		return err
	}
	turn(r.Context(), m.Fingerprint())
	embedder, err := m.Embedder()
	if err != nil {
		return err
	}
	u, err := tokenizeInput(m, request.Input, embedder.Most())
	if err != nil {
		return err
	}
	n := len(request.Input)
	if err := holdingOf(r.Context()).keep(int64(n * embedder.Size() * embeddingBytes)); err != nil {
		return err
	}
	data := make([]any, n)
	if err := s.inTurn(r.Context(), from, n, func(i int) error {
		vectors, err := embedder.EmbedTokens(r.Context(), [][]int32{request.Input[i].Tokens})
		if err == nil {
			data[i] = map[string]any{"object": "embedding", "index": i, "embedding": request.written(vectors[0])}
		}
		return err
	}); err != nil {
		return err
	}
	return answer(w, map[string]any{"object": "list", "data": data, "model": m.ID, "usage": map[string]int{
		"prompt_tokens": u, "total_tokens": u}})
}

// check refuses what cannot be served, such as more than most texts.
func (r *embeddingRequest) check(most int) error {
	switch {
	case len(r.Input) == 0:
		return wire.Invalid("input", "input is missing or empty")
	case len(r.Input) > most:
		return wire.Invalid("input", "%d texts: at most %d are allowed (parley serve --max-choices)", len(r.Input),
			most)
	case r.Encoding != "" && r.Encoding != "float" && r.Encoding != "base64":
		return wire.Invalid("encoding_format", "encoding_format %q: must be float or base64", r.Encoding)
	}
	return nil
}

// tokenizeInput turns texts into tokens, of which each can have most, and returns how many there are together.
func tokenizeInput(m *served.Model, input wire.Prompts, most int) (total int, err error) {
	for i := range input {
		p := &input[i]
		if p.Text != nil {
			if p.Tokens, err = m.Tokenize(*p.Text, "input", true, false); err != nil {
				return 0, err
			}
		} else if m.CheckTokens("input", p.Tokens) != nil {
			return 0, wire.Invalid("input", "input: text %d has tokens that %s does not have, and so comes from the "+
				"tokenizer of another model: send the text (LangChain does with check_embedding_ctx_length=False), or "+
				"the tokens of POST /tokenize", i, m.ID)
		}
		if n := len(p.Tokens); n == 0 || n > most {
			return 0, wire.Invalid("input", "text %d has %d tokens: must be from 1 to %d", i, n, most)
		}
		total += len(p.Tokens)
	}
	return total, nil
}

// written returns a vector as the client wants it.
func (r *embeddingRequest) written(vector []float32) any {
	if r.Encoding == "base64" {
		return packBase64(vector)
	}
	return vector
}

// packBase64 encodes a vector as little-endian floats in base64.
func packBase64(vector []float32) string {
	bytes := make([]byte, 0, 4*len(vector))
	for _, x := range vector {
		bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(bytes)
}
