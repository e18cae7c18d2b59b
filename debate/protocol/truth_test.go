package protocol

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
)

// pieces are what replies are made of that have answers by some rule.
var pieces = []string{
	"(A)", "(b)", "B", `\boxed{`, "}", `\frac{1}{2}`, "12", "-7", "1,234", "3/4", "75%", " 6 or 12",
	" ", ".", ":", "\n", "oil", "unknown", "the Normans",
}

// TestTruthReadsAnswers: whatever a rule gives as an answer can be written down as the right one, and is then that
// answer.
func TestTruthReadsAnswers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule := rapid.SampledFrom(answer.Names()).Draw(t, "rule")
		extract, err := reader.Rule(rule)
		if err != nil {
			t.Fatal(err)
		}
		reply := rapid.SampledFrom([]string{"", "The answer is ", "Final Solution: "}).Draw(t, "mark") +
			strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 8).Draw(t, "reply"), "")
		given := extract(reply)
		// in a span it is read as a mark again
		blank, marked := strings.TrimSpace(given.Text) == "", strings.Contains(given.Text, "answer is")
		if !given.Parsed || blank || marked {
			return
		}
		if truth, err := (Protocol{}).Truth("Which?", given.Text, rule); err != nil || !truth.Same(given) {
			t.Fatalf("%s reads %q from %q, and %q as a truth is %q, %v", rule, given.Text, reply, given.Text,
				truth.Text, err)
		}
	})
}

// TestTruthForms: a bare letter is the option of that letter, and what can be no answer is refused with what one looks
// like.
func TestTruthForms(t *testing.T) {
	for _, c := range []struct{ rule, text, want string }{
		{"choice", "A", "(A)"}, {"choice", "(A)", "(A)"}, {"choice", "12", "12"}, {"letter", "c", "(C)"},
		{"mmlu-pro", "B", "(B)"}, {"gpqa", "D", "(D)"},
		{"solution-letter", "a", "(A)"}, {"math", "1/2", `\frac{1}{2}`}, {"number", "$1,050.00", "1050"},
		{"quantity", "75%", "3/4"},
		{"choice", "oil", ""}, {"gpqa", "E", ""}, {"mmlu-pro", "Z", ""}, {"number", "many", ""}, {"raw", "", ""},
	} {
		t.Run(fmt.Sprintf("%.60s %.60s", c.rule, c.text), func(t *testing.T) {
			got, err := (Protocol{}).Truth("Which?", c.text, c.rule)
			switch {
			case c.want == "" && (err == nil || !strings.Contains(err.Error(), answer.Example(c.rule))):
				t.Errorf("%s cannot give the answer %q, and says what its answers look like: got %v, %v", c.rule,
					c.text, got, err)
			case c.want != "" && (err != nil || got != answer.Of(c.want)):
				t.Errorf("%s, %q: got %v, %v, want %s", c.rule, c.text, got, err, c.want)
			}
		})
	}
	for _, name := range answer.Names() {
		if got, err := (Protocol{}).Truth("Which?", answer.Example(name), name); err != nil ||
			got.Text != answer.Example(name) {
			t.Errorf("the example %q of rule %s is read as %v (%v), want it as it is", answer.Example(name), name, got,
				err)
		}
	}
	puzzle := Protocol{Settings: debate.Settings{Form: "knights"}}
	const players = "Player name: Ann\nPlayer name: Bob\nPlayer name: Cid\n"
	if got, err := puzzle.Truth(players, "Ann is a knight.\nBob is a spy.\nCid is a knave.", "raw"); err != nil ||
		got.Text != "Ann: knight, Bob: spy, Cid: knave" {
		t.Errorf("the truth of a puzzle is %v (%v), want \"Ann: knight, Bob: spy, Cid: knave\"", got, err)
	}
	if _, err := puzzle.Truth(players, "A", "raw"); err == nil ||
		!strings.Contains(err.Error(), "Ann: knight, Bob: knight, Cid: knight") {
		t.Errorf(`%v, want an error with "Ann: knight, Bob: knight, Cid: knight"`, err)
	}
}
