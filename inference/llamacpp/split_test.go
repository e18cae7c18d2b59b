package llamacpp

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// texts are made of runs of one class each, which is what splitting looks at.
var texts = rapid.Custom(func(t *rapid.T) string {
	classes := []string{"a", "Zé", "7", " ", "\n", "\r\n", "\u00a0", "!", "字", "字。", "e\u0301", "🎉", "'s",
		"<|im_end|>", "\xff", "\x01"}
	var b strings.Builder
	for range rapid.IntRange(0, 12).Draw(t, "runs") {
		class, length := rapid.SampledFrom(classes).Draw(t, "class"), rapid.IntRange(1, 40).Draw(t, "length")
		b.WriteString(strings.Repeat(class, length))
	}
	return b.String()
})

// longestRuns are how many characters in a row are not white space, and are nothing else.
func longestRuns(text string) (longest [2]int) {
	run, space := 0, false
	for _, r := range text {
		if is := unicode.IsSpace(r); is != space {
			run, space = 0, is
		}
		run++
		i := 0
		if space {
			i = 1
		}
		longest[i] = max(longest[i], run)
	}
	return longest
}

// TestSplit loses nothing, leaves no long run, cuts no token in two, and leaves a text whole that has no long run.
func TestSplit(t *testing.T) {
	const end = "<|im_end|>"
	rapid.Check(t, func(t *rapid.T) {
		text := texts.Draw(t, "text")
		most, spaces := rapid.IntRange(len(end)+1, 60).Draw(t, "most"), rapid.IntRange(1, 60).Draw(t, "spaces")
		parts, longest := splitter{most, spaces, func() []string { return []string{"e", end} }}.split(text)
		whole := longestRuns(text)
		tooLong := whole[0] > most || whole[1] > spaces
		if strings.Join(parts, "") != text || longest > max(most, spaces) || (len(parts) > 1) != tooLong {
			t.Fatalf("%q, the longest runs %d, came apart into %q, the longest run %d", text, whole, parts, longest)
		}
		found := 0
		for i, part := range parts {
			runs := longestRuns(part)
			if runs[0] > most || runs[1] > spaces || max(runs[0], runs[1]) > longest || part == "" && text != "" {
				t.Fatalf("part %d of %q is %q, want a part that is not empty and has no run over %d, nor of spaces "+
					"over %d", i, text, part, most, spaces)
			}
			found += strings.Count(part, end)
		}
		if found != strings.Count(text, end) {
			t.Fatalf("a token was cut in two, want %d whole: %q", strings.Count(text, end), parts)
		}
	})
}

// TestSplitDigits cuts digits only, and only at multiples of three from their right end.
func TestSplitDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := strings.Repeat("9", rapid.IntRange(0, 2000).Draw(t, "digits"))
		text := texts.Draw(t, "text") + run + texts.Draw(t, "more")
		parts := splitDigits([]string{text})
		if strings.Join(parts, "") != text {
			t.Fatalf("%q came apart into %q, want parts that join to it", text, parts)
		}
		rest := text
		for _, part := range parts[:len(parts)-1] {
			rest = rest[len(part):]
			if n := digits(rest); n%maxDigits != 0 || n == 0 || part[len(part)-1] < '0' || part[len(part)-1] > '9' {
				t.Fatalf("digits are cut with %d to the right, want a multiple of %d: %q", n, maxDigits, parts)
			}
		}
	})
}
