package task_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/likelihood"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestScored has the prompts that lm-evaluation-harness 0.4.13 makes of the same rows in its tasks mmlu_law, arc_easy
// and leaderboard_bbh, whose examples and instruction are left out.
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
		"bbh": {`{"input": "It draws a\nOptions:\n(A) circle\n(B) kite", "target": "(B)"}`,
			debate.Choices{Prompt: "Q: It draws a\nOptions:\n(A) circle\n(B) kite\nA:", Texts: letters[:2],
				Answers: letters[:2]}},
		"gsm8k": {`{"question": "How many?", "answer": "So many.\\n#### 4"}`, debate.Choices{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := task.Mapping{Family: name}.Rows("t", []byte("["+c.rows+"]"))
			if err != nil {
				t.Fatalf("a row of %s is read: got %v, want no error", name, err)
			}
			if diff := cmp.Diff(c.want, got.Choices(got.Questions[0])); diff != "" {
				t.Errorf("%s: the choices that are scored (-want +got):\n%s", name, diff)
			}
		})
	}
}

// TestScoredFiles: every question of the public files that lists options has them scored, the right one among them.
func TestScoredFiles(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(datatest.Public(t, "bbh"), "*.json"))
	if err != nil || len(files) < 4 {
		t.Fatalf("there are 4 public files of BBH or more: got %v, %v", files, err)
	}
	for _, file := range files {
		read, err := task.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range read.Questions {
			c := read.Choices(q)
			if n := strings.Count(q.Text[strings.Index(q.Text, "Options:"):], "\n("); len(c.Texts) != n ||
				!slices.Contains(c.Answers, q.Truth.Text) || (likelihood.Likelihood{}).CheckChoices(c) != nil {
				t.Errorf("%s: all %d options are scored, the right one among them: got %v", q.ID, n, c.Answers)
			}
		}
	}
}
