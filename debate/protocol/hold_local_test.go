//go:build cgo && (llama_carrier || llama_system) && !llama_none

package protocol_test

import (
	"testing"

	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/models"
)

// TestHoldOnTheEmbeddedModel: the front door holds a debate on a real engine, with the prompts of its model.
func TestHoldOnTheEmbeddedModel(t *testing.T) {
	path, err := models.Embedded(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	engine, err := inference.Open(path, inference.Threads(2), inference.Context(4096))
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	const question = "Ann is taller than Bob. Bob is taller than Cid. Who is tallest? (A) Ann (B) Bob (C) Cid"
	transcript, err := protocol.Hold(t.Context(), engine, "madc", question)
	if err != nil {
		t.Fatal(err)
	}
	if len(transcript.Rounds) != 2 || len(transcript.Last()) != 3 || !transcript.Decision.Answer.Parsed {
		t.Errorf("%d rounds, decided %v", len(transcript.Rounds), transcript.Decision.Answer)
	}
}
