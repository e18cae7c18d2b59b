package transcript

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// TestInventsProblem: what goes on behind the answer, and no heading that a reply may begin with.
func TestInventsProblem(t *testing.T) {
	for text, want := range map[string]bool{
		"The answer is 4.\n\n### Instruction:\nA snail":          true,
		"4\nQuestion 2: How":                                     true,
		"4\n**Question:** How":                                   true,
		"Question: What is 2 + 2?\nIt is 4.":                     false,
		"Question: 2 + 2?\n4\nQuestion: 3 + 3?":                  true,
		"The question: is it 4? No problem: it is.":              false,
		"### Response:\nLet's think.\n### Answer\n4":             false,
		"Answer: 4\n" + strings.Repeat("#### Tasked\n", 100_000): false,
	} {
		t.Run(text, func(t *testing.T) {
			if got := inventsProblem(text); got != want {
				t.Errorf("%.60q: %v, want %v", text, got, want)
			}
		})
	}
}

func TestBrief(t *testing.T) {
	for _, text := range []string{"(A)", strings.Repeat("word ", 40), strings.Repeat("字", 100), "a\n\nb"} {
		t.Run(fmt.Sprintf("%.60s", text), func(t *testing.T) {
			got := Brief(text)
			if ansi.StringWidth(got) > mostAnswer || strings.Contains(got, "\n") || len(text) < 20 && got != fmt.Sprint(
				strings.Join(strings.Fields(text), " ")) {
				t.Errorf("%q in brief is %q of %d columns, want one line of at most %d, and short texts whole", text,
					got, ansi.StringWidth(got), mostAnswer)
			}
		})
	}
}

// TestReasoningIsTold: whoever reads a debate is told that a reply reasoned, also where nobody counted its tokens.
func TestReasoningIsTold(t *testing.T) {
	reply := inference.Reply{Text: "B.", Raw: "<think>Maybe.</think>B.", Reasoning: "Maybe."}
	for tokens, want := range map[int][2]string{
		0: {"B.\n[after reasoning: --reasoning show]", "[reasoning]\nMaybe.\n[answer]\nB."},
		7: {"B.\n[after 7 tokens of reasoning: --reasoning show]", "[reasoning, 7 tokens]\nMaybe.\n[answer]\nB."},
	} {
		reply.ReasoningTokens = tokens
		got := [2]string{Reply(reply, debate.HideReasoning), Reply(reply, debate.ShowReasoning)}
		if got != want {
			t.Errorf("%d tokens: %q, want %q", tokens, got, want)
		}
	}
}
