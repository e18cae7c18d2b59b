package reader

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/debate/answer"
)

// TestVersions: every kind has a reader, which is listed with an example; an older version reads targets, but no
// replies.
func TestVersions(t *testing.T) {
	for _, k := range answer.Kinds() {
		if _, err := Rule(k.Reader()); err != nil || answer.KindOf(k.Reader()) != k ||
			answer.KindOf("reader-"+string(k)) != k {
			t.Errorf("%s is read by a rule of the kind %s (%v), want %s", k.Reader(), answer.KindOf(k.Reader()), err, k)
		}
		if !slices.Contains(answer.Names(), "reader-"+string(k)) || answer.Example(k.Reader()) == "" {
			t.Errorf("%s is not listed, or has no example, want both", k.Reader())
		}
	}
	if _, err := Rule("vibes"); err == nil || !strings.Contains(err.Error(), "vibes") {
		t.Errorf("an unknown rule got the error %v, want one that names vibes", err)
	}
	if _, err := Rule("reader-math-2"); err == nil || !strings.Contains(err.Error(), "but by reader-math-14") {
		t.Errorf("an older reader got the error %v, want one that names reader-math-14", err)
	}
	if a, err := ReadTarget("reader-math-1", "0.5", answer.Question{}); err != nil || a.Text != `\frac{1}{2}` {
		t.Errorf("the right answer of an older record: %v %v", a, err)
	}
}

// TestReaders: what our readers read from replies as models write them, and how.
func TestReaders(t *testing.T) {
	planets, colours := []string{"Mars", "Sirius", "Titan"}, []string{"red", "green", "blue", "yellow"}
	for _, c := range []struct {
		kind    answer.Kind
		options []string
		reply   string
		want    string // "" is no answer
		how     answer.How
	}{
		{answer.KindChoice, planets, "The answer is A.", "(A)", answer.Explicit},
		{answer.KindChoice, planets, "**Answer: A**", "(A)", answer.Explicit},
		{answer.KindChoice, planets, `So \boxed{A}.`, "(A)", answer.Explicit},
		{answer.KindChoice, colours, "B) green", "(B)", answer.Explicit},
		{answer.KindChoice, planets, "Answer: C", "(C)", answer.Explicit},
		{answer.KindChoice, planets, "the answer is (b)", "(B)", answer.Explicit},
		{answer.KindChoice, planets, "Option B", "(B)", answer.Explicit},
		{answer.KindChoice, planets, "Choice: B", "(B)", answer.Explicit},
		{answer.KindChoice, planets, "I choose B because it shines.", "(B)", answer.Explicit},
		{answer.KindChoice, planets, "Final Answer: (C)", "(C)", answer.Explicit},
		{answer.KindChoice, planets, "## Answer\n\n**C**", "(C)", answer.Explicit},
		{answer.KindChoice, planets, "The answer is: Titan", "(C)", answer.Explicit},
		{answer.KindChoice, planets, "The answer is A) Titan.", "(A)", answer.Explicit}, // the letter counts
		{answer.KindChoice, planets, "The answer is A. No, wait, the answer is C.", "(C)", answer.Explicit},
		{answer.KindChoice, planets, "<think>The answer is A.</think>The answer is B.", "(B)", answer.Explicit},
		{answer.KindChoice, planets, "<think>The answer is A.", "", answer.Nothing},
		{answer.KindChoice, planets,
			"The answer is C.\n### Instruction: all of both. The answer is A.", "(C)", answer.Explicit},
		{answer.KindChoice, planets, "(A) Mars\n(B) Sirius\n(C) Titan\n\nThe answer is: (X)", "", answer.Nothing},
		{answer.KindChoice, planets, "(A) Mars\n(B) Sirius\n(C) Titan", "", answer.Nothing},
		{answer.KindChoice, planets, "The answer is not B.", "", answer.Nothing},
		{answer.KindChoice, planets, "The answer is (E).", "", answer.NoOption},
		{answer.KindChoice, planets, "ANSWER: None of the above", "", answer.NoOption},
		{answer.KindChoice, colours, "ANSWER: Don't know", "", answer.NoOption},
		{answer.KindChoice, colours, "The second one, because 2 is even and 10.5 is not.", "", answer.Nothing},
		{answer.KindChoice, planets, "[A] Mars is the planet, so A) it is.", "(A)", answer.Explicit},
		{answer.KindChoice, planets, "Mars is the only planet here.", "(A)", answer.Fallback},
		{answer.KindChoice, []string{"1.5", "75"}, "The answer is 75 pounds.", "(B)", answer.Explicit},
		{answer.KindChoice, []string{"Yes", "No"}, "The answer is Yes.", "(A)", answer.Explicit},
		{answer.KindChoice, []string{"Yes", "No"}, "No, it does not.", "(B)", answer.Explicit},
		{answer.KindChoice, nil, "A tax cut of $10 billion is deflationary.", "", answer.Nothing},
		{answer.KindChoice, nil, "State the answer in the form (X).", "", answer.Nothing},
		{answer.KindChoice, planets, "The answer is (X) C) Titan.", "(C)", answer.Explicit},
		{answer.KindChoice, planets, "It can only be:\n\n(C) Titan\n\nNothing else is a moon.", "(C)", answer.Explicit},
		{answer.KindChoice, planets, "The answer is (A) and (C).", "", answer.NoOption},
		{answer.KindChoice, planets, "The answer is (B", "(B)", answer.Explicit},
		{answer.KindChoice, planets, "The closest option is B. It shines.", "(B)", answer.Explicit},
		{answer.KindChoice, planets, "(a) The speed follows from the force. (b) It is reached", "", answer.Nothing},
		{answer.KindChoice, planets, "(A)\n\nIt is red.\n\n(B)\n\nIt shines.\n\n(C)", "", answer.Nothing},
		{answer.KindChoice, planets, "(A) Mars\n(B", "", answer.Nothing},
		{answer.KindChoice, []string{"Ana is last", "Eve is last"}, "Last is Eve", "(B)", answer.Explicit},
		{answer.KindChoice, planets, "1. A) Mars\n2. B) Sirius\n3. C) Titan", "", answer.Nothing},
		{answer.KindChoice, planets, "1. Mars\n2. Sirius\n3. Titan", "", answer.Nothing},
		{answer.KindChoice, planets, "Options:\n(A) Mars\n\nExplanation:", "", answer.Nothing},
		{answer.KindChoice, planets,
			"A) Mars, B) Sirius, C) Titan\nThe planet is an example of A) Mars.", "(A)", answer.Fallback},
		{answer.KindChoice, colours, "(1) green", "(B)", answer.Explicit},
		{answer.KindChoice, colours, "1. yellow\n\nIt is the colour of lemons, and of", "(D)", answer.Explicit},
		{answer.KindChoice, planets,
			"The body that is not a star is (A) Mars, so the option is (A) Mars.", "(A)", answer.Explicit},
		{answer.KindChoice, colours, "Therefore, the option that is not warm is (C) blue.", "(C)", answer.Explicit},
		{answer.KindChoice, planets, "The answer is closest to (B).", "(B)", answer.Explicit},
		{answer.KindChoice, planets, "The closest one is (B) Sirius. The answer is not listed.", "", answer.NoOption},
		{answer.KindChoice, planets, "So (C) is possible. The answer is (A) or (C).", "", answer.NoOption},
		{answer.KindChoice, planets,
			"Which of these can swim?\n(A) a stone\n(B) a duck\nThe answer is (B).", "", answer.Nothing},
		{answer.KindChoice, planets, "(A) Small, (B) Bright, (C) Cold", "", answer.Nothing},
		{answer.KindChoice, planets,
			"The answer is (A)\nThe answer is (B)\nThe answer is (C)\nThe answer is (D)\nSo we", "",
			answer.Nothing},
		{answer.KindYesNo, nil, "No, a whale is a mammal.", "no", answer.Explicit},
		{answer.KindYesNo, nil, "Yes it is.", "yes", answer.Explicit},
		{answer.KindYesNo, nil, `The last line must be "The answer is yes." and nothing`, "", answer.Nothing},
		{answer.KindYesNo, nil, "So the answer is: true.", "yes", answer.Explicit},
		{answer.KindYesNo, nil, "Therefore, the answer (Yes or No) is No.", "no", answer.Explicit},
		{answer.KindYesNo, nil, `The answer to this is "no." It is too far.`, "no", answer.Explicit},
		{answer.KindYesNo, nil, "Well, I'd say yes.", "yes", answer.Explicit},
		{answer.KindYesNo, nil, "A fish that flies. Yes, that's correct. Some do, and they", "yes", answer.Explicit},

		{answer.KindNumber, nil, "The answer is 1.10.", "1.1", answer.Explicit},
		{answer.KindNumber, nil, "It costs $1,234.50.", "1234.5", answer.Fallback},
		{answer.KindNumber, nil, "Therefore, 6 x 7 = 42.", "42", answer.Fallback},
		{answer.KindNumber, nil, "The answer is 5 ... wait, the answer is 7", "7", answer.Explicit},
		{answer.KindNumber, nil, "It is −5 degrees.", "-5", answer.Fallback},
		{answer.KindNumber, nil, `\boxed{9{,}500}`, "9500", answer.Explicit},
		{answer.KindNumber, nil, `It is $9\,500$.`, "9500", answer.Fallback},
		{answer.KindNumber, nil, "It is 9\u202f500.", "9500", answer.Fallback},
		{answer.KindNumber, nil, "The area is 540 m^2.", "540", answer.Fallback},
		{answer.KindNumber, nil, `\boxed{540\text{ m}^2}`, "540", answer.Explicit},
		{answer.KindNumber, nil, `\boxed{\$5.00}`, "5", answer.Explicit},
		{answer.KindNumber, nil, "#### 18 dollars in 1 day", "18", answer.Explicit},
		{answer.KindNumber, nil, "#### Step 2\nSo 18.", "18", answer.Fallback},
		{answer.KindNumber, nil, "1.2e6", "1200000", answer.Explicit},
		{answer.KindNumber, nil, `$1.2\times10^6$`, "1200000", answer.Explicit},
		{answer.KindNumber, nil, "The answer is .5", "0.5", answer.Explicit},
		{answer.KindNumber, nil, "The answer is 25 percent.", "25", answer.Explicit},
		{answer.KindNumber, nil, "The answer is 1. The rest follows from 2.", "1", answer.Explicit},
		{answer.KindNumber, nil, "The answer is between 3 and 5.", "", answer.Nothing},
		{answer.KindNumber, nil, "Step 8: The number of hats is 20", "", answer.Nothing},
		{answer.KindNumber, nil, "It costs $1.10.\n\nThe answer is:", "1.1", answer.Fallback},
		{answer.KindNumber, nil, "Ann has 4 hens. Each lays 3 eggs. How many eggs are there?", "", answer.Nothing},
		{answer.KindNumber, nil,
			"She has 4 hens.\nEach of them lays 3 eggs a day, so that all of the", "", answer.Nothing},
		{answer.KindNumber, nil, "First, 4 x 3 = 12.\nHens", "", answer.Nothing},
		{answer.KindNumber, nil, "1. Take 4 from 9.\n2. That is 5.\n3", "", answer.Nothing},
		{answer.KindNumber, nil, "#12.50 each\n#17.98 each\n#24.95 each", "", answer.Nothing},
		{answer.KindNumber, nil, "4 trays can be made if each needs 5 eggs.", "4", answer.Fallback},
		{answer.KindNumber, nil, "Total hens = 4\nTotal h", "", answer.Nothing},
		{answer.KindNumber, nil,
			strings.Repeat("Ann has 4 hens, which lay 3 eggs a day, and sells 2 eggs for a dollar to "+
				"each of her neighbours. Explain how many dollars she has. ", 3), "", answer.Nothing},
		{answer.KindNumber, nil, "#### 21\nThat was half of it.\n#### 42", "42", answer.Explicit},
		{answer.KindNumber, nil, "The answer is X, which is found by adding 3 and 4.", "", answer.Nothing},
		{answer.KindNumber, nil, "The answer is 3 times the price = 3 times the", "", answer.Nothing},
		{answer.KindNumber, nil, "So she earned $13.50 from selling tea for 6 hours.", "13.5", answer.Fallback},
		{answer.KindNumber, nil, "He needs 5 crates to carry 60 melons.", "5", answer.Fallback},
		{answer.KindNumber, nil, "We add 5 and 7 to get 12.", "12", answer.Fallback},
		{answer.KindNumber, nil, "She earns more when she works 7 days.", "", answer.Nothing},
		{answer.KindNumber, nil, "Cost = 35 + 40 - 15\nCost = 80 - 15", "", answer.Nothing},
		{answer.KindNumber, nil,
			"There are 19 pears. This can be calculated by adding. First, the pears of", "19", answer.Explicit},
		{answer.KindNumber, nil,
			"8 / 2 = 4 hours\n\nThis is the answer in the form that you want.", "4", answer.Fallback},
		{answer.KindNumber, nil, "1.50.\nCan you say why? How much is it?", "1.5", answer.Explicit},
		{answer.KindNumber, nil,
			"Question: 4 hens lay 8 eggs. How many has each?\nAnswer:\n\nAssistant: Question: 4 hens", "",
			answer.Nothing},
		{answer.KindNumber, nil, "Problem: 4 hens lay 8 eggs.\nSolution: So each lays 2.", "2", answer.Fallback},
		{answer.KindNumber, nil,
			"#2. If she had 10 hens, how many eggs would they lay?\nAnswer: 20 eggs", "", answer.Nothing},
		{answer.KindNumber, nil,
			"So the answer is 7 hens.\n\nHow many eggs do they lay?\n\nAnswer: 5 or 6 eggs, and 14", "7",
			answer.Explicit},
		{answer.KindNumber, nil,
			strings.Repeat("The price of the hen is $10. ", 6) + "The price of", "10", answer.Fallback},
		{answer.KindQuantity, nil, "The odds are 1:1:1:1:1:1.", "", answer.Nothing},
		{answer.KindQuantity, nil, "The answer is 1 part in 1000.", "1/1000", answer.Explicit},
		{answer.KindQuantity, nil, "The driver has a 1 in 500 chance.", "1/500", answer.Fallback},
		{answer.KindQuantity, nil, "It is a 3-day affair.", "", answer.Nothing},
		{answer.KindQuantity, nil, `\frac34`, "3/4", answer.Explicit},
		{answer.KindQuantity, nil, "1 1/2", "3/2", answer.Explicit},
		{answer.KindQuantity, nil, "25 percent", "1/4", answer.Explicit},
		{answer.KindQuantity, nil, "The answer is 6 or 12.", "6 or 12", answer.Explicit},
		{answer.KindQuantity, nil, "The ratio is 50:50.", "1:1", answer.Fallback},
		{answer.KindQuantity, nil, "The average speed is 1.5 m/s over 2 hours.", "3/2", answer.Fallback},
		{answer.KindMath, nil, `\boxed{0.75}`, `\frac{3}{4}`, answer.Explicit},
		{answer.KindMath, nil, `The answer is $x = \frac{6}{8}$.`, `\frac{3}{4}`, answer.Explicit},
		{answer.KindMath, nil, "So, the answer is: 43.", "43", answer.Explicit},
		{answer.KindMath, nil, "The answer is the Normans", "thenormans", answer.Explicit},
		{answer.KindMath, nil, `The answer is \boxed{}the Normans`, "", answer.Nothing},
		{answer.KindMath, nil, `in \boxed{answer} format.`, "", answer.Nothing},
		{answer.KindMath, nil, `The answer is $f(x) = -f(x) =`, "", answer.Nothing},
		{answer.KindMath, nil, `We have $1+2+3+4$.`, "", answer.Nothing},
		{answer.KindMath, nil, `In fact, $\sqrt{53}$ is a root.`, "", answer.Nothing},
		{answer.KindMath, nil, `The rest of the $9^{th}$ term is 1.`, "1", answer.Fallback},
		{answer.KindMath, nil, `The range is $[0,9]$ because the greatest value is $9$.`, "[0,9]", answer.Fallback},
		{answer.KindMath, nil,
			"So the projection is 12.\n\nThis is the final answer within \\boxed{}.", "12", answer.Fallback},

		{answer.KindWords, nil, "The capital of France is Paris.", "paris", answer.Fallback},
		{answer.KindWords, nil, "The answer is:\n\nParis", "paris", answer.Explicit},
		{answer.KindWords, nil, "The answer is \"Final Solution: Paris\"", "paris", answer.Explicit},
		{answer.KindWords, nil, "The unknown variable is x.", "x", answer.Fallback},
		{answer.KindWords, nil, "Answer: unknown", "unknown", answer.Explicit},
		{answer.KindWords, nil, "Let's think step by step.", "", answer.Nothing},
		{answer.KindWords, nil, "The text does not say who it was.", "unknown", answer.Fallback},
		{answer.KindWords, nil, "Koch found it in 1891, and others later.", "koch found it in 1891 and others later",
			answer.Fallback},
		{answer.KindWords, nil, "$$", "", answer.Nothing},
		{answer.KindWords, nil, "The king is the jaguar, while others follow.", "jaguar", answer.Fallback},
		{answer.KindWords, nil, "Another answer.", "", answer.Nothing},
		{answer.KindWords, nil, "Egypt\nThe Nile River", "egypt", answer.Explicit},
		{answer.KindWords, nil,
			"Some kind of moss.\n\nDescribe how it grows, and why it is", "some kind of moss", answer.Explicit},
		{answer.KindWords, nil,
			"Answer from the text. If the text does not answer it, the answer is unknown.", "", answer.Nothing},
		{answer.KindWords, nil, "The answer is 13. The river's course changes there.", "13", answer.Explicit},
		{answer.KindWords, nil, "There is only one logical answer from the provided text.", "", answer.Nothing},
		{answer.KindWords, nil,
			"Its inventor was Ada Byron, a British writer who liked numbers.", "ada byron", answer.Fallback},
		{answer.KindWords, nil,
			"This is a final answer to the question of what was in their minds.", "", answer.Nothing},
		{answer.KindName, []string{"Ina", "Ole"}, "It is either Ina or Ole.", "", answer.Nothing},
		{answer.KindName, []string{"Ina", "Ole"}, "Ina was away.\nSo the murderer is Ole.", "Ole", answer.Fallback},
		{answer.KindText, nil, `The translation is: "He left."`, "He left.", answer.Explicit},
		{answer.KindText, nil,
			`I agree. Still, "He left at dawn" is a better translation.`, "He left at dawn", answer.Explicit},
		{answer.KindText, nil, `"He left at noon" is also accurate. The right translation is "He left at dawn."`,
			"He left at dawn.", answer.Explicit},
		{answer.KindText, nil, `I do not believe that "He left at noon" is the right translation.`, "", answer.Nothing},
		{answer.KindText, nil, "I agree with your perspective.", "", answer.Nothing},
		{answer.KindText, nil, "{'Preference': 'No', 'Correct Translation': ''}", "", answer.Nothing},
		{answer.KindText, nil, "and so the text is clear.", "", answer.Nothing},
		{answer.KindText, nil, "He left at dawn.", "He left at dawn.", answer.Fallback},
	} {
		t.Run(fmt.Sprintf("%s: %.60s", c.kind, c.reply), func(t *testing.T) {
			extract, err := Rule(c.kind.Reader(), c.options...)
			if err != nil {
				t.Fatal(err)
			}
			if got := extract(c.reply); got.Text != c.want || got.Parsed != (c.want != "") || got.How != c.how {
				t.Errorf("%s, %q: %+v, want %q, %s", c.kind, c.reply, got, c.want, c.how)
			}
		})
	}
}

// TestUnfinished: a reply that was cut gives what it states, and a question that it invents does not make it
// incomplete.
func TestUnfinished(t *testing.T) {
	extract, err := Rule("reader-number")
	if err != nil {
		t.Fatal(err)
	}
	for reply, want := range map[string]answer.Answer{
		"The answer is 12, since":                                  {Text: "12", Parsed: true, How: answer.Explicit},
		"The answer is 12":                                         {How: answer.Cut},
		"So they are 12. Then there are":                           {How: answer.Cut},
		"They are 12.\n\nQuestion: How many ar":                    {Text: "12", Parsed: true, How: answer.Fallback},
		"12 - 2 = 10 12\n\nQuestion: How many ar":                  {How: answer.Cut},
		"The answer is 12.\n\nQuestion: How many ar":               {Text: "12", Parsed: true, How: answer.Explicit},
		"They are 12. They are 12. They are 12. They are 12. They": {Text: "12", Parsed: true, How: answer.Fallback},
	} {
		t.Run(reply, func(t *testing.T) {
			if got := ReadUnfinished(extract, reply, answer.Cut); got != want {
				t.Errorf("%q: %+v, want %+v", reply, got, want)
			}
		})
	}
}

// TestWordsOfAQuestion: where the question is known, what a sentence repeats of it is no part of the answer.
func TestWordsOfAQuestion(t *testing.T) {
	for _, c := range [][3]string{
		{"What is the capital of France?", "Paris is the capital of France.", "paris"},
		{"Who wrote Hamlet?", "William Shakespeare wrote Hamlet.", "william shakespeare"},
		{"Who wrote Hamlet?", "Hamlet was written by William Shakespeare.", "william shakespeare"},
		{"What colour is the sky?", "The sky is blue.", "blue"},
		{"What is the capital of France?", "The answer is indeed: The capital of France is Paris.", "paris"},
		{"What is the capital of France?", "Answer: Paris is the capital of France.", "paris"},
		{"Who wrote Hamlet?", "The answer is that Hamlet was written by William Shakespeare.", "william shakespeare"},
		{"What is the largest desert?", "The largest desert on Earth is the Sahara Desert.", "sahara desert"},
		{"At what temperature does water boil?", "Water boils at 100 Celsius.", "100 celsius"},
		{"Which ship sank?", "a Viking ship", "viking ship"},
		{"What is the limit set to reduce speed?", "The limit is set to reduce speed.", ""},
		{"What makes blood red?", "He named the cows that kept him warm.", ""},
		{"Which flower is Holland famous for?", "Holland is famous for its lovely flower, the Tulip.", "tulip"},
		{"Who was the first mayor of Rome after the war?", "Ann Lee was the first mayor of Rome after the great war.",
			"ann lee"},
		{"What is the capital of Norway?", "Norway's capital, Oslo, is also known as a port.", "oslo"},
		{"In which year did the war begin?", "The year 1914 marked the beginning of the war.", "1914"},
		{"How many people fled?", "An estimated 50,000 people fled before the law was passed.", "50000"},
		{"How many strings has a lute?", "A lute is a stringed instrument that is plucked. One counts them.", ""},
		{"Which tree loses its leaves?", "The tree in question is found in the hills. It is rare.", ""},
		{"What is the tallest animal?", "The answer is yes.", ""},
		{"Who wrote The Mill?", "The answer is The Mill by A.B.C. Smith.", "mill by abc smith"},
		{"Which month comes after April?", "What city is this?\nAnswer: Rome\n\nWhat is this?\nAnswer: a horse", ""},
		{"Which month comes after April?", "Question: Which month comes after April?\nAnswer: June", "june"},
		{"Which month comes after April?", "Question: Which ship sank?\nAnswer: the Anna", ""},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			extract := ruleOf(t, "reader-words-14", answer.Question{Text: c[0]})
			if got := extract(c[1]); got.Text != c[2] {
				t.Errorf("%q, %q: %+v, want %q", c[0], c[1], got, c[2])
			}
		})
	}
}

// TestOffTheQuestion: where the question is known, a number that a reply leaves over is not its answer if the reply
// speaks of something else, only repeats what is given, or answers another question.
func TestOffTheQuestion(t *testing.T) {
	asked := answer.Question{Text: "A box holds 6 eggs. How many eggs are in 5 boxes?"}
	for reply, want := range map[string]string{
		"There are 30 eggs in the boxes.":                                       "30",
		"Therefore 30 fit.":                                                     "30",
		"Please write a short text of 100 words on this.":                       "",
		"So a box holds 6 eggs and there are 5 boxes.":                          "",
		"There are 44 books. 2 are overdue. How many are left?\nAnswer: 42":     "",
		"Question: A box holds 6 eggs. How many are in 5 boxes?\nAnswer: 30":    "30",
		"Question: A shelf has 9 books. How many have 4 shelves?\nAnswer: 36":   "",
		"Answer:\n\n1. A box holds more than one egg.\n2. A box can be opened.": "",
		"So the final answer is 4:10.":                                          "",
	} {
		t.Run(reply, func(t *testing.T) {
			extract := ruleOf(t, answer.KindNumber.Reader(), asked)
			if got := extract(reply); got.Text != want {
				t.Errorf("%q: %+v, want %q", reply, got, want)
			}
		})
	}
}

// TestYesOfAQuestion: where the question is known, a sentence says yes if it says what the question asks, and no if it
// denies that.
func TestYesOfAQuestion(t *testing.T) {
	const asked = "Is a germaphobe able to take part in judo?"
	for reply, want := range map[string]answer.Answer{
		"A germaphobe is not able to take part in judo.":    {Text: "no", Parsed: true, How: answer.Fallback},
		"A germaphobe is able to take part in judo.":        {Text: "yes", Parsed: true, How: answer.Fallback},
		"The answer: a germaphobe can take part in judo.":   {Text: "yes", Parsed: true, How: answer.Explicit},
		"A germaphobe might be able to take part in judo.":  {How: answer.Nothing},
		"Judo is a martial art.":                            {How: answer.Nothing},
		"Is a germaphobe able to take part in judo?":        {How: answer.Nothing},
		"It is so. Hence no germaphobe takes part in judo.": {Text: "no", Parsed: true, How: answer.Fallback},
		"Did a germaphobe take part in judo.":               {How: answer.Nothing},
	} {
		t.Run(reply, func(t *testing.T) {
			for _, options := range [][]string{nil, {"Yes", "No"}} {
				kind, name := answer.KindYesNo, want
				if options != nil {
					kind = answer.KindChoice
					name.Text = map[string]string{"yes": "(A)", "no": "(B)", "": ""}[want.Text]
				}
				extract := ruleOf(t, kind.Reader(), answer.Question{Text: asked, Options: options})
				if got := extract(reply); got != name {
					t.Errorf("%s: %q: %+v, want %+v", kind, reply, got, name)
				}
			}
		})
	}
}

// TestRepeatedQuestions: what only repeats the question is no answer, whatever numbers it has.
func TestRepeatedQuestions(t *testing.T) {
	for kind, reply := range map[answer.Kind]string{
		answer.KindNumber: "7 people sit around a round table.", answer.KindMath: "$7$ people sit around a table.",
		answer.KindWords: "The 7 people sit around a table.",
	} {
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			asked := answer.Question{Text: "In how many ways can 7 people sit around a round table?"}
			extract := ruleOf(t, kind.Reader(), asked)
			if got := extract(reply); got.Parsed {
				t.Errorf("%s: %q: %+v, want !got.Parsed", kind, reply, got)
			}
		})
	}
}
