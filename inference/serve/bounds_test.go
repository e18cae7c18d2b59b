package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/soak"
)

// schemaOf is a body that asks for a reply by a schema.
func schemaOf(schema string) string {
	return asking("Hi", `,"max_tokens":2,"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":`+
		schema+`}}`)
}

// listed are n copies of a text as a JSON list.
func listed(n int, text string) string { return "[" + strings.Repeat(text+",", n-1) + text + "]" }

// TestBoundedBeforeComputed: requests that took minutes or all memory are refused for what the client did, within the
// time and the memory that reading their bodies takes.
func TestBoundedBeforeComputed(t *testing.T) {
	s := start(t)
	optional := func(n int, inner string) string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf(`"p%d":%s`, i, inner)
		}
		return `{"properties":{` + strings.Join(all, ",") + "}}"
	}
	numbers, biases := make([]string, 30_000), make([]string, 300_000)
	for i := range biases {
		biases[i] = fmt.Sprintf(`"%d":1`, i)
	}
	for i := range numbers {
		numbers[i] = fmt.Sprint(i)
	}
	text, _ := json.Marshal(strings.Repeat("abcd efg ", 15<<20/9))
	nested := strings.Repeat(`{"type":"array","items":`, 63) + "{}" + strings.Repeat("}", 63)
	chain := `{"$ref":"#/$defs/0","$defs":{"200":{}`
	for i := range 200 {
		chain += fmt.Sprintf(`,"%d":{"anyOf":[{"$ref":"#/$defs/%d"},{"type":"null"}]}`, i, i+1)
	}
	chain += "}}"
	const chat, complete = "/v1/chat/completions", "/v1/completions"
	for _, c := range []struct{ name, path, body, want string }{
		{"schema of 140 KB", chat, schemaOf(optional(80, optional(80, `{"type":"null"}`))), "bytes of a grammar"},
		{"schema of 380 KB", chat, schemaOf(optional(130, optional(130, `{"type":"null"}`))), "bytes of a JSON schema"},
		{"enum of 30,000", chat, schemaOf(`{"enum":[` + strings.Join(numbers, ",") + `]}`), "bytes of a grammar"},
		{"enum of 100,000", chat, schemaOf(`{"enum":` + listed(100_000, "1") + `}`), ""},
		{"nested lists", chat, schemaOf(nested), ""},
		{"too deep", chat, schemaOf(`{"type":"array","items":{"type":"array","items":` + nested + `}}`),
			"levels of a JSON schema"},
		{"messages", chat, `{"messages":` + listed(100_000, `{"role":"user","content":"a"}`) + `}`,
			"messages of a conversation: there are more than the 2048"},
		{"parts", chat, `{"messages":[{"role":"user","content":` + listed(200_000, `{"type":"text","text":"a"}`) +
			`}]}`,
			"parts of a message"},
		{"prompt", complete, `{"prompt":` + string(text) + `}`, "bytes of the texts"},
		{"prompts", complete, `{"prompt":` + listed(100_000, "[]") + `}`, "choices"},
		{"message", chat, `{"messages":[{"role":"user","content":` + string(text) + `}]}`, "bytes of the texts"},
		{"tokenize", "/tokenize", `{"prompt":` + string(text) + `}`, "bytes of the texts"},
		{"embedding", "/v1/embeddings", `{"input":` + string(text) + `}`, "bytes of the texts"},
		{"biases", complete, `{"prompt":"a","logit_bias":{` + strings.Join(biases, ",") + `}}`,
			"tokens in `logit_bias`"},
		{"values", chat, `{"messages":` + listed(3_000_000, "[]") + `}`, "values of a body"},
		{"depth", chat, `{"messages":` + strings.Repeat("[", 1_000_000), "one within the other"},
		{"reference to itself", chat, schemaOf(`{"$ref":"#"}`), "without end"},
		{"any of itself", chat, schemaOf(`{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}`), "without end"},
		{"tools", chat, asking("Hi", `,"tools":`+listed(129, `{"type":"function","function":{"name":"f"}}`)),
			"tools of a request"},
		{"keys", chat, `{` + strings.Repeat(`"x":null,`, 400_000) + `"messages":[]}`, "occurs twice"},
		{"metadata", chat, asking("Hi", `,"max_tokens":2,"metadata":`+listed(500_000, "[]")), ""},
		{"chosen texts", chat, asking("Hi", `,"guided_choice":["`+strings.Join(numbers, `","`)+`"]`), "at most 65536"},
		{"chain of definitions", chat, schemaOf(chain), "begin with one another"},
		{"grammar", chat, asking("Hi", `,"grammar":"`+strings.Repeat("x", 1<<20)+`"`), "at most 65536"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			processor, begun := soak.Processor(), time.Now()
			status, text := s.post(t, c.path, c.body)
			took, elapsed := soak.Processor()-processor, time.Since(begun)
			runtime.ReadMemStats(&after)
			bytes := after.TotalAlloc - before.TotalAlloc
			t.Logf("%d bytes: %d, %v of processor, %v, %d MB allocated: %.150s", len(c.body), status, took, elapsed,
				bytes>>20, text)
			if want := http.StatusBadRequest; c.want != "" && (status != want || !strings.Contains(text, c.want)) {
				t.Errorf("%d %.300s, want %d with %q", status, text, want, c.want)
			}
			if c.want == "" && status >= http.StatusInternalServerError {
				t.Errorf("%d %.300s, want less than 500", status, text)
			}
			if most := time.Second + time.Duration(len(c.body))*time.Microsecond/4; took > most {
				t.Errorf("%v of processor time, want up to %v", took, most)
			}
			if most := uint64(96<<20 + 30*len(c.body)); bytes > most {
				t.Errorf("%d bytes allocated, want up to %d", bytes, most)
			}
		})
	}
	if status, text := s.post(t, chat, asking("Hi", `,"max_tokens":2`)); status != http.StatusOK {
		t.Errorf("after all of these %d %.300s, want %d", status, text, http.StatusOK)
	}
}

// TestBoundedWork: whatever a request asks for besides its tokens costs no more than a bound for each token that is
// drawn or scored, in time and in memory: one member of each kind that a client can make costly.
func TestBoundedWork(t *testing.T) {
	s := start(t, inference.Parallel(16))
	vocabulary := s.models[0].Vocabulary.Size()
	biases := make([]string, min(4096, vocabulary))
	for i := range biases {
		biases[i] = fmt.Sprintf(`"%d":0.5`, i)
	}
	long := strings.Repeat("a", 900<<10)
	object := `{"properties":{`
	for i := range 60 {
		object += fmt.Sprintf(`"property %d":{"type":["number","string","null"],"enum":[%d,"b",null,"cd"]},`, i, i)
	}
	object += `"last":{"type":"string","pattern":"^[a-z]{1,40}$"}}}`
	const most = `,"ignore_eos":true,"max_tokens":`
	tokens := listed(1500, "300")
	for _, c := range []struct {
		name, path, body string
		tokens           int // that are drawn or scored; 0 if it is refused
	}{
		{"long stop texts", chatPath, asking("Hi", most+`2,"n":128,"stop":`+listed(16, `"`+long+`"`)), 0},
		{"stop texts that match for long", chatPath, asking("Hi", most+`64,"n":16,"stop":`+
			listed(16, `"`+long[:1024]+`"`)), 16 * 64},
		{"a schema for each of many prompts", textPath, `{"prompt":` + listed(128, `"a"`) + most + `2,"guided_json":` +
			object + `}`, 256},
		{"a pattern for each of many prompts", textPath, `{"prompt":` + listed(128, `"a"`) + most +
			`2,"guided_regex":"(a|b|c){1,40}[^x]{1,60}"}`, 256},
		{"log-probabilities", chatPath, asking("Hi", most+`16,"n":128,"logprobs":true,"top_logprobs":20`), 2048},
		{"log-probabilities of prompts", textPath, `{"prompt":` + listed(4, tokens) +
			`,"echo":true,"logprobs":20,"max_tokens":0}`, 6000},
		{"a penalty on a long prompt", textPath, `{"prompt":` + tokens + most + `32,"n":16,"repetition_penalty":1.5}`,
			16 * 32},
		{"nearly all probability", chatPath, asking("Hi", most+`32,"n":16,"top_p":0.9999999`), 16 * 32},
		{"hardly a least probability", chatPath, asking("Hi", most+`32,"n":16,"min_p":1e-30`), 16 * 32},
		{"all tokens", chatPath, asking("Hi", most+fmt.Sprintf(`32,"n":16,"top_k":%d`, vocabulary)), 16 * 32},
		{"biases", chatPath, asking("Hi", most+`32,"n":16,"logit_bias":{`+strings.Join(biases, ",")+`}`), 16 * 32},
		{"endless replies", chatPath, asking("Hi", `,"n":128,"max_tokens":9223372036854775807`), 0},
		{"endless numbers of replies", chatPath, asking("Hi", `,"n":9223372036854775807`), 0},
		{"long prompts", textPath, `{"max_tokens":1,"prompt":` + listed(128, `"`+long[:100<<10]+`"`) + `}`, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			processor, allocated := soak.Processor(), soak.Allocated()
			status, text := s.post(t, c.path, c.body)
			took, bytes := soak.Processor()-processor, soak.Allocated()-allocated
			t.Logf("%d bytes: %d, %v of processor, %d MB allocated: %.100s", len(c.body), status, took, bytes>>20, text)
			want := http.StatusOK
			if c.tokens == 0 {
				want = http.StatusBadRequest
			}
			if status != want {
				t.Fatalf("%d %.300s, want %d", status, text, want)
			}
			if most := time.Second + time.Duration(len(c.body))*time.Microsecond/4 +
				time.Duration(c.tokens)*4*time.Millisecond; took > most {
				t.Errorf("%v of processor time, want up to %v", took, most)
			}
			if most := uint64(96<<20 + 30*len(c.body) + c.tokens*(32<<10)); bytes > most {
				t.Errorf("%d bytes allocated, want up to %d", bytes, most)
			}
		})
	}
}
