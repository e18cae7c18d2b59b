package serve

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/serve/wire"
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

// TestGreedyIsKeptOnce: at temperature 0 a reply comes from the journal whatever the seed.
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
	for i, fields := range []string{`,"seed":2`, `,"seed":3,"top_p":0.5`, ``, `,"n":3`} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			s.ok(t, "/v1/chat/completions", asking(puzzle, `,"temperature":0,"max_tokens":30`+fields), &again)
			if text := first.Choices[0].Message.Content; text == "" || again.Choices[0].Message.Content != text {
				t.Errorf(`%s: %q, %q, want text != "" && again.Choices[0].Message.Content == text`,
					fields, text, again.Choices)
			}
		})
	}
	if stats := s.engine.Stats(); stats.Generations != 1 || len(journal.all) != 1 || s.tenants[0].restored.Load() != 6 {
		t.Errorf("%+v, %d records, %d restored", stats, len(journal.all), s.tenants[0].restored.Load())
	}
	s.ok(t, "/v1/chat/completions", asking(puzzle, `,"temperature":1,"seed":1,"max_tokens":30`), &drawn)
	s.ok(t, "/v1/chat/completions", asking(puzzle, `,"temperature":1,"seed":2,"max_tokens":30`), &drawn)
	if stats := s.engine.Stats(); stats.Generations != 3 || len(journal.all) != 3 {
		t.Errorf("drawn: %+v, %d records", stats, len(journal.all))
	}
}

// TestGenerationKeys: the journal's keys have all that a reply depends on, the stop texts and the engine's identity
// too; names of replies and seeds of repetitions stay what they were.
func TestGenerationKeys(t *testing.T) {
	m := &model{identity: inference.Identity{Model: "abc"}}
	m.info.Hash = "abc"
	plain := generation{model: m, prompt: []int32{1, 2, 3}, request: inference.Request{MaxTokens: 9,
		Sampling: inference.Sampling{Temperature: 0.5, Seed: 7}}, stops: []string{"x"}}
	g := plain
	if g.name() != "0b8ddf4fb47fa7f0a0a1800ca2193c71" || g.key() != g.deciding() {
		t.Errorf(`%s, %s, %s, want g.name() == "0b8ddf4fb47fa7f0a0a1800ca2193c71" && g.key() == g.deciding()`,
			g.name(), g.key(), g.deciding())
	}
	other := *m
	for what, change := range map[string]func(*generation){
		"stop texts": func(g *generation) { g.stops = nil },
		"prompt":     func(g *generation) { g.prompt = []int32{1, 2} },
		"seed":       func(g *generation) { g.request.Sampling.Seed = 8 },
		"bound":      func(g *generation) { g.request.MaxTokens = 8 },
		"grammar":    func(g *generation) { g.request.Grammar = "a" },
		"KV cache":   func(g *generation) { other.identity.KV = "q8_0"; g.model = &other },
	} {
		t.Run(what, func(t *testing.T) {
			g := plain
			if change(&g); g.key() == plain.key() {
				t.Errorf("%s: not in the key", what)
			}
		})
	}
	g.request.Sampling.Temperature = 0
	one := g.deciding()
	if g.request.Sampling.Seed = 8; g.deciding() != one || g.key() == one {
		t.Errorf("at temperature 0: %s, %s", one, g.deciding())
	}
}

// TestJournalsOfOthers: a reply is not taken from the journal by a server that would compute it otherwise, and is by
// one that computes it alike.
func TestJournalsOfOthers(t *testing.T) {
	journal := &kept{all: make(map[string]Record)}
	ask := func(want int, change ...any) {
		t.Helper()
		s := start(t, append(change, func(o *Options) { o.Journal = journal })...)
		var reply struct {
			Fingerprint string `json:"system_fingerprint"`
		}
		s.ok(t, "/v1/chat/completions", asking(puzzle, `,"temperature":1,"seed":5,"max_tokens":6`), &reply)
		var list struct {
			Data []struct {
				Fingerprint string `json:"system_fingerprint"`
			}
		}
		if err := s.list(t, &list); err != nil ||
			list.Data[0].Fingerprint != reply.Fingerprint {
			t.Errorf("%v: the list says %v, the reply %q", err, list, reply.Fingerprint)
		}
		if got := int(s.tenants[0].restored.Load()); got != want {
			t.Errorf("%s: %d restored, want %d", reply.Fingerprint, got, want)
		}
	}
	ask(0)
	ask(1)
	ask(0, inference.KV("q8_0"))
	ask(0, inference.Kernels("flash"))
	ask(0, inference.Kernels("plain"))
	ask(0, inference.ChatTemplate(
		"{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}assistant:"))
	ask(1, inference.KV("q8_0"))
	ask(1)
}

// list reads what the server says of its models.
func (s *started) list(t *testing.T, to any) error {
	t.Helper()
	_, answer := s.get(t, "/v1/models")
	return json.Unmarshal([]byte(answer), to)
}

// TestEverySettingIsInTheKey: with each field of a request in turn, the journal has no reply to the request without it.
// A field that is new to settings fails here until it has a value in the test, or is one of those that decide nothing.
func TestEverySettingIsInTheKey(t *testing.T) {
	journal := &kept{all: make(map[string]Record)}
	s := start(t, func(o *Options) { o.Journal = journal })
	values := map[string]string{"seed": "2", "temperature": "0.5", "top_p": "0.5", "top_k": "3", "min_p": "0.25",
		"repetition_penalty": "1.5", "frequency_penalty": "0.5", "presence_penalty": "0.5", "logit_bias": `{"5":1}`,
		"ignore_eos": "true", "stop": `["zz"]`, "max_tokens": "5", "response_format": `{"type":"json_object"}`,
		"grammar": `"root ::= [a-z]+"`, "guided_json": `{"type":"boolean"}`, "guided_choice": `["a","b"]`,
		"guided_regex": `"[ab]{3}"`, "guided_grammar": `"root ::= [a-f]+"`,
		"structured_outputs": `{"choice":["c","d"]}`}
	decideNothing := []string{"model", "n", "min_tokens", "stream", "stream_options", "user"}
	usual := map[string]string{"seed": "1", "temperature": "1", "max_tokens": "6"}
	ask := func(field, value string) {
		t.Helper()
		fields := maps.Clone(usual)
		if field != "" {
			fields[field] = value
		}
		body, before := "", len(journal.all)
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			body += fmt.Sprintf(`,%q:%s`, name, fields[name])
		}
		var reply any
		s.ok(t, "/v1/chat/completions", asking(puzzle, body), &reply)
		if len(journal.all) != before+1 {
			t.Errorf("%s %s: the reply to another request was taken", field, value)
		}
	}
	ask("", "")
	for _, f := range reflect.VisibleFields(reflect.TypeFor[wire.Settings]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" || slices.Contains(decideNothing, name) {
			continue
		}
		if values[name] == "" {
			t.Errorf("the test has no value for %s", name)
			continue
		}
		ask(name, values[name])
	}
	for field, value := range map[string]string{"logit_bias": `{"6":1}`, "stop": `["yy"]`,
		"top_logprobs": `2,"logprobs":true`, "grammar": `"root ::= [a-c]+"`} {
		ask(field, value)
	}
	ask("logit_bias", `{"5":2}`)
}
