package task

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGenerateChess: questions differ and do not depend on how many there are, and a file in BIG-bench's form that says
// the same is read as the same questions.
func TestGenerateChess(t *testing.T) {
	few, err := GenerateChess(20, 3)
	if err != nil {
		t.Fatal(err)
	}
	many, err := GenerateChess(300, 3)
	if err != nil {
		t.Fatal(err)
	}
	type example struct {
		Input  string   `json:"input"`
		Target []string `json:"target"`
	}
	var examples []example
	seen := map[string]bool{}
	for i, q := range many.Questions {
		if i < len(few.Questions) && (few.Questions[i].ID != q.ID || few.Questions[i].Text != q.Text) {
			t.Errorf("the first games do not depend on how many are asked for: got %q as %d of few, %q of many",
				few.Questions[i].Text, i, q.Text)
		}
		_, game, _ := strings.Cut(q.Text, "made: ")
		game, rest, _ := strings.Cut(game, ".")
		words := strings.Fields(rest)
		examples = append(examples, example{game + " " + words[slices.Index(words, "on")+1], q.Accepted})
		seen[q.Text] = true
	}
	if len(seen) != 300 || few.Hash != many.Hash || many.Guess < 0.05 || many.Guess > 0.3 {
		t.Errorf("300 questions are all different, of one hash, with a guess of 0.05 to 0.3: got %d, guess %.3f",
			len(seen), many.Guess)
	}
	content, err := json.Marshal(map[string]any{"examples": examples})
	if err != nil {
		t.Fatal(err)
	}
	file, err := parse("t", content, Mapping{})
	if err != nil || file.Family.Name != "chess" || len(file.Problems) > 0 {
		t.Fatalf("generated chess is recognised without problems: got %s, %v, %v", file.Family.Name, err,
			file.Problems)
	}
	for i, q := range file.Task.Questions {
		ours := many.Questions[i]
		if diff := cmp.Diff([]any{ours.Text, ours.Target, ours.Accepted, ours.Truth},
			[]any{q.Text, q.Target, q.Accepted, q.Truth}); diff != "" {
			t.Errorf("a question is read from a file as it was made (-want +got):\n%s", diff)
		}
	}
	if file.Task.Rule != many.Rule || file.Task.Measure != many.Measure {
		t.Errorf("what is read has the rule and measure of what was made, %s and %s: got %s and %s",
			many.Rule, many.Measure, file.Task.Rule, file.Task.Measure)
	}
	for _, count := range []int{0, -1, 1 << 30} {
		t.Run(fmt.Sprint(count), func(t *testing.T) {
			if _, err := GenerateChess(count, 1); err == nil {
				t.Errorf("%d questions were made, want an error", count)
			}
		})
	}
}
