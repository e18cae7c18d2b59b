package generation

import (
	"testing"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/serve/served"
)

// TestKeys: the journal's keys have all that a reply depends on, the stop texts and the engine's identity
// too; names of replies and seeds of repetitions stay what they were.
func TestKeys(t *testing.T) {
	m := &served.Model{Identity: inference.Identity{Model: "abc"}}
	m.Info.Hash = "abc"
	plain := Spec{Model: m, Prompt: []int32{1, 2, 3}, Request: inference.Request{MaxTokens: 9,
		Sampling: inference.Sampling{Temperature: 0.5, Seed: 7}}, Stops: []string{"x"}}
	g := plain
	if id, want := g.ID(), "0b8ddf4fb47fa7f0a0a1800ca2193c71"; id != want {
		t.Errorf("the reply is called %s, want %s", id, want)
	}
	other := *m
	for what, change := range map[string]func(*Spec){
		"stop texts": func(g *Spec) { g.Stops = nil },
		"prompt":     func(g *Spec) { g.Prompt = []int32{1, 2} },
		"seed":       func(g *Spec) { g.Request.Sampling.Seed = 8 },
		"bound":      func(g *Spec) { g.Request.MaxTokens = 8 },
		"grammar":    func(g *Spec) { g.Request.Grammar = "a" },
		"KV cache":   func(g *Spec) { other.Identity.KV = "q8_0"; g.Model = &other },
	} {
		t.Run(what, func(t *testing.T) {
			g := plain
			if change(&g); g.Key() == plain.Key() {
				t.Errorf("another %s leaves the key as it is, want it changed", what)
			}
		})
	}
	g.Request.Sampling.Temperature = 0
	one := g.Key()
	if g.Request.Sampling.Seed = 8; g.Key() != one {
		t.Errorf("at temperature 0 the seed is in the key: %s, %s", one, g.Key())
	}
}
