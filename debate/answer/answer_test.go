package answer

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// TestRules: each rule reads the answer of a reply as its source's program does, or nothing.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		rule, reply string
		want        Answer
	}{
		{"choice", "so (A) is wrong. The answer is: (B).", Of("(B)")},
		{"choice", "(A) or (C)? I say (A)", Of("(A)")},
		{"choice", "The answer is (b).", Unparsed},
		{"choice", "The answer is B.", Unparsed},
		{"choice", "(AB) and (A B)", Unparsed},
		{"choice", "It is (12), no, (-7).", Of("-7")},
		{"choice", "(K) comes before (12)", Of("(K)")},
		{"choice", "", Unparsed},
		{"choice-yes-no", "(Yes), no, (No).", Of("No")},
		{"choice-yes-no", "(Yes) but (B)", Of("(B)")},
		{"choice-yes-no", "(Yes) but (12)", Of("12")},
		{"choice-yes-no", "Yes", Of("Yes")},
		{"choice-yes-no", "Yes, (yes), (YES)", Unparsed},
		{"letter", "first (A), then (b)", Of("(B)")},
		{"letter", "no letter, but 12", Of("12")},
		{"letter", "(AB)", Unparsed},
		{"last-word", "it is 1,234", Of("1.234")},
		{"last-word", "so 12 or -7 .", Of("-7")},
		{"last-word", "the result is 42.", Of("42")},
		{"last-word", "42!", Unparsed},
		{"square", "(e5), as the knight on f3 may go there", Of("e5")},
		{"square", "(e5) is not free.\n\n**F3**\nThat is my answer.", Of("f3")},
		{"square", "The rook takes: Rxe5+, or e2-e4, or g1f3", Of("f3")},
		{"square", "The pawn becomes a queen, b7b8q", Of("b8")},
		{"square", "It may go to A3.", Of("a3")},
		{"square", "either d9 or e12, by page1", Unparsed},
		{"raw", "42", Of("42")},
		{"raw", "42.", Of("42.")},
		{"raw", "", Unparsed},
		{"number", `so \boxed{1,234} or {$5.50}, not 7`, Of("5.5")},
		{"number", "18 eggs cost $18.00.", Of("18")},
		{"number", `first {7}, then {$} and {...}`, Of("7")},
		{"number", "it costs 007 or {1.2.3}", Unparsed},
		{"number", "between 10-15", Of("15")},
		{"number", `2 - 12 = -$10`, Of("-10")},
		{"number", `\boxed{-5}`, Of("-5")},
		{"number", "-0.0", Of("0")},
		{"number", "{.50}", Of("0.5")},
		{"number", "first 12, then 1,234.5 apples", Of("1234.5")},
		{"number", "it is -3.", Of("-3")},
		{"number", "none", Unparsed},
		{"number", "{...}", Unparsed},
		{"math", `\boxed{1} and then \boxed{\frac{1}{2}}.`, Of(`\frac{1}{2}`)},
		{"math", `\boxed{\left(3, \frac{\pi}{2}\right)}`, Of(`(3,\frac{\pi}{2})`)},
		{"math", `\boxed{\{1, 2\}}`, Of(`\{1,2\}`)},
		{"math", `\boxed{$42$.}`, Of("42")},
		{"math", `\boxed{$42$}`, Of("42")},
		{"math", `\boxed{7\$}`, Of("7")},
		{"math", `\boxed{7.}`, Of("7")},
		{"math", `\boxed{}`, Unparsed},
		{"math", `\boxed{5} but \boxed{never closed`, Of("5")},
		{"math", "The answer is 5.", Unparsed},
		{"mmlu-pro", "The answer is (C). No, the answer is D.", Of("(C)")},
		{"mmlu-pro", "Answer: A or Answer: B\nAnswer: C", Of("(B)")},
		{"mmlu-pro", "Of A and\nJ I say F, not K", Of("(F)")},
		{"mmlu-pro", "ABC", Unparsed},
		{"mmlu-pro", "Since ΔG is negative, l'Hôpital on H₂ or Iω₂", Unparsed},
		{"mmlu-pro", "Answer:\u00a0C or D", Of("(C)")},
		{"mmlu-pro", "the answer is Great", Of("(G)")},
		{"mmlu-pro", "E\u0301 or F\u20d7", Unparsed},
		{"gpqa", "(A)? The answer is (C).", Of("(C)")},
		{"gpqa", "answer is (x), Answer: (B)", Of("(B)")},
		{"gpqa", "(E) or (A)", Unparsed},
		{"solution-letter", "A) no\nfinal solution: b) yes", Of("(B)")},
		{"solution-letter", "I think C: it is", Of("(C)")},
		{"solution-letter", "the best is (D) or (A)", Of("(D)")},
		{"solution-letter", "B", Of("(B)")},
		{"solution-letter", "Yes", Unparsed},
		{"solution-letter", "Yes B\n", Of("(B)")},
		{"solution-letter", "Final Solution\u00a0:\u00a0b", Of("(B)")},
		{"solution-letter", "Final Solution: Aé", Unparsed},
		{"solution-letter", "Final Solution: ſ", Unparsed},
		{"quantity", "about 75%", Of("3/4")},
		{"quantity", "it is 0.75.", Of("3/4")},
		{"quantity", `first 7, then \boxed{\frac{3}{4}}`, Of("3/4")},
		{"quantity", `\boxed{75\%}`, Of("3/4")},
		{"quantity", "the ratio is 50:50", Of("1:1")},
		{"quantity", "1/e", Of("1/e")},
		{"quantity", "it is 6 or 12.", Of("6 or 12")},
		{"quantity", "25,000 in all", Of("25000")},
		{"quantity", "it is -3", Of("-3")},
		{"quantity", "1/0", Unparsed},
		{"quantity", "none", Unparsed},
		{"quantity", "75\u202f%", Of("3/4")},
		{"quantity", "1/every", Of("1")},
		{"quantity", "H₂-3", Of("3")},
		{"quantity", "1" + strings.Repeat("0", 70), Unparsed},
		{"span", "The Normans!", Of("normans")},
		{"span", "I thought of it. The answer is: the United States.", Of("united states")},
		{"span", "It is Unknown to me", Of("unknown")},
		{"span", "océan", Of("océan")},
		{"span", "the", Unparsed},
	} {
		t.Run(fmt.Sprintf("%.60s %.60s", c.rule, c.reply), func(t *testing.T) {
			extract, ok := PaperRule(c.rule)
			if !ok {
				t.Fatalf("there is no rule %s of a paper, want one", c.rule)
			}
			if got := extract(c.reply); got != c.want {
				t.Errorf("%s(%q) = %+v, want %+v", c.rule, c.reply, got, c.want)
			}
		})
	}
	if Unparsed.Equal(Unparsed) || Of("a").Equal(Of("b")) || !Of("a").Equal(Of("a")) {
		t.Error("Equal holds of unparsed or of different answers, or not of equal ones; want it of equal parsed ones " +
			"alone")
	}
}

// TestAmong: the answer is all of the names given that are in the last line that has one, by name or letter.
func TestAmong(t *testing.T) {
	rule := Among([]string{"Mackenzie", "Ana", "a.b"})
	for reply, want := range map[string]Answer{
		"Analysis: Mackenzie or Ana?\nIt was Ana.": Of("Ana"), "Ana and Mackenzie": Of("Mackenzie, Ana"),
		"(A) it is\n":     Of("Mackenzie"),
		"Analysis of (D)": Unparsed, "": Unparsed, "axb": Unparsed, "so a.b": Of("a.b"),
	} {
		t.Run(reply, func(t *testing.T) {
			if got := rule(reply); got != want {
				t.Errorf("%q: %+v, want %+v", reply, got, want)
			}
		})
	}
}

// TestMathEquivalence lists pairs that the published normalisation makes equal, and pairs of equal value that it leaves
// different: it is no algebra.
func TestMathEquivalence(t *testing.T) {
	for _, c := range [][2]string{
		{`\frac{1}{2}`, `\dfrac{1}{2}`}, {`\frac{1}{2}`, `\tfrac{1}{2}`}, {`\frac12`, `\frac{1}{2}`},
		{`\frac1{72}`, `\frac{1}{72}`},
		{`1/2`, `\frac{1}{2}`}, {`-1/2`, `\frac{-1}{2}`}, {`0.5`, `\frac{1}{2}`}, {`.5`, `\frac{1}{2}`},
		{`.25`, `0.25`},
		{`\sqrt3`, `\sqrt{3}`}, {`2\sqrt5`, `2\sqrt{5}`}, {`90^\circ`, `90`}, {`90^{\circ}`, `90`}, {`\$32`, `32`},
		{`50\%`, `50`}, {`α = 1`, `1`},
		{`5\text{ cm}`, `5`}, {`5 \text{ square units}`, `5`}, {`x = 3`, `3`}, {`x=3`, `3`}, {`n = -2`, `-2`},
		{`\left(1,2\right)`, `(1,2)`},
		{`(1, 2)`, `(1,2)`}, {"3\n", `3`}, {`1\!000`, `1000`}, {`10\!,\!000`, `10,000`}, {`\(7\)`, `7`},
		{`a + b`, `a+b`}, {`{.5}`, `{0.5}`},
		{`\frac{ 1 }{ 2 }`, `\frac{1}{2}`}, {`x\\y`, `x\y`}, {`\sqrt{ 2 }`, `\sqrt{2}`}, {`3 .5`, `30.5`},
		{`\text{even}`, `\text{even}`},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			if a, b := NormalizeMath(c[0]), NormalizeMath(c[1]); a != b {
				t.Errorf("%q is normalised to %q and %q to %q, want the same", c[0], a, c[1], b)
			} else if again := NormalizeMath(a); again != a {
				t.Errorf("%q is normal, but becomes %q, want no change", a, again)
			}
		})
	}
	for _, c := range [][2]string{
		{`\frac{2}{4}`, `\frac{1}{2}`}, {`1,000`, `1000`}, {`0.25`, `\frac{1}{4}`}, {`a=b=c`, `c`}, {`abc = 3`, `3`},
		{`xy = 3`, `3`}, {`50%`, `50`}, {`03/4`, `\frac{3}{4}`}, {`\frac12\frac1`, `\frac{1}{2}\frac1`},
		{`2x+1`, `1+2x`},
		{`\text{even}`, `even`}, {`(1,2)`, `(2,1)`}, {`\sqrt{4}`, `2`}, {`x \in [1,2]`, `[1,2]`},
		{`3/x`, `\frac{3}{x}`},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			if a, b := NormalizeMath(c[0]), NormalizeMath(c[1]); a == b {
				t.Errorf("%q and %q both give %q, want different ones", c[0], c[1], a)
			}
		})
	}
}

// slowBoxed is LastBoxed by its definition: the last opening whose braces close.
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

// TestLastBoxed: the last whole \boxed{} of a text is found, whatever braces stand around it.
func TestLastBoxed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{`\boxed{`, "boxed{", "{", "}", `\`, `\}`, `\{`, `\\`, "x",
			"é"})).Draw(t, "parts")
		text := strings.Join(parts, "")
		got, ok := LastBoxed(text)
		if want, found := slowBoxed(text); got != want || ok != found {
			t.Fatalf("%q: %q %v, want %q %v", text, got, ok, want, found)
		}
	})
}

// TestNoLetterOfAWord: a letter that touches a letter, a digit, a mark or an underscore of any script is no answer. The
// texts for MMLUPro avoid the phrases behind which the published rule takes the first letter of a word ("answer is
// Great" gives G). The text for solutionLetter contains its phrase, and the rune behind the letter decides.
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
			t.Errorf("MMLUPro(%q) = %s, want no answer", text, got.Text)
		}
		if got := Among([]string{"A", "B", "D", "G", "H", "J"})(text); got.Parsed {
			t.Errorf("Among(%q) = %s, want no answer", text, got.Text)
		}
		behind := string(touching.Draw(t, "behind"))
		if got := solutionLetter("Final Solution: x" + behind + " it is"); got.Parsed {
			t.Errorf("SolutionLetter(… %q) = %s, want no answer", "x"+behind, got.Text)
		}
	})
}
