package remote

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference"
)

// forms are messages in which servers tell reasoning from answer, or do not; those without a text of either are refused
// in a sentence that has these words.
var forms = map[string]struct {
	message                  string
	text, reasoning, refused string
}{
	"text":              {`"content":"B"`, "B", "", ""},
	"null":              {`"content":null`, "", "", ""},
	"refusal":           {`"content":null,"refusal":"no"`, "no", "", ""},
	"reasoning_content": {`"content":"B","reasoning_content":"hm"`, "B", "hm", ""},
	"reasoning":         {`"content":"B","reasoning":"hm"`, "B", "hm", ""},
	"thinking":          {`"content":"B","thinking":"hm"`, "B", "hm", ""},
	"both names":        {`"content":"B","reasoning_content":"hm","reasoning":"hm"`, "B", "hm", ""},
	"marks":             {`"content":"<think>hm</think>B"`, "B", "hm", ""},
	"no opening mark":   {`"content":"hm</think>\n\nB"`, "B", "hm", ""},
	"one part":          {`"content":[{"type":"text","text":"B"}]`, "B", "", ""},
	"two parts":         {`"content":[{"type":"text","text":"B"},{"type":"output_text","text":"C"}]`, "BC", "", ""},
	"no part":           {`"content":[]`, "", "", ""},
	"of Mistral": {`"content":[{"type":"thinking","thinking":[{"type":"text","text":"h"},{"type":"text","text":"m"}],` +
		`"closed":true},{"type":"text","text":"B"}]`, "B", "hm", ""},
	"of Cohere": {`"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"B"}]`, "B", "hm", ""},
	"signed": {`"content":[{"type":"thinking","thinking":"hm","signature":"x"},{"type":"redacted_thinking"},` +
		`{"type":"text","text":"B"}]`, "B", "hm", ""},
	"reasoning_text":  {`"content":[{"type":"reasoning_text","text":"hm"},{"type":"text","text":"B"}]`, "B", "hm", ""},
	"source":          {`"content":[{"type":"text","text":"B"},{"type":"reference","reference_ids":[1]}]`, "B", "", ""},
	"refusal in part": {`"content":[{"type":"refusal","refusal":"no"}]`, "no", "", ""},
	"reasoning in parts": {`"content":"B","reasoning_content":[{"type":"text","text":"h"},` +
		`{"type":"reasoning","text":"m"}]`, "B", "hm", ""},
	"picture":          {`"content":[{"type":"image_url","image_url":{"url":"x"}}]`, "", "", `a part of type "image_url"`},
	"no type":          {`"content":[{"text":"B"}]`, "", "", `a part of type ""`},
	"texts":            {`"content":["B"]`, "", "", `in the place of a text ["B"]`},
	"number":           {`"content":42`, "", "", "in the place of a text 42"},
	"object":           {`"content":{"text":"B"}`, "", "", "in the place of a text {"},
	"odd thinking":     {`"content":[{"type":"thinking","thinking":7}]`, "", "", "in the place of a text ["},
	"reasoning is odd": {`"content":"B","reasoning":{"summary":"hm"}`, "", "", "in the place of a text {"},
}

// TestSaid: a message is read whatever the form of its content and reasoning, at once and from a stream, however that
// is cut; what cannot be read fails the request, and is not asked for again.
func TestSaid(t *testing.T) {
	t.Parallel()
	for name, c := range forms {
		for way, answer := range map[string]faulty{
			"at once": status(200, `{"model":"m","choices":[{"index":0,"finish_reason":"stop","message":{`+c.message+`}}],`+
				`"usage":{"prompt_tokens":9,"completion_tokens":3}}`),
			"one piece":     streamed(t, c.message, 1000),
			"single letter": streamed(t, c.message, 1),
			"in threes":     streamed(t, c.message, 3),
		} {
			t.Run(name+"/"+way, func(t *testing.T) {
				f := start(t, openAI)
				f.faults = []faulty{answer}
				e, _ := open(t, fast(), f)
				replies, err := ask(t.Context(), e, questions(1))
				if err != nil || e.Retried() > 0 {
					t.Fatalf("an answer in another form got %v and was asked for again %d times, want no error and 0",
						err, e.Retried())
				}
				r := replies[0]
				if c.refused != "" {
					if r.Err == nil || !strings.Contains(r.Err.Error(), c.refused) {
						t.Errorf("got %+v, want an error with %q", r, c.refused)
					}
					return
				}
				if r.Err != nil || r.Text != c.text || r.Reasoning != c.reasoning {
					t.Errorf("got %q and %q (%v), want %q and %q", r.Text, r.Reasoning, r.Err, c.text, c.reasoning)
				}
			})
		}
	}
}

// streamed answers with a message in a stream whose pieces have so many letters at most.
func streamed(t *testing.T, message string, letters int) faulty {
	var whole map[string]any
	if err := json.Unmarshal([]byte("{"+message+"}"), &whole); err != nil {
		t.Fatal(err)
	}
	deltas := []map[string]any{{"role": "assistant", "content": ""}}
	for field, value := range whole {
		if list, is := value.([]any); is {
			for _, p := range list {
				for _, cut := range cutPart(p, letters) {
					deltas = append(deltas, map[string]any{field: []any{cut}})
				}
			}
			continue
		}
		for _, cut := range cuts(value, letters) {
			deltas = append(deltas, map[string]any{field: cut})
		}
	}
	return func(w http.ResponseWriter, _ func(http.ResponseWriter)) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		_, _ = io.WriteString(w, ": a comment\r\n\r\n")
		send := func(choices ...any) {
			said, _ := json.Marshal(map[string]any{"model": "m", "choices": choices})
			fmt.Fprintf(w, "data: %s\r\n\r\n", said)
		}
		for _, d := range deltas {
			send(map[string]any{"index": 0, "delta": d, "finish_reason": nil, "logprobs": map[string]any{
				"content": []any{map[string]any{"logprob": -0.5}}}})
		}
		send(map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": "stop"})
		fmt.Fprint(w, `data: {"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3}}`+"\n\n")
		fmt.Fprint(w, "data: [DONE]\n\n")
	}
}

// cuts cuts a text into pieces of so many bytes; what is no text is one piece.
func cuts(value any, letters int) (all []any) {
	text, is := value.(string)
	if !is {
		return []any{value}
	}
	for ; len(text) > letters; text = text[letters:] {
		all = append(all, text[:letters])
	}
	return append(all, text)
}

// cutPart cuts the texts of a part.
func cutPart(p any, letters int) (all []any) {
	fields, is := p.(map[string]any)
	if !is {
		return []any{p}
	}
	for _, name := range []string{"text", "thinking", "refusal"} {
		if _, is := fields[name].(string); is {
			for _, cut := range cuts(fields[name], letters) {
				c := maps.Clone(fields)
				c[name] = cut
				all = append(all, c)
			}
			return all
		}
	}
	return []any{p}
}

// TestStreamsAlone: a server that refuses to answer at once is asked for a stream from then on, with the numbers of
// tokens; a stream that breaks off is no reply.
func TestStreamsAlone(t *testing.T) {
	t.Parallel()
	f := start(t, openAI)
	only := status(400, `{"error":{"message":"This model only support stream mode, please enable the stream parameter"}}`)
	f.faults = []faulty{only, streamed(t, forms["reasoning_content"].message, 1),
		streamed(t, forms["reasoning_content"].message, 2)}
	e, _ := open(t, fast(), f)
	for i := range 2 {
		replies, err := ask(t.Context(), e, questions(2)[i:i+1])
		if err != nil || replies[0].Err != nil || replies[0].Text != "B" || replies[0].Reasoning != "hm" {
			t.Fatalf("a server that only streams got %+v (%v), want \"B\" reasoned with \"hm\"", replies, err)
		}
	}
	if len(f.bodies) != 3 || f.bodies[0]["stream"] != nil || f.bodies[2]["stream"] != true {
		t.Errorf("the bodies are %v, want 3, of which the first asks for no stream and the last does", f.bodies)
	}
	broken := func(w http.ResponseWriter, _ func(http.ResponseWriter)) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"model":"m","choices":[{"index":0,"delta":{"content":"B"}}],`+
			`"usage":{"prompt_tokens":9,"completion_tokens":3}}`+"\n\n")
	}
	f.faults = []faulty{broken, status(200, `{"model":"m","choices":[{"index":0,"finish_reason":"stop",`+
		`"message":{"content":"C"}}],"usage":{"prompt_tokens":9,"completion_tokens":3}}`)}
	replies, err := ask(t.Context(), e, []inference.Request{questions(3)[2]})
	if err != nil || replies[0].Text != "C" || e.Retried() != 1 {
		t.Errorf("a broken stream got %+v (%v) after %d retries, want \"C\", no error and 1", replies, err, e.Retried())
	}
}
