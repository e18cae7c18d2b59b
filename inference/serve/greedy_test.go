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
	"github.com/parley-debate/parley/inference/serve/generation"
	"github.com/parley-debate/parley/inference/serve/wire"
)

// kept is a journal in memory.
type kept struct {
	mu  sync.Mutex // guards all
	all map[string]generation.Record
}

// Known implements Journal.
func (k *kept) Known(key string) (generation.Record, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r, ok := k.all[key]
	return r, ok
}

// Keep implements Journal.
func (k *kept) Keep(r generation.Record) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.all[r.Key] = r
	return nil
}

// TestGreedyIsKeptOnce: at temperature 0 a reply comes from the journal whatever the seed.
func TestGreedyIsKeptOnce(t *testing.T) {
	journal := &kept{all: make(map[string]generation.Record)}
	s := start(t, func(o *Options) { o.Journal = journal })
	type completion struct {
		Choices []struct {
			Message struct{ Content string }
		}
	}
	var first, again, drawn completion
	s.ok(t, "/v1/chat/completions", asking(puzzle, `,"temperature":0,"seed":1,"max_tokens":30`), &first)
	for _, fields := range []string{`,"seed":2`, `,"seed":3,"top_p":0.5`, ``, `,"n":3`} {
		t.Run(fmt.Sprintf("%.60s", fields), func(t *testing.T) {
			s.ok(t, "/v1/chat/completions", asking(puzzle, `,"temperature":0,"max_tokens":30`+fields), &again)
			if text := first.Choices[0].Message.Content; text == "" || again.Choices[0].Message.Content != text {
				t.Errorf("%s: a greedy reply is kept, and told again: got %q, then %+v", fields, text, again.Choices)
			}
		})
	}
	if stats := s.engine.Stats(); stats.Generations != 1 || len(journal.all) != 1 || s.tenants[0].Restored.Load() != 6 {
		t.Errorf("a greedy reply is kept once: %+v, %d records, %d tokens restored; want 1 generation, 1 record and 6",
			stats, len(journal.all), s.tenants[0].Restored.Load())
	}
	s.ok(t, "/v1/chat/completions", asking(puzzle, `,"temperature":1,"seed":1,"max_tokens":30`), &drawn)
	s.ok(t, "/v1/chat/completions", asking(puzzle, `,"temperature":1,"seed":2,"max_tokens":30`), &drawn)
	if stats := s.engine.Stats(); stats.Generations != 3 || len(journal.all) != 3 {
		t.Errorf("drawn replies of two seeds are two more: %+v, %d records; want 3 generations and 3", stats,
			len(journal.all))
	}
}

// TestJournalsOfOthers: a reply is not taken from the journal by a server that would compute it otherwise, and is by
// one that computes it alike.
func TestJournalsOfOthers(t *testing.T) {
	journal := &kept{all: make(map[string]generation.Record)}
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
			t.Errorf("the list says %v (%v), want the reply's fingerprint %q", list, err, reply.Fingerprint)
		}
		if got := int(s.tenants[0].Restored.Load()); got != want {
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

// TestReasoningWaitsRefused: a request is told where reasoning cannot go on: without a bound, of a model whose mark is
// several tokens, and of a text.
func TestReasoningWaitsRefused(t *testing.T) {
	s := start(t, nil, inference.ChatTemplate(publicTemplate(t, "Qwen3.5-4B")))
	for body, want := range map[string]string{
		asking(puzzle, `,"reasoning_waits":2`):                        "without reasoning-tokens",
		asking(puzzle, `,"reasoning_tokens":9,"reasoning_waits":2`):   "one token",
		asking(puzzle, `,"reasoning_tokens":9,"reasoning_waits":-1`):  "reasoning",
		asking(puzzle, `,"reasoning_tokens":9,"reasoning_waits":1e9`): "reasoning",
	} {
		status, text := s.post(t, "/v1/chat/completions", body)
		if status != 400 || !strings.Contains(text, want) {
			t.Errorf("%s: status %d, %s; want 400 and %q", body, status, text, want)
		}
	}
}

// TestEverySettingIsInTheKey: with each field of a request in turn, the journal has no reply to the request without it.
// A field that is new to settings fails here until it has a value in the test, or is one of those that decide nothing.
func TestEverySettingIsInTheKey(t *testing.T) {
	journal := &kept{all: make(map[string]generation.Record)}
	s := start(t, func(o *Options) { o.Journal = journal }, inference.ChatTemplate(publicTemplate(t, "Qwen3.5-4B")))
	values := map[string]string{"seed": "2", "temperature": "0.5", "top_p": "0.5", "top_k": "3", "min_p": "0.25",
		"repetition_penalty": "1.5", "frequency_penalty": "0.5", "presence_penalty": "0.5", "logit_bias": `{"5":1}`,
		"ignore_eos": "true", "reasoning_tokens": "3", "stop": `["zz"]`, "max_tokens": "5", "response_format": `{"type":"json_object"}`,
		"grammar": `"root ::= [a-z]+"`, "guided_json": `{"type":"boolean"}`, "guided_choice": `["a","b"]`,
		"guided_regex": `"[ab]{3}"`, "guided_grammar": `"root ::= [a-f]+"`,
		"structured_outputs": `{"choice":["c","d"]}`}
	decideNothing := []string{"model", "n", "min_tokens", "stream", "stream_options", "user",
		"reasoning_waits"} // refused of this model, see TestReasoningWaitsRefused
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
