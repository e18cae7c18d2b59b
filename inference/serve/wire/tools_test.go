package wire

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference/chat"
	"github.com/parley-debate/parley/inference/llamacpp"
)

// TestOneCall: the grammars of both families are valid, and put a call as its family writes it.
func TestOneCall(t *testing.T) {
	var tools []Tool
	if err := json.Unmarshal([]byte(`[{"function":{"name":"a"}},{"function":{"name":"b","parameters":{"type":"object",
		"properties":{"n":{"type":"integer"}},"required":["n"]}}}]`), &tools); err != nil {
		t.Fatal(err)
	}
	hermes, err := oneCall(t.Context(), tools, chat.CallsOf("<tool_call>"))
	if err != nil {
		t.Fatal(err)
	}
	llama, err := oneCall(t.Context(), tools, chat.CallsOf(`ipython "parameters"`))
	if err != nil {
		t.Fatal(err)
	}
	for grammar, sentence := range map[string]string{hermes: `arguments`, llama: `parameters`} {
		t.Run(grammar, func(t *testing.T) {
			if err := llamacpp.CheckGrammar(grammar); err != nil || !strings.Contains(grammar, sentence) {
				t.Errorf("one call is allowed by a grammar that llama.cpp takes, with the sentence %q: %v\n%s",
					sentence, err, grammar)
			}
		})
	}
	if !strings.Contains(hermes, `root ::= "<tool_call>\x0a" (`) || !strings.Contains(hermes, `) "\x0a</tool_call>"`) ||
		strings.Contains(llama, "tool_call") {
		t.Errorf("a template with marks for calls has them in its grammar, another one has none: got\n%s\n%s", hermes,
			llama)
	}
}
