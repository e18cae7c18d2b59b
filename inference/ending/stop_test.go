package ending

import (
	"fmt"
	"strings"
	"testing"
)

// TestStops: which stop text counts, whatever the pieces.
func TestStops(t *testing.T) {
	for _, c := range []struct {
		text  string
		stops []string
		want  string
		cut   bool
	}{
		{"It is 7.\n\n### Instruction: next", []string{"### Instruction"}, "It is 7.\n\n", true},
		{"It is 7.\n\n### Inst", []string{"### Instruction"}, "It is 7.\n\n### Inst", false},
		{"abc", []string{"c", "b"}, "a", true},       // the first
		{"abc", []string{"bc", "abc"}, "", true},     // of those that end together, the longest
		{"abcd", []string{"abcd", "bc"}, "a", true},  // what is complete first
		{"aaab", []string{"aab"}, "a", true},         // a match that begins within another
		{"abababac", []string{"ababac"}, "ab", true}, // the same
		{"ÄÖÜ", []string{"Ö"}, "Ä", true},            // characters of several bytes
		{"anything", nil, "anything", false},         // no stops
		{"end", []string{"end"}, "", true},           // all of it
		{"x\x00y", []string{"\x00"}, "x", true},      // a control character
		{"aXbXc", []string{"X"}, "a", true},          // the first of several
		{strings.Repeat("ab", 9), []string{"aba"}, "", true},
	} {
		t.Run(fmt.Sprintf("%.60s %v", c.text, c.stops), func(t *testing.T) {
			if before, cut := Cut(c.text, c.stops); before != c.want || cut != c.cut {
				t.Errorf("%q at %q: %q, %v; want %v and %v", c.text, c.stops, before, cut, c.want, c.cut)
			}
			for size := 1; size <= len(c.text); size++ {
				if before, cut := inPieces(c.text, c.stops, size); before != c.want || cut != c.cut {
					t.Errorf("%q at %q in pieces of %d: %q, %v; want %v and %v",
						c.text, c.stops, size, before, cut, c.want, c.cut)
				}
			}
		})
	}
	if CheckStops([]string{"a", ""}) == nil || CheckStops(strings.Split("aaaaaaaaaaaaaaaaa", "")) == nil ||
		CheckStops([]string{"a", strings.Repeat("b", StopBytes+1)}) == nil ||
		CheckStops([]string{"a", strings.Repeat("b", StopBytes)}) != nil {
		t.Error("stop texts that are empty, too many or too long are accepted, or one of the bound refused; want the " +
			"converse")
	}
}

func inPieces(text string, stops []string, size int) (before string, cut bool) {
	s := NewStops(stops)
	for i := 0; i < len(text) && !cut; i += size {
		var more string
		more, cut = s.Push(text[i:min(len(text), i+size)])
		before += more
	}
	return before + s.Flush(), cut
}

// FuzzStops compares with a search from each byte on.
func FuzzStops(f *testing.F) {
	f.Add("abcabd", "abd", "cab", 2)
	f.Add("aaaa", "aa", "aaa", 1)
	f.Fuzz(func(t *testing.T, text, a, b string, size int) {
		if a == "" || b == "" || size < 1 || len(text) > 2000 {
			t.Skip()
		}
		want, cut := text, false
		for end := 1; end <= len(text) && !cut; end++ {
			for start := 0; start < end && !cut; start++ {
				if found := text[start:end]; found == a || found == b {
					want, cut = text[:start], true
				}
			}
		}
		if before, stopped := inPieces(text, []string{a, b}, size); before != want || stopped != cut {
			t.Fatalf("%q at %q, %q: %q, %v; want %q, %v", text, a, b, before, stopped, want, cut)
		}
	})
}
