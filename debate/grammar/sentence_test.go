package grammar

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestSentence checks the shortest and the longest sentence of each grammar.
func TestSentence(t *testing.T) {
	object := Object(Field{"answer", Choice("(A)", "B")}, Field{"why", Text(12)}, Field{"steps", List(Text(9), 1, 3)},
		Field{"sure", Number(0, 100)})
	for name, test := range map[string]struct {
		value          Value
		shortest, long string
	}{
		"choice": {Choice("yes", "no"), "yes", "yes"},
		"text":   {Text(5), "", "so it"},
		"object": {object, `{"answer": "(A)", "why": "", "steps": [""], "sure": [`,
			`{"answer": "(A)", "why": "so it may be", "steps": ["so it may", "so it may", "so it may"], "sure": `},
		"ranking": {Ranking(3, 2), "0 1", "0 1"},
	} {
		t.Run(name, func(t *testing.T) {
			for most, want := range map[bool]string{false: test.shortest, true: test.long} {
				got, err := Sentence(test.value.String(), "so it may be that", most)
				if want = strings.TrimSuffix(want, "["); err != nil || !strings.HasPrefix(got, want) {
					t.Errorf("%s, most %v: %q, want %q; %v", name, most, got, want, err)
				}
				if strings.HasPrefix(got, "{") && !json.Valid([]byte(got)) {
					t.Errorf("%s is no JSON, want a whole object", got)
				}
			}
		})
	}
	for _, bad := range []string{"", "root ::= a", "root ::= root", `root ::= "a`, "root ::= )"} {
		t.Run(fmt.Sprintf("%.60s", bad), func(t *testing.T) {
			if text, err := Sentence(bad, "so", true); err == nil && text != "" {
				t.Errorf("%q is refused or leaves no text: got %q without an error", bad, text)
			}
		})
	}
}
