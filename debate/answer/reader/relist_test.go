package reader

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-debate/parley/debate/answer"
)

// TestRelisted: whichever way options are listed, and whatever they say of each other, each stands once under a letter,
// and a reply with the letter or the words of an option means that option of the question.
func TestRelisted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		options := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"red", "dark red", "both (A) and (B)",
			"none (C) of", "7", "17", "two\nlines", "a (D) blue", "green"}), 2, 6, rapid.ID).Draw(t, "options")
		separator := rapid.SampledFrom([]string{"\n", " ", "; "}).Draw(t, "separator")
		q := answer.Question{Text: "What is (A) colour?", Options: options}
		for i, o := range options {
			q.Text += separator + answer.OptionName(i) + " " + o
		}
		q.Text += rapid.SampledFrom([]string{"", "\nChoose."}).Draw(t, "end")
		order := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 0)).Perm(len(options))
		seen, ok := Relisted(q, order)
		if !ok || len(seen.Text) != len(q.Text) {
			t.Fatalf("%v, %q", ok, seen.Text)
		}
		for place, option := range order {
			name := answer.OptionName(place)
			if of := options[option]; !strings.Contains(seen.Text, separator+name+" "+of) || seen.Options[place] != of {
				t.Fatalf("%s is not %q: %q", name, of, seen.Text)
			}
			extract := answer.Reordered(readChoice(seen), order)
			if a := extract("The answer is " + name + "."); a.Text != answer.OptionName(option) {
				t.Fatalf("%s, seen in %v, is read as %v", name, order, a)
			}
		}
	})
}

// TestRelistedByWords: an option that is named by its words is that of the question.
func TestRelistedByWords(t *testing.T) {
	relist := RelistBy("reader-choice", answer.Question{Text: "Which? (A) Mars (B) Venus (C) Neptune"})
	order, text, extract := relist(rand.New(rand.NewPCG(1, 0)))
	for word, want := range map[string]string{"Mars": "(A)", "Venus": "(B)", "Neptune": "(C)"} {
		if a := extract("So the answer is " + word + "."); a.Text != want {
			t.Errorf("%s in %q, order %v: %v, want %s", word, text, order, a, want)
		}
	}
}

// TestNotRelisted: without options that are lettered in parentheses, or in no order of them, nothing is relisted.
func TestNotRelisted(t *testing.T) {
	two := answer.Question{Text: "Which? (A) one (B) two"}
	for i, c := range []struct {
		q     answer.Question
		order []int
	}{
		{two, nil}, {two, []int{0}}, {two, []int{0, 0}}, {two, []int{1, 2}}, {two, []int{-1, 0}}, {two, []int{0, 1, 2}},
		{answer.Question{}, nil}, {answer.Question{Text: "What is 6 times 7?"}, nil},
		{answer.Question{Text: "Which? A) one B) two"}, []int{1, 0}},
		{answer.Question{Text: "Which? (A) one (B) two", Options: []string{"one", "three"}}, []int{1, 0}},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			if seen, ok := Relisted(c.q, c.order); ok || seen.Text != c.q.Text {
				t.Errorf("%q in %v: %q", c.q.Text, c.order, seen.Text)
			}
		})
	}
	for rule, text := range map[string]string{"reader-yes-no": two.Text, "number": two.Text, "choice": "Which?"} {
		if RelistBy(rule, answer.Question{Text: text}) != nil {
			t.Errorf("%s on %q has letters", rule, text)
		}
	}
}
