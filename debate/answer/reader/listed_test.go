package reader

import (
	"strings"
	"testing"
)

// TestListed: the last list counts, and options that speak of others begin none.
func TestListed(t *testing.T) {
	for question, want := range map[string]string{
		"Which? (A) oil (B) water":                                 "oil|water",
		"Which? (A) one (B) two (C) both (A) and (B)":              "one|two|both (A) and (B)",
		"Which? (A) one (B) two (C) three (D) Neither (A) nor (B)": "one|two|three|Neither (A) nor (B)",
		"Which? (A) one (B) two (C) neither (A), (B) (D) all":      "one|two|neither (A), (B)|all",
		"Which? (A) one (B) two (C) as (A) says (D) none":          "one|two|as (A) says|none",
		"Which? (A) one (B) two (C) not (A)":                       "one|two|not (A)",
		"Which?\n(A) one\n(B) (A) twice\n(C) (A) or (B)\n(D) none": "one|(A) twice|(A) or (B)|none",
		"Either (A) or (B) holds. Which? (A) one (B) two":          "one|two",
		"Before: (A) x (B) y (C) z\nNow: (A) one (B) two":          "one|two",
		"Which word?\n(A) and\n(B) or\n(C) nor":                    "and|or|nor",
		"Which?\nA) red\nB) both A) and B) fit":                    "red|both A) and B) fit",
		"Which?\nA. red\nB. blue\nC. neither A nor B":              "red|blue|neither A nor B",
		"Take (A). What is it?":                                    "",
		"Which? (a) one (b) two (c) three, (a) or (b)\nSay which":  "one|two|three, (a) or (b)",
	} {
		if got := strings.Join(Listed(question), "|"); got != want {
			t.Errorf("options of %q: %q, want %q", question, got, want)
		}
	}
}
