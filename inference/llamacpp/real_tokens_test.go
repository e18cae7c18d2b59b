package llamacpp_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/models/modeltest"
)

// TestRealTokens: texts have the tokens that Hugging Face's tokenizers give them, with control tokens as such and as
// text. tools/differential/tokens.py has made the expectations. U+2581 in a text is SentencePiece's mark of a space,
// and llama.cpp does not join it with spaces as the library does.
func TestRealTokens(t *testing.T) {
	for _, c := range []struct {
		file, name string
		begin      []llamacpp.Token
	}{{modeltest.SmolLM2, "smollm2", nil}, {modeltest.Gemma3, "gemma3", []llamacpp.Token{2}}} {
		t.Run(c.name, func(t *testing.T) {
			m := open(t, modeltest.Real(t, c.file), llamacpp.ModelOptions{VocabOnly: true})
			goldens := datatest.Read(t, "testdata/tokens/"+c.name+".jsonl")
			texts, wrong, marked := 0, 0, 0
			for line := range strings.Lines(string(goldens)) {
				var want struct {
					Text            string
					Tokens, Control []llamacpp.Token
				}
				if err := json.Unmarshal([]byte(line), &want); err != nil {
					t.Fatal(err)
				}
				if want.Control == nil {
					want.Control = want.Tokens
				}
				texts++
				if c.file == modeltest.Gemma3 && strings.Contains(want.Text, "\u2581") {
					marked++
					continue
				}
				for parse, ids := range map[bool][]llamacpp.Token{false: want.Tokens, true: want.Control} {
					got, err := m.Tokenize(want.Text, true, parse)
					if ids = slices.Concat(c.begin, ids); err != nil || !slices.Equal(got, ids) {
						wrong++
						t.Errorf("%q, control tokens %v: %v, want %v, %v", want.Text, parse, got, ids, err)
					}
				}
			}
			if t.Logf("%d texts, %d differ; %d with U+2581 left out", texts, wrong, marked); texts < 200 {
				t.Errorf("%d texts were compared, want at least 200", texts)
			}
		})
	}
}
