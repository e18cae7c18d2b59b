package reader

import (
	"strings"
	"testing"

	"github.com/parley-debate/parley/debate/answer"
)

// hostileGolds are right answers as files have them, of whatever kind somebody says that they are, by what makes them
// hard: a reply that states one has to be read as it, or the loader refuses it.
var hostileGolds = map[string][]string{
	"mean none": {"None", "none", "None of them", "nobody", "Nothing", "Never", "neither", "N/A", "unknown",
		"Unknown", "no answer", "not in the text", "cannot be determined", "I don't know", "does not exist",
		"undefined", "no solution", "DNE", "∅", `\emptyset`, "none of the above", "all of the above", "zero",
		"0", "-0"},
	"name with words of a clause": {"The Who", "Doctor Who", "The Man Who Sold the World",
		"Where the Wild Things Are", "Because I said so", "Since you've been gone", "Who Let the Dogs Out",
		"Not Afraid", "To be or not to be", "If I Were a Boy", "Of Mice and Men", "It", "This",
		"A Tale of Two Cities", "Don't Stop Me Now", "Who? What?", "Yes, Minister", "Yes Man", "Dr. No",
		"No, No, Nanette", "No. 5", "Answer Me"},
	"word of instructions": {"answer", "the answer", "Number", "value", "Choice", "solution", "Result", "given",
		"Below", "follows", "correct", "text", "Question", "Example", "User", "However", "Step 1"},
	"one character": {"A", "a", "I", "x", "e", "i", "π", "T", "F", "Y", "N", "y", "n", "5", "½", "∞", "+", "-",
		"?", "%", "é", "是", "X", "E", "#"},
	"marks": {"+", "±", "*", "**", "...", "…", "()", "{}", `""`, "####", "-", "—"},
	"sign": {">5", "<5", ">= 5", "≥5", "=5", "~5", "±3", "3±1", "+5", "−5", "--5", "- 5", "5-", "5+", "-x",
		"-∞", "-.5", ".5", "5.", "O-", "C++", "C#", "i++", "5!", "n!", "x != y", "a && b"},
	"number": {"1,234", "1,23", "12,5", "1 000", "1.000,5", "12 34", "1e5", "1.5 × 10^8", "10^3", "0x1F", "007",
		"1/0", "0/5", "0.30000000000000004", "five", "Five hundred", "a dozen", "3rd", "two thirds", "1 1/2",
		"1½", "12 %", "12 percent", "$5", "5 km", "5km", "90°", "3 hours and 5 minutes", "5'11\"", "10:30",
		"2024-01-01", "3.14.15", "1990s", "May 2, 1999"},
	"several numbers": {"3/4", "1:2", "3:4:5", "6 or 12", "3 in 10", "3 out of 4", "10-20", "10 to 20",
		"between 5 and 6", "1,2,3", "1, 2 and 3", "5\n6", "1/e", "at least 5", "less than 1%", "5 or more",
		"42 because", "about 5"},
	"formula": {"x=5", "y = 2x + 1", "x = 2 or x = -3", "{2,1}", `\{2,1\}`, "(1,2)", "[0,1)", "(-∞, 2]",
		`(-\infty, 2)`, "a/b", `\frac{3}{4}`, `\frac34`, `\sqrt{2}`, "√2", "2√3", `2 \pi`, "x^2", "x²", "|x|",
		"sin x", `\leq 5`, `x \leq 5`, "x<5", "2+3i", "3 + 4", `\pm 3`, "x'", `f(x) = x^2`, `3 \text{ and } 4`,
		`5\text{ cm}`, `\text{Tuesday}`, `90^\circ`, `\$18.90`, `10\%`, `11,\! 111,\! 100`, `4210_5`,
		`\begin{pmatrix}1\\2\end{pmatrix}`, `\text{(B)}`},
	"sentence": {"It is 5.", `It is \frac{3}{4}.`, "The answer is 5", "Final answer: B", "Answer: 5",
		"hello world.", "What?", "Paris\nLondon", "1. Paris", "1)", "- Paris", "5 = 5", `Paris (France)`,
		`"Heroes"`, "'a'", `"Yes"`},
	"markup": {`\boxed{5}`, `\boxed{}`, "**B**", "#### 5", "<b>", "<answer>", "<think>", "</think>",
		"http://x.org", "{'a': 1}"},
	"option": {"(A)", "b)", "B.", "B:", "[B]", "(a)", "Option B", "A and B", "A or B", "Both A and B",
		"(B) Bob Roe", "Bob Roe", "Z"},
	"verdict": {"yes", "No", "TRUE", "false", "Yes.", "ja", "нет", "true or false", "not true", "no one",
		"Maybe", "yes and no"},
	"name": {"U.S.", "St. Louis", "J. R. R. Tolkien", "Washington, D.C.", "AT&T", "O'Hara", "'Til Tuesday",
		"H₂O", "-40 °C", "Romeo & Juliet", "blue, green and red", "Москва", "北京", "Ångström", "2nd of May"},
}

// endings are five forms in which replies of a kind end; those that are not named have the first.
var endings = map[answer.Kind][]string{
	"": {"The answer is %s.", "**Answer:** %s", "We looked at it.\n\nFinal answer: %s",
		"So it is.\n\n<answer>%s</answer>",
		`Therefore, it is \boxed{%s}.`},
	answer.KindMath: {"The answer is $%s$.", "**Answer:** $%s$", `We looked at it.` + "\n\n" + `Final answer: \(%s\)`,
		"So it is.\n\n<answer>$%s$</answer>", `Therefore, it is $\boxed{%s}$.`},
	answer.KindText: {"Answer: %s", "**Answer:** %s", "We looked at it.\n\nFinal answer: %s",
		"So it is.\n\n<answer>%s</answer>", "**Translation:** %s"},
}

// TestHostileGolds: whatever its kind is said to be, a right answer is read as itself in all forms of an ending, or it
// is refused. So many are accepted, and more would be better.
func TestHostileGolds(t *testing.T) {
	least := map[answer.Kind]int{answer.KindChoice: 16, answer.KindYesNo: 18, answer.KindNumber: 67,
		answer.KindQuantity: 72, answer.KindMath: 196, answer.KindWords: 227, answer.KindName: 16, answer.KindText: 248}
	for _, kind := range answer.Kinds() {
		about, accepted := answer.Question{Text: "What is it that is meant here?"}, 0
		if kind == answer.KindChoice || kind == answer.KindName {
			about.Options = []string{"Ana", "Bob Roe", "Cy-Lee"}
		}
		rule := ruleOf(t, kind.Reader(), about)
		forms := endings[kind]
		if forms == nil {
			forms = endings[""]
		}
		for group, golds := range hostileGolds {
			for _, gold := range golds {
				want, err := ReadTarget(kind.Reader(), gold, about)
				if err != nil {
					t.Fatal(err)
				}
				if !want.Parsed || Whole(kind.Reader(), gold, about) != nil {
					continue
				}
				accepted++
				for _, form := range forms {
					if kind == answer.KindYesNo && yesByLetter(gold) >= 0 {
						form = strings.Replace(form, " is %s.", ": %s", 1)
					}
					if got := rule(strings.Replace(form, "%s", gold, 1)); got.Text != want.Text {
						t.Errorf("%s, %s: %q in %q is read as %q, want %q", kind, group, gold, form, got.Text,
							want.Text)
					}
				}
			}
		}
		if accepted < least[kind] {
			t.Errorf("%s: %d right answers are accepted, want at least %d", kind, accepted, least[kind])
		}
	}
}
