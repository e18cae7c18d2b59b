package society

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/debatetest"
	"github.com/parley-debate/parley/debate/prompts"
)

const fiveSteps = "Let's see. Step 1: a. Step 2: b.\nStep 3: c. Step 4: d. Step 5: The answer is: (A)."

// TestVisibility: each visibility shows its part of a reply.
func TestVisibility(t *testing.T) {
	for text, want := range map[string]string{
		"whole": fiveSteps, "later:20": "Step 2: b.\nStep 3: c. Step 4: d. Step 5: The answer is: (A).",
		"later:80": "Step 5: The answer is: (A).",
		"later:99": "Step 5: The answer is: (A).", "earlier": "Let's see. Step 1: a. Step 2: b.\nStep 3: c. Step 4: d.",
		"supported": fiveSteps,
	} {
		t.Run(text, func(t *testing.T) {
			s, err := parseVisibility(text)
			if err != nil || s.String() != text {
				t.Fatalf("visibility %s is read and written alike: got %v, %v", text, s, err)
			}
			if got := s.of(fiveSteps, answer.Unparsed); got != want {
				t.Errorf("%s: %q, want %v", text, got, want)
			}
			if got := s.of("no steps", answer.Unparsed); got != "no steps" {
				t.Errorf(`%s: %q, want "no steps"`, text, got)
			}
		})
	}
	for _, text := range []string{"half", "later", "later:0", "later:100", "earlier:2"} {
		t.Run(text, func(t *testing.T) {
			if _, err := parseVisibility(text); err == nil {
				t.Errorf("the visibility %q was read, want an error", text)
			}
		})
	}
}

// TestSupportedOnly drops texts whose answer only one of the others gives, unparsed ones among them. Agent 1, whom
// nobody supports, is then asked to double check in the paper's reading, and is shown nothing in the code's.
func TestSupportedOnly(t *testing.T) {
	for reading, want := range map[string]string{debate.ReadingPaper: debatetest.Load(t, "tiny").Alone,
		debate.ReadingCode: debatetest.Load(t, "tiny").Hear(prompts.Heard{Round: 1})} {
		s := Society{Agents: 5, Rounds: 2, Exchange: Exchange{Order: Order{Reading: reading},
			Visibility: Visibility{Name: ShowSupported}}, Prompts: debatetest.Load(t, "tiny")}
		a := &debatetest.Actors{Lines: map[[2]int]string{{0, 0}: "(A)", {1, 0}: "(B)", {2, 0}: "(C)", {3, 0}: "(B)",
			{4, 0}: "hm"}}
		transcript, err := s.Run(t.Context(), a, debatetest.Puzzle)
		if err != nil {
			t.Fatal(err)
		}
		if got := transcript.Rounds[1][0].Heard; !cmp.Equal(got, []int{1, 3}) ||
			transcript.Visibility != ShowSupported {
			t.Errorf("agent 0 hears %v, %s; want %v and %v", got, transcript.Visibility, []int{1, 3}, ShowSupported)
		}
		if got := a.Requests[1][1].Messages[2].Content; got != want {
			t.Errorf("%s: agent 1 is sent %q, want %q", reading, got, want)
		}
	}
}
