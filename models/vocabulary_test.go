package models

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestBytePairs merges words by definition: the lowest rank first, the first of several, and bytes as GPT-2 writes
// them.
func TestBytePairs(t *testing.T) {
	b := &BytePairs{map[string]int{"l o": 0, "o l": 1, "lo l": 2, "Ġ lo": 3, "Ã ©": 4}}
	for word, want := range map[string]string{"": "", "lol": "lol", "ol": "ol", " lo": " lo", "olo": "o|lo",
		"lolo": "lo|lo", " lol": " |lol", "é\n": "é|\n"} {
		t.Run(word, func(t *testing.T) {
			if got := strings.Join(b.Tokens(word), "|"); got != want {
				t.Errorf("%q: %q, want %q", word, got, want)
			}
		})
	}
}

// TestReadBytePairs reads the merges of a file, and none where the vocabulary has no such.
func TestReadBytePairs(t *testing.T) {
	path, err := Embedded("")
	if err != nil {
		t.Fatal(err)
	}
	b, err := ReadBytePairs(path)
	if err != nil || b == nil || len(b.ranks) < 100 {
		t.Fatalf("a vocabulary of byte pairs has at least 100 ranks: got %+v, %v", b, err)
	}
	if got := b.Tokens(" the"); !slices.Equal(got, []string{" the"}) {
		t.Errorf("tokens %q, want %v", got, []string{" the"})
	}
	if _, err := ReadBytePairs(os.DevNull); err == nil {
		t.Error("an empty file was read as a vocabulary, want an error")
	}
}
