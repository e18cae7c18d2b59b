package answer

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/parley-debate/parley/internal/soak"
)

// rules returns all readers of replies, including those that need a question.
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
	for kind, r := range readers {
		all["reader "+string(kind)] = r.about(Question{Text: "Who was it, Ann or Bob?",
			Options: []string{"Ann", "aaaa", "((", "é", "A 1", "no"}})
	}
	all["reader of letters"] = readChoice(Question{})
	return all
}

// hostile lists the shapes of long replies: a beginning, a part that is repeated, and an end. The parts are what rules
// look for, opened and never closed.
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
	{"", "the answer is ", ""}, {"", "the answer is B or A ", ""}, {"", "**A** ", ""}, {"", "(A) is correct ", ""},
	{"", "\n(A) x", ""}, {"", "Ann ", ""}, {"", "is 1 ", ""}, {"", "1. ", ""}, {"", "1 1/2 ", ""}, {"", "1e9", ""},
	{"", "9,999", ""}, {"", "Question: x\n", ""}, {"", "<think>", ""}, {"", "</think>", ""}, {"", `"`, ""},
	{"", "$1$", ""}, {"", "$$\n", ""},
	{"", `"a b c" is `, ""}, {"", `translation is "a b c" `, ""}, {"the text ", "does ", ""}, {"", "if 1 in 500 ", ""},
	{"", "a\n", ""}, {"", "#1 each\n", ""}, {"", "(A)\n", ""}, {"", "x is y ", ""}, {"", "text no answer ", ""},
	{"", "not ", ""}, {"", "if the answer ", "is"}, {"", "= 1 ", ""}, {"", "½", ""}, {"", "A. ", ""}, {"", "- ", ""},
	{"", "answer to ", ""}, {"the answer to ", "x ", "is 5"}, {"", "translation ", ""}, {"", "A) ", ""},
	{"", "1^2", ""}, {"", "(A) (B) ", ""}, {"answer is (A)", " or B", ""}, {"", `\text{A}`, ""}, {"", "so, ", ""},
	{"", "the ", ""}, {"", "a", ""}, {"", "\x00", ""}, {"{", "'", ""}, {"{", "'a':", ""}, {"{'a': '", "' ", ""},
	{"a: 1", "\n\nIs it so?\nAnswer: 1\n", ""}, {"", "Who?\n(A) x\n(B) y\n", ""}, {"", "1 to buy 2 ", ""},
	{"", "if 1, 2 ", ""}, {"", "Ann is it. ", ""}, {"", "is Ann, a b", ""}, {"", "1:", ""},
	{"", "Options:\nA) x\n", ""},
	{"a", "\n#2. x?\n", ""}, {"A) ", "b ", "B) c C) d"}, {"if the text ", "x ", ", the answer is 1"},
	{"", "(A) x?\n(B) y?\n", ""}, {"", "Who?\n\n\n", ""}, {"", "$1$ is ", ""}, {"", "the answer to what is ", ""},
	{"", "Who was it Ann or Bob ", ""},
	{"Problem: ", "x ", "Solution: 1"},
	{"{'a': '", `\`, ""}, {"", "25%", ""}, {"", `\frac{1}{2}`, ""}, {`\frac{`, "1", "}{2}"},
}

// TestHostileReplies finds rules whose time is quadratic: each must finish on 200 KB of every shape within a
// second, and a reader on 48 KB. On
// a slow machine it may take longer, as long as the time is proportional to the length. A rule that is fast on a
// quarter of the text is not run on all of it.
func TestHostileReplies(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	const limit = time.Second
	for _, h := range hostile {
		of := func(bytes int) string { return h.begin + strings.Repeat(h.part, bytes/len(h.part)) + h.end }
		for name, rule := range rules() {
			size := 200 << 10
			if strings.HasPrefix(name, "reader") {
				size = 48 << 10 // readers look for more
			}
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

// fastest returns the shortest time of several runs, which a busy machine disturbs least.
func fastest(times int, rule Extractor, reply string) (best time.Duration) {
	for i := range times {
		start := soak.Processor()
		rule(reply)
		if took := soak.Processor() - start; i == 0 || took < best {
			best = took
		}
	}
	return best
}

// slowBoxed is lastBoxed by its definition: the last opening whose braces close.
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

// TestNoLetterOfAWord: a letter that touches a letter, a digit, a mark or an underscore of any script is no answer. The
// texts for MMLUPro avoid the phrases behind which the published rule takes the first letter of a word ("answer is
// Great" gives G). The text for SolutionLetter contains its phrase, and the rune behind the letter decides.
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

// FuzzExtract: on any input, rules do not panic, return valid text, and finish in time.
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
			start := soak.Processor()
			a := rule(reply)
			if a.Parsed != (a.Text != "") || utf8.ValidString(reply) && !utf8.ValidString(a.Text) {
				t.Errorf(`%s(%q) = %+v, want a.Parsed == (a.Text != "") && (!utf8.ValidString(reply) || `+
					"utf8.ValidString(a.Text))",
					name, reply, a)
			}
			if took := soak.Processor() - start; took > 5*time.Second {
				t.Errorf("%s took %v for %d bytes", name, took, len(reply))
			}
		}
	})
}
