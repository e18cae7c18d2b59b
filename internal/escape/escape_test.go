package escape

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// controls lists what a terminal, a spreadsheet or a browser may obey, and harmless neighbours of it.
var controls = []string{
	"\x1b[31m", "\x1b]0;title\x07", "\x1b]8;;http://x\x1b\\", "\x1b[2J", "\x1bP", "\r", "\b", "\a", "\x00", "\x7f",
	"\u0085", "\u009b31m", "\u009d", "\u202e", "\u2066", "\u200b", "\u200d",
	"\u2028", "\ufeff", "\U000e0041", "\U0001d173", "\xff", "\xc3", "\xe2\x80", "=1+1", "+", "-", "@", "'", "\t", "\n",
	"\r\n", "a", "é", "語", "👩", "\\", "\\u202e", "-0.5", "\"", "<", "|",
}

func texts() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(controls), rapid.String()), 0, 8).Draw(t,
			"parts"),
			"")
	})
}

// harmless returns what a terminal would obey in an output, or "".
func harmless(shown string) string {
	if !utf8.ValidString(shown) {
		return "bytes that are no text"
	}
	before := rune(0)
	for _, r := range strings.ReplaceAll(shown, "\r\n", "\n") {
		joins := (r == '\u200c' || r == '\u200d') && before >= utf8.RuneSelf
		if r != '\n' && r != '\t' && !joins && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Bidi_Control, r) ||
			unicode.Is(unicode.Cf, r) && !(r >= 0x600 && r <= 0x8ff) && r < 0x11000) {
			return string(r)
		}
		before = r
	}
	return ""
}

// TestWriter: however a text is cut into writes, the output is its Text, which a terminal does not obey and which Text
// leaves unchanged.
func TestWriter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := texts().Draw(t, "text")
		var b bytes.Buffer
		w := NewWriter(&b)
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "bytes")
			if wrote, err := w.Write([]byte(rest[:n])); wrote != n || err != nil {
				t.Fatalf("wrote %d of %d bytes (%v), want all and no error", wrote, n, err)
			}
			rest = rest[n:]
		}
		w.Flush()
		if b.String() != Text(text) {
			t.Errorf("written in parts it is %q, want %q, as whole", b.String(), Text(text))
		}
		if bad := harmless(b.String()); bad != "" {
			t.Errorf("%q in %q, want none", bad, b.String())
		}
		if again := Text(b.String()); again != b.String() {
			t.Errorf("escaping %q again gives %q, want no change", b.String(), again)
		}
	})
}

// TestJSONThroughWriter: a line of JSON that passes through a Writer keeps its values.
func TestJSONThroughWriter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		encoded, err := json.Marshal(map[string]string{"text": texts().Draw(t, "text")})
		if err != nil {
			t.Fatal(err)
		}
		var before, after map[string]string
		if err := json.Unmarshal(encoded, &before); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(Text(string(encoded))), &after); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("a line of JSON keeps its values (-want +got):\n%s", diff)
		}
	})
}

// TestJSON: a page that decodes the output gets Text of each text.
func TestJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ToValidUTF8(texts().Draw(t, "text"), "?")
		encoded, err := json.Marshal([]string{text})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		if err := json.Unmarshal(JSON(encoded), &got); err != nil {
			t.Fatalf("the escaped %s is no JSON: %v, want no error", JSON(encoded), err)
		}
		if diff := cmp.Diff([]string{Text(text)}, got); diff != "" {
			t.Errorf("decoded JSON has the text as it is shown (-want +got):\n%s", diff)
		}
	})
}

// TestJSONOfPairs: a character above U+FFFF that is encoded as two codes is hidden like one that stands there itself.
func TestJSONOfPairs(t *testing.T) {
	for encoded, want := range map[string]string{
		`["a\udb40\udc41"]`: "a\\udb40\\udc41", `["a\ud83d\udc69"]`: "a👩", `["\ud83d\u0041"]`: "\ufffdA",
		`["\u202e"]`: `\u202e`,
	} {
		t.Run(encoded, func(t *testing.T) {
			var got []string
			if err := json.Unmarshal(JSON([]byte(encoded)), &got); err != nil || got[0] != want {
				t.Errorf("%s: got %q, want %q (%v)", encoded, got, want, err)
			}
		})
	}
}

// TestCell: no cell is a formula, numbers stay as they are, and removing one apostrophe from a cell that begins like '=
// restores the text.
func TestCell(t *testing.T) {
	begins, marked := regexp.MustCompile("^[=+\\-@\t\r\n＝＋－＠]"), regexp.MustCompile("^'+[=+\\-@\t\r\n＝＋－＠]")
	rapid.Check(t, func(t *rapid.T) {
		text := texts().Draw(t, "text")
		cell := Cell(text)
		if begins.MatchString(cell) && !number.MatchString(cell) {
			t.Errorf("%q becomes the cell %q, want one that no spreadsheet takes for a formula", text, cell)
		}
		if back := marked.ReplaceAllStringFunc(cell, func(m string) string { return m[1:] }); back != text {
			t.Errorf("%q becomes %q and back %q, want the same text", text, cell, back)
		}
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		if err := w.Write(Cells([]string{text, "x"})); err != nil {
			t.Fatal(err)
		}
	})
	for _, s := range []string{"-0.5", "+1", "-1e-05", "12", "", "a-b", "(A)"} {
		t.Run(fmt.Sprintf("%.60s", s), func(t *testing.T) {
			if Cell(s) != s {
				t.Errorf("%q becomes the cell %q, want no change", s, Cell(s))
			}
		})
	}
	for _, s := range []string{"=1+1", "-1+1", "-Inf", "+A1", "@SUM(A1)", "\t=1", "-", "'=1", "''=1", "'''@A1"} {
		t.Run(s, func(t *testing.T) {
			if got, want := Cell(s), "'"+s; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// FuzzTerminal: a terminal obeys nothing in the output, however the text is cut into writes.
func FuzzTerminal(f *testing.F) {
	for _, c := range controls {
		f.Add([]byte("a"+c+"b"), 2)
	}
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		cut = max(0, min(cut, len(text)))
		var b bytes.Buffer
		w := NewWriter(&b)
		w.Write(text[:cut])
		w.Write(text[cut:])
		w.Flush()
		if bad := harmless(b.String()); bad != "" {
			t.Errorf("%q in %q, want none", bad, b.String())
		}
		if b.String() != Text(string(text)) {
			t.Errorf("cut at %d it is %q, want %q, as whole", cut, b.String(), Text(string(text)))
		}
	})
}
