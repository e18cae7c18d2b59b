package remote

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/inference"
)

// fake is a server whose replies are a function of the body: what any fault leaves must be they or an error.
type fake struct {
	*httptest.Server
	program string
	asked   atomic.Int64 // generations
	key     string       // that it demands; "" for none

	mu     sync.Mutex // guards what follows
	faults []faulty   // for the next generations, one each
	bodies []map[string]any
	spoils string // what is asked with this text is answered by spoilt
	spoilt faulty
}

// faulty answers in the place of the server; it may call through.
type faulty func(w http.ResponseWriter, through func(http.ResponseWriter))

// start starts a fake server of a program.
func start(t testing.TB, program string) *fake {
	t.Helper()
	f := &fake{program: program}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

// listing are the answers to questions about a server, by program and path, with the fields that the programs have.
var listing = map[string]map[string]string{
	vLLM: {"/v1/models": `{"data":[{"id":"m","owned_by":"vllm","root":"org/m","max_model_len":4096}]}`,
		"/version": `{"version":"0.32.0"}`},
	sgLang: {"/v1/models": `{"data":[{"id":"m","owned_by":"sglang","root":"org/m","max_model_len":4096}]}`,
		"/get_server_info": `{"version":"0.5.4","model_path":"org/m","context_length":4096}`},
	llamaServer: {"/v1/models": `{"data":[{"id":"m","owned_by":"llamacpp"}]}`,
		"/props": `{"total_slots":3,"model_path":"m.gguf","build_info":"b1-0c1e570","default_generation_settings":` +
			`{"n_ctx":2048}}`},
	ollama: {"/v1/models": `{"data":[{"id":"m","owned_by":"library"},{"id":"other","owned_by":"library"}]}`,
		"/api/version": `{"version":"0.17.4"}`, "/api/tags": `{"models":[{"name":"m","digest":"abcdef"}]}`},
	openAI: {"/v1/models": `{"data":[{"id":"m","owned_by":"system"}]}`},
}

// ServeHTTP implements http.Handler.
func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f.key != "" && r.Header.Get("Authorization") != "Bearer "+f.key {
		http.Error(w, fmt.Sprintf(`{"error":{"message":"wrong key: %s"}}`, r.Header.Get("Authorization")),
			http.StatusUnauthorized)
		return
	}
	if r.Method == http.MethodGet {
		text, known := listing[f.program][r.URL.Path]
		if !known {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, text)
		return
	}
	var body map[string]any
	_ = json.NewDecoder(r.Body).Decode(&body)
	f.asked.Add(1)
	f.mu.Lock()
	f.bodies = append(f.bodies, body)
	var fault faulty
	if len(f.faults) > 0 {
		fault, f.faults = f.faults[0], f.faults[1:]
	}
	if said, _ := json.Marshal(body); f.spoilt != nil && strings.Contains(string(said), f.spoils) {
		fault = f.spoilt
	}
	f.mu.Unlock()
	through := func(w http.ResponseWriter) { f.answer(w, body) }
	if fault != nil {
		fault(w, through)
		return
	}
	through(w)
}

// answer replies to what was asked, in the program's shape.
func (f *fake) answer(w http.ResponseWriter, body map[string]any) {
	message := map[string]any{"role": "assistant", "content": saidTo(body, 0)}
	if f.program == ollama {
		_ = json.NewEncoder(w).Encode(map[string]any{"model": "m", "message": message, "done": true,
			"done_reason": "stop", "prompt_eval_count": 9, "eval_count": 3,
			"logprobs": []any{map[string]any{"logprob": -1}, map[string]any{"logprob": -0.5}}})
		return
	}
	choices, tokens := []any{}, 0
	for i := range askedIn(body) {
		list := []any{map[string]any{"logprob": -1}, map[string]any{"logprob": -0.5}}
		for range i % 5 {
			list = append(list, map[string]any{"logprob": -0.25})
		}
		message := map[string]any{"role": "assistant", "content": saidTo(body, i)}
		choices = append(choices, map[string]any{"index": i, "message": message, "finish_reason": "stop",
			"logprobs": map[string]any{"content": list}})
		tokens += len(list) + 1 // with that of the end
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"model": "m", "choices": choices,
		"usage": map[string]any{"prompt_tokens": 9, "completion_tokens": tokens, "total_tokens": 9 + tokens,
			"prompt_tokens_details": map[string]any{"cached_tokens": 4}}})
}

// askedIn is how many choices a body asks for.
func askedIn(body map[string]any) int {
	if n, several := body["n"].(float64); several {
		return int(n)
	}
	return 1
}

// saidTo is a choice of the reply to a body.
func saidTo(body map[string]any, index int) string {
	seed := body["seed"]
	if options, nested := body["options"].(map[string]any); nested {
		seed = options["seed"]
	}
	said, _ := json.Marshal(body["messages"])
	if index > 0 {
		said = fmt.Append(said, "choice", index)
	}
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, string(said), seed)))[:12]
}

// fast are options for tests: nobody waits long.
func fast() Options {
	return Options{Backoff: time.Millisecond, Patience: 300 * time.Millisecond, Grace: 10 * time.Millisecond,
		Timeout: 5 * time.Second}
}

// open opens servers, and collects what is recorded.
func open(t testing.TB, o Options, servers ...*fake) (*Engine, *records) {
	t.Helper()
	urls := make([]string, len(servers))
	for i, f := range servers {
		urls[i] = f.URL
	}
	kept := &records{}
	o.Generation = kept.add
	e, err := Open(t.Context(), strings.Join(urls, ",")+"#m", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e, kept
}

// records are generations that were recorded.
type records struct {
	mu  sync.Mutex
	all []inference.Generation
}

func (r *records) add(g inference.Generation) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, g)
	return nil
}

// questions are so many requests, all of them different.
func questions(n int) []inference.Request {
	list := make([]inference.Request, n)
	for i := range list {
		list[i] = inference.Request{Messages: []inference.Message{{Role: "user", Content: fmt.Sprint("question ", i)}},
			MaxTokens: 20, Sampling: inference.Sampling{Temperature: 1, Seed: uint64(i)}}
	}
	return list
}

// alike are so many requests that are equal in all but their seeds.
func alike(n int) []inference.Request {
	list := questions(n)
	for i := range list {
		list[i].Messages = list[0].Messages
	}
	return list
}

// textOf is the reply that a fake server has for a request that is sent alone.
func textOf(r inference.Request) string { return choiceOf(r, 0) }

// choiceOf is a choice of what a fake server has for a request.
func choiceOf(r inference.Request, index int) string {
	said, _ := json.Marshal(map[string]any{"messages": r.Messages, "seed": r.Sampling.Seed})
	var body map[string]any
	_ = json.Unmarshal(said, &body)
	return saidTo(body, index)
}

// checkRecords fails the test for a record that is not what the server says, or a reply that is not recorded.
func checkRecords(t *testing.T, kept *records, replies []inference.Reply) {
	t.Helper()
	kept.mu.Lock()
	defer kept.mu.Unlock()
	for _, g := range kept.all {
		asked, index, cached := inference.Request{Messages: g.Messages, Sampling: g.Sampling}, 0, 4
		if c := g.Reply.Choice; c != nil {
			asked.Sampling.Seed, index, cached = c.Seed, c.Index, 9*min(1, c.Index)
		}
		want := inference.Reply{Text: choiceOf(asked, index), Tokens: 3 + index%5, PromptTokens: 9,
			CachedTokens: cached, LogProb: -1.5 - float64(index%5)/4, Stop: inference.StopEnd,
			Key: g.Reply.Key, Duration: g.Reply.Duration, Choice: g.Reply.Choice}
		if diff := cmp.Diff(want, g.Reply); diff != "" {
			t.Errorf("a record is the reply as it was sent (-want +got):\n%s", diff)
		}
	}
	for _, r := range replies {
		if !slices.ContainsFunc(kept.all, func(g inference.Generation) bool { return g.Reply.Key == r.Key }) &&
			r.Err == nil {
			t.Errorf("a reply without an error is not recorded, want a record: %+v", r)
		}
	}
}

// ask asks all requests as one participant.
func ask(ctx context.Context, e *Engine, requests []inference.Request) ([]inference.Reply, error) {
	p := e.Join(0)
	defer p.Leave()
	return p.Generate(ctx, requests)
}

// hijacked takes the connection from the server.
func hijacked(w http.ResponseWriter, use func(net.Conn)) {
	c, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	defer c.Close()
	use(c)
}
