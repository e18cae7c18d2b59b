package answer

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// rules are all answer rules, those that need a question included.
func rules() map[string]Extractor {
	all := map[string]Extractor{
		"among":      Among([]string{"Ann", "aaaa", "((", "é"}),
		"dictionary": func(reply string) Answer { Dictionary(reply); return Unparsed },
		"math, normalised": func(reply string) Answer {
			NormalizeMath(reply)
			return Unparsed
		},
	}
	for name, rule := range extractors {
		all[name] = rule
	}
	return all
}

// hostile are beginnings, parts that are repeated, and ends: what a rule looks for, opened and never closed.
var hostile = []struct{ begin, part, end string }{
	{"", `\boxed{`, ""}, {"", `\boxed{`, "}"}, {"", `\boxed{}`, ""}, {`\boxed{`, "{", ""}, {`\boxed{`, `\frac`, "}"},
	{`\boxed{`, `\frac1`, "}"}, {`\boxed{`, `\sqrt`, "}"},
	{`\boxed{`, "1", "}"}, {`\boxed{`, "1/", "}"}, {`\boxed{`, "(1,", "}"}, {`\boxed{`, `\left(`, "}"},
	{`\boxed{`, "1,000", "}"}, {`\boxed{x=`, "-", "}"}, {`\boxed{`, "2^", "}"},
	{"", "1", ""}, {"", "1,", ""}, {"", "1.", ""}, {"", "-", "1"}, {"", "1/1 ", ""}, {"", "1/e", ""}, {"", "$", "1"},
	{"", "{1", ""}, {"{", "1", ""}, {"{", "1", "}"}, {"", "{.,$", ""},
	{"", "(", "A"}, {"", "(A", ""}, {"", "(1", ""}, {"(", "1", ""}, {"(", "٣", ")"}, {"", "A", ""}, {"", "A ", "é"},
	{"", "ΔG", ""}, {"", "\u0301A", ""}, {"", "é", ""},
	{"", "answer", ""}, {"", "answer is ", ""}, {"", "answer:", ""}, {"answer:", " ", ""},
	{"answer is (", "\u00a0", ""}, {"", "answer is (é)", ""}, {"", "Final Solution:", ""},
	{"Final Solution:", " ", ""}, {"", "final solution: é", ""}, {"", "\n", ""}, {"", " ", ""}, {"", "\\", ""},
	{"", `\text{ `, ""}, {"", "=", ""}, {"", ". ", ""}, {"", "\xff", ""},
	{"", "the ", ""}, {"", "a", ""}, {"", "\x00", ""}, {"{", "'", ""}, {"{", "'a':", ""}, {"{'a': '", "' ", ""},
	{"{'a': '", `\`, ""}, {"", "25%", ""}, {"", `\frac{1}{2}`, ""}, {`\frac{`, "1", "}{2}"},
}

// TestHostileReplies is a check for hangs: every rule finishes on 200 KB of every shape in a second, or at least in
// time that grows with the length alone, since the machine may be busy. What is quadratic takes seconds to minutes.
// Most rules show on a quarter that they are far from that.
func TestHostileReplies(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	const size, limit = 200 << 10, time.Second
	for _, h := range hostile {
		of := func(bytes int) string { return h.begin + strings.Repeat(h.part, bytes/len(h.part)) + h.end }
		for name, rule := range rules() {
			if fastest(1, rule, of(size/4)) < limit/10 {
				continue
			}
			quarter, whole := fastest(3, rule, of(size/4)), fastest(3, rule, of(size))
			if whole > limit && whole > 8*quarter {
				t.Errorf("%s took %v for %q, many %q, %q, and %v for a quarter", name, whole, h.begin, h.part, h.end,
					quarter)
			}
		}
	}
}

// fastest is the shortest of so many times: the machine may be busy.
func fastest(times int, rule Extractor, reply string) (best time.Duration) {
	for i := range times {
		start := time.Now()
		rule(reply)
		if took := time.Since(start); i == 0 || took < best {
			best = took
		}
	}
	return best
}

// slowBoxed is what lastBoxed means: the last opening from which braces close.
func slowBoxed(text string) (string, bool) {
	for at := len(text); at >= 0; at-- {
		body, ok := strings.CutPrefix(text[at:], `\boxed{`)
		for i, depth := 0, 0; ok && i < len(body); i++ {
			switch body[i] {
			case '\\':
				i++
			case '{':
				depth++
			case '}':
				if depth--; depth < 0 {
					return body[:i], true
				}
			}
		}
	}
	return "", false
}

func TestLastBoxed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{`\boxed{`, "boxed{", "{", "}", `\`, `\}`, `\{`, `\\`, "x",
			"é"})).Draw(t, "parts")
		text := strings.Join(parts, "")
		got, ok := lastBoxed(text)
		if want, found := slowBoxed(text); got != want || ok != found {
			t.Fatalf("%q: %q %v, want %q %v", text, got, ok, want, found)
		}
	})
}

// TestNoLetterOfAWord: a letter that touches a letter, a digit, a mark or an underscore of any script is no answer.
// Texts without the words by which the published rules find an answer in any word ("answer is Great" says G) are read
// by MMLUPro; for SolutionLetter those words come first, and what stands behind the first letter decides.
func TestNoLetterOfAWord(t *testing.T) {
	touching := rapid.OneOf(rapid.RuneFrom(nil, unicode.L, unicode.N, unicode.M), rapid.Just('_'),
		rapid.RuneFrom([]rune("éΔ₂²ω’ß中ٱ\u0301\u20d7\ufe0f")).Filter(Touching))
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(1, 5).Draw(t, "words") {
			letter := rapid.SampledFrom([]string{"A", "B", "D", "G", "H", "J"}).Draw(t, "letter")
			beside := string(touching.Draw(t, "beside"))
			switch rapid.IntRange(0, 2).Draw(t, "side") {
			case 0:
				letter = beside + letter
			case 1:
				letter += beside
			default:
				letter = beside + letter + beside
			}
			b.WriteString(letter + rapid.SampledFrom([]string{" ", "\u00a0", ", ", "\n", "’ "}).Draw(t, "between"))
		}
		text := b.String()
		if got := MMLUPro(text); got.Parsed {
			t.Errorf("MMLUPro(%q) = %s", text, got.Text)
		}
		if got := Among([]string{"A", "B", "D", "G", "H", "J"})(text); got.Parsed {
			t.Errorf("Among(%q) = %s", text, got.Text)
		}
		behind := string(touching.Draw(t, "behind"))
		if got := SolutionLetter("Final Solution: x" + behind + " it is"); got.Parsed {
			t.Errorf("SolutionLetter(… %q) = %s", "x"+behind, got.Text)
		}
	})
}

// FuzzExtract feeds anything: rules never panic, give answers that are text, and are done in time.
func FuzzExtract(f *testing.F) {
	for _, h := range hostile {
		f.Add(h.begin + h.part + h.part + h.end)
	}
	for _, s := range []string{"ΔG is (B).", "l'Hôpital", "H₂", "Answer:\u00a0C or D", `\boxed{\frac{1}{2}}`,
		`\boxed{[0,1)\cup\{2\}}`, "{'a': 'b'}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		reply = reply[:min(len(reply), 200<<10)]
		for name, rule := range rules() {
			start := time.Now()
			a := rule(reply)
			if a.Parsed != (a.Text != "") || utf8.ValidString(reply) && !utf8.ValidString(a.Text) {
				t.Errorf("%s(%q) = %+v", name, reply, a)
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("%s took %v for %d bytes", name, took, len(reply))
			}
		}
	})
}
