package reader

import (
	"fmt"
	"math/rand/v2"
	"slices"
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
			t.Fatalf("the question is listed anew: %v, as %q, want true and the same length", ok, seen.Text)
		}
		for place, option := range order {
			name := answer.OptionName(place)
			if of := options[option]; !strings.Contains(seen.Text, separator+name+" "+of) || seen.Options[place] != of {
				t.Fatalf("option %s is not %q, want it there in the text and the list: %q", name, of, seen.Text)
			}
			extract := answer.Reordered(readChoice(seen), order)
			if a := extract("The answer is " + name + "."); a.Text != answer.OptionName(option) {
				t.Fatalf("%s, seen in the order %v, is read as %v, want %s", name, order, a, answer.OptionName(option))
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
	for _, c := range []struct {
		q     answer.Question
		order []int
	}{
		{two, nil}, {two, []int{0}}, {two, []int{0, 0}}, {two, []int{1, 2}}, {two, []int{-1, 0}}, {two, []int{0, 1, 2}},
		{answer.Question{}, nil}, {answer.Question{Text: "What is 6 times 7?"}, nil},
		{answer.Question{Text: "Which? A) one B) two"}, []int{1, 0}},
		{answer.Question{Text: "Which? (A) one (B) two", Options: []string{"one", "three"}}, []int{1, 0}},
	} {
		t.Run(fmt.Sprint(c.order), func(t *testing.T) {
			if seen, ok := Relisted(c.q, c.order); ok || seen.Text != c.q.Text {
				t.Errorf("%q in the order %v is listed anew as %q, want it as it was", c.q.Text, c.order, seen.Text)
			}
		})
	}
	for rule, text := range map[string]string{"reader-yes-no": two.Text, "number": two.Text, "choice": "Which?"} {
		if RelistBy(rule, answer.Question{Text: text}) != nil {
			t.Errorf("%s on %q has letters that can be listed anew, want none", rule, text)
		}
	}
}

// TestRelistKeepsReferences: options that speak of others, and those that they name, keep their places, and nothing
// gets past "all of the above". All others are drawn as they always were.
func TestRelistKeepsReferences(t *testing.T) {
	for _, c := range []struct {
		options string // separated by bars
		fixed   string // whether each keeps its place
	}{
		{"2|4|Both A and B|None of the above", "++++"},
		{"red|blue|green|All of the above", "---+"},
		{"red|none of the above|green|blue", "-+--"},
		{"red|blue|green|Both (A) and (C)", "+-++"},
		{"red|blue|green|A and C only", "+-++"},
		{"red|Either A or C|green|blue", "+++-"},
		{"red|blue|A but not B|green", "+++-"},
		{"red|blue|green|A, B and C", "++++"},
		{"red|blue|green|option B is wrong", "-+-+"},
		{"red|blue|green|The first two", "---+"},
		{"red|blue|The first option or none|green", "--+-"},
		{"rot|blau|alle oben genannten", "--+"},
		{"B) green|A) red|C) blue", "+++"},
		{"1. green|2. red|3. blue", "+++"},
		// not of the places of others
		{"red|blue|Neither|Both|None of these|all of them.|The other options are wrong", "-------"},
		{"none of his friends|all of the water|the temperature above zero|two of them were lost", "----"},
		{"vitamin A|vitamin C and E|A man and a dog|O", "----"},
		{"I only|II only|I and II|neither I nor II", "----"},
		{"(X) and (Y)|red|blue", "---"},
		{"both parents|either side|all year|A", "----"},
	} {
		t.Run(fmt.Sprintf("%.60s %.60s", c.options, c.fixed), func(t *testing.T) {
			options := strings.Split(c.options, "|")
			q := answer.Question{Text: "Which?", Options: options}
			for i, o := range options {
				q.Text += "\n" + answer.OptionName(i) + " " + o
			}
			relist, moved := RelistBy("choice", q), make([]bool, len(options))
			for seed := range uint64(200) {
				order, _, _ := relist(rand.New(rand.NewPCG(seed, 0)))
				for place, option := range order {
					moved[place] = moved[place] || place != option
					for of := min(place, option); of < max(place, option); of++ {
						if c.fixed[of] == '+' {
							t.Fatalf("in the order %v, %s gets past %s, want it to stay, since it refers to others",
								order, options[option], options[of])
						}
					}
				}
				if all := rand.New(rand.NewPCG(seed, 0)).Perm(len(options)); !strings.Contains(c.fixed, "+") &&
					!slices.Equal(order, all) {
					t.Fatalf("the order is %v, want %v, as it was before references were looked at", order, all)
				}
			}
			for i := range options {
				alone := (i == 0 || c.fixed[i-1] == '+') && (i == len(options)-1 || c.fixed[i+1] == '+')
				if want := c.fixed[i] == '-' && !alone; moved[i] != want {
					t.Errorf("%s moves: %v, want %v", options[i], moved[i], want)
				}
			}
		})
	}
}

// TestByLabel: labels that options carry themselves say in which order they are meant.
func TestByLabel(t *testing.T) {
	for options, want := range map[string]string{
		"B) green|A) red|C) blue": "A) red|B) green|C) blue", "(b) x|(a) y": "", "(B) x|(A) y": "(A) y|(B) x",
		"2. x|1. y|3. z": "1. y|2. x|3. z", "1: x|0: y": "0: y|1: x", "A. x|B. y": "A. x|B. y",
		"B) x|A) y|none": "", "A) x|A) y": "", "C) x|A) y": "", "3. x|2. y": "", "1.5|2.5": "", "A red|B blue": "",
	} {
		sorted, ok := ByLabel(strings.Split(options, "|"))
		if got := strings.Join(sorted, "|"); ok != (want != "") || ok && got != want || !ok && got != options {
			t.Errorf("%s is sorted by its labels as %s, %v; want %q, or as it was if that is empty", options, got, ok,
				want)
		}
	}
}

// TestRotations: every option stands once at each place between those that keep theirs, which nothing gets past.
func TestRotations(t *testing.T) {
	for options, want := range map[string]string{
		"red":                                "[[0]]",
		"red|blue":                           "[[0 1] [1 0]]",
		"red|blue|green":                     "[[0 1 2] [1 2 0] [2 0 1]]",
		"red|blue|All of the above":          "[[0 1 2] [1 0 2]]",
		"a1|b1|none of the above|c1|d1":      "[[0 1 2 3 4] [1 0 2 4 3]]",
		"2|4|Both A and B|None of the above": "[[0 1 2 3]]",
		"B) green|A) red|C) blue":            "[[0 1 2]]",
	} {
		if got := fmt.Sprint(Rotations(strings.Split(options, "|"))); got != want {
			t.Errorf("%s: %s, want %s", options, got, want)
		}
	}
}
