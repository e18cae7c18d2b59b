package reader

import (
	"fmt"
	"testing"

	"github.com/parley-debate/parley/debate/answer"
)

// TestSeveralOptions: a reply that names several options, or lists them all, chooses none, whichever way it is written,
// whether the options are known or not; the same ways with one option choose it.
func TestSeveralOptions(t *testing.T) {
	known := answer.Question{Text: "Which is red? (A) one (B) two (C) three (D) four",
		Options: []string{"one", "two", "three", "four"}}
	refused := 0
	for _, q := range []answer.Question{known, {Text: "Which is red?"}} {
		read := readChoice(q)
		for _, form := range []string{"%s", "**%s**", "The answer is %s.", "Answer: %s", "#### %s", "So I choose %s.",
			"\\boxed{%s}", "It is red.\n\n%s", "The correct answer is %s because they are red.", "<answer>%s</answer>",
			"The correct options are %s."} {
			texts := []string{"(A) one and (C) three", "A) one, C) three"}
			if q.Options == nil {
				texts = nil
			}
			for _, several := range append(texts, "A, B", "A,B", "A and B", "(A), (B)", "(A) and (C)", "A/C",
				"A & D", "A; B", "A, B, C", "A, B and D", "(B) and (D)", "both A and B", "Both (A) and (B)", "A or B",
				"A + B", "**A**, **C**") {
				reply := fmt.Sprintf(form, several)
				if a := read(reply); a.Parsed {
					t.Errorf("%q with %d options is read as %v, want no answer, since it names several", reply,
						len(q.Options), a)
				}
				refused++
			}
			for _, one := range []string{"B", "(B)", "**B**", "(B) two"} {
				if form == "The correct options are %s." || form == "**%s**" && one == "**B**" {
					continue
				}
				reply := fmt.Sprintf(form, one)
				if a := read(reply); a.Text != "(B)" {
					t.Errorf("%q with %d options: %v, want (B)", reply, len(q.Options), a)
				}
			}
		}
		for _, reply := range []string{"Sorry, I can't answer that. Please choose (A), (B), (C) or (D).",
			"I am unable to determine which option, A or B, is right.", "Please select one of A, B, C or D.",
			"The options are (A), (B), (C) and (D)."} {
			if a := read(reply); a.Parsed {
				t.Errorf("%q with %d options is read as %v, want no answer", reply, len(q.Options), a)
			}
			refused++
		}
	}
	if refused < 300 {
		t.Error(refused)
	}
}

// TestLettersAsTexts: behind a label, the text of its option is no label.
func TestLettersAsTexts(t *testing.T) {
	read := readChoice(answer.Question{Text: "Which group?", Options: []string{"O", "A", "B", "AB"}})
	for reply, want := range map[string]string{"B. A": "(B)", "(B) A": "(B)", "C) B": "(C)", "A. O": "(A)",
		"The answer is B. A": "(B)", "D: AB": "(D)", "AB": "(D)"} {
		if a := read(reply); a.Text != want {
			t.Errorf("%q: %v, want %s", reply, a, want)
		}
	}
}
