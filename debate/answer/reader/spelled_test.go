package reader

import (
	"testing"

	"github.com/parley-debate/parley/debate/answer"
)

// TestParts: fractions in words are read as fractions, never as the number that they begin with; what only has their
// words is none.
func TestParts(t *testing.T) {
	rule := ruleOf(t, answer.KindQuantity.Reader(), answer.Question{Text: "How likely is it?"})
	for said, want := range map[string]string{
		"two in five": "2/5", "three tenths": "3/10", "3 tenths": "3/10", "3 over 10": "3/10", "three over ten": "3/10",
		"one half": "1/2", "half": "1/2", "two-thirds": "2/3", "a quarter": "1/4", "one in ten": "1/10",
		"seven out of ten": "7/10", "three out of every four": "3/4", "one-in-six": "1/6", "one hundredth": "1/100",
		"eleven twelfths": "11/12", "minus two thirds": "-2/3", "three divided by ten": "3/10", "one and a half": "3/2",
		"two and a quarter": "9/4", "3/10 (three tenths)": "3/10", "two thirds of it": "2/3", "Half": "1/2",
		"a third party": "", "one second": "1", "five": "5", "two": "2",
	} {
		for _, form := range []string{"The answer is " + said + ".", "We look.\n\n**Final answer:** " + said} {
			if got := rule(form); got.Text != want {
				t.Errorf("%q: %q, want %q", form, got.Text, want)
			}
		}
	}
}
