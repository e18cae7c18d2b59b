package task

import (
	"fmt"
	"testing"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/internal/datatest"
)

// asked are questions with these right answers.
func asked(truths ...string) (questions []Question) {
	for i, truth := range truths {
		questions = append(questions, Question{ID: fmt.Sprint(i), Target: truth, Truth: answer.Of(truth)})
	}
	return questions
}

// TestChance is worked by hand for each measure.
func TestChance(t *testing.T) {
	options := asked("red", "blue", "red")
	for i := range options {
		options[i].Options = [][]string{{"red", "blue"}, {"green", "blue"}, {"blue", "red"}}[i]
	}
	lettered := asked("red", "blue", "green") // no text is right twice: (B) is, always
	for i := range lettered {
		lettered[i].Options = [][]string{{"blue", "red"}, {"green", "blue"}, {"red", "green"}}[i]
	}
	accepted := asked("a", "b", "c")
	for i := range accepted {
		accepted[i].Accepted = [][]string{{"a", "x"}, {"b", "x", "x"}, {"c"}}[i]
	}
	translated := asked("The cat is in the old garden.", "He sold his house by the sea.",
		"The meeting was moved to Monday.")
	for i, rejected := range []string{"The cat is in the young garden.", "They go by car.", "The meeting was on " +
		"Monday."} {
		translated[i].Rejected = rejected
	}
	for _, c := range []struct {
		name      string
		measure   string
		questions []Question
		want      float64
	}{
		{"none", "equal", nil, 0},
		{"the most frequent target", "equal", asked("7", "8", "7", "9"), 0.5},
		{"all different", "", asked("1", "2", "3", "4"), 0.25},
		{"the most frequent option: red twice, (B) twice", "equal", options, 2.0 / 3},
		{"the most frequent letter", "equal", lettered, 1},
		{"accepted by two, once each", "any", accepted, 2.0 / 3},
		{"spans", "squad", accepted, 2.0 / 3},
		{"the first sentence is nearer to two references than to what is beside them", "lexical", translated, 2.0 / 3},
		{"but it is like its own alone", "lexical-2", translated, 1.0 / 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := (Task{Measure: c.measure, Questions: c.questions}).Chance(); got != c.want {
				t.Errorf("%s: %g, want %g", c.name, got, c.want)
			}
		})
	}
}

// TestChanceOfAPart: a part of a file keeps the chance of the file, since six questions of six answers are no sign that
// a constant is right in a sixth.
func TestChanceOfAPart(t *testing.T) {
	file := Task{Name: "t", Questions: asked("1", "2", "3", "3", "4", "5", "6", "7", "8", "9")}
	file.Guess = file.Chance()
	picked, err := file.Pick([]int{3, 4})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []Task{file.Subset(2, 1), file.Only(file.Questions[:1]), picked} {
		t.Run(part.Source, func(t *testing.T) {
			if part.Guess != 0.2 {
				t.Errorf("%s: %g of %d questions, want 0.2", part.Source, part.Guess, len(part.Questions))
			}
		})
	}
}

// TestChanceOfTranslations: by the published measure one constant sentence is right more often than any system of
// Liang et al. (TestLexicalOrder has at most 114 of 200); by ours it is hardly ever.
func TestChanceOfTranslations(t *testing.T) {
	published, err := Load(datatest.Public(t, "common-mt/lexical.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	ours, err := published.ReadBy(answer.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if published.Measure != "lexical" || published.Guess != 122.0/200 {
		t.Errorf("the public file of translations is marked by lexical, with a best guess of 122 of 200: got %s, %g",
			published.Measure, published.Guess)
	}
	if ours.Measure != "lexical-2" || ours.Guess != 9.0/200 {
		t.Errorf("our sentences are marked by lexical-2, with a best guess of 9 of 200: got %s, %g", ours.Measure,
			ours.Guess)
	}
	q := ours.Questions[0]
	for text, want := range map[string]Score{q.Truth.Text: Right, q.Rejected: Wrong, "I do not know.": Wrong} {
		t.Run(text, func(t *testing.T) {
			if got := ours.Score(q, answer.Of(text)); got != want {
				t.Errorf("%q is %s, want %v", text, got, want)
			}
		})
	}
}
