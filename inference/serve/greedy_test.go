package serve

import (
	"sync"
	"testing"

	"github.com/parley-debate/parley/inference"
)

// kept is a journal in memory.
type kept struct {
	mu  sync.Mutex // guards all
	all map[string]Record
}

// Known implements Journal.
func (k *kept) Known(key string) (Record, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r, ok := k.all[key]
	return r, ok
}

// Keep implements Journal.
func (k *kept) Keep(r Record) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.all[r.Key] = r
	return nil
}

// TestGreedyIsKeptOnce: at temperature 0 a reply comes from the journal whatever the seed, also from that of an older
// program, which has the seed in each key.
func TestGreedyIsKeptOnce(t *testing.T) {
	journal := &kept{all: make(map[string]Record)}
	s := start(t, func(o *Options) { o.Journal = journal })
	type completion struct {
		Choices []struct {
			Message struct{ Content string }
		}
	}
	var first, again, drawn completion
	s.ok(t, "/v1/chat/completions", asking(puzzle, `,"temperature":0,"seed":1,"max_tokens":30`), &first)
	for _, fields := range []string{`,"seed":2`, `,"seed":3,"top_p":0.5`, ``, `,"n":3`} {
		s.ok(t, "/v1/chat/completions", asking(puzzle, `,"temperature":0,"max_tokens":30`+fields), &again)
		if text := first.Choices[0].Message.Content; text == "" || again.Choices[0].Message.Content != text {
			t.Errorf("%s: %q, %q", fields, text, again.Choices)
		}
	}
	if stats := s.engine.Stats(); stats.Generations != 1 || len(journal.all) != 1 || s.restored.Load() != 6 {
		t.Errorf("%+v, %d records, %d restored", stats, len(journal.all), s.restored.Load())
	}
	s.ok(t, "/v1/chat/completions", asking(puzzle, `,"temperature":1,"seed":1,"max_tokens":30`), &drawn)
	s.ok(t, "/v1/chat/completions", asking(puzzle, `,"temperature":1,"seed":2,"max_tokens":30`), &drawn)
	if stats := s.engine.Stats(); stats.Generations != 3 || len(journal.all) != 3 {
		t.Errorf("drawn: %+v, %d records", stats, len(journal.all))
	}
}

// TestGenerationKeys: journals know replies by these keys, which never change.
func TestGenerationKeys(t *testing.T) {
	m := &model{}
	m.info.Hash = "abc"
	g := generation{model: m, prompt: []int32{1, 2, 3}, request: inference.Request{MaxTokens: 9,
		Sampling: inference.Sampling{Temperature: 0.5, Seed: 7}}, stops: []string{"x"}}
	if got := g.key(); got != "0b8ddf4fb47fa7f0a0a1800ca2193c71" || got != g.deciding() {
		t.Errorf("%s, %s", got, g.deciding())
	}
	g.request.Sampling.Temperature = 0
	one := g.deciding()
	if g.request.Sampling.Seed = 8; g.deciding() != one || g.key() == one {
		t.Errorf("at temperature 0: %s, %s", one, g.deciding())
	}
}
