package strictyaml_test

import (
	"strings"
	"testing"

	"github.com/parley-debate/parley/internal/strictyaml"
)

// TestNothingIsDropped: what would be left out, or read as another number, is refused with its line; what looks like it
// and is whole is read.
func TestNothingIsDropped(t *testing.T) {
	refused := 0
	for text, says := range map[string]string{
		"%YAML 1.2\n---\na: 1\n":       "",
		"a: 1\n---\na: 2\n":            "[3:1] a second document",
		"a: 1\n...\n---\n- 2\n":        "a second document",
		"---\n---\na: 2\n":             "a second document",
		"a: 1\n---\n# no\n---\nb: 1\n": "a second document",
		"a: 010\n":                     "[1:4] 010 begins with 0",
		"a: -017\n":                    "-017 begins with 0",
		"a: +010\n":                    "begins with 0",
		"a: [1, 007]\n":                "007 begins with 0",
		"a: &x 010\nb: *x\n":           "010 begins with 0",
		"a: {b: 0_10}\n":               "begins with 0",
		"010: 1\n":                     "begins with 0",
		"a: 1\n":                       "",
		"---\na: 1\n":                  "",
		"a: 1\n---\n":                  "",
		"a: 1\n...\n":                  "",
		"a: 1\n---\n# only a remark\n": "",
		"# first\n---\na: 1\n":         "",
		"a: \"010\"\n":                 "",
		"a: '---'\n":                   "",
		"a: |\n  x\n  ---\n  y\n":      "",
		"a: 0o10\n":                    "",
		"a: 0x10\n":                    "",
		"a: [0, 0.5, -0, 10, 100]\n":   "",
		"a: 2026-01-07\n":              "",
	} {
		var value any
		err := strictyaml.Unmarshal([]byte(text), &value)
		switch {
		case says == "" && (err != nil || value == nil):
			t.Errorf("%q is one document and is read: got %v, %v", text, value, err)
		case says != "" && (err == nil || !strings.Contains(err.Error(), says)):
			t.Errorf("%q: %v, %v, want %q", text, value, err, says)
		case says != "":
			refused++
		}
	}
	if refused != 11 {
		t.Errorf("%d of 11 were refused, want 11", refused)
	}
}
