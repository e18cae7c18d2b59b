package reader

import (
	"testing"

	"github.com/parley-debate/parley/debate/answer"
)

// TestSentences: a value is what stands behind the verb of a statement, never a word or number of the question that the
// statement repeats, and never a delimiter.
func TestSentences(t *testing.T) {
	ask := func(text string, options ...string) answer.Question {
		return answer.Question{Text: text, Options: options}
	}
	planets := []string{"Venus", "Mars", "Jupiter"}
	for _, c := range []struct {
		kind        answer.Kind
		about       answer.Question
		reply, want string
	}{
		{answer.KindNumber, ask("What is the largest four-digit number that is divisible by 12, 15, and 18?"),
			"We need the least common multiple, 180.\n\n### Final Answer\nThe largest four-digit number that is " +
				"divisible by 12, 15, and 18 is **9900**.", "9900"},
		{answer.KindNumber, ask("Tom has 36 pencils and gives 8 away. How many are left?"),
			"Final Answer: The number of pencils that Tom has left after giving away 8 pencils is \\( 28 \\).", "28"},
		{answer.KindNumber, ask("Of 60 girls 20 are in the Girl Scout. How many are not?"),
			"There are 60 girls.\nThe number of girls not in the Girl Scout is 40.", "40"},
		{answer.KindNumber, ask("How far did he run from Monday to Friday?"),
			"He ran 3 miles a day.\nThe total distance that he ran from Monday to Friday was 15 miles.", "15"},
		{answer.KindMath, ask("Solve $x^2=25$ for positive x."), "We take the root.\n\n\\[\nx = 5\n\\]", "5"},
		{answer.KindMath, ask("How much is it?"), "The answer is $\\$247,000$.", "247000"},
		{answer.KindMath, ask("How many?"), "The answer is 11 because $n$ runs from 0 to 10.", "11"},
		{answer.KindMath, ask("Find it."), "<answer>x+1</answer>", "x+1"},
		{answer.KindMath, ask("Find it."), "So we get\n\n$$\ny\n$$", "y"},
		{answer.KindMath, ask("Find it."), "So\n\n\\begin{align*}\na &= 3+4 \\\\\n&= 7\n\\end{align*}", "7"},
		{answer.KindQuantity, ask("What is the probability that all 3 agree?"),
			"The probability that all 3 people agree is \\(\\frac{3}{10}\\).", "3/10"},
		{answer.KindQuantity, ask("What is the probability?"), "The probability is \\boxed{\\frac{1}{8}}.", "1/8"},
		{answer.KindQuantity, ask("What is the probability?"), "The answer is **0.5916** or **59.16%**.", "1479/2500"},
		{answer.KindWords, ask("Which war is meant?"), "Thought: I am done.\nAction: Finish[World War I]",
			"world war i"},
		{answer.KindWords, ask("Who wrote the novel Frankenstein?"),
			"This is a question about English literature.\n\nThe novel was written by **Mary Shelley**.",
			"mary shelley"},
		{answer.KindWords, ask("Take the last letters of the words in \"Ali Joe Pat Eli\" and concatenate them."),
			"The last letters are i, e, t and i.\nThe concatenated last letters are: ieti.", "ieti"},
		{answer.KindYesNo, ask("Could a llama give birth twice during the war?"),
			"The war took 8 months.\n\n[Yes]", "yes"},
		{answer.KindYesNo, ask("Could a llama give birth twice during the war?"),
			"A llama carries for 11 months, the war took less.\n\nNo, it could not.", "no"},
		{answer.KindYesNo, ask("Could a llama give birth twice during the war?"),
			"It took 8 months. So, no, it could not.", "no"},
		{answer.KindYesNo, ask("Could a llama give birth twice during the war?"),
			"It took 8 months.\n\n**Conclusion:**\nNo, a llama could not give birth twice during the war.", "no"},
		{answer.KindChoice, ask("Which planet is known as the Red Planet?", planets...),
			"Some planets have colours. Iron oxide makes dust look red. Many probes went there. It has two " +
				"moons.\n\n**Answer: B**", "(B)"},
		{answer.KindChoice, ask("Which planet is known as the Red Planet?", planets...),
			"Iron oxide makes the dust red.\n\nThe planet known as the Red Planet is **Mars**.", "(B)"},
		{answer.KindNumber, ask("What was the price of the toy after it was discounted in January?"),
			"Answer:\nThe price of the toy after it was discounted in January was $18.", "18"},
		{answer.KindNumber, ask("What does the ball cost?"), "So, the ball costs $0.05 (or 5 cents). If that was a " +
			"riddle, that's the answer! Let me know if you need more. 😊", "0.05"},
		{answer.KindNumber, ask("### Problem: Alice has 3 brothers and 6 sisters. How many sisters has her brother?"),
			"6  ### Problem: How often do the hands of a clock meet in a day? ### Answer: 22  ### Problem: How " +
				"often do they meet in a year? ### Answer: 8030", "6"},
		{answer.KindNumber, ask("What does the ball cost?"), "So it costs 3 (or 5).", ""},
		{answer.KindMath, ask("In how many ways?"), "We count.\n\nTherefore, there are 30 ways to order the letters " +
			"such that the word does not begin with a B.", "30"},
		{answer.KindMath, ask("How many?"), "{\"answer\": \"There are infinitely many solutions.\"}", "infinitelymany"},
		{answer.KindMath, ask("Integrate it."), "<answer>-sin**2(9*x + 4) + C</answer>", "-sin^2(9*x+4)+C"},
		{answer.KindMath, ask("Integrate it."), "The answer is exp(3*x) - log(x).", "exp(3*x)-log(x)"},
		{answer.KindWords, ask("1. g3 d6 39."), ">> FINAL ANSWER:\n\"\"\"\n40. Rd7\n\"\"\"", "rd7"},
		{answer.KindWords, ask("1. g3 d6 56. Kb2"), ">> FINAL ANSWER:\n\"\"\"\n57... Qb3#\n\"\"\"", "qb3"},
		{answer.KindWords, ask("1. g3 d6 56. Kb2"), "The answer is 12. O-O-O.", "o-o-o"},
		{answer.KindWords, ask("How many?"), "The answer is 12. It follows from the text.", "12"},
		{answer.KindWords, ask("What should you do?"), "It is a riddle.\n\n**Therefore, you should** **swap doors**.",
			"swap doors"},
		{answer.KindWords, ask("Concatenate the last letters of the words."),
			"They are y, y and e.\n\nThe letters can be put together to form the string \"yye\".", "yye"},
		{answer.KindWords, ask("Managers act for ____, with a duty of ____ and of ____."),
			"Managers act for **owners**, with a duty of **care** and of **loyalty**.", "owners care loyalty"},
		{answer.KindWords, ask("Statement 1 | It is so. Statement 2 | It was so."),
			"Final Answer:\nStatement 1 is false. Statement 2 is true.", "statement 1 is false statement 2 is true"},
		{answer.KindWords, ask("Statement 1 | It is so. Statement 2 | It was so."),
			"Statement 1 is true, as is known. Statement 2 is also true.\n\nBoth statements are correct.",
			"both statements are correct"},
		{answer.KindChoice, ask("Why would you watch TV instead of working?", "fatigue", "laziness", "wasting time"),
			"It is often laziness, some say. Therefore, wasting time is a more plausible reason to watch TV " +
				"instead of doing something else.", "(C)"},
		{answer.KindChoice, ask("Ann was upset as she had yelled. How is Ann?", "happy", "remorseful", "upset"),
			"Ann was upset and had yelled, so that she would feel remorse for it and be remorseful.", "(B)"},
		{answer.KindChoice, ask("Which planet is red?", planets...),
			"So I choose A) Venus, C) Jupiter.", ""},
		{answer.KindChoice, ask("Which planet is red?", planets...),
			"The metadata indicates that the answer is B. I shall look myself: first, the planet", ""},
	} {
		t.Run(c.reply, func(t *testing.T) {
			rule := ruleOf(t, c.kind.Reader(), c.about)
			if got := rule(c.reply); got.Text != c.want {
				t.Errorf("%q, want %q", got.Text, c.want)
			}
		})
	}
}
