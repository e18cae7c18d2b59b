package prompts

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/internal/datatest"
)

// TestDiscussion loads the set and fills its messages; placeholders inside a value stay text.
func TestDiscussion(t *testing.T) {
	d, err := LoadDiscussion("discussion")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"critical", "free", "reasoning", "simple", "split"}, d.StyleNames()); diff != "" {
		t.Errorf("the set has these styles (-want +got):\n%s", diff)
	}
	if got := d.SystemFor("simple", "Q{role}?", "Poet", "(A)", true); !strings.Contains(got,
		"Question: Q{role}?\nYour role: Poet\nThe solution so far: (A)\n") {
		t.Errorf("%q, want a text with %q", got, "Question: Q{role}?\nYour role: Poet\nThe solution so far: (A)\n")
	}
	got := d.BallotOn("Q?", "", "", []Candidate{{Solution: "(A)"}, {Solution: "(B)", Speaker: "Poet", Confidence: "7"}},
		"cumulative", 25)
	for _, want := range []string{"Question: Q?\n\nSolution 0: (A)\nSolution 1, by Poet: (B) (confidence: 7 %)",
		"You have 25 points", `{"0": 25}`} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(got, want) {
				t.Errorf("%q lacks %q", got, want)
			}
		})
	}
	end := "Question: Q?\nParticipants so far:\nnobody yet\nOne more:"
	if _, user := d.ExpertFor("Q?", nil, nil); !strings.HasSuffix(user, end) {
		t.Errorf("the first expert is asked for with %q, want %q at its end", user, end)
	}
}

// TestDiscussionRefused: a set that would send something incomplete is refused.
func TestDiscussionRefused(t *testing.T) {
	text, err := discussionFiles.ReadFile("discussion/discussion.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for old, replaced := range map[string]string{
		"Contribution: {message}":           "Contribution:",
		"name: discussion":                  "name: ''",
		"line: ":                            "lines: ",
		"propose: *propose":                 "propose: ''",
		"by {speaker}: {solution}":          "{solution}",
		"Write JSON and nothing else, with": "x", // harmless
	} {
		t.Run(old, func(t *testing.T) {
			path := datatest.File(t, "set.yaml", strings.Replace(string(text), old, replaced, 1))
			if _, err := LoadDiscussion(path); (err == nil) != (replaced == "x") {
				t.Errorf("a set with %q for %q got the error %v, want one unless it is \"x\"", replaced, old, err)
			}
		})
	}
	if _, err := LoadDiscussion("poem"); err == nil {
		t.Error("a set that is not there was loaded")
	}
}
