package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestPrograms: each program is known by its answers, is sent all that it knows of sampling, and its reply is read.
func TestPrograms(t *testing.T) {
	t.Parallel()
	seed := uint64(5)<<31 + 17
	small := float64(seed % (1<<31 - 1))
	for program, want := range map[string]struct {
		version string
		room    int
		slots   int
		sent    map[string]any
		grammar any
	}{
		vLLM: {"0.32.0", 4096, 64, map[string]any{"seed": small, "top_p": 1.0, "top_k": -1.0, "min_p": 0.0,
			"repetition_penalty": 1.0, "max_tokens": 20.0, "logprobs": true, "temperature": 1.0, "model": "m"},
			map[string]any{"grammar": "root ::= [a]"}},
		sgLang: {"0.5.4", 4096, 64, map[string]any{"seed": small, "top_k": -1.0, "model": "m"}, "root ::= [a]"},
		llamaServer: {"b1-0c1e570", 2048, 3, map[string]any{"seed": small, "top_k": 0.0, "top_p": 1.0, "min_p": 0.0,
			"repeat_penalty": 1.0, "top_logprobs": 1.0}, "root ::= [a]"},
		ollama: {"0.17.4", 0, 4, map[string]any{"stream": false, "truncate": false, "options": map[string]any{
			"seed": small, "top_k": 0.0, "top_p": 1.0, "min_p": 0.0, "repeat_penalty": 1.0, "repeat_last_n": 64.0,
			"num_predict": 20.0, "temperature": 1.0}}, nil},
		openAI: {"", 0, 16, map[string]any{"seed": small, "top_k": nil, "min_p": nil, "max_tokens": 20.0}, nil},
	} {
		t.Run(program, func(t *testing.T) {
			f := start(t, program)
			e, _ := open(t, fast(), f)
			about := e.Model()
			if r := about.Remote; r.Program != program || r.Version != want.version || about.Context != want.room ||
				e.pool.servers[0].most != want.slots || about.Mode != inference.Elsewhere ||
				!strings.Contains(e.Plan(), "not invariant") {
				t.Errorf("%s is told as %+v %+v with %d places, want version %q, room %d and %d places", program, r,
					about, e.pool.servers[0].most, want.version, want.room, want.slots)
			}
			unknown := []string{`"architecture"`, `"quantization"`, `"parameters"`, `"embedded"`, `"fingerprint"`,
				`"file_hash"`}
			if want.room == 0 {
				unknown = append(unknown, `"context"`)
			}
			text, err := json.Marshal(about)
			for _, field := range unknown {
				if err != nil || bytes.Contains(text, []byte(field)) {
					t.Errorf("%s: what nobody said, %s, is not recorded (%v), want a text without it: %s", program,
						field, err, text)
				}
			}
			request := questions(1)[0]
			request.Sampling.Seed = seed
			replies, err := ask(t.Context(), e, []inference.Request{request})
			if err != nil {
				t.Fatalf("%s: a question got %v, want no error", program, err)
			}
			r, cached := replies[0], 4
			if program == ollama {
				cached = 0
			}
			if r.Unscored || r.LogProb != -1.5 || r.Tokens != 3 || r.PromptTokens != 9 || r.CachedTokens != cached ||
				r.Stop != inference.StopEnd {
				t.Errorf("%s: 3 tokens of log probability -1.5 behind a prompt of 9, %d of them cached: got %+v",
					program, cached, r)
			}
			for name, value := range want.sent {
				if diff := cmp.Diff(value, f.bodies[0][name]); diff != "" {
					t.Errorf("%s is sent %s (-want +got):\n%s", program, name, diff)
				}
			}
			request.Grammar = "root ::= [a]"
			replies, err = ask(t.Context(), e, []inference.Request{request})
			if err != nil || (replies[0].Err == nil) != (want.grammar != nil) {
				t.Errorf("%s: a grammar got %v (%v), want it refused: %v", program, replies, err, want.grammar == nil)
			}
			if field := grammarField(program); field != "" {
				if diff := cmp.Diff(want.grammar, f.bodies[1][field]); diff != "" {
					t.Errorf("%s is sent a grammar in its own field (-want +got):\n%s", program, diff)
				}
			}
		})
	}
}

// TestRefused: what servers cannot do is refused by name before anything is sent.
func TestRefused(t *testing.T) {
	t.Parallel()
	f := start(t, openAI)
	e, _ := open(t, fast(), f)
	for want, change := range map[string]func(*inference.Request){
		"how probable given answers are": func(r *inference.Request) { r.Continuations = []string{"A"} },
		"have a reply call a calculator": func(r *inference.Request) { r.Tool = "calculator" },
		"keep a reply to a grammar":      func(r *inference.Request) { r.Grammar = "root ::= [a]" },
		"score given tokens":             func(r *inference.Request) { r.Forced = []int32{1} },
		"alternatives to each token":     func(r *inference.Request) { r.Sampling.Alternatives = 2 },
		"--model":                        func(r *inference.Request) { r.Prompt = []int32{1} },
		"--top-k":                        func(r *inference.Request) { r.Sampling.TopK = 3 },
		"--min-p":                        func(r *inference.Request) { r.Sampling.MinP = 0.1 },
		"--repeat-penalty":               func(r *inference.Request) { r.Sampling.RepeatPenalty = 1.1 },
		"logit bias": func(r *inference.Request) {
			r.Sampling.Bias = []inference.TokenBias{{Token: 1, Bias: 1}}
		},
		"after the end": func(r *inference.Request) { r.Sampling.IgnoreEnd = true },
		"temperature":   func(r *inference.Request) { r.Sampling.Temperature = -1 },
	} {
		t.Run(want, func(t *testing.T) {
			r := questions(1)[0]
			change(&r)
			replies, err := ask(t.Context(), e, []inference.Request{r})
			if err != nil || replies[0].Err == nil || !strings.Contains(replies[0].Err.Error(), want) {
				t.Errorf("refused with %q in the reply alone: got %+v, %v", want, replies, err)
			}
		})
	}
	if f.asked.Load() > 0 {
		t.Errorf("%d were sent, want 0", f.asked.Load())
	}
}

// TestPenalties: programs that count the tokens of the reply alone are sent the penalties of OpenAI's protocol, others
// are never asked.
func TestPenalties(t *testing.T) {
	t.Parallel()
	for program, sent := range map[string]bool{vLLM: true, sgLang: true, openAI: true, llamaServer: false,
		ollama: false} {
		t.Run(program, func(t *testing.T) {
			f := start(t, program)
			e, _ := open(t, fast(), f)
			r := questions(1)[0]
			r.Sampling.FrequencyPenalty, r.Sampling.PresencePenalty = 0.5, -1
			replies, err := ask(t.Context(), e, []inference.Request{r})
			switch {
			case err != nil:
				t.Fatal(err)
			case !sent:
				if err := replies[0].Err; err == nil || !strings.Contains(err.Error(), "frequency-penalty") ||
					f.asked.Load() > 0 {
					t.Errorf("%v after %d requests, want an error that names the penalty, and none", err,
						f.asked.Load())
				}
			case replies[0].Err != nil || f.bodies[0]["frequency_penalty"] != 0.5 ||
				f.bodies[0]["presence_penalty"] != -1.0:
				t.Errorf("%v, sent %v; want penalties 0.5 and -1", replies[0].Err, f.bodies[0])
			}
		})
	}
}

// TestSharing: equal requests are one generation, known ones none, and stopping lets no other be sent.
func TestSharing(t *testing.T) {
	t.Parallel()
	f := start(t, llamaServer)
	o := fast()
	known := questions(2)[1]
	o.Known = func(key string) (inference.Reply, bool) { return inference.Reply{}, false }
	e, kept := open(t, o, f)
	knownKey := e.key(t, known)
	e.options.Known = func(key string) (inference.Reply, bool) {
		return inference.Reply{Text: "known", Key: key, Tokens: 1, PromptTokens: 7}, key == knownKey
	}
	one := questions(1)[0]
	other := one
	other.Name, other.Agent, other.Sample, other.Round = "other", 4, 2, 1
	var shown []inference.Piece
	one.OnPiece = func(p inference.Piece) { shown = append(shown, p) }
	replies, err := ask(t.Context(), e, []inference.Request{one, other, known})
	if err != nil {
		t.Fatal(err)
	}
	if f.asked.Load() != 1 || replies[0].Key != replies[1].Key || replies[2].Text != "known" || len(kept.all) != 1 {
		t.Errorf("of 3 replies, 2 alike and 1 known, %d were asked for, want 1 and one record: %+v", f.asked.Load(),
			replies)
	}
	want := inference.Stats{Restored: 1, Generations: 1, Joined: 1, PromptAsked: 9 + 9 + 7, PromptComputed: 5,
		Decoded: 3, PeakSequences: 1}
	got := e.Stats()
	got.DecodeDuration, got.PrefillDuration = 0, 0
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("of equal and known requests so much is asked (-want +got):\n%s", diff)
	}
	if len(shown) != 1 || !shown[0].Done || shown[0].Text != replies[0].Text {
		t.Errorf("a shared request is shown once, as %q and done: got %+v", replies[0].Text, shown)
	}
	if _, err := ask(t.Context(), e, []inference.Request{one, known}); err != nil { // all known by now
		t.Fatal(err)
	}
	if again := e.Stats(); again.PromptAsked != want.PromptAsked+9+7 || again.PromptComputed != 5 || again.Joined != 3 {
		t.Errorf("a request that joins another one computes nothing: want %d asked, 5 computed, 3 joined, got %+v",
			want.PromptAsked+9+7, again)
	}
	stopped := errors.New("enough")
	e.Stop(stopped)
	if _, err := ask(t.Context(), e, questions(5)); !errors.Is(err, stopped) || f.asked.Load() != 1 {
		t.Errorf("%v, %d asked; want the error %q and 1", err, f.asked.Load(), stopped)
	}
}

// TestStopWaits: what is under way when the engine is stopped has its grace, and is recorded.
func TestStopWaits(t *testing.T) {
	t.Parallel()
	f := start(t, vLLM)
	arrived, finish := make(chan bool), make(chan bool)
	f.faults = []faulty{func(w http.ResponseWriter, through func(http.ResponseWriter)) {
		close(arrived)
		<-finish
		through(w)
	}}
	o := fast()
	o.Grace, o.Parallel = time.Minute, 1
	e, kept := open(t, o, f)
	done := make(chan error)
	go func() {
		_, err := ask(context.Background(), e, questions(2))
		done <- err
	}()
	<-arrived
	go func() {
		for context.Cause(e.admit) == nil {
			time.Sleep(time.Millisecond)
		}
		close(finish)
	}()
	e.Stop(context.Canceled)
	if err := <-done; !errors.Is(err, context.Canceled) || len(kept.all) != 1 || f.asked.Load() != 1 {
		t.Errorf("%v, %d records, %d asked; want the error %q, 1 and 1",
			err, len(kept.all), f.asked.Load(), context.Canceled)
	}
	checkRecords(t, kept, nil)
}

// TestKeyStaysSecret: a key is shown to its server, and stands in no record, error or text, even where a hostile server
// repeats it.
func TestKeyStaysSecret(t *testing.T) {
	const key = "sk-very-secret-0123"
	f := start(t, vLLM)
	f.key = key
	t.Setenv(openAIKey, key) // which is for OpenAI alone
	_, err := Open(t.Context(), f.URL, fast())
	if err == nil || strings.Contains(err.Error(), key) {
		t.Fatalf("without a key the error is %v, want one that does not show the key", err)
	}
	t.Setenv(commonKey, "sk-wrong")
	if _, err = Open(t.Context(), f.URL, fast()); err == nil || strings.Contains(err.Error(), "sk-wrong") {
		t.Fatalf("with another key the error is %v, want one that does not show it", err)
	}
	t.Setenv(keyVariable(f.URL), key)
	var said bytes.Buffer
	o := fast()
	o.Says = func(line string) { said.WriteString(line) }
	e, kept := open(t, o, f)
	f.faults = []faulty{
		changed(`"content":"`, `"reasoning_content":"they have `+key+`","content":"`+key+` `), status(500, key),
		status(500, key), changed(`"finish_reason":"stop"`, `"finish_reason":"`+key+`"`), status(200, key),
	}
	replies, err := ask(t.Context(), e, questions(3))
	if err != nil {
		t.Fatal(err)
	}
	refused := status(400, `{"error":"`+key+`"}`)
	f.faults = []faulty{refused, refused} // of any question
	_, err = ask(t.Context(), e, questions(4)[3:])
	records, _ := json.Marshal(kept.all)
	info, _ := json.Marshal(e.Model())
	all := fmt.Sprintf("%s %s %+v %v %s %s", records, info, replies, err, &said, e.Plan())
	if strings.Contains(all, key) || err == nil || !strings.Contains(all, "[key]") {
		t.Errorf("a key stands in no text that people see, but as [key]: %v, got %s", err, all)
	}
	for _, url := range []string{"http://user:" + key + "@host", "http://host?key=" + key, "http://%zz" + key,
		"http://\x7f" + key, "ftp://host"} {
		t.Run(fmt.Sprintf("%.60s", url), func(t *testing.T) {
			if _, err := Open(t.Context(), url, fast()); err == nil || strings.Contains(err.Error(), key) {
				t.Errorf("an address with a key in it is refused without the key: got %v", err)
			}
		})
	}
	t.Setenv(commonKey, "two words")
	if _, err := keyFor("http://elsewhere"); err == nil || strings.Contains(err.Error(), "two words") {
		t.Errorf("a key of two words is refused without its text: got %v", err)
	}
}

// TestKeysAreForTheirServers: that of OpenAI goes to OpenAI alone, and over TLS alone.
func TestKeysAreForTheirServers(t *testing.T) {
	t.Setenv(openAIKey, "a")
	t.Setenv(commonKey+"_HOST_8000", "b")
	for server, want := range map[string]string{"https://api.openai.com": "a", "http://api.openai.com": "",
		"https://api.openai.com.evil.org": "", "https://evilopenai.com": "", "http://host:8000/v": "b",
		"http://host:8001": ""} {
		t.Run(server, func(t *testing.T) {
			if got, err := keyFor(server); got != want || err != nil {
				t.Errorf("%s is sent the key %q (want %q): %v", server, got, want, err)
			}
		})
	}
}

// TestPoolKeepsPrefixes: rounds of a debate go to one server, debates are spread, and the keys of records do not depend
// on how many servers there are.
func TestPoolKeepsPrefixes(t *testing.T) {
	t.Parallel()
	var all []*fake
	for range 3 {
		all = append(all, start(t, vLLM))
	}
	e, kept := open(t, fast(), all...)
	for round := range 3 {
		for i, r := range questions(60) {
			for range round {
				r.Messages = append(slices.Clone(r.Messages), inference.Message{Role: "assistant", Content: "x"},
					inference.Message{Role: "user", Content: "again"})
			}
			if _, err := ask(t.Context(), e, []inference.Request{r}); err != nil {
				t.Fatal(i, err)
			}
		}
	}
	home := make(map[string]int)
	for at, f := range all {
		if n := len(f.bodies); n < 9 { // fewer than 3 of 60 debates, where 20 are expected
			t.Errorf("server %d has %d of 180, want at least 9", at, n)
		}
		for _, body := range f.bodies {
			first := fmt.Sprint(body["messages"].([]any)[0])
			if was, seen := home[first]; seen && was != at {
				t.Errorf("%s went to servers %d and %d, want one", first, was, at)
			}
			home[first] = at
		}
	}
	alone, _ := open(t, fast(), all[0])
	if got, want := alone.key(t, questions(1)[0]), kept.all[0].Reply.Key; got != want {
		t.Errorf("key %s at one server, %s at three", got, want)
	}
}

// TestUnlikeServers: servers of a pool have to serve the same; which of several models is meant has to be said.
func TestUnlikeServers(t *testing.T) {
	t.Parallel()
	a, b := start(t, vLLM), start(t, openAI)
	for url, want := range map[string]string{
		a.URL + "," + b.URL:         "have to be alike",
		a.URL + "," + a.URL + "/v1": "twice",
		a.URL + "#other":            `no model "other"; there are m`,
		start(t, ollama).URL:        "it serves 2 models: add # and a name",
	} {
		t.Run(url, func(t *testing.T) {
			if _, err := Open(t.Context(), url, fast()); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want an error with %v", url, err, want)
			}
		})
	}
}

// TestPause reads what servers say of when to come back.
func TestPause(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 20, 0, 0, 0, time.UTC)
	for want, header := range map[time.Duration]http.Header{
		0:                       {"Retry-After": {"-3"}},
		1500 * time.Millisecond: {"Retry-After": {"1.5"}},
		250 * time.Millisecond:  {"Retry-After-Ms": {"250"}, "Retry-After": {"9"}},
		7 * time.Second:         {"Retry-After": {"Sun, 22 Nov 2026 20:00:07 GMT"}},
		mostPause:               {"Retry-After": {"1e300"}},
		6 * time.Minute: {"X-Ratelimit-Remaining-Requests": {"0"}, "X-Ratelimit-Reset-Requests": {"6m0s"},
			"X-Ratelimit-Remaining-Tokens": {"9"}, "X-Ratelimit-Reset-Tokens": {"9m"}},
	} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			if got := pause(header, now); got != want {
				t.Errorf("%v: %v, want %v", header, got, want)
			}
		})
	}
}

// TestBackpressure: a server that is busy is sent fewer requests at once, and none before it wants one.
func TestBackpressure(t *testing.T) {
	t.Parallel()
	f := start(t, vLLM)
	f.faults = []faulty{status(429, "", "Retry-After-Ms", "60")}
	o := fast()
	o.Parallel = 4
	e, kept := open(t, o, f)
	began := time.Now()
	replies, err := ask(t.Context(), e, questions(12))
	if err != nil || time.Since(began) < 60*time.Millisecond || e.Retried() != 1 {
		t.Errorf("a server that asks to wait was waited for %[2]v with %[3]d retries (%[1]v), want 60 ms, 1 and no "+
			"error", err, time.Since(began), e.Retried())
	}
	if peak := e.Stats().PeakSequences; peak > 4 {
		t.Errorf("%d at once, want at most 4", peak)
	}
	checkRecords(t, kept, replies)
	p := &pool{options: &o, servers: []*server{{url: "a", serverLoad: serverLoad{busy: 4, limit: 4, most: 4}}}}
	p.give(p.servers[0], &fault{busy: true, server: p.servers[0], err: errors.New("busy")}, time.Now())
	if got := p.servers[0].limit; got != 2 {
		t.Errorf("limit %d, want 2", got)
	}
	for range 5 {
		p.servers[0].busy++
		p.give(p.servers[0], nil, time.Now())
	}
	if got := p.servers[0].limit; got != 4 {
		t.Errorf("limit %d after 5 answers, want 4", got)
	}
}

// TestExchanges reads what real servers said: llama-server 0.5.0 and vLLM 0.32.0 with the embedded model, which were
// asked who they are and to go on after three tokens, for four tokens each.
func TestExchanges(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]drawn{
		"llama-server-chat": {text: "I am a tiny", finish: "length", prompt: 17, cached: 4, tokens: 4},
		"llama-server-text": {text: " Exp Exp", finish: "length", prompt: 3, tokens: 4},
		"vllm-chat":         {text: "I am a tiny", finish: "length", prompt: 17, cached: 0, tokens: 4},
		"vllm-text":         {text: " Exp Exp", finish: "length", prompt: 3, tokens: 4},
	} {
		t.Run(name, func(t *testing.T) {
			text := datatest.Read(t, "testdata/exchanges/"+name+".json")
			f := start(t, vLLM)
			f.faults = []faulty{status(200, string(text))}
			e, _ := open(t, fast(), f)
			s := e.pool.servers[0]
			s.about.model = "tiny"
			all, err := e.exchangeBody(t.Context(), s, "/v1/completions", map[string]any{}, 1)
			if err != nil {
				t.Fatalf("%s: the answer is refused: %v, want no error", name, err)
			}
			got := all[0]
			total, unscored := sum(got.logProbs, got.tokens)
			if got.logProbs = nil; unscored || total > 0 || total < -4 {
				t.Errorf("%s: the log-probability is %v, unscored %v, want one from -4 to 0", name, total, unscored)
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(drawn{})); diff != "" {
				t.Errorf("%s: an exchange is read as it was recorded (-want +got):\n%s", name, diff)
			}
		})
	}
}
