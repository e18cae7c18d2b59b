package ending

import (
	"fmt"
	"strings"
	"testing"
)

func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i+1)
	}
	return b.String()
}

// TestLoops: what repeats itself, and since when.
func TestLoops(t *testing.T) {
	const intro = "Let us see what there is to say about it: "
	for name, c := range map[string]struct {
		unit  string
		times int // that suffice, with some bytes more since looks are apart
	}{
		"a sentence":          {"The capital of France is Paris. ", 3},
		"a problem":           {"### Instruction: What is the sum of 2 and 5?\n\nThe answer is: 7.\n\n", 3},
		"a short sentence":    {"I do not know. ", 5},
		"three words":         {"Thank you again! ", 6},
		"Chinese":             {"答案是巴黎，法国的首都。", 3},
		"Japanese with blank": {"それは本当です。 ", 3},
		"one word":            {"no ", 100},
		"two words":           {"Yes, yes. ", 30},
		"a number":            {"1", 300},
		"a fraction":          {"142857", 50},
		"blanks":              {"\n", 300},
		"dashes":              {"-", 300},
		"cells":               {"| yes ", 50},
		"no blanks":           {"/a/b/c/d", 38},
		"accents":             {"É", 150},
		"a poem":              {numbered(150, "line%d and ") + "\n", 3},
	} {
		t.Run(name, func(t *testing.T) {
			text := intro + strings.Repeat(c.unit, c.times) + strings.Repeat(c.unit, 1+lookEvery/len(c.unit))
			from, end, found := Repeats(text)
			if !found || end <= from || end > len(text) || from < len(intro)+len(c.unit)-2 ||
				from > len(intro)+len(c.unit) {
				t.Errorf("%v since %d, want %d", found, from, len(intro)+len(c.unit))
			}
			few := intro + strings.Repeat(c.unit, c.times-1) + "And so on, but differently from now on, as people do."
			if from, _, found := Repeats(few); found {
				t.Errorf("%d repetitions are found as a loop since %d, want none", c.times-1, from)
			}
		})
	}
}

// TestNoLoops: texts that have much in common with loops.
func TestNoLoops(t *testing.T) {
	for name, text := range map[string]string{
		"a table": "| city | country | people | sea |\n|---|---|---|---|\n" +
			numbered(30, "| city %d | Norway | few | yes |\n"),
		"a wide table":  "|" + strings.Repeat(" ---------- |", 16) + "\n" + strings.Repeat("|          ", 16) + "|\n",
		"a matrix":      strings.Repeat("0 0 0 0 0 0 0 0 0 0\n", 10),
		"an identity":   "1 0 0 0 0 0\n0 1 0 0 0 0\n0 0 1 0 0 0\n0 0 0 1 0 0\n0 0 0 0 1 0\n0 0 0 0 0 1\n",
		"a number":      "The number is " + strings.Repeat("1", 200) + ".",
		"a rule":        strings.Repeat("-", 160) + "\n" + strings.Repeat("=", 160) + "\n",
		"a list":        numbered(60, "%d. yes\n"),
		"steps":         numbered(40, "Step %d: The answer is: 50.\n"),
		"years":         numbered(40, "In the year 20%02d the value was higher than before.\n"),
		"layers":        strings.Repeat("    model.add(Dense(64, activation='relu'))\n", 5),
		"lines of code": strings.Repeat("    print(\"Hello, world!\")\n", 6),
		"closing tags":  strings.Repeat("</div>\n", 12),
		"a board":       strings.Repeat("| X | O | X |\n", 3),
		"a chess board": "r n b q k b n r\np p p p p p p p\n" + strings.Repeat(". . . . . . . .\n", 4) + "P P P " +
			"P P P P P\n",
		"a refrain": strings.Repeat("Row, row, row your boat, gently down the stream. ", 2) + "Merrily.",
		"laughter":  strings.Repeat("ha ", 60),
		"binary":    strings.Repeat("00000000 11111111 ", 8),
		"counting":  numbered(500, "%d "),
		"nothing":   "",
		"a truth table": "| A | B | A or B |\n| yes | yes | yes |\n| yes | no | yes |\n| no | yes | yes |\n| no " +
			"| no | no |\n",
		"invalid UTF-8":  strings.Repeat("\xff\x80", 100),
		"Chinese digits": strings.Repeat("零", 60),
	} {
		t.Run(name, func(t *testing.T) {
			if from, _, found := Repeats(text); found {
				t.Errorf("%s: a loop is found since %d, want none: %q", name, from, text[from:min(len(text), from+40)])
			}
		})
	}
}

// TestLoopsInPieces: pieces change nothing.
func TestLoopsInPieces(t *testing.T) {
	text := "So. " + strings.Repeat("Die Antwort lautet: schöne Grüße aus Köln. ", 5)
	want, _, _ := Repeats(text)
	for size := 1; size < 70; size++ {
		l := new(Loop)
		for i := 0; i < len(text); i += size {
			l.Push(text[i:min(len(text), i+size)])
		}
		if l.From() != want || want == 0 {
			t.Errorf("pieces of %d bytes: since %d, not %d", size, l.From(), want)
		}
	}
}

// FuzzLoops: what is found does repeat itself, is found in pieces too, and where another program that looks at each
// unit finds the same.
func FuzzLoops(f *testing.F) {
	f.Add("The capital of France is Paris. ", 7, 9)
	f.Add("1", 350, 3)
	f.Add("是", 160, 64)
	f.Fuzz(func(t *testing.T, unit string, times, size int) {
		if len(unit) == 0 || len(unit) > 200 || times < 0 || times > 400 || size < 1 {
			t.Skip()
		}
		text := "Well then: " + strings.Repeat(unit, times)
		from, _, found := Repeats(text)
		l, naive := new(Loop), 0
		for i := 0; i < len(text); i += size {
			l.Push(text[i:min(len(text), i+size)])
		}
		if l.From() != from || found != (from > 0) {
			t.Fatalf("in pieces of %d bytes a loop is found since %d, want the same as at once, since %d (%v)", size,
				l.From(), from, found)
		}
		for n := lookEvery; n <= len(text) && naive == 0; n += lookEvery {
			naive = slow([]byte(text[:n]))
		}
		if naive != from {
			t.Fatalf("a loop is found since %d, want since %d, as by trying all", from, naive)
		}
	})
}

// slow tries each unit and counts its repetitions byte by byte.
func slow(text []byte) (from int) {
	for unit := 1; unit <= min(len(text)/leastTimes, longestUnit); unit++ {
		run := unit
		for run < min(len(text), leastTimes*longestUnit) && text[len(text)-1-run] == text[len(text)-1-run+unit] {
			run++
		}
		if run >= leastTimes*unit && loops(text, unit, run) {
			return len(text) - run + unit
		}
	}
	return 0
}

// TestLoopsInLinearTime: hostile texts take time in proportion to their length.
func TestLoopsInLinearTime(t *testing.T) {
	for _, text := range []string{strings.Repeat("ab", 50) + "c", "aab", strings.Repeat("x", 299) + "y",
		numbered(200, "%d ")} {
		t.Run(fmt.Sprintf("%.60s", text), func(t *testing.T) {
			long := strings.Repeat(text, 1+(1<<18)/len(text))
			if _, _, found := Repeats(long[:1<<18]); !found && len(text) < 150 {
				t.Errorf("%.20q again and again is no loop, want one found", text)
			}
		})
	}
}

func BenchmarkLoop(b *testing.B) {
	text := numbered(20_000, "word %d ")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Repeats(text)
	}
}
