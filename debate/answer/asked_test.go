package answer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAsked(t *testing.T) {
	for question, want := range map[string]struct {
		kind    Kind
		options []string
	}{
		"Is a tomato a fruit? (A) yes (B) no":                   {KindChoice, []string{"yes", "no"}},
		"Which is a planet?\n(A) Mars\n(B) Sirius\n(C) Titan":   {KindChoice, []string{"Mars", "Sirius", "Titan"}},
		"Which is a planet? A) Mars B) Sirius":                  {KindChoice, []string{"Mars", "Sirius"}},
		"Which is a planet?\nA. Mars\nB. Sirius\nAnswer please": {KindChoice, []string{"Mars", "Sirius"}},
		"Which? (a) one, (b) two":                               {KindChoice, []string{"one", "two"}},
		"In plan (A) we lose. What is the capital of France?":   {KindWords, nil},
		"See (A) and (B). (A) red (B) blue":                     {KindChoice, []string{"red", "blue"}},
		"Is water wet?":                                         {KindYesNo, nil},
		"It rains. Do cats like that?":                          {KindYesNo, nil},
		"Say yes or no: cats fly":                               {KindYesNo, nil},
		"Is it red or blue?":                                    {KindWords, nil},
		"What is 7 + 5?":                                        {KindNumber, nil},
		"12 * (3 - 1) = ?":                                      {KindNumber, nil},
		"Ann has 3.5 pounds. How many pence is that?":           {KindNumber, nil},
		"What is the capital of France?":                        {KindWords, nil},
		"Is the file in C:/a?":                                  {KindYesNo, nil},
		"Was ist die Hauptstadt von Frankreich?":                {KindWords, nil},
		"":                                                      {KindWords, nil},
	} {
		t.Run(question, func(t *testing.T) {
			kind, options := Asked(question)
			if diff := cmp.Diff(want.options, options); kind != want.kind || diff != "" {
				t.Errorf("%q: %s %q, want %s %q", question, kind, options, want.kind, want.options)
			}
		})
	}
}

// FuzzAsked: no question causes a panic, and options are parts of it.
func FuzzAsked(f *testing.F) {
	f.Add("Which? (A) x (B) y\nA) z B. w")
	f.Add("1 + 1 = ?")
	f.Fuzz(func(t *testing.T, question string) {
		kind, options := Asked(question)
		if (kind == KindChoice) != (len(options) >= 2) {
			t.Errorf("%q: %s with %q", question, kind, options)
		}
		for _, o := range options {
			if !strings.Contains(question, o) {
				t.Errorf("%q: no option of it is %q", question, o)
			}
		}
	})
}
