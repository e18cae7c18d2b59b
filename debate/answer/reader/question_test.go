package reader

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/debate/answer"
)

func TestKindOfQuestion(t *testing.T) {
	planets := []string{"Mars", "Sirius", "Titan"}
	for question, want := range map[string]struct {
		kind    answer.Kind
		options []string
	}{
		"Is a tomato a fruit? (A) yes (B) no":                   {answer.KindChoice, []string{"yes", "no"}},
		"Which is a planet?\n(A) Mars\n(B) Sirius\n(C) Titan":   {answer.KindChoice, planets},
		"Which is a planet? A) Mars B) Sirius":                  {answer.KindChoice, []string{"Mars", "Sirius"}},
		"Which is a planet?\nA. Mars\nB. Sirius\nAnswer please": {answer.KindChoice, []string{"Mars", "Sirius"}},
		"Which? (a) one, (b) two":                               {answer.KindChoice, []string{"one", "two"}},
		"In plan (A) we lose. What is the capital of France?":   {answer.KindWords, nil},
		"See (A) and (B). (A) red (B) blue":                     {answer.KindChoice, []string{"red", "blue"}},
		"Is water wet?":                                         {answer.KindYesNo, nil},
		"It rains. Do cats like that?":                          {answer.KindYesNo, nil},
		"Say yes or no: cats fly":                               {answer.KindYesNo, nil},
		"Is it red or blue?":                                    {answer.KindWords, nil},
		"What is 7 + 5?":                                        {answer.KindNumber, nil},
		"12 * (3 - 1) = ?":                                      {answer.KindNumber, nil},
		"Ann has 3.5 pounds. How many pence is that?":           {answer.KindNumber, nil},
		"What is the capital of France?":                        {answer.KindWords, nil},
		"Is the file in C:/a?":                                  {answer.KindYesNo, nil},
		"Was ist die Hauptstadt von Frankreich?":                {answer.KindWords, nil},
		"":                                                      {answer.KindWords, nil},
	} {
		t.Run(question, func(t *testing.T) {
			kind, options := KindOfQuestion(question)
			if diff := cmp.Diff(want.options, options); kind != want.kind || diff != "" {
				t.Errorf("%q: %s %q, want %s %q", question, kind, options, want.kind, want.options)
			}
		})
	}
}

// FuzzKindOfQuestion: no question causes a panic, and options are parts of it.
func FuzzKindOfQuestion(f *testing.F) {
	f.Add("Which? (A) x (B) y\nA) z B. w")
	f.Add("1 + 1 = ?")
	f.Fuzz(func(t *testing.T, question string) {
		kind, options := KindOfQuestion(question)
		if (kind == answer.KindChoice) != (len(options) >= 2) {
			t.Errorf("%q is a question of kind %s with the options %q, want a choice if and only if there are 2 or "+
				"more", question, kind, options)
		}
		for _, o := range options {
			if !strings.Contains(question, o) {
				t.Errorf("%q has the option %q, want one of its text", question, o)
			}
		}
	})
}
