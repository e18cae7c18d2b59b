package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

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
