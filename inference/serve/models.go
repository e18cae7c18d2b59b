package serve

import (
	"encoding/hex"
	"fmt"
	"net/http"

	"github.com/parley-debate/parley/inference/serve/wire"
)

// modelObject describes a model as OpenAI and vLLM do, and then as we do.
type modelObject struct {
	ID          string `json:"id"`
	Object      string `json:"object"`
	Created     int64  `json:"created"`
	OwnedBy     string `json:"owned_by"`
	MaxModelLen int    `json:"max_model_len"` // as vLLM
	Hash        string `json:"hash"`          // SHA-256 of the file, hex

	// for those who record what computed their replies
	Version      string `json:"version,omitempty"` // see Options
	Fingerprint  string `json:"system_fingerprint"`
	Architecture string `json:"architecture"`
	Quantization string `json:"quantization"`
	Parameters   int64  `json:"parameters"`
}

// object describes a model.
func (s *Server) object(m *model) modelObject {
	room, _ := m.vocabulary.Room()
	return modelObject{m.id, "model", 0, "parley", room, m.info.Hash, s.options.Version, m.fingerprint(),
		m.info.Architecture, m.info.Quantization, m.info.Parameters}
}

// fingerprint names what a reply depends on beside the request: the model, and how and by what it is run. Its first
// parts are for people, and the last is hashed from all of that.
func (m *model) fingerprint() string {
	digest := m.identity.Digest()
	return "parley-" + m.info.Hash[:12] + "-" + m.info.Kernels + "-" + m.info.KV + "-" + hex.EncodeToString(digest[:8])
}

// listModels answers GET /v1/models.
func (s *Server) listModels(w http.ResponseWriter, _ *http.Request) error {
	list := make([]modelObject, len(s.models))
	for i, m := range s.models {
		list[i] = s.object(m)
	}
	return answer(w, map[string]any{"object": "list", "data": list})
}

// showModel answers GET /v1/models/{id}, for exactly this id: other than in requests, no other name leads to a model.
func (s *Server) showModel(w http.ResponseWriter, r *http.Request) error {
	for _, m := range s.models {
		if m.id == r.PathValue("id") {
			return answer(w, s.object(m))
		}
	}
	return &wire.Failure{Status: http.StatusNotFound, Code: "model_not_found",
		Message: "there is no model " + r.PathValue("id")}
}

// tooLong refuses a request for which there is no room, and says which limit that is and what helps. bound is the field
// that bounds the reply, and least is how many tokens a reply has at least.
func (m *model) tooLong(bound string, prompt, reply, least int) *wire.Failure {
	room, trained := m.vocabulary.Room()
	limit, help := fmt.Sprintf("the context (--context) has room for %d", room), " or raise --context"
	if trained {
		limit, help = fmt.Sprintf("the model was trained for %d", room), ""
	}
	if left := room - prompt; left >= least {
		return &wire.Failure{Status: http.StatusBadRequest, Param: bound, Code: "context_length_exceeded",
			Message: fmt.Sprintf("%d prompt tokens and up to %d new ones: %s in all; lower %s to %d%s", prompt, reply,
				limit, bound, left, help)}
	}
	with := ""
	if least > 0 {
		with = " and at least one new one"
	}
	return &wire.Failure{Status: http.StatusBadRequest, Code: "context_length_exceeded",
		Message: fmt.Sprintf("%d prompt tokens%s: %s in all; shorten the prompt%s", prompt, with, limit, help)}
}
