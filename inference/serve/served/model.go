// Package served has a model as the clients of a server see it: under the name that requests call it by, with the
// limits of its prompts, and its tokens as texts. What a client asks that the model does not have is refused here, by
// the name of the field that asked.
package served

import (
	"encoding/hex"
	"fmt"
	"sync"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/serve/wire"
)

// Model is one model of an engine. It never changes after Open.
type Model struct {
	ID, Name   string // Name is what the engine calls it, "" for its first
	Info       inference.ModelInfo
	Identity   inference.Identity
	Vocabulary *inference.Vocabulary
	Embedder   func() (*inference.Embedder, error) // makes it at the first request for embeddings
}

// Open returns the models of an engine by the names that requests call them, in the engine's order.
func Open(engine *inference.Local, names []string) ([]*Model, error) {
	var all []*Model
	for i, id := range names {
		m := &Model{ID: id}
		if i > 0 {
			m.Name = id
		}
		var err error
		if m.Vocabulary, err = engine.Vocabulary(m.Name); err != nil {
			return nil, err
		}
		m.Info, m.Identity = m.Vocabulary.Model(), m.Vocabulary.Identity()
		m.Embedder = sync.OnceValues(func() (*inference.Embedder, error) {
			return engine.Embedder(m.Name)
		})
		all = append(all, m)
	}
	return all, nil
}

// Object describes a model as OpenAI and vLLM do, and then as we do.
type Object struct {
	ID          string `json:"id"`
	Object      string `json:"object"`
	Created     int64  `json:"created"`
	OwnedBy     string `json:"owned_by"`
	MaxModelLen int    `json:"max_model_len"` // as vLLM
	Hash        string `json:"hash"`          // SHA-256 of the file, hex

	// for those who record what computed their replies
	Version      string `json:"version,omitempty"` // of the program
	Fingerprint  string `json:"system_fingerprint"`
	Architecture string `json:"architecture"`
	Quantization string `json:"quantization"`
	Parameters   int64  `json:"parameters"`
}

// Object describes the model, which a version of the program runs.
func (m *Model) Object(version string) Object {
	return Object{m.ID, "model", 0, "parley", m.Room(), m.Info.Hash, version, m.Fingerprint(), m.Info.Architecture,
		m.Info.Quantization, m.Info.Parameters}
}

// Fingerprint names what a reply depends on beside the request: the model, and how and by what it is run. Its first
// parts are for people, and the last is hashed from all of that.
func (m *Model) Fingerprint() string {
	digest := m.Identity.Digest()
	return "parley-" + m.Info.Hash[:12] + "-" + m.Info.Kernels + "-" + m.Info.KV + "-" + hex.EncodeToString(digest[:8])
}

// Room returns how many tokens a prompt and its reply can have together.
func (m *Model) Room() int {
	room, _ := m.Vocabulary.Room()
	return room
}

// TooLong refuses a request for which there is no room, and says which limit that is and what helps. bound is the field
// that bounds the reply, and least is how many tokens a reply has at least.
func (m *Model) TooLong(bound string, prompt, reply, least int) *wire.Failure {
	room, trained := m.Vocabulary.Room()
	limit, help := fmt.Sprintf("the context (--context) has room for %d", room), " or raise --context"
	if trained {
		limit, help = fmt.Sprintf("the model was trained for %d", room), ""
	}
	with := ""
	if least > 0 {
		with = " and at least one new one"
	}
	failure := wire.Invalid("", "%d prompt tokens%s: %s in all; shorten the prompt%s", prompt, with, limit, help)
	if left := room - prompt; left >= least {
		failure = wire.Invalid(bound, "%d prompt tokens and up to %d new ones: %s in all; lower %s to %d%s", prompt,
			reply, limit, bound, left, help)
	}
	failure.Code = "context_length_exceeded"
	return failure
}
