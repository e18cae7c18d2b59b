package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/inference/serve/session"
	"github.com/parley-debate/parley/models/modeltest"
)

// started is a server on the embedded model, with an engine of its own.
type started struct {
	*Server
	engine *inference.Local
	url    string
}

func start(t testing.TB, change ...any) *started {
	t.Helper()
	path := modeltest.Embedded(t)
	return startOn(t, path, []string{"tiny"}, change...)
}

// startOn starts a server on other models.
func startOn(t testing.TB, path string, names []string, change ...any) *started {
	t.Helper()
	opts := []inference.Option{inference.Threads(1), inference.Forget()}
	options := Defaults()
	options.Names = names
	for _, c := range change {
		switch c := c.(type) {
		case inference.Option:
			opts = append(opts, c)
		case func(*Options):
			c(&options)
		}
	}
	engine, err := inference.Open(path, opts...)
	if errors.Is(err, llamacpp.ErrNoCgo) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(engine, options)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s)
	t.Cleanup(func() {
		web.Close()
		s.working.Wait()
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return &started{s, engine, web.URL}
}

// post sends a body and returns the status and the whole answer. header are pairs.
func (s *started) post(t testing.TB, path, body string, header ...string) (status int, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return s.do(t, r, header...)
}

func (s *started) get(t testing.TB, path string, header ...string) (status int, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s.do(t, r, header...)
}

func (s *started) do(t testing.TB, r *http.Request, header ...string) (status int, answer string) {
	t.Helper()
	for i := 0; i < len(header); i += 2 {
		if r.Header.Set(header[i], header[i+1]); header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	return response.StatusCode, string(text)
}

// ok posts and unmarshals the answer.
func (s *started) ok(t testing.TB, path, body string, into any) {
	t.Helper()
	status, text := s.post(t, path, body)
	if status != http.StatusOK {
		t.Fatalf("%s %s: %d %s, want %v", path, body, status, text, http.StatusOK)
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}

const puzzle = `On a shelf, there are three books: a red book, a gray book, and a white book. The white book is to ` +
	`the left of the gray book. The red book is the second from the left. Options: (A) The red book is the leftmost ` +
	`(B) The gray book is the leftmost (C) The white book is the leftmost`

// asking is a body with a question and further fields.
func asking(question, fields string) string {
	text, _ := json.Marshal(question)
	return fmt.Sprintf(`{"model":"gpt-4o","messages":[{"role":"system","content":"You are brief."},`+
		`{"role":"user","content":%s}]%s}`, text, fields)
}

// workload are requests of many kinds. Those with equal bodies have no seed.
func workload() (all [][2]string) {
	const chat, text = "/v1/chat/completions", "/v1/completions"
	for i := range 3 {
		all = append(all,
			[2]string{chat, asking(puzzle, fmt.Sprintf(`,"max_tokens":12,"seed":%d`, i))},
			[2]string{chat, asking(puzzle, `,"max_tokens":9,"temperature":0.8`)},
			[2]string{chat, asking(puzzle+strings.Repeat("!", i), `,"max_tokens":15,"temperature":0,"logprobs":true,`+
				`"top_logprobs":3,"stream":true,"stream_options":{"include_usage":true}`)},
			[2]string{chat, asking(fmt.Sprint("Hello ", i), `,"n":3,"max_tokens":8,"seed":7,"stop":["e","the"],`+
				`"stream":true`)},
			[2]string{chat, asking(puzzle, fmt.Sprintf(`,"max_tokens":14,"seed":%d,"n":2,"frequency_penalty":0.8,`+
				`"presence_penalty":0.3,"repetition_penalty":1.1,"logit_bias":{"300":5,"%d":-100}`, i, 200+i))},
			[2]string{text, fmt.Sprintf(`{"prompt":[[1,2,%d],[1,2,3,4,5]],"n":2,"max_tokens":6,"echo":true,`+
				`"logprobs":2,"seed":-5}`, 10+i)},
			[2]string{responsesPath, `{"model":"x","instructions":"Be brief.","input":"Hello","max_output_tokens":9}`},
			[2]string{responsesPath, fmt.Sprintf(`{"input":[{"role":"user","content":"Hello %d"}],"max_output_tokens":7,`+
				`"seed":2,"stream":true,"top_logprobs":2}`, i)})
	}
	return append(all, [2]string{chat, asking("Give an object.", `,"max_tokens":30,"seed":3,"response_format":{`+
		`"type":"json_schema","json_schema":{"name":"x","schema":{"type":"object","properties":{"answer":`+
		`{"type":"string","maxLength":8}},"required":["answer"],"additionalProperties":false}}}`)})
}

// run sends the workload in the given order, side by side or one by one, and returns the answers by body, sorted.
func (s *started) run(t *testing.T, name string, order []int, together bool) map[string][]string {
	var mu sync.Mutex
	var group sync.WaitGroup
	answers := make(map[string][]string)
	all := workload()
	for _, i := range order {
		send := func() {
			status, text := s.post(t, all[i][0], all[i][1], session.Header, name)
			if status != http.StatusOK {
				t.Errorf("%s: %d %s, want %v", all[i], status, text, http.StatusOK)
			}
			mu.Lock()
			defer mu.Unlock()
			answers[all[i][1]] = append(answers[all[i][1]], text)
		}
		if together {
			group.Go(send)
		} else {
			send()
		}
	}
	group.Wait()
	for _, list := range answers {
		slices.Sort(list)
	}
	return answers
}

// TestRepeatsToTheByte: the same requests one by one on a cold engine, all at once on the warm one, and all at once in
// random orders on another: every answer has the same bytes. The cache was used, and batches were wide.
func TestRepeatsToTheByte(t *testing.T) {
	order := rand.New(rand.NewPCG(1, 2)).Perm(len(workload()))
	a := start(t)
	serial := slices.Sorted(slices.Values(order))
	want := a.run(t, "first", serial, false)
	cold := a.engine.Stats()
	if diff := cmp.Diff(want, a.run(t, "second", serial, true)); diff != "" {
		t.Errorf("the answers, warm and at once, are those one by one (-want +got):\n%s", diff)
	}
	warm := a.engine.Stats()
	if hits := warm.PromptSaved() - cold.PromptSaved(); hits < 500 || warm.PromptComputed-cold.PromptComputed > hits {
		t.Errorf("the warm run computed %d prompt tokens and saved %d, want at least 500 saved, and no more computed",
			warm.PromptComputed-cold.PromptComputed, hits)
	}
	b := start(t)
	if diff := cmp.Diff(want, b.run(t, "", order, true)); diff != "" {
		t.Errorf("the answers, cold and in random order, are those one by one (-want +got):\n%s", diff)
	}
	if s := b.engine.Stats(); s.PeakSequences < 5 {
		t.Errorf("%d generations ran at once, want at least 5", s.PeakSequences)
	}
	again := want[asking(puzzle, `,"max_tokens":9,"temperature":0.8`)]
	if len(again) != 3 || again[0] == again[1] || again[1] == again[2] {
		t.Errorf("three equal requests without a seed got %q, want three that differ from their neighbours", again)
	}
	// The session goes on where it was; after its end it begins anew.
	body := asking(puzzle, `,"max_tokens":9,"temperature":0.8`)
	if _, fourth := a.post(t, "/v1/chat/completions", body, session.Header, "first"); slices.Contains(again, fourth) {
		t.Error("the fourth equal request got an answer of the first three")
	}
	r, _ := http.NewRequest(http.MethodDelete, a.url+"/sessions/first", nil)
	if status, text := a.do(t, r); status != http.StatusNoContent {
		t.Errorf("%d %s, want %v", status, text, http.StatusNoContent)
	}
	if _, first := a.post(t, "/v1/chat/completions", body, session.Header, "first"); !slices.Contains(again, first) {
		t.Error("a session that began anew got another answer")
	}
}

type chatAnswer struct {
	Model   string
	Choices []struct {
		Index        int
		Message      struct{ Role, Content string }
		FinishReason string `json:"finish_reason"`
		Logprobs     *struct{ Content []chatLogprob }
	}
	Usage usage
}

// TestChat: a greedy reply is that of the engine, with its log-probabilities; a stream of it has a chunk for each
// token.
func TestChat(t *testing.T) {
	s := start(t)
	question := "Can you answer the following question as accurately as possible? " + puzzle
	request := inference.Request{Messages: []inference.Message{{Role: "system", Content: "You are brief."},
		{Role: "user", Content: question}}, MaxTokens: 60, Sampling: inference.Sampling{Alternatives: 2}}
	replies, err := s.engine.Ask(t.Context(), inference.Client{}, []inference.Request{request})
	if err != nil || replies[0].Err != nil {
		t.Fatalf("the local engine answers: %v, got %+v", err, replies)
	}
	want := replies[0]
	body := asking(question, `,"max_completion_tokens":60,"temperature":0,"logprobs":true,"top_logprobs":2,"seed":null`)
	var got chatAnswer
	s.ok(t, "/v1/chat/completions", body, &got)
	c := got.Choices[0]
	if c.Message.Content != want.Text || c.Message.Role != "assistant" || got.Model != "tiny" ||
		got.Usage != (usage{PromptTokens: want.PromptTokens, CompletionTokens: want.Tokens,
			TotalTokens: want.PromptTokens + want.Tokens}) {
		t.Errorf("%+v, want %+v", got, want)
	}
	text := ""
	for i, l := range c.Logprobs.Content {
		text += l.Token
		if l.Logprob != want.Scores[i].LogProb || len(l.TopLogprobs) != 2 || l.TopLogprobs[0].Token != l.Token ||
			l.TopLogprobs[1].Logprob != want.Scores[i].Alternatives[0].LogProb {
			t.Errorf("token %d: %+v, want %+v", i, l, want.Scores[i])
		}
	}
	if text != want.Text {
		t.Errorf("the tokens of the log-probabilities join to %q, want %q", text, want.Text)
	}
	_, streamed := s.post(t, "/v1/chat/completions", strings.TrimSuffix(body, "}")+`,"stream":true}`)
	events := strings.Split(strings.TrimSuffix(streamed, "\n\n"), "\n\n")
	if n := len(events); n != len(c.Logprobs.Content)+3 || events[n-1] != "data: [DONE]" {
		t.Fatalf("a stream of %d tokens has %d events, want 3 more than tokens, [DONE] at last: %s",
			len(c.Logprobs.Content), n, streamed)
	}
	text = ""
	for i, e := range events[:len(events)-1] {
		var chunk struct {
			Choices []struct {
				Delta    struct{ Content string }
				Logprobs *struct{ Content []chatLogprob }
			}
		}
		if err := json.Unmarshal([]byte(strings.TrimPrefix(e, "data: ")), &chunk); err != nil {
			t.Fatal(err)
		}
		text += chunk.Choices[0].Delta.Content
		if has := chunk.Choices[0].Logprobs != nil; has != (i > 0 && i < len(events)-2) ||
			has && !cmp.Equal(chunk.Choices[0].Logprobs.Content, c.Logprobs.Content[i-1:i]) {
			t.Errorf("event %d of %d has other log-probabilities, want those of token %d, and none in the first and "+
				"the last: %s", i, len(events), i, e)
		}
	}
	if text != want.Text {
		t.Errorf("the stream joins to %q, want %q", text, want.Text)
	}
}

// TestPromptDetails: where they are asked for, usage has what the engine did not compute, whole or as a stream, also of
// replies that a stop text ended; elsewhere no reply says anything of the cache.
func TestPromptDetails(t *testing.T) {
	s := start(t, func(o *Options) { o.PromptDetails = true })
	hits := 0
	for i, fields := range []string{`"seed":1`, `"seed":2`, `"seed":2,"n":3`, `"seed":3,"stop":["e","a"]`,
		`"seed":4,"stop":["e","a"],"n":2`} {
		var got chatAnswer
		before := s.engine.Stats().PromptComputed
		s.ok(t, "/v1/chat/completions", asking(puzzle+strings.Repeat("?", i%2), `,"max_tokens":12,`+fields), &got)
		computed := s.engine.Stats().PromptComputed - before
		u := got.Usage
		if u.PromptDetails == nil || u.PromptTokens-u.PromptDetails.CachedTokens != computed {
			t.Errorf("%s: the usage is %+v %+v, want all but the %d computed prompt tokens cached", fields, u,
				u.PromptDetails, computed)
			continue
		}
		hits += u.PromptDetails.CachedTokens
	}
	if hits < 100 {
		t.Errorf("%d prompt tokens came from the cache, want at least 100", hits)
	}
	_, streamed := s.post(t, "/v1/chat/completions", asking(puzzle, `,"max_tokens":3,"stream":true,`+
		`"stream_options":{"include_usage":true}`))
	if !strings.Contains(streamed, `"prompt_tokens_details":{"cached_tokens":`) {
		t.Errorf("%v, want a text with \"\\\"prompt_tokens_details\\\":{\\\"cached_tokens\\\":\"", streamed)
	}
	var scored struct{ Usage usage }
	s.ok(t, "/v1/completions", `{"prompt":[1,2,3,4],"echo":true,"logprobs":1,"max_tokens":0}`, &scored)
	if d := scored.Usage.PromptDetails; d == nil || d.CachedTokens != 0 {
		t.Errorf("what scores no token is cached in none: got %+v", d)
	}
	if _, text := start(t).post(t, "/v1/chat/completions", asking(puzzle, `,"max_tokens":3`)); !strings.Contains(text,
		`"total_tokens"`) || strings.Contains(text, "cached") {
		t.Errorf("by default usage tells of no cache: got %s", text)
	}
}

// TestPromptLogprobs is what lm-evaluation-harness asks for and reads: the log-probability of a continuation is that
// which the engine gives, and the best token of each position is among its top_logprobs.
func TestPromptLogprobs(t *testing.T) {
	s := start(t)
	v := s.models[0].Vocabulary
	context, err := v.Render(t.Context(), []inference.Message{{Role: "user", Content: puzzle}})
	if err != nil {
		t.Fatal(err)
	}
	scored, err := s.engine.Ask(t.Context(), inference.Client{}, []inference.Request{{Prompt: context,
		Continuations: []string{"The (A)",
			"So (B)"}}})
	if err != nil {
		t.Fatal(err)
	}
	var lists [][]int32
	for _, text := range []string{"The (A)", "So (B)"} {
		tokens, err := v.Tokenize(text, false, false)
		if err != nil {
			t.Fatal(err)
		}
		lists = append(lists, slices.Concat(context, tokens))
	}
	prompt, _ := json.Marshal(lists)
	for _, most := range []int{0, 1} {
		var got struct {
			Choices []struct {
				Index    int
				Text     string
				Logprobs textLogprobs
			}
		}
		s.ok(t, "/v1/completions", fmt.Sprintf(`{"model":"x","prompt":%s,"temperature":0,"max_tokens":%d,"logprobs":1,`+
			`"seed":1234,"echo":true}`, prompt, most), &got)
		for i, c := range got.Choices {
			sum, l := float64(0), c.Logprobs
			for at := len(context); at < len(lists[i]); at++ {
				sum += float64(*l.TokenLogprobs[at])
				top := l.TopLogprobs[at]
				if n := len(top); n < 1 || n > 2 || top[l.Tokens[at]] != *l.TokenLogprobs[at] {
					t.Errorf("position %d: the alternatives are %v, want 1 or 2 with the token's own %v", at, top,
						*l.TokenLogprobs[at])
				}
			}
			if want := scored[0].LogProbs[i]; c.Index != i || sum-want > 1e-5 || want-sum > 1e-5 {
				t.Errorf("continuation %d: %g, want %g", i, sum, want)
			}
			if len(l.Tokens) != len(lists[i])+most || l.TokenLogprobs[0] != nil || l.TopLogprobs[0] != nil ||
				!strings.Contains(c.Text, "three books") {
				t.Errorf("%d tokens have log-probabilities, want %d, none at the first, and the prompt in the text %q",
					len(l.Tokens), len(lists[i])+most, c.Text)
			}
		}
	}
}

// TestStops cuts replies at the first stop text, whole or as a stream.
func TestStops(t *testing.T) {
	s := start(t)
	var plain, cut chatAnswer
	s.ok(t, "/v1/chat/completions", asking(puzzle, `,"max_tokens":40,"temperature":0`), &plain)
	text := plain.Choices[0].Message.Content
	stop := text[len(text)/2 : len(text)/2+3]
	encoded, _ := json.Marshal(stop)
	s.ok(t, "/v1/chat/completions", asking(puzzle, fmt.Sprintf(`,"max_tokens":40,"temperature":0,"logprobs":true,`+
		`"stop":%s`, encoded)), &cut)
	want, _, _ := strings.Cut(text, stop)
	if c := cut.Choices[0]; c.Message.Content != want || c.FinishReason != "stop" ||
		cut.Usage.CompletionTokens >= plain.Usage.CompletionTokens {
		t.Errorf("%q, want %q; %+v", c.Message.Content, want, cut.Usage)
	}
	if plain.Choices[0].FinishReason != "length" {
		t.Errorf(`%+v, want plain.Choices[0].FinishReason = "length"`, plain)
	}
}

// TestBiasAndPenalties: a token with a high bias is drawn as often as penalties on it allow.
func TestBiasAndPenalties(t *testing.T) {
	s := start(t)
	for fields, want := range map[string]bool{"": true, `,"frequency_penalty":2`: false,
		`,"presence_penalty":-2`: true} {
		t.Run(fields, func(t *testing.T) {
			var got struct {
				Choices []struct{ Logprobs textLogprobs }
			}
			s.ok(t, "/v1/completions", `{"prompt":"One","max_tokens":60,"temperature":0,"logprobs":0,"logit_bias":`+
				`{"300":100}`+fields+`}`, &got)
			tokens := got.Choices[0].Logprobs.Tokens
			if all := len(slices.Compact(slices.Clone(tokens))) == 1; all != want || want && len(tokens) != 60 {
				t.Errorf("%q: the bias and penalties lead to one token all through: %v, want %v, got %q", fields, all,
					want, tokens)
			}
		})
	}
}

// begins asks for a stream, reads its first bytes, and returns what hangs up.
func (s *started) begins(t *testing.T, body string, bytes int, header ...string) (hangUp func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	if _, err := io.ReadFull(response.Body, make([]byte, bytes)); err != nil {
		t.Fatal(err)
	}
	return cancel
}

// TestClientGoes: the cells of a reply are free soon after its client has gone.
func TestClientGoes(t *testing.T) {
	s := start(t)
	cancel := s.begins(t, asking(puzzle, `,"max_tokens":1000,"ignore_eos":true,"stream":true`), 1000)
	if running, _ := s.gate.Counts(0); running != 1 {
		t.Errorf("while a client reads its reply, %d requests run, want 1", running)
	}
	cancel()
	s.working.Wait()
	var got chatAnswer // a step later the engine has given it up
	s.ok(t, "/v1/chat/completions", asking(puzzle, `,"max_tokens":1`), &got)
	if drawn := s.engine.Stats().Decoded; s.engine.Occupied() != 0 || drawn > 900 {
		t.Errorf("after its client has gone, %d cells are held and %d tokens drawn, want none and at most 900",
			s.engine.Occupied(), drawn)
	}
}

// TestOthers are the smaller answers.
func TestOthers(t *testing.T) {
	s := start(t)
	var tokens struct {
		Count  int
		Tokens []int32
	}
	s.ok(t, "/tokenize", `{"prompt":"Hello, all of you"}`, &tokens)
	ids, _ := json.Marshal(tokens.Tokens)
	var back struct{ Prompt string }
	s.ok(t, "/detokenize", fmt.Sprintf(`{"tokens":%s}`, ids), &back)
	if back.Prompt != "Hello, all of you" || tokens.Count != len(tokens.Tokens) || tokens.Count == 0 {
		t.Errorf("a text is cut into counted tokens and back: got %+v, %q", tokens, back.Prompt)
	}
	var vectors, packedVectors struct {
		Data []struct{ Embedding any }
	}
	s.ok(t, "/v1/embeddings", `{"input":["one","two"],"model":"x"}`, &vectors)
	s.ok(t, "/v1/embeddings", `{"input":"two","model":"x","encoding_format":"base64"}`, &packedVectors)
	var floats []float32
	for _, x := range vectors.Data[1].Embedding.([]any) {
		floats = append(floats, float32(x.(float64)))
	}
	if packBase64(floats) != packedVectors.Data[0].Embedding {
		t.Error("the vector of a text depends on the others, or on its encoding")
	}
	for path, want := range map[string]string{"/v1/models": `"id":"tiny"`, "/v1/models/tiny": `"max_model_len":`,
		"/tokenizer_info": `"eos_token":"<|im_end|>"`, "/health": "",
		"/metrics": "\nvllm:prefix_cache_queries_total 0\n"} {
		t.Run(path, func(t *testing.T) {
			if status, text := s.get(t, path); status != http.StatusOK || !strings.Contains(text, want) {
				t.Errorf("%s: answers with %q: got %d %s", path, want, status, text)
			}
		})
	}
}

// TestRefusedCostsNoSeeds: what finds no room to wait is refused before it counts as a repetition.
func TestRefusedCostsNoSeeds(t *testing.T) {
	few := func(o *Options) { o.MaxChoices, o.MaxWaiting = 200, 4 }
	flooded, fresh := start(t, few), start(t, few)
	for _, path := range []string{"/v1/chat/completions", "/v1/completions"} {
		body := `{"prompt":"Hi","max_tokens":12,"n":%d}`
		if path == "/v1/chat/completions" {
			body = `{"messages":[{"role":"user","content":"Hi"}],"max_tokens":12,"n":%d}`
		}
		if status, text := flooded.post(t, path, fmt.Sprintf(body, 150)); status != http.StatusTooManyRequests {
			t.Fatalf("%s: %d %s, want %d", path, status, text, http.StatusTooManyRequests)
		}
		var replies []string
		for _, s := range []*started{flooded, fresh} {
			status, text := s.post(t, path, fmt.Sprintf(body, 1))
			if status != http.StatusOK {
				t.Fatalf("%s: %d %s, want %d", path, status, text, http.StatusOK)
			}
			var got struct{ Choices json.RawMessage }
			if err := json.Unmarshal([]byte(text), &got); err != nil {
				t.Fatal(err)
			}
			replies = append(replies, string(got.Choices))
		}
		if replies[0] != replies[1] {
			t.Errorf("%s: after a refused request %s, want %s as without it", path, replies[0], replies[1])
		}
	}
}

// TestRefused: what cannot be obeyed is refused by name, in OpenAI's shape.
func TestRefused(t *testing.T) {
	s := start(t, func(o *Options) { o.MaxBody, o.MaxChoices, o.MaxWaiting = 10_000, 200, 4 })
	chat := func(fields string) string { return asking("Hi", fields) }
	for _, c := range []struct {
		body   string
		status int
		param  string
		want   string
	}{
		{chat(`,"temprature":1`), 400, "temprature", "did you mean temperature?"},
		{chat(`,"frequency_penalty":3`), 400, "frequency_penalty", "must be from -2 to 2"},
		{chat(`,"logit_bias":{"x":1}`), 400, "logit_bias", "keys are token ids"},
		{chat(`,"logit_bias":{"99999999":1}`), 400, "logit_bias", "token 0 is 99999999"},
		{chat(`,"logit_bias":{"50":101}`), 400, "logit_bias", "from -100 to 100"},
		{chat(`,"best_of":2`), 400, "best_of", "leave it out, or set it to 1"},
		{chat(`,"min_tokens":3`), 400, "min_tokens", "only with ignore_eos and without stop"},
		{chat(`,"min_tokens":9,"max_tokens":8,"ignore_eos":true`), 400, "min_tokens", "from 0 to max_tokens, 8"},
		{chat(`,"tools":[{"type":"function"}]`), 400, "tools[0].function.name", "is missing"},
		{chat(`,"tools":[{"type":"function","function":{"name":"f"}}]`), 400, "tools", "how tiny writes calls"},
		{chat(`,"tool_choice":"any"`), 400, "tool_choice", `must be "none", "auto", "required" or`},
		{`{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}]}`, 400,
			"messages", "has no tools"},
		{chat(`,"temperature":-1`), 400, "temperature", "temperature -1: must be"},
		{chat(`,"repetition_penalty":1000`), 400, "repetition_penalty", "must be"},
		{chat(`,"top_p":0`), 400, "top_p", "above 0"},
		{chat(`,"n":201`), 400, "n", "from 1 to 200"},
		{chat(`,"n":"2"`), 400, "n", "a string cannot be read as a whole number"},
		{chat(`,"max_tokens":0`), 400, "max_tokens", "at least 1"},
		{chat(`,"max_tokens":900000`), 400, "max_tokens", "trained for 4096 in all; lower max_tokens to 4066"},
		{chat(`,"max_tokens":3,"max_completion_tokens":4`), 400, "max_tokens", "differ"},
		{chat(`,"top_logprobs":3`), 400, "top_logprobs", "needs logprobs"},
		{chat(`,"stop":[""]`), 400, "stop", "empty stop text"},
		{chat(`,"response_format":{"type":"xml"}`), 400, "response_format.type", "json_schema"},
		{chat(`,"response_format":{"type":"json_schema","json_schema":{"schema":{"type":"string","format":"date"}}}`),
			400, "response_format.json_schema.schema", `"format" is not supported`},
		{chat(`,"grammar":"root ::= x"`), 400, "grammar", "x"},
		{`{"messages":[]}`, 400, "messages", "missing or empty"},
		{`{"messages":[{"role":"robot","content":"x"}]}`, 400, "messages[0].role", "robot"},
		{`{"messages":[{"role":"user","content":[{"type":"image_url"}]}]}`, 400, "messages[0].content[0].type",
			"image_url"},
		{`[]`, 400, "", "not a JSON object"},
		{"{\"messages\":[{\"role\":\"user\",\"content\":\"caf\xe9\"}]}", 400, "", "not UTF-8: line 1, byte 43 is 0xe9"},
		{`{"messages":[{"role":"user","content":"\ude00"}]}`, 400, "", `the escape \ude00 is half a letter`},
		{"\xff\xfe{\x00}\x00", 400, "", "UTF-16 (little endian)"},
		{`{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{\"a\":\"\\ud800\"}"}}]}]}`,
			400, "messages[0].tool_calls[0].function.arguments",
			`the arguments of f: line 1, byte 7: the escape \ud800`},
		{`{"messages":"` + strings.Repeat("x", 10_000) + `"}`, 413, "", "--max-body"},
		{chat(`,"n":150`), 429, "", "--max-waiting"},
		{chat(`,"n":150,"seed":7,"tools":[{"type":"function","function":{"name":"f"}}]`), 429, "", "--max-waiting"},
	} {
		status, text := s.post(t, "/v1/chat/completions", c.body)
		var got struct {
			Error struct{ Message, Type, Param string }
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil || status != c.status || got.Error.Param != c.param ||
			!strings.Contains(got.Error.Message, c.want) || got.Error.Type == "" {
			t.Errorf("%.100s: refused with %d, the parameter %q and %q: got %d %s, %v", c.body, c.status, c.param,
				c.want, status, text, err)
		}
	}
	neutral := `,"max_tokens":1,"frequency_penalty":0,"logit_bias":{},"tools":[],"store":false,"metadata":{"a":"b"},` +
		`"top_k":-1,"user":"x","n":null,"response_format":{"type":"text"}`
	if status, text := s.post(t, "/v1/chat/completions", chat(neutral)); status != http.StatusOK {
		t.Errorf("%d %s, want %v", status, text, http.StatusOK)
	}
	if status, text := s.post(t, "/v1/chat/completions", "\ufeff"+chat("")); status != http.StatusOK {
		t.Errorf("a body after a byte order mark got %d %s, want 200", status, text)
	}
	for path, want := range map[string]int{"/v1/chat/completions": 405, "/nowhere": 404, "/v1/models/x": 404} {
		t.Run(path, func(t *testing.T) {
			if status, text := s.get(t, path); status != want || !strings.Contains(text, `"error"`) {
				t.Errorf("%s: refused with %d and an error as JSON: got %d %s", path, want, status, text)
			}
		})
	}
}

// TestRemembered: what a server remembers of requests without a seed is bounded, until a session ends.
func TestRemembered(t *testing.T) {
	s := start(t, func(o *Options) { o.MaxRemembered = 900 }) // one session with two requests
	ask := func(question string, want int) {
		t.Helper()
		if status, text := s.post(t, "/v1/chat/completions", asking(question, `,"max_tokens":1`), session.Header,
			"a"); status != want {
			t.Errorf("%s: %d %s, want %v", question, status, text, want)
		}
	}
	ask("One", 200)
	ask("Two", 200)
	ask("Three", 429)
	ask("Two", 200)
	r, _ := http.NewRequest(http.MethodDelete, s.url+"/sessions/a", nil)
	if status, text := s.do(t, r); status != http.StatusNoContent {
		t.Errorf("%d %s, want %v", status, text, http.StatusNoContent)
	}
	ask("Three", 200)
}

// TestKeys: with keys, only who shows one is answered; pages of other sites and other names of this machine are not.
func TestKeys(t *testing.T) {
	s := start(t, func(o *Options) { o.Keys = []string{"secret", "other"} })
	for _, c := range []struct {
		header []string
		want   int
	}{
		{nil, 401}, {[]string{"Authorization", "Bearer wrong"}, 401}, {[]string{"Authorization", "Bearer other"}, 200},
		{[]string{"Authorization", "bearer other"}, 200}, {[]string{"Authorization", "BEARER secret"}, 200},
		{[]string{"Authorization", "Basic secret"}, 401}, {[]string{"Authorization", "secret"}, 401},
		{[]string{"Authorization", "Bearer secret", "Origin", "https://example.com"}, 403},
		{[]string{"Authorization", "Bearer secret", "Origin", s.url}, 200},
	} {
		t.Run(fmt.Sprintf("%v", c.header), func(t *testing.T) {
			if status, text := s.get(t, "/v1/models", c.header...); status != c.want {
				t.Errorf("%q: %d %s, want %v", c.header, status, text, c.want)
			}
		})
	}
	if status, _ := s.get(t, "/health"); status != http.StatusOK {
		t.Errorf("/health without a key got status %d, want 200", status)
	}
	open := start(t)
	if status, text := open.get(t, "/v1/models", "Host", "evil.example"); status != http.StatusForbidden {
		t.Errorf("%d %s, want %v", status, text, http.StatusForbidden)
	}
}

// TestTokenIDs: a text completion names its tokens, whole or as a stream: as many as min_tokens says, and those of its
// text.
func TestTokenIDs(t *testing.T) {
	s := start(t)
	const body = `{"prompt":"One","max_tokens":12,"min_tokens":12,"ignore_eos":true,"seed":3,"return_token_ids":true`
	type completion struct {
		Choices []struct {
			Text     string
			TokenIDs []int32 `json:"token_ids"`
		}
	}
	var whole completion
	s.ok(t, "/v1/completions", body+"}", &whole)
	_, text := s.post(t, "/v1/completions", body+`,"stream":true}`)
	var streamed []int32
	for event := range strings.SplitSeq(text, "\n\n") {
		var part completion
		if json.Unmarshal([]byte(strings.TrimPrefix(event, "data: ")), &part) == nil {
			streamed = append(streamed, part.Choices[0].TokenIDs...)
		}
	}
	ids, _ := json.Marshal(whole.Choices[0].TokenIDs)
	if diff := cmp.Diff(whole.Choices[0].TokenIDs, streamed); diff != "" || len(streamed) != 12 {
		t.Errorf("a stream of 12 tokens has %d, want the ids %s (-whole +stream):\n%s", len(streamed), ids, diff)
	}
	var said struct{ Prompt string }
	s.ok(t, "/detokenize", `{"tokens":`+string(ids)+`}`, &said)
	if said.Prompt != whole.Choices[0].Text {
		t.Errorf("the tokens %s are %q, want the text %q", ids, said.Prompt, whole.Choices[0].Text)
	}
}
