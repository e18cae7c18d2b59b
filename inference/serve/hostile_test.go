package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-debate/parley/inference/serve/session"
	"github.com/parley-debate/parley/inference/serve/strict"
	"github.com/parley-debate/parley/inference/serve/wire"
	"github.com/parley-debate/parley/internal/soak"
)

// hostile are clients that send what no honest program sends.
type hostile struct {
	address string
	client  http.Client

	mu    sync.Mutex // guards what follows
	seen  map[int]int
	wrong []string
}

// values are what a field may have instead of what it should have.
var values = []string{"null", "true", "-1", "0", "1", "1e999", "99999999999999999999", `""`, `"x"`, "[]", "{}", "[[]]",
	`[1,-2]`, `{"type":"json_schema","json_schema":{"schema":{"type":"array","items":{"$ref":"#"}}}}`,
	`{"type":"json_schema","json_schema":{"schema":{"anyOf":[{"$ref":"#"},{"enum":[{}]}],"x":[]}}}`,
	`{"type":"json_object","schema":{"properties":{"a":{"$ref":"#"}},"required":["a"]}}`,
	`{"include_usage":true,"z":1}`,
	`[{"role":"user","content":[{"type":"text","text":null}],"name":""}]`,
	`{"type":"function","function":{"name":"f"}}`, `["a","b"]`, `"(a|b){1,900}(c*)*$"`, `{"regex":"[^\\s]{1,999}x"}`,
	`{"type":"string","pattern":"\\p{L}{2,1000}"}`, `{"enable_thinking":"<|im_end|>","messages":[]}`,
	`[{"type":"function_call","name":"f","arguments":"{}"},{"type":"function_call_output","output":[]}]`,
	`[{"type":"function","function":{"name":"f","parameters":{"type":"array","minItems":2000}}}]`,
	`{"type":"json_object"}`, `"\\ud800"`, `["\u0000",""]`, `{"1":5,"99999999":1}`, `"root ::= \"a\" root | root"`,
	`[{"role":"user","content":"<|im_end|>"}]`, `[{"role":"assistant","content":null}]`, strings.Repeat("[", 5000)}

// fields are those of requests, and some that there are not.
var fields = append([]string{"message", "tools", "functions", "best_of", "x"}, slices.Concat(
	strict.Fields(reflect.TypeFor[wire.ChatRequest]()), strict.Fields(reflect.TypeFor[wire.TextRequest]()),
	strict.Fields(reflect.TypeFor[wire.ResponsesRequest]()))...)

// body is a request of which some fields have other values, or which ends in the middle.
func (h *hostile) body(r *rand.Rand) (path, body string) {
	all := workload()
	one := all[r.IntN(len(all))]
	object := make(map[string]json.RawMessage)
	_ = json.Unmarshal([]byte(one[1]), &object)
	length := "max_tokens"
	if one[0] == responsesPath {
		length = "max_output_tokens"
	}
	object[length] = json.RawMessage(fmt.Sprint(1 + r.IntN(12)))
	more := ""
	for range r.IntN(3) {
		name := fields[r.IntN(len(fields))]
		delete(object, name) // it would occur twice
		more += fmt.Sprintf(",%q:%s", name, values[r.IntN(len(values))])
	}
	text, _ := json.Marshal(object)
	body = strings.TrimSuffix(string(text), "}") + more + "}"
	switch path = one[0]; r.IntN(12) {
	case 0:
		body = body[:r.IntN(len(body))]
	case 1:
		body += strings.Repeat(" ", 20_000)
	case 2:
		path = []string{"/tokenize", "/detokenize", "/v1/embeddings", "/v1/models", "/nowhere",
			"/sessions/x"}[r.IntN(6)]
	}
	return path, body
}

// ask sends one request. Every third one is given up within 20 ms.
func (h *hostile) ask(ctx context.Context, r *rand.Rand) {
	if r.IntN(3) == 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(r.IntN(20_000))*time.Microsecond)
		defer cancel()
	}
	path, body := h.body(r)
	method := []string{"POST", "POST", "POST", "POST", "GET", "DELETE"}[r.IntN(6)]
	request, err := http.NewRequestWithContext(ctx, method, "http://"+h.address+path, strings.NewReader(body))
	if err != nil {
		return
	}
	request.Header.Set(session.Header, fmt.Sprint(r.IntN(50)))
	response, err := h.client.Do(request)
	if err != nil {
		return // given up
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return
	}
	var answer map[string]any
	valid := len(text) == 0 || strings.HasPrefix(string(text), "data: ") || json.Unmarshal(text, &answer) == nil
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.seen[response.StatusCode]++; response.StatusCode == http.StatusInternalServerError || !valid {
		h.wrong = append(h.wrong, fmt.Sprintf("%s %s %s: %d %s", method, path, body, response.StatusCode, text))
	}
}

// cut opens a connection, sends a part of a request, and closes it.
func (h *hostile) cut(r *rand.Rand) {
	c, err := net.Dial("tcp", h.address)
	if err != nil {
		return
	}
	defer c.Close()
	path, body := h.body(r)
	text := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
	_, _ = io.WriteString(c, text[:r.IntN(len(text))])
	if r.IntN(2) == 0 {
		_ = c.(*net.TCPConn).CloseWrite() // half-closed
		time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond)
	}
}

// round has some clients send a few requests each, all at once.
func (h *hostile) round(ctx context.Context, seed uint64, clients int) {
	var group sync.WaitGroup
	for i := range clients {
		group.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			for range 4 {
				if r.IntN(6) == 0 {
					h.cut(r)
				} else {
					h.ask(ctx, r)
				}
			}
		})
	}
	group.Wait()
}

// resident is the memory of this process in MiB, after what can be given back was.
func resident(t *testing.T) float64 {
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip(err)
	}
	var size, pages int
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return float64(pages*os.Getpagesize()) / (1 << 20)
}

// TestHostileTraffic: bodies with wrong values, too long or cut off, and connections that end anywhere, from many
// clients at once. Whatever comes, no answer is an error of the server's own, an honest request beside it and after it
// gets the bytes that it got before, and memory is as before. `make soak` goes on for as long as it is told, with 500
// clients.
func TestHostileTraffic(t *testing.T) {
	clients := 12
	if soak.On() {
		clients = 500
	}
	s := start(t, func(o *Options) { o.MaxBody, o.MaxConnections = 16_000, 400 })
	address, end := listening(t, s)
	h := &hostile{address: address, seen: make(map[int]int)}
	h.client.Transport = &http.Transport{MaxIdleConnsPerHost: 50}
	honest := func() string {
		_, text := s.post(t, "/v1/chat/completions", asking(puzzle, `,"max_tokens":12,"seed":5,"n":2,"logprobs":true`))
		return text
	}
	want := honest()
	more := soak.More(t, 2)
	var before float64
	rounds, goroutines := 0, 0
	for ; more(rounds); rounds++ {
		if rounds == 3 { // pools and caches have their size
			before, goroutines = resident(t), runtime.NumGoroutine()
		}
		beside := make(chan string)
		go func() { beside <- honest() }()
		h.round(t.Context(), uint64(rounds), clients)
		if got := <-beside; got != want {
			t.Fatalf("beside hostile requests: %s, want %s", got, want)
		}
	}
	h.client.CloseIdleConnections()
	s.working.Wait()
	if got := honest(); got != want || s.engine.Occupied() != 0 {
		t.Errorf("afterwards: %s, want %s; %d cells are held", got, want, s.engine.Occupied())
	}
	for _, text := range h.wrong[:min(5, len(h.wrong))] {
		t.Errorf("a hostile request got a wrong answer, want none: %.2000s", text)
	}
	if before > 0 {
		after := resident(t)
		t.Logf("%d rounds of %d clients; statuses %v; %.1f MiB before, %.1f after; %d goroutines before, %d after",
			rounds, clients, h.seen, before, after, goroutines, runtime.NumGoroutine())
		if after > 1.05*before+8 {
			t.Errorf("hostile traffic leaves no memory taken: %.1f MiB before, %.1f after, want at most %.1f", before,
				after, 1.05*before+8)
		}
	}
	if h.seen[200] == 0 || h.seen[400] == 0 || h.seen[413] == 0 {
		t.Errorf("the statuses %v were seen, want 200, 400 and 413 among them", h.seen)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}
