package reader

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/debate/answer"
)

// forms are the ends of replies with which larger models give an answer, where %s is the answer. A new form is a row.
var forms = []string{
	"The answer is %s.", "The answer is **%s**.", "**Answer: %s**", "**Answer:** %s", "Answer: %s", "Final answer: %s",
	"**Final Answer:** %s", "### Final Answer\n%s", "### Final Answer:\n\n**%s**", "**Final Answer**\n\n\\boxed{%s}",
	"Therefore, the correct answer is %s.", "Thus, the final answer is:\n\n%s", "So the answer is $\\boxed{%s}$.",
	"#### %s", "<answer>%s</answer>", "<answer>\n%s\n</answer>", "FINAL ANSWER:\n<answer>\n%s\n</answer>",
	"<answer>%s", "<ANSWER> %s </ANSWER>", "<answer>The answer is %s.</answer>",
	"<|begin_of_box|>%s<|end_of_box|>", "[BEGIN FINAL RESPONSE]\n%s\n[END FINAL RESPONSE]",
	"[BEGIN FINAL RESPONSE]\n%s",
	">> FINAL ANSWER:\n\"\"\"\n%s\n\"\"\"", "FINAL ANSWER: \"\"\"%s\"\"\"", "Final Answer:\n```\n%s\n```",
	"{\"reasoning\": \"It is as we said.\", \"answer\": \"%s\"}",
	"```json\n{\n  \"reasoning\": \"…\",\n  \"answer\": \"%s\"\n}\n```",
	"{\"final_answer\": \"%s\", \"confidence\": 0.9}", "{\"answer\": \"%s",
	"Thought 3: I know it now.\nAction 3: Finish[%s]",
	"<choice>%s</choice>", "<solution>%s</solution>", "<result>\n%s\n</result>", "<output>%s</output>", "<ans>%s</ans>",
	"<final>%s</final>", "<selected_option>%s</selected_option>", "<CONCLUSION>%s</CONCLUSION>",
	"<solution>\nIt is as we said.\n<answer>%s</answer>\n</solution>", "<answer id=\"1\">%s</answer>",
	"[ANSWER]%s[/ANSWER]", "<|answer|>%s<|/answer|>", "{\"selected_option\": \"%s\"}", "{\"answer\": [\"%s\"]}",
	"{\"answer\": {\"value\": \"%s\"}}", "{\"ans\": \"%s\"}",
	"**Conclusion:** The answer is %s.", "The answer is: %s", "My final answer is %s.", "answer: %s",
	"<response>%s</response>", "<answer value=\"%s\"/>", "\nvalue=\"%s\"", "\\answer{%s}", "$\\fbox{%s}$",
	"<b>Answer:</b> %s", "The answer is <u>%s</u>.", "<correct_answer>%s</correct_answer>",
	"{\"output\": \"%s\"}", "\nfinal_answer = \"%s\"", "\nsubmit(\"%s\")",
	"\n**Conclusion:** %s", "\n### Verdict\n\n%s",
	"The answer is <<%s>>.", "Answer: ==%s==", "<answer>%s<answer>", "<answer>%s</ans>", "<answer> %s </answer",
	"So it is \\boxed{%s", "So it is $\\boxed{%s$.", "Ans. %s", "&lt;answer&gt;%s&lt;/answer&gt;",
	"\\textbf{Answer:} %s", "Answer -> %s", "(Answer: %s)",
	"<|begin_of_thought|>\nIt is weighed.\n<|end_of_thought|>\n\n<|begin_of_solution|>\n%s\n<|end_of_solution|>",
}

// kinds are answers of each kind, with the question that they answer and another answer that the reasoning mentions.
var kinds = []struct {
	kind          answer.Kind
	says, mention string
	about         answer.Question
}{
	{answer.KindChoice, "B", "A", answer.Question{Text: "Which planet is known as the Red Planet?",
		Options: []string{"Venus", "Mars", "Jupiter", "Saturn"}}},
	{answer.KindChoice, "(B)", "(A)", answer.Question{Text: "Which planet is known as the Red Planet?",
		Options: []string{"Venus", "Mars", "Jupiter", "Saturn"}}},
	{answer.KindChoice, "(B) Mars", "(A) Venus", answer.Question{Text: "Which planet is known as the Red Planet?",
		Options: []string{"Venus", "Mars", "Jupiter", "Saturn"}}},
	{answer.KindNumber, "42", "17", answer.Question{Text: "Tom has 17 pens and buys 25. How many has he now?"}},
	{answer.KindNumber, "9,900", "12", answer.Question{Text: "What is the largest four-digit number divisible by 12?"}},
	{answer.KindMath, "\\frac{3}{4}", "12", answer.Question{Text: "Simplify $\\frac{12}{16}$."}},
	{answer.KindMath, "x^2+1", "x", answer.Question{Text: "What is the derivative of $\\frac{x^3}{3}+x$?"}},
	{answer.KindWords, "Mary Shelley", "Lord Byron", answer.Question{Text: "Who wrote the novel Frankenstein?"}},
	{answer.KindYesNo, "Yes", "No", answer.Question{Text: "Could a llama give birth twice during the war?"}},
	{answer.KindQuantity, "3/10", "1/2", answer.Question{Text: "What is the probability that all 3 people agree?"}},
}

// reasonings are what stands before an answer, where %s is another answer.
var reasonings = []string{"",
	"Let me think about it step by step.\n\n",
	"To solve this, we consider what is known.\n\n### Problem Breakdown\n\n" +
		"First we look at %s, which does not fit.\n\n",
	"**Question:** what was asked above\n\n**Reasoning:** %s was a first guess. " +
		"Looking closer, something else follows.\n\n",
	"Step 1: Read the text carefully.\nStep 2: Consider %s and leave it.\nStep 3: Decide.\n\n" +
		"Example: a case like this is common in books.\n\n",
	"<think>\nMaybe the answer is %s. Wait, I should look again. Hmm, no.\n</think>\n\n",
	"<thought>\nMaybe the answer is %s. The answer is %s.\n</thought>\n\n", "<Think>The answer is %s.</Think>\n",
	"Okay, so maybe the answer is %s. No, that cannot be.\n</think>\n\n",
	"Let me think first.\n<think>The answer is %s, I believe.</think>\n",
	"Let me see.\n<|begin_of_thought|>\nThe answer is %s, I believe.\n<|end_of_thought|>\n\n",
	"Example question: What was it elsewhere?\nAnswer: %s\n\nNow our own question.\n\n",
	"Let us look at a similar problem first. There the answer is %s.\n\n",
	"For example, elsewhere the answer would be %s.\n\n",
	"<|channel>thought\nMaybe %s. The answer is %s.<channel|>",
	strings.Repeat(weighing+"\n\n", 12),
	strings.Repeat(weighing+" ", 20),                                        // 300 words
	strings.Repeat("1. "+weighing+"\n2. Take %s, which is not it.\n\n", 75), // 1,500 words
	"<think>\n" + strings.Repeat(weighing+" Maybe it is %s. Wait.\n\n", 75) + "</think>\n\n",
	// other languages
	"Gehen wir der Reihe nach vor. Zuerst dachte ich an %s, aber das passt nicht.\n\n",
	"Procédons par étapes. On pourrait penser à %s, mais cela ne convient pas.\n\n",
	"我们一步一步来想。一开始想到 %s，但是不合适。\n\n",
	"Рассмотрим всё по порядку. Сначала кажется, что %s, но это не подходит.\n\n",
}

// weighing is a sentence of ordinary reasoning, of 15 words.
const weighing = "The matter has several sides, and each has to be weighed before anything is said."

// TestForms: whatever stands before it, an answer in each of these forms is read as the answer alone.
func TestForms(t *testing.T) {
	read := 0
	for _, k := range kinds {
		rule := ruleOf(t, k.kind.Reader(), k.about)
		want, err := ReadTarget(k.kind.Reader(), k.says, k.about)
		if err != nil || !want.Parsed {
			t.Fatalf("%s %q: %v, %v", k.kind, k.says, want, err)
		}
		for _, form := range forms {
			if slices.Contains(unfit[k.kind], form) {
				continue
			}
			says := k.says
			if strings.Contains(form, "{\"final") { // others have LaTeX as it is, as models write it in JSON
				says = strings.ReplaceAll(says, `\`, `\\`)
			}
			for i, before := range reasonings {
				reply := strings.ReplaceAll(before, "%s", k.mention) + fmt.Sprintf(form, says)
				if got := rule(reply); got.Text != want.Text || !got.Parsed {
					t.Errorf("%s %q behind reasoning %d: %q, want %q:\n%s", k.kind, form, i, got.Text, want.Text, reply)
				}
				read++
			}
		}
	}
	if read < 8000 {
		t.Errorf("%d replies were read, want at least 8000", read)
	}
}

// TestTypes: words in bold type or in lines of their own are read as one whether HTML or Markdown says so, and a box
// under whatever name.
func TestTypes(t *testing.T) {
	for _, form := range [][2]string{{"<b>%s</b>", "**%s**"}, {"<strong>%s</strong>", "**%s**"},
		{"<mark>%s</mark>", "**%s**"}, {"It is <b>%s</b>.", "It is **%s**."}, {"<i>%s</i>", "%s"},
		{"<p>%s</p>", "\n%s\n"},
		{"<h2>%s</h2>", "\n%s\n"}, {"<span style=\"color:red\">%s</span>", "%s"}, {"So<br>%s", "So\n%s"},
		{"\\fbox{%s}", "\\boxed{%s}"}, {"$\\answer{%s}$", "$\\boxed{%s}$"}, {"boxed{%s}", "\\boxed{%s}"},
		{"It is \\underline{%s}.", "It is %s."}, {"⇒ %s", "→ %s"}, {"👉 %s", "→ %s"}} {
		for _, k := range kinds {
			rule := ruleOf(t, k.kind.Reader(), k.about)
			for _, before := range reasonings {
				before = strings.ReplaceAll(before, "%s", k.mention)
				got, want := rule(before+fmt.Sprintf(form[0], k.says)), rule(before+fmt.Sprintf(form[1], k.says))
				if got != want {
					t.Errorf("%s %q: %v, want %v as of %q", k.kind, form[0], got, want, form[1])
				}
			}
		}
	}
}

// TestExamples: the answer of an example is none of the question's, whether it is stated before that or behind it.
func TestExamples(t *testing.T) {
	question := answer.Question{Text: "Tom has 36 pencils and gives 8 away. How many pencils are left?"}
	rule := ruleOf(t, answer.KindNumber.Reader(), question)
	for _, example := range []string{
		"Example question: Ann has 15 pencils and gives 5 away. How many are left?\nAnswer: 10\n\nNow our question: ",
		"Example question: Ann has 15 apples and gives 5 away. How many are left? Answer: 10. Now ours: ",
		"Let us look at a similar problem first.\n\nQuestion: Ann has 15 pens and loses 5. How many?\nAnswer: 10\n\n" +
			"In the same way, ",
		"Example: with 10 pencils, giving 2 away leaves 8.\n\n",
		"For example, if he had 10 pencils, the answer would be 2. ",
		"As an example, if he had 10 pencils, the answer would be 2.\n\n",
		"If Tom had 10 pencils, the answer would be 2. ",
		"**Example:** Ann has 12 marbles and loses 2. The answer is 10.\n\n**Our problem:** ",
		"Similar question: If Ann has 12 pens and loses 2, how many are left? The answer is 10.\n\nOur question: ",
		"Consider a simpler problem: 10 pencils minus 3. The answer is 7. Back to Tom: ",
		"### Example\nAnn has 10 pencils and gives 3 away.\nAnswer: 7\n\n### Tom's pencils\n",
		"Example Problem:\nSue has 20 pencils.\nExample Solution:\n20 - 4 = 16. The answer is 16.\n\n" +
			"Solution to the given problem:\n",
		"Worked example: 15 - 5 = 10, so the answer is 10.\n\nApplying the same method here, ",
		"This is like the question \"Ann has 15 pens and gives 5 away\", where the answer is 10. ",
		"Q: Ann has 15 pencils and gives 5 away. How many are left?\nA: 10\n\nQ: " + question.Text + "\nA: ",
	} {
		for _, own := range []string{"36 - 8 = 28 pencils are left.", "Tom has 28 pencils left.",
			"With 36 pencils, 28 are left.", "with 36 pencils, giving 8 away leaves 28.",
			"Tom has 36 pencils and gives 8 away, which leaves him with 28 pencils.", "the answer is 28."} {
			if got := rule(example + own); got.Text != "28" {
				t.Errorf("%q, want 28:\n%s", got.Text, example+own)
			}
		}
	}
	for _, reply := range []string{"36 - 8 = 28 pencils are left.\n\nExample: with 10 pencils, the answer would be 2.",
		"28\n\nFor example, if he had 10 pencils, the answer would be 2."} {
		if got := rule(reply); got.Text != "28" {
			t.Errorf("%q, want 28:\n%s", got.Text, reply)
		}
	}
}

// unfit are forms that a kind of answer does not come in.
var unfit = map[answer.Kind][]string{
	answer.KindWords: {"**Final Answer**\n\n\\boxed{%s}", "#### %s"},
}
