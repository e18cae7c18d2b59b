package task_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/debate"
)

// TestScored has the prompts that lm-evaluation-harness 0.4.13 makes of the same rows in its tasks mmlu_law and
// arc_easy.
func TestScored(t *testing.T) {
	letters := []string{"(A)", "(B)", "(C)", "(D)"}
	for name, c := range map[string]struct {
		rows string
		want debate.Choices
	}{
		"mmlu": {`{"question": " Which? ", "subject": "high_school_law", "choices": ["a", "b", "c", "d"], "answer": 1}`,
			debate.Choices{Prompt: "The following are multiple choice questions (with answers) about high school " +
				"law.\n\n" +
				"Which?\nA. a\nB. b\nC. c\nD. d\nAnswer:", Texts: []string{"A", "B", "C", "D"}, Answers: letters}},
		"own": {`{"question": "Which?", "choices": ["red", "blue"], "answer": "B"}`,
			debate.Choices{Prompt: "Question: Which?\nAnswer:", Texts: []string{"red", "blue"}, Answers: letters[:2]}},
		"gsm8k": {`{"question": "How many?", "answer": "So many.\\n#### 4"}`, debate.Choices{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := task.Mapping{Family: name}.Rows("t", []byte("["+c.rows+"]"))
			if err != nil {
				t.Fatal(name, err)
			}
			if diff := cmp.Diff(c.want, got.Choices(got.Questions[0])); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		})
	}
}
