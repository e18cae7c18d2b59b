package serve

import "net/http"

type modelObject struct {
	ID          string `json:"id"`
	Object      string `json:"object"`
	Created     int64  `json:"created"`
	OwnedBy     string `json:"owned_by"`
	MaxModelLen int    `json:"max_model_len"` // as vLLM
	Hash        string `json:"hash"`          // SHA-256 of the file, hex
}

func (m *model) object() modelObject {
	room, _ := m.vocabulary.Room()
	return modelObject{m.id, "model", 0, "parley", room, m.info.Hash}
}

// fingerprint names what a reply depends on beside the request: the model, and how it is run.
func (m *model) fingerprint() string {
	return "parley-" + m.info.Hash[:12] + "-" + m.info.Kernels + "-" + m.info.KV
}

func (s *Server) listModels(w http.ResponseWriter, _ *http.Request) error {
	list := make([]modelObject, len(s.models))
	for i, m := range s.models {
		list[i] = m.object()
	}
	return answer(w, map[string]any{"object": "list", "data": list})
}

func (s *Server) showModel(w http.ResponseWriter, r *http.Request) error {
	for _, m := range s.models {
		if m.id == r.PathValue("id") {
			return answer(w, m.object())
		}
	}
	return &failure{status: http.StatusNotFound, code: "model_not_found",
		message: "there is no model " + r.PathValue("id")}
}
