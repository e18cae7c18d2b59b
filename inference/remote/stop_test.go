package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bug"
)

// saying has a server say a text for once, that ended for a reason.
func saying(text, finish, more string) faulty {
	return func(w http.ResponseWriter, _ func(http.ResponseWriter)) {
		quoted, _ := json.Marshal(text)
		_, _ = fmt.Fprintf(w, `{"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":%s},`+
			`"finish_reason":%q%s}],"usage":{"prompt_tokens":9,"completion_tokens":20,"total_tokens":29}}`, quoted,
			finish,
			more)
	}
}

// TestStopTexts: each program is sent the stop texts, and what it goes past is cut here.
func TestStopTexts(t *testing.T) {
	t.Parallel()
	stops := []any{"a", "b", "c", "d", "e"}
	for _, program := range []string{vLLM, sgLang, llamaServer, ollama, openAI} {
		t.Run(program, func(t *testing.T) {
			f := start(t, program)
			e, _ := open(t, fast(), f)
			plain := questions(1)[0]
			r := plain
			r.Stop = []string{"a", "b", "c", "d", "e"}
			if e.key(t, r) == e.key(t, plain) {
				t.Errorf("%s: the key does not have the stop texts", program)
			}
			replies, err := ask(t.Context(), e, []inference.Request{r, plain})
			if err != nil {
				t.Fatal(err)
			}
			want := stops
			if program == openAI {
				want = stops[:mostStops]
			}
			bodies := slices.Clone(f.bodies)
			slices.SortFunc(bodies, func(a, b map[string]any) int { return len(fmt.Sprint(b)) - len(fmt.Sprint(a)) })
			from := func(body map[string]any) any {
				if program == ollama {
					return body["options"].(map[string]any)["stop"]
				}
				return body["stop"]
			}
			if diff := cmp.Diff(any(want), from(bodies[0])); diff != "" || from(bodies[1]) != nil {
				t.Errorf("%s was sent the stop texts %v and %v, want %v and none", program, from(bodies[0]),
					from(bodies[1]), want)
			}
			whole := textOf(plain)
			if at := strings.IndexAny(whole, "abcde"); replies[0].Text != whole[:at] ||
				replies[0].Stop != inference.StopText || replies[1].Text != whole {
				t.Errorf("%s: of %[3]q the replies are %+[2]v, want one that ends before the stop text and one whole",
					program, replies, whole)
			}
		})
	}
}

// TestStopTextsThatServersFind: vLLM says that a stop text came, others say that the reply ended; a model that takes
// none is asked without.
func TestStopTextsThatServersFind(t *testing.T) {
	t.Parallel()
	f := start(t, vLLM)
	e, _ := open(t, fast(), f)
	refuse := func(w http.ResponseWriter, _ func(http.ResponseWriter)) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":{"message":"'stop' is not supported with this model."}}`)
	}
	f.faults = []faulty{saying("It is 7. ", "stop", `,"stop_reason":"###"`), saying("It is 7. ", "stop", `,"stop_reason":2`),
		refuse, saying("It is 7. ### No", "stop", "")}
	for i, want := range []inference.StopReason{inference.StopText, inference.StopEnd, inference.StopText} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			r := questions(3)[i]
			r.Stop = []string{"###"}
			replies, err := ask(t.Context(), e, []inference.Request{r})
			if err != nil || replies[0].Stop != want || replies[0].Text != "It is 7. " || replies[0].Tokens != 20 {
				t.Errorf("%d: a stop text that the server finds ends the reply before it, after 20 tokens, with %s: "+
					"got %+v, %v", i, want, replies, err)
			}
		})
	}
	if len(f.bodies) < 4 || f.bodies[3]["stop"] != nil {
		t.Errorf("a server that refuses stop texts is asked again without: want 4 requests, got %v", f.bodies)
	}
}

// TestLoopsEnd: a reply that repeats itself is cut where it does, if it is to end there.
func TestLoopsEnd(t *testing.T) {
	t.Parallel()
	f := start(t, llamaServer)
	e, _ := open(t, fast(), f)
	said := "Well. " + strings.Repeat("The capital of France is Paris. ", 20)
	f.faults = []faulty{saying(said, "length", ""), saying(said, "length", "")}
	r := questions(1)[0]
	replies, err := ask(t.Context(), e, []inference.Request{r})
	if err != nil {
		t.Fatalf("a reply that repeats itself got %v, want no error", err)
	}
	if from, repeats := replies[0].Repeats(); replies[0].Stop != inference.StopLength || !repeats || from != 1 {
		t.Fatalf("a reply that may repeat itself is whole, and known to from sentence 1 on: got %+v, %d", replies, from)
	}
	r.EndLoops = true
	replies, err = ask(t.Context(), e, []inference.Request{r})
	if err != nil {
		t.Fatal("a reply that is to end where it repeats itself: ", err)
	}
	if reply := replies[0]; reply.Stop != inference.StopLooped || reply.LoopFrom != 1 ||
		!strings.HasPrefix(said, reply.Text) || len(reply.Text) > 160 || len(reply.Text) < 100 || reply.Tokens != 20 {
		t.Errorf("a reply ends where it repeats itself, after 100 to 160 characters and 20 tokens: got %+v", reply)
	}
}

// TestKeys: journals know replies by these keys, which never change.
func TestKeys(t *testing.T) {
	e := &Engine{}
	e.info.Hash = "abc"
	q := question{Request: inference.Request{MaxTokens: 9, Sampling: inference.Sampling{Seed: 7}},
		messages: []inference.Message{{Role: "user", Content: "hi"}}}
	if got := e.keyOf(q); got != "1d1b372f27fc20fbd9659736e2930373-020000000000000000" {
		t.Errorf(`%v, want "1d1b372f27fc20fbd9659736e2930373-020000000000000000"`, got)
	}
}

// TestEveryFieldIsInTheKey: requests that differ in what is sent have different keys, and so have engines whose servers
// say different things of themselves. A field that is new to Request or Sampling fails here until it is in the key,
// or in the list of those that are not sent.
func TestEveryFieldIsInTheKey(t *testing.T) {
	notSent := []string{"Name", "Case", "Round", "Agent", "Sample", "OnPiece", "Model", "Forced", "Messages", "Prompt",
		"Sampling", "UsualBound", "Confidences"}
	q := question{messages: []inference.Message{{Role: "user", Content: "hi"}}, prompt: []int32{1}}
	e := &Engine{by: inference.Identity{Library: "a"}.Digest()}
	keys := map[string]string{e.keyOf(q): "nothing"}
	look := func(name string, q question) {
		key := e.keyOf(q)
		if other, known := keys[key]; known {
			t.Errorf("a change of %s has the key of a change of %s", name, other)
		}
		keys[key] = name
	}
	each := func(of reflect.Type, at func(*question) reflect.Value) {
		for _, f := range reflect.VisibleFields(of) {
			if slices.Contains(notSent, f.Name) {
				continue
			}
			q := q
			v := at(&q).FieldByIndex(f.Index)
			switch v.Kind() {
			case reflect.String:
				v.SetString("x")
			case reflect.Bool:
				v.SetBool(true)
			case reflect.Int, reflect.Int32:
				v.SetInt(3)
			case reflect.Uint64:
				v.SetUint(1 << 40)
			case reflect.Float32:
				v.SetFloat(0.25)
			case reflect.Slice:
				v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			default:
				t.Fatalf("%s: a %v is new to the test", f.Name, v.Kind())
			}
			look(f.Name, q)
		}
	}
	each(reflect.TypeFor[inference.Request](), func(q *question) reflect.Value {
		return reflect.ValueOf(&q.Request).Elem()
	})
	each(reflect.TypeFor[inference.Sampling](), func(q *question) reflect.Value {
		return reflect.ValueOf(&q.Sampling).Elem()
	})
	for name, change := range map[string]func(q *question){
		"role":    func(q *question) { q.messages = []inference.Message{{Role: "system", Content: "hi"}} },
		"content": func(q *question) { q.messages = []inference.Message{{Role: "user", Content: "ho"}} },
		"prompt":  func(q *question) { q.prompt = []int32{2} },
		"bias":    func(q *question) { q.Sampling.Bias = []inference.TokenBias{{Token: 1}} },
		"more":    func(q *question) { q.Sampling.Bias = []inference.TokenBias{{Bias: 1}} },
	} {
		other := q
		change(&other)
		look(name, other)
	}
	e.by = inference.Identity{Library: "b"}.Digest()
	look("what the server says", q)
	e.info.Hash = "abc"
	look("the model", q)
}

// TestGreedy: requests at temperature 0 that differ in what decides nothing are asked once, and recorded each.
func TestGreedy(t *testing.T) {
	t.Parallel()
	f := start(t, vLLM)
	e, kept := open(t, fast(), f)
	requests := alike(7)
	for i := range requests {
		requests[i].Sampling.Temperature = 0
	}
	requests[5].Sampling.TopP = 0.9
	requests[6].Sampling.FrequencyPenalty = 0.5
	replies, err := ask(t.Context(), e, requests[:2])
	if err != nil {
		t.Fatal(err)
	}
	more, err := ask(t.Context(), e, requests[1:])
	if err != nil {
		t.Fatal(err)
	}
	replies = append(replies[:1], more...)
	keys := make(map[string]bool)
	for i, r := range replies {
		keys[r.Key] = true
		if i < 6 && (r.Text != replies[0].Text || r.Key != e.key(t, requests[i])) {
			t.Errorf("%d: greedy requests that differ in nothing but the seed have one reply %q, and keys of their "+
				"own: got %+v", i, replies[0].Text, r)
		}
	}
	joined := 0
	for _, g := range kept.all {
		if g.Joined {
			joined++
		}
	}
	stats := e.Stats()
	if f.asked.Load() != 2 || stats.Generations != 2 || stats.Decoded != 6 || len(keys) != 7 || len(kept.all) != 7 ||
		joined != 5 || stats.PromptAsked != 8*9 {
		t.Errorf("%d asked, %+v, %d keys, %d records, %d joined", f.asked.Load(), stats, len(keys), len(kept.all),
			joined)
	}
}

// faltering is a transport with a mistake: it panics at some bodies.
type faltering struct {
	http.RoundTripper
	at string
}

func (f faltering) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil || strings.Contains(string(body), f.at) {
		panic("of ours")
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return f.RoundTripper.RoundTrip(r)
}

// TestPanics: a panic of ours while a reply is asked for is the error of its request alone. It gives the place at the
// server back, of which there is one. A panic while a reply is recorded ends the engine, as an error there does.
func TestPanics(t *testing.T) {
	t.Parallel()
	f := start(t, vLLM)
	e, _ := open(t, fast(), f)
	s := e.pool.servers[0]
	s.most, s.limit = 1, 1
	s.client.Transport = faltering{s.client.Transport, "question 1"}
	requests := questions(3)
	replies, err := ask(t.Context(), e, requests)
	if err != nil {
		t.Fatal(err)
	}
	var b bug.Error
	for i, r := range replies {
		bad := errors.As(r.Err, &b)
		if bad != (i == 1) || !bad && r.Text != textOf(requests[i]) || bad && !strings.Contains(b.Place, "RoundTrip") {
			t.Errorf("%d: only the request that panics has an error, with its place (error %v, want %v): got %+v", i,
				bad, i == 1, r)
		}
	}
	if s.busy != 0 {
		t.Errorf("%d places are not given back, want none taken", s.busy)
	}
	e.options.Generation = func(inference.Generation) error { panic("of the journal") }
	if _, err := ask(t.Context(), e, questions(5)[3:]); !errors.As(err, &b) || b.Value != "of the journal" {
		t.Errorf("the journal's panic came as %v, want a bug.Error of \"of the journal\"", err)
	}
}
