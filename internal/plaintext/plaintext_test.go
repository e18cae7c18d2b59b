package plaintext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/parley-debate/parley/internal/datatest"
)

// TestOf: a text is what is left without the mark at its beginning, in UTF-8; else an error says where it is none.
func TestOf(t *testing.T) {
	for content, want := range map[string]string{
		"":                  "",
		"a\nb":              "a\nb",
		"\ufeffa":           "a",
		"\ufeff":            "",
		"\ufeff\ufeffa":     "\ufeffa", // the second is a letter of the text
		"a\ufeff":           "a\ufeff",
		"\ufffd stays":      "\ufffd stays", // written by the user, as UTF-8
		"\x00\x00":          "\x00\x00",
		"a, then \x00, too": "a, then \x00, too",
	} {
		t.Run(content, func(t *testing.T) {
			if got, err := Of([]byte(content)); err != nil || string(got) != want {
				t.Errorf("%q: %q %v, want %q", content, got, err, want)
			}
		})
	}
	for content, want := range map[string]string{
		"caf\xe9":                           "line 1, byte 4 is 0xe9",
		"a\nbc\xff":                         "line 2, byte 3 is 0xff",
		"\ufeffa\xc3":                       "line 1, byte 2 is 0xc3",
		"\xed\xa0\x80":                      "line 1, byte 1 is 0xed", // a surrogate in the manner of CESU-8
		"\xff\xfea\x00":                     "is UTF-16 (little endian) by its byte order mark",
		"\xfe\xff\x00a":                     "is UTF-16 (big endian) by its byte order mark",
		"\xff\xfe\x00\x00a\x00":             "is UTF-32 (little endian)",
		"\x00\x00\xfe\xff\x00":              "is UTF-32 (big endian)",
		"q\x00u\x00":                        "looks like UTF-16 without a byte order mark",
		"\x00q\x00u":                        "looks like UTF-16 without a byte order mark",
		strings.Repeat("\n", 5000) + "\x80": "line 5001, byte 1 is 0x80",
	} {
		t.Run(content, func(t *testing.T) {
			if _, err := Of([]byte(content)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%.20q: %v, want %q", content, err, want)
			}
		})
	}
}

func TestReadFile(t *testing.T) {
	path := datatest.File(t, "a", "\ufefftext")
	if text, err := ReadFile(path, 7); err != nil || string(text) != "text" {
		t.Errorf("a file within its limit is read: got %q, %v, want text", text, err)
	}
	if _, err := ReadFile(path, 6); err == nil || !strings.Contains(err.Error(), path+`" has more than 6 bytes`) {
		t.Errorf("%v, want an error with %v", err, path+`" has more than 6 bytes`)
	}
	if _, err := ReadFile(path+"b", 0); !os.IsNotExist(err) {
		t.Errorf("%v, want os.IsNotExist(err)", err)
	}
	datatest.Write(t, path, "\xff")
	if _, err := ReadFile(path, 0); err == nil || !strings.Contains(err.Error(), path+`" is not UTF-8`) {
		t.Errorf("%v, want an error with %v", err, path+`" is not UTF-8`)
	}
}

// TestEscapes: half a pair of JSON's escapes is refused, and nothing else.
func TestEscapes(t *testing.T) {
	for _, whole := range []string{"", `"a"`, `"\u00e9"`, `"\ud83d\ude00"`, `"\\ud800"`, `"\uD83D\uDE00\n\u0041"`, `"\u12"`,
		`"\\\\ud800"`, `"x\`, `"\\\ud83d\ude00"`} {
		t.Run(fmt.Sprintf("%.60s", whole), func(t *testing.T) {
			if err := Escapes([]byte(whole)); err != nil {
				t.Errorf("the escapes of %s are refused: %v, want no error", whole, err)
			}
		})
	}
	for half, want := range map[string]string{
		`"\ud800"`:               `line 1, byte 2: the escape \ud800`,
		"[\n\"a\\uDFFF\"]":       `line 2, byte 3: the escape \uDFFF`,
		`"\ud800\u0041"`:         `byte 2: the escape \ud800`,
		`"\ud83d\ude00\ude00"`:   `byte 14: the escape \ude00`,
		`"\ud800\ud83d\ude00"`:   `byte 2: the escape \ud800`,
		`"\\\ud800"`:             `byte 4: the escape \ud800`,
		`"\ud83dx\ude00"`:        `byte 2: the escape \ud83d`,
		`{"\ude00": 1}`:          `byte 3: the escape \ude00`,
		`"` + `\ud800` + `\ud83`: `byte 2`,
	} {
		t.Run(half, func(t *testing.T) {
			if err := Escapes([]byte(half)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", half, err, want)
			}
		})
	}
}

// FuzzEscapes: what is admitted decodes to the same text again, and only what loses a letter is refused.
func FuzzEscapes(f *testing.F) {
	for _, seed := range []string{`"a\ud83d\ude00"`, `"\ud800"`, `"\\ud800"`, "\ufeff\"x\""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		text, err := Of(content)
		if err == nil && (!utf8.Valid(text) || !bytes.HasSuffix(content, text)) {
			t.Fatalf("%q is admitted as %q, want valid UTF-8 from its end", content, text)
		}
		var decoded string
		lower := bytes.ToLower(text)
		if err != nil || bytes.Contains(lower, []byte("\ufffd")) || bytes.Contains(lower, []byte(`\ufffd`)) ||
			json.Unmarshal(text, &decoded) != nil {
			return
		}
		if half := Escapes(text) != nil; half != strings.Contains(decoded, "\ufffd") {
			t.Fatalf("%q is decoded as %q; refused: %v, want %v", text, decoded, half, !half)
		}
	})
}
