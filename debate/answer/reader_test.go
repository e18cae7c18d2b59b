package answer

import (
	"fmt"
	"strings"
	"testing"
)

// TestReaders: what our readers read from replies as models write them, and how.
func TestReaders(t *testing.T) {
	planets, colours := []string{"Mars", "Sirius", "Titan"}, []string{"red", "green", "blue", "yellow"}
	for i, c := range []struct {
		kind    Kind
		options []string
		reply   string
		want    string // "" is no answer
		how     How
	}{
		{KindChoice, planets, "The answer is A.", "(A)", Explicit},
		{KindChoice, planets, "**Answer: A**", "(A)", Explicit},
		{KindChoice, planets, `So \boxed{A}.`, "(A)", Explicit},
		{KindChoice, colours, "B) green", "(B)", Explicit},
		{KindChoice, planets, "Answer: C", "(C)", Explicit},
		{KindChoice, planets, "the answer is (b)", "(B)", Explicit},
		{KindChoice, planets, "Option B", "(B)", Explicit},
		{KindChoice, planets, "Choice: B", "(B)", Explicit},
		{KindChoice, planets, "I choose B because it shines.", "(B)", Explicit},
		{KindChoice, planets, "Final Answer: (C)", "(C)", Explicit},
		{KindChoice, planets, "## Answer\n\n**C**", "(C)", Explicit},
		{KindChoice, planets, "The answer is: Titan", "(C)", Explicit},
		{KindChoice, planets, "The answer is A) Titan.", "(A)", Explicit}, // the letter counts
		{KindChoice, planets, "The answer is A. No, wait, the answer is C.", "(C)", Explicit},
		{KindChoice, planets, "<think>The answer is A.</think>The answer is B.", "(B)", Explicit},
		{KindChoice, planets, "<think>The answer is A.", "", Nothing},
		{KindChoice, planets, "The answer is C.\n### Instruction: all of both. The answer is A.", "(C)", Explicit},
		{KindChoice, planets, "(A) Mars\n(B) Sirius\n(C) Titan\n\nThe answer is: (X)", "", Nothing},
		{KindChoice, planets, "(A) Mars\n(B) Sirius\n(C) Titan", "", Nothing},
		{KindChoice, planets, "The answer is not B.", "", Nothing},
		{KindChoice, planets, "The answer is (E).", "", NoOption},
		{KindChoice, planets, "ANSWER: None of the above", "", NoOption},
		{KindChoice, colours, "ANSWER: Don't know", "", NoOption},
		{KindChoice, colours, "The second one, because 2 is even and 10.5 is not.", "", Nothing},
		{KindChoice, planets, "[A] Mars is the planet, so A) it is.", "(A)", Explicit},
		{KindChoice, planets, "Mars is the only planet here.", "(A)", Fallback},
		{KindChoice, []string{"1.5", "75"}, "The answer is 75 pounds.", "(B)", Explicit},
		{KindChoice, []string{"Yes", "No"}, "The answer is Yes.", "(A)", Explicit},
		{KindChoice, []string{"Yes", "No"}, "No, it does not.", "(B)", Explicit},
		{KindChoice, nil, "A tax cut of $10 billion is deflationary.", "", Nothing},
		{KindChoice, nil, "State the answer in the form (X).", "", Nothing},
		{KindChoice, planets, "The answer is (X) C) Titan.", "(C)", Explicit},
		{KindChoice, planets, "It can only be:\n\n(C) Titan\n\nNothing else is a moon.", "(C)", Explicit},
		{KindChoice, planets, "The answer is (A) and (C).", "", NoOption},
		{KindChoice, planets, "The answer is (B", "(B)", Explicit},
		{KindChoice, planets, "The closest option is B. It shines.", "(B)", Explicit},
		{KindChoice, planets, "(a) The speed follows from the force. (b) It is reached", "", Nothing},
		{KindChoice, planets, "(A)\n\nIt is red.\n\n(B)\n\nIt shines.\n\n(C)", "", Nothing},
		{KindChoice, planets, "(A) Mars\n(B", "", Nothing},
		{KindChoice, []string{"Ana is last", "Eve is last"}, "Last is Eve", "(B)", Explicit},
		{KindChoice, planets, "1. A) Mars\n2. B) Sirius\n3. C) Titan", "", Nothing},
		{KindChoice, planets, "1. Mars\n2. Sirius\n3. Titan", "", Nothing},
		{KindChoice, planets, "Options:\n(A) Mars\n\nExplanation:", "", Nothing},
		{KindChoice, planets, "A) Mars, B) Sirius, C) Titan\nThe planet is an example of A) Mars.", "(A)", Fallback},
		{KindChoice, colours, "(1) green", "(B)", Explicit},
		{KindChoice, colours, "1. yellow\n\nIt is the colour of lemons, and of", "(D)", Explicit},
		{KindChoice, planets, "The body that is not a star is (A) Mars, so the option is (A) Mars.", "(A)", Explicit},
		{KindChoice, colours, "Therefore, the option that is not warm is (C) blue.", "(C)", Explicit},
		{KindChoice, planets, "The answer is closest to (B).", "(B)", Explicit},
		{KindChoice, planets, "The closest one is (B) Sirius. The answer is not listed.", "", NoOption},
		{KindChoice, planets, "So (C) is possible. The answer is (A) or (C).", "", NoOption},
		{KindChoice, planets, "Which of these can swim?\n(A) a stone\n(B) a duck\nThe answer is (B).", "", Nothing},
		{KindChoice, planets, "(A) Small, (B) Bright, (C) Cold", "", Nothing},
		{KindChoice, planets, "The answer is (A)\nThe answer is (B)\nThe answer is (C)\nThe answer is (D)\nSo we", "",
			Nothing},
		{KindYesNo, nil, "No, a whale is a mammal.", "no", Explicit},
		{KindYesNo, nil, "Yes it is.", "yes", Explicit},
		{KindYesNo, nil, `The last line must be "The answer is yes." and nothing`, "", Nothing},
		{KindYesNo, nil, "So the answer is: true.", "yes", Explicit},
		{KindYesNo, nil, "Therefore, the answer (Yes or No) is No.", "no", Explicit},
		{KindYesNo, nil, `The answer to this is "no." It is too far.`, "no", Explicit},
		{KindYesNo, nil, "Well, I'd say yes.", "yes", Explicit},
		{KindYesNo, nil, "A fish that flies. Yes, that's correct. Some do, and they", "yes", Explicit},

		{KindNumber, nil, "The answer is 1.10.", "1.1", Explicit},
		{KindNumber, nil, "It costs $1,234.50.", "1234.5", Fallback},
		{KindNumber, nil, "Therefore, 6 x 7 = 42.", "42", Fallback},
		{KindNumber, nil, "The answer is 5 ... wait, the answer is 7", "7", Explicit},
		{KindNumber, nil, "It is −5 degrees.", "-5", Fallback},
		{KindNumber, nil, `\boxed{9{,}500}`, "9500", Explicit},
		{KindNumber, nil, `It is $9\,500$.`, "9500", Fallback},
		{KindNumber, nil, "It is 9\u202f500.", "9500", Fallback},
		{KindNumber, nil, "The area is 540 m^2.", "540", Fallback},
		{KindNumber, nil, `\boxed{540\text{ m}^2}`, "540", Explicit},
		{KindNumber, nil, `\boxed{\$5.00}`, "5", Explicit},
		{KindNumber, nil, "#### 18 dollars in 1 day", "18", Explicit},
		{KindNumber, nil, "#### Step 2\nSo 18.", "18", Fallback},
		{KindNumber, nil, "1.2e6", "1200000", Explicit},
		{KindNumber, nil, `$1.2\times10^6$`, "1200000", Explicit},
		{KindNumber, nil, "The answer is .5", "0.5", Explicit},
		{KindNumber, nil, "The answer is 25 percent.", "25", Explicit},
		{KindNumber, nil, "The answer is 1. The rest follows from 2.", "1", Explicit},
		{KindNumber, nil, "The answer is between 3 and 5.", "", Nothing},
		{KindNumber, nil, "Step 8: The number of hats is 20", "", Nothing},
		{KindNumber, nil, "It costs $1.10.\n\nThe answer is:", "", Nothing},
		{KindNumber, nil, "Ann has 4 hens. Each lays 3 eggs. How many eggs are there?", "", Nothing},
		{KindNumber, nil, "She has 4 hens.\nEach of them lays 3 eggs a day, so that all of the", "", Nothing},
		{KindNumber, nil, "First, 4 x 3 = 12.\nHens", "", Nothing},
		{KindNumber, nil, "1. Take 4 from 9.\n2. That is 5.\n3", "", Nothing},
		{KindNumber, nil, "#12.50 each\n#17.98 each\n#24.95 each", "", Nothing},
		{KindNumber, nil, "4 trays can be made if each needs 5 eggs.", "4", Fallback},
		{KindNumber, nil, "Total hens = 4\nTotal h", "", Nothing},
		{KindNumber, nil, strings.Repeat("Ann has 4 hens, which lay 3 eggs a day, and sells 2 eggs for a dollar to "+
			"each of her neighbours. Explain how many dollars she has. ", 3), "", Nothing},
		{KindNumber, nil, "#### 21\nThat was half of it.\n#### 42", "42", Explicit},
		{KindNumber, nil, "The answer is X, which is found by adding 3 and 4.", "", Nothing},
		{KindNumber, nil, "The answer is 3 times the price = 3 times the", "", Nothing},
		{KindNumber, nil, "So she earned $13.50 from selling tea for 6 hours.", "13.5", Fallback},
		{KindNumber, nil, "He needs 5 crates to carry 60 melons.", "5", Fallback},
		{KindNumber, nil, "We add 5 and 7 to get 12.", "12", Fallback},
		{KindNumber, nil, "She earns more when she works 7 days.", "", Nothing},
		{KindNumber, nil, "Cost = 35 + 40 - 15\nCost = 80 - 15", "", Nothing},
		{KindNumber, nil, "There are 19 pears. This can be calculated by adding. First, the pears of", "19", Explicit},
		{KindNumber, nil, "8 / 2 = 4 hours\n\nThis is the answer in the form that you want.", "4", Fallback},
		{KindNumber, nil, "1.50.\nCan you say why? How much is it?", "1.5", Explicit},
		{KindNumber, nil, "Question: 4 hens lay 8 eggs. How many has each?\nAnswer:\n\nAssistant: Question: 4 hens", "",
			Nothing},
		{KindNumber, nil, "Problem: 4 hens lay 8 eggs.\nSolution: So each lays 2.", "2", Fallback},
		{KindNumber, nil, "#2. If she had 10 hens, how many eggs would they lay?\nAnswer: 20 eggs", "", Nothing},
		{KindNumber, nil, "So the answer is 7 hens.\n\nHow many eggs do they lay?\n\nAnswer: 5 or 6 eggs, and 14", "7",
			Explicit},
		{KindNumber, nil, strings.Repeat("The price of the hen is $10. ", 6) + "The price of", "10", Fallback},
		{KindQuantity, nil, "The odds are 1:1:1:1:1:1.", "", Nothing},
		{KindQuantity, nil, "The answer is 1 part in 1000.", "1/1000", Explicit},
		{KindQuantity, nil, "The driver has a 1 in 500 chance.", "1/500", Fallback},
		{KindQuantity, nil, "It is a 3-day affair.", "", Nothing},
		{KindQuantity, nil, `\frac34`, "3/4", Explicit},
		{KindQuantity, nil, "1 1/2", "3/2", Explicit},
		{KindQuantity, nil, "25 percent", "1/4", Explicit},
		{KindQuantity, nil, "The answer is 6 or 12.", "6 or 12", Explicit},
		{KindQuantity, nil, "The ratio is 50:50.", "1:1", Fallback},
		{KindQuantity, nil, "The average speed is 1.5 m/s over 2 hours.", "3/2", Fallback},
		{KindMath, nil, `\boxed{0.75}`, `\frac{3}{4}`, Explicit},
		{KindMath, nil, `The answer is $x = \frac{6}{8}$.`, `\frac{3}{4}`, Explicit},
		{KindMath, nil, "So, the answer is: 43.", "43", Explicit},
		{KindMath, nil, "The answer is the Normans", "thenormans", Explicit},
		{KindMath, nil, `The answer is \boxed{}the Normans`, "", Nothing},
		{KindMath, nil, `in \boxed{answer} format.`, "", Nothing},
		{KindMath, nil, `The answer is $f(x) = -f(x) =`, "", Nothing},
		{KindMath, nil, `We have $1+2+3+4$.`, "", Nothing},
		{KindMath, nil, `In fact, $\sqrt{53}$ is a root.`, "", Nothing},
		{KindMath, nil, `The rest of the $9^{th}$ term is 1.`, "1", Fallback},
		{KindMath, nil, `The range is $[0,9]$ because the greatest value is $9$.`, "[0,9]", Fallback},
		{KindMath, nil, "So the projection is 12.\n\nThis is the final answer within \\boxed{}.", "12", Fallback},

		{KindWords, nil, "The capital of France is Paris.", "paris", Fallback},
		{KindWords, nil, "The answer is:\n\nParis", "paris", Explicit},
		{KindWords, nil, "The answer is \"Final Solution: Paris\"", "paris", Explicit},
		{KindWords, nil, "The unknown variable is x.", "x", Fallback},
		{KindWords, nil, "Answer: unknown", "unknown", Explicit},
		{KindWords, nil, "Let's think step by step.", "", Nothing},
		{KindWords, nil, "The text does not say who it was.", "unknown", Fallback},
		{KindWords, nil, "Koch found it in 1891, and others later.", "koch found it in 1891 and others later",
			Fallback},
		{KindWords, nil, "$$", "", Nothing},
		{KindWords, nil, "The king is the jaguar, while others follow.", "jaguar", Fallback},
		{KindWords, nil, "Another answer.", "", Nothing},
		{KindWords, nil, "Egypt\nThe Nile River", "egypt", Explicit},
		{KindWords, nil, "Some kind of moss.\n\nDescribe how it grows, and why it is", "some kind of moss", Explicit},
		{KindWords, nil, "Answer from the text. If the text does not answer it, the answer is unknown.", "", Nothing},
		{KindWords, nil, "The answer is 13. The river's course changes there.", "13", Explicit},
		{KindWords, nil, "There is only one logical answer from the provided text.", "", Nothing},
		{KindWords, nil, "Its inventor was Ada Byron, a British writer who liked numbers.", "ada byron", Fallback},
		{KindWords, nil, "This is a final answer to the question of what was in their minds.", "", Nothing},
		{KindName, []string{"Ina", "Ole"}, "It is either Ina or Ole.", "", Nothing},
		{KindName, []string{"Ina", "Ole"}, "Ina was away.\nSo the murderer is Ole.", "Ole", Fallback},
		{KindText, nil, `The translation is: "He left."`, "He left.", Explicit},
		{KindText, nil, `I agree. Still, "He left at dawn" is a better translation.`, "He left at dawn", Explicit},
		{KindText, nil, `"He left at noon" is also accurate. The right translation is "He left at dawn."`,
			"He left at dawn.", Explicit},
		{KindText, nil, `I do not believe that "He left at noon" is the right translation.`, "", Nothing},
		{KindText, nil, "I agree with your perspective.", "", Nothing},
		{KindText, nil, "{'Preference': 'No', 'Correct Translation': ''}", "", Nothing},
		{KindText, nil, "and so the text is clear.", "", Nothing},
		{KindText, nil, "He left at dawn.", "He left at dawn.", Fallback},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			extract, err := Named(c.kind.Reader(), c.options...)
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
	extract, err := Named("reader-number")
	if err != nil {
		t.Fatal(err)
	}
	for reply, want := range map[string]Answer{
		"The answer is 12, since":                                  {Text: "12", Parsed: true, How: Explicit},
		"The answer is 12":                                         {How: Cut},
		"So they are 12. Then there are":                           {How: Cut},
		"They are 12.\n\nQuestion: How many ar":                    {Text: "12", Parsed: true, How: Fallback},
		"12 - 2 = 10 12\n\nQuestion: How many ar":                  {How: Cut},
		"The answer is 12.\n\nQuestion: How many ar":               {Text: "12", Parsed: true, How: Explicit},
		"They are 12. They are 12. They are 12. They are 12. They": {Text: "12", Parsed: true, How: Fallback},
	} {
		t.Run(reply, func(t *testing.T) {
			if got := extract.Unfinished(reply, Cut); got != want {
				t.Errorf("%q: %+v, want %+v", reply, got, want)
			}
		})
	}
}

// TestWordsOfAQuestion: where the question is known, what a sentence repeats of it is no part of the answer.
func TestWordsOfAQuestion(t *testing.T) {
	for i, c := range [][3]string{
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
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			extract, err := NamedFor("reader-words-3", Question{Text: c[0]})
			if err != nil {
				t.Fatal(err)
			}
			if got := extract(c[1]); got.Text != c[2] {
				t.Errorf("%q, %q: %+v, want %q", c[0], c[1], got, c[2])
			}
		})
	}
}

// TestOffTheQuestion: where the question is known, a number that a reply leaves over is not its answer if the reply
// speaks of something else, only repeats what is given, or answers another question.
func TestOffTheQuestion(t *testing.T) {
	asked := Question{Text: "A box holds 6 eggs. How many eggs are in 5 boxes?"}
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
			extract, err := NamedFor(KindNumber.Reader(), asked)
			if err != nil {
				t.Fatal(err)
			}
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
	for reply, want := range map[string]Answer{
		"A germaphobe is not able to take part in judo.":    {Text: "no", Parsed: true, How: Fallback},
		"A germaphobe is able to take part in judo.":        {Text: "yes", Parsed: true, How: Fallback},
		"The answer: a germaphobe can take part in judo.":   {Text: "yes", Parsed: true, How: Explicit},
		"A germaphobe might be able to take part in judo.":  {How: Nothing},
		"Judo is a martial art.":                            {How: Nothing},
		"Is a germaphobe able to take part in judo?":        {How: Nothing},
		"It is so. Hence no germaphobe takes part in judo.": {Text: "no", Parsed: true, How: Fallback},
		"Did a germaphobe take part in judo.":               {How: Nothing},
	} {
		t.Run(reply, func(t *testing.T) {
			for _, options := range [][]string{nil, {"Yes", "No"}} {
				kind, name := KindYesNo, want
				if options != nil {
					kind = KindChoice
					name.Text = map[string]string{"yes": "(A)", "no": "(B)", "": ""}[want.Text]
				}
				extract, err := NamedFor(kind.Reader(), Question{Text: asked, Options: options})
				if err != nil {
					t.Fatal(err)
				}
				if got := extract(reply); got != name {
					t.Errorf("%s: %q: %+v, want %+v", kind, reply, got, name)
				}
			}
		})
	}
}

// TestRepeatedQuestions: what only repeats the question is no answer, whatever numbers it has.
func TestRepeatedQuestions(t *testing.T) {
	for kind, reply := range map[Kind]string{
		KindNumber: "7 people sit around a round table.", KindMath: "$7$ people sit around a table.",
		KindWords: "The 7 people sit around a table.",
	} {
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			asked := Question{Text: "In how many ways can 7 people sit around a round table?"}
			extract, err := NamedFor(kind.Reader(), asked)
			if err != nil {
				t.Fatal(err)
			}
			if got := extract(reply); got.Parsed {
				t.Errorf("%s: %q: %+v, want !got.Parsed", kind, reply, got)
			}
		})
	}
}
