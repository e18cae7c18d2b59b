package reader

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/debate/answer"
)

// TestHedges: words between a verb and what it states change nothing of that.
func TestHedges(t *testing.T) {
	planet := answer.Question{Text: "Which planet is known as the Red Planet?",
		Options: []string{"Venus", "Mars", "Jupiter", "Saturn"}}
	for _, hedge := range []string{"essentially", "virtually", "practically", "effectively", "exactly", "precisely",
		"simply", "just", "therefore", "thus", "clearly", "in fact", "actually", "indeed", "equal to", "best taken as",
		"best given as", "most likely", "very likely", "definitely", "probably", "still", "also", "then", "of course",
		"indeed equal to", "found to be", "determined to be", "calculated to be", "concluded to be",
		"in essence, simply",
		"therefore, most likely", "ultimately", "finally", "only", "truly", "apparently"} {
		for _, c := range []struct {
			kind              answer.Kind
			about             answer.Question
			says, value, want string
		}{
			{answer.KindChoice, planet, "Its dust is red. The correct answer is %s %s.", "(B)", "(B)"},
			{answer.KindChoice, planet, "Its dust is red. The correct answer is %s %s.", "B) Mars", "(B)"},
			{answer.KindYesNo, answer.Question{Text: "Could a llama give birth twice in a year?"},
				"It takes 11 months. The answer is %s %s.", `"no"`, "no"},
			{answer.KindNumber, answer.Question{Text: "How many pens does Tom have?"},
				"He buys 25. The answer is %s %s.", "42", "42"},
			{answer.KindMath, answer.Question{Text: "What is the probability of a sum of 7?"},
				"There are 36 cases. The probability is %s %s.", "**3/4**", `\frac{3}{4}`},
			{answer.KindQuantity, answer.Question{Text: "What is the probability of a sum of 7?"},
				"There are 36 cases. The probability is %s %s.", "3/4", "3/4"},
			{answer.KindWords, answer.Question{Text: "Who wrote the novel Frankenstein?"},
				"It appeared in 1818. The answer is %s %s.", "Mary Shelley", "mary shelley"},
		} {
			reply := fmt.Sprintf(c.says, hedge, c.value)
			if a := read(t, c.kind, c.about, reply); a.Text != c.want {
				t.Errorf("%s, %q: %s, want %s", c.kind, reply, a, c.want)
			}
		}
	}
}

// read reads a reply by the reader of a kind.
func read(t *testing.T, kind answer.Kind, about answer.Question, reply string) answer.Answer {
	t.Helper()
	rule := ruleOf(t, kind.Reader(), about)
	return rule(reply)
}

// TestTwoForms: a value that is said in two forms is one, the exact one, and two values are no such one.
func TestTwoForms(t *testing.T) {
	about := answer.Question{Text: "What is the probability that the sum of two dice is 7?"}
	forms := []string{"The answer is %s or %s.", "The answer is %s (or %s).", "The answer is %s, or %s.",
		"The answer is %s (%s).", "The answer is **%s** or **%s**.", "The answer is %s ≈ %s.",
		"The answer is %s, i.e. %s.",
		"The answer is %s, which is %s.", "The probability is %s or %s.", "Final answer: %s or approximately %s"}
	values := func(kind answer.Kind, said ...string) (all []string) {
		for _, one := range said {
			all = append(all, read(t, kind, about, "The answer is "+one+".").Text)
		}
		return all
	}
	for _, same := range [][]string{{"0.706", "70.6%"}, {"3/4", "0.75"}, {"75%", "3/4"}, {"0.75", "75%"},
		{"1/3", "0.333"}, {"0.333", "1/3"}, {"2/3", "66.67%"}, {"5/36", "0.139"}} {
		for _, form := range forms {
			reply := "We count the cases. " + fmt.Sprintf(form, same[0], same[1])
			for _, kind := range []answer.Kind{answer.KindQuantity, answer.KindMath} {
				if got := read(t, kind, about, reply); !slices.Contains(values(kind, same...), got.Text) {
					t.Errorf("%s, %q: %s, want one of them", kind, reply, got)
				}
			}
		}
	}
	for _, others := range [][]string{{"3/4", "0.7"}, {"1/3", "0.25"}, {"12", "13"}} {
		reply := fmt.Sprintf(forms[0], others[0], others[1])
		got := read(t, answer.KindQuantity, about, reply)
		if slices.Contains(values(answer.KindQuantity, others...), got.Text) {
			t.Errorf("%q: %s, want both or neither", reply, got)
		}
	}
}

// TestLastSentences: what a complete reply says in its last sentence, in ways that no other table has.
func TestLastSentences(t *testing.T) {
	const (
		pens     = "Tom has 17 pens and buys 25 more. How many pens does he have now?"
		eggs     = "Janet has 36 eggs and breaks 4. How much does she earn if she sells each remaining egg for $2?"
		seahorse = "Is there an official seahorse emoji in Unicode?"
		birds    = `Is the following statement true? "All birds can fly."`
		llama    = "Could a llama give birth twice during the War in Vietnam (1945-46)?"
		equation = "Solve $x^2-5x+6=0$."
		novel    = "Who wrote the novel Frankenstein?"
		capital  = "What is the capital of Australia?"
		born     = "In which city was Mozart born?"
	)
	before := map[string]string{pens: "Tom begins with 17 pens. He buys 25 more.", eggs: "She breaks 4, so 32 remain.",
		seahorse: "Unicode has emoji for fish. Some people remember a seahorse.", birds: "Penguins are birds.",
		llama: "The gestation of a llama is 11 months.", equation: "We factor: $(x-2)(x-3)=0$.",
		novel: "The novel appeared in London in 1818.", capital: "Many people think of Sydney or Melbourne.",
		born: "He lived from 1756 to 1791."}
	for _, c := range []struct {
		kind           answer.Kind
		question, want string
		endings        string // a line each
	}{
		{answer.KindNumber, pens, "42", `
			In total, you need 17 + 25 = **42 pens** to have enough. This count assumes that none is lost.
			Tom has 42 pens. This assumes that he lost none.
			The count comes to 42.`},
		{answer.KindNumber, eggs, "64", `
			Thus Janet will earn a total of $64 from selling the remaining 32 eggs.
			Selling 32 eggs at $2 each brings in $64.
			In the end she has earned $64.`},
		{answer.KindYesNo, seahorse, "no", `
			There isn't one.
			No such emoji exists.
			Unfortunately, no.
			It does not exist in Unicode.
			At the moment, there is no official seahorse emoji.
			There are lists of them, so no.`},
		{answer.KindYesNo, seahorse, "yes", `
			There is one.
			Such an emoji exists.
			It does exist.
			Indeed, there is.
			Absolutely.`},
		{answer.KindYesNo, seahorse, "", `
			There is no need to look further.
			There are other emoji.
			Certainly an interesting question.`},
		{answer.KindYesNo, birds, "no", `
			Therefore, the claim does not hold.
			Thus the statement cannot be true.
			The given statement is therefore wrong.`},
		{answer.KindYesNo, birds, "", `
			So the statement could be true.
			It is wrong to say so little of birds.`},
		{answer.KindYesNo, llama, "no", `
			This is not enough time for two births, so no.`},
		{answer.KindMath, equation, "2,3", `
			The roots are 2 and 3.
			So the solutions to the equation are 2 and 3.
			**x = 2** and **x = 3**
			\boxed{2} and \boxed{3}
			$x = 2$ or $x = 3$`},
		{answer.KindWords, novel, "mary shelley", `
			Frankenstein was written by Mary Shelley.
			It's Mary Shelley.
			The author of Frankenstein is Mary Shelley, who was eighteen.
			The answer is Mary Shelley, not Percy Shelley.`},
		{answer.KindWords, capital, "canberra", `
			It is Canberra.
			Its capital is Canberra.
			It's Canberra!
			That would be Canberra.
			The capital is in fact Canberra.
			The correct answer is Canberra (not Sydney).
			So the capital is Canberra, not Sydney.`},
		{answer.KindWords, capital, "", `
			It is beautiful.
			That is a good question.`},
		{answer.KindWords, born, "salzburg", `
			He was born in Salzburg.
			It was Salzburg.
			The city is Salzburg.`},
	} {
		for ending := range strings.Lines(strings.TrimSpace(c.endings)) {
			reply := before[c.question] + "\n\n" + strings.TrimSpace(ending)
			if a := read(t, c.kind, answer.Question{Text: c.question}, reply); a.Text != c.want {
				t.Errorf("%s\n%s\n%q, want %q", c.question, reply, a.Text, c.want)
			}
		}
	}
}

// TestNumberedSteps: a numbered step that repeats the question and then answers it is no question of the model's own.
func TestNumberedSteps(t *testing.T) {
	about := answer.Question{Text: "What is the sum of three integers in a row whose product is 2184?",
		Options: []string{"37", "38", "36", "30", "39"}}
	for reply, want := range map[string]string{
		"#1. The answer will be one of the choices.\n#2. (by #1) The question is: What is the sum? So the answer to " +
			"this question is 39. The correct option is E) 39.": "(E)",
		"#1. The answer is E) 39.\n#2. What is the sum of two integers whose product is 6?\nAnswer: A) 37": "(E)",
	} {
		if a := read(t, answer.KindChoice, about, reply); a.Text != want {
			t.Errorf("%q: %s, want %s", reply, a, want)
		}
	}
}
