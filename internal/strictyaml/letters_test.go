package strictyaml_test

import (
	"strings"
	"testing"

	"github.com/parley-debate/parley/internal/strictyaml"
)

// TestLetters: a byte order mark is no part of the text, and what is no letter is refused with its place.
func TestLetters(t *testing.T) {
	for text, want := range map[string]string{
		"\ufeffa: b":              "b",
		"\ufeff# a comment\na: c": "c",
		`a: "\ud83d\ude00"`:       "😀",
		`a: '\ud800'`:             `\ud800`,
		"a: \"\ufffd\"":           "\ufffd",
	} {
		t.Run(text, func(t *testing.T) {
			var got struct{ A string }
			if err := strictyaml.Unmarshal([]byte(text), &got); err != nil || got.A != want {
				t.Errorf("%q: read %q, %v, want %q", text, got.A, err, want)
			}
		})
	}
	for text, want := range map[string]string{
		"a: b\nb: caf\xe9":     "line 2, byte 7 is 0xe9",
		"\xff\xfea\x00":        "UTF-16 (little endian)",
		`a: "\ud800"`:          "[1:",
		"b: c\na: \"\\ude00\"": "[2:4] an escape is no letter",
		`a: "\U0000d800"`:      "an escape is no letter",
		`"\ude00": a`:          "an escape is no letter",
	} {
		t.Run(text, func(t *testing.T) {
			var got any
			if err := strictyaml.Unmarshal([]byte(text), &got); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v %v, want %q", text, got, err, want)
			}
		})
	}
}
