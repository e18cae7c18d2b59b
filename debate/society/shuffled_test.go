package society

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/debatetest"
	"github.com/parley-debate/parley/inference"
)

// TestShuffledHearsItsOwnAnswers: whatever agents say to either question, the answers that are heard are those of the
// debate.
func TestShuffledHearsItsOwnAnswers(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		sentences := rapid.SliceOfN(rapid.SampledFrom([]string{
			"Dogs bark. ", "It is (A). ", "So (B)!\n", "Not (C), but why?\n", "Hence the answer is (B)", "(A) or (B). ",
			"The 3rd is (7). ", "\n",
		}), 0, 5).Draw(t, "sentences")
		return strings.Join(sentences, "")
	})
	rapid.Check(t, func(t *rapid.T) {
		own, donor := debate.Turn{Reply: inference.Reply{Text: text.Draw(t, "own")}},
			debate.Turn{Reply: inference.Reply{Text: text.Draw(t, "donor")}}
		own.Answer, donor.Answer = answer.Choice(own.Reply.Text), answer.Choice(donor.Reply.Text)
		about := debate.Case{Donor: &debate.Case{Extract: answer.Choice}, Extract: answer.Choice}
		s := Society{Rounds: 2, Exchange: Exchange{Visibility: Visibility{Name: ShowShuffled}},
			borrowed: []debate.Turn{donor}}
		shown := s.showHeard(1, []int{0}, []debate.Turn{own}, about)[0]
		if got := answer.Choice(shown); got != own.Answer {
			t.Fatalf("%q is heard with the answer %v, want its own, %v", shown, got, own.Answer)
		}
		for _, one := range sentence.FindAllString(donor.Reply.Text, -1) {
			if one = strings.TrimSpace(one); !strings.Contains(one, "(") && !strings.Contains(shown, one) {
				t.Fatalf("what is heard lacks %q, want each sentence of the donor without an answer: %q", one, shown)
			}
		}
	})
}

// TestShuffledIsSharedWithTheDonor: the donor's question is asked as in a debate on it, and round 0 is that of any
// debate.
func TestShuffledIsSharedWithTheDonor(t *testing.T) {
	donor := debate.Case{ID: "q2", Question: "Another?", Extract: answer.Choice}
	held := func(c debate.Case, show string, donor *debate.Case) (requests []inference.Request) {
		speaker := &debatetest.Meter{Tokens: []int{1}}
		c.Donor = donor
		s := Society{Asking: debate.Asking{Seeds: debate.Seeds{Run: 3},
			Team: []debate.Agent{{Persona: "You are Ann."}}}, Agents: 3,
			Rounds: 2, Prompts: debatetest.Load(t, "tiny"), Exchange: Exchange{Visibility: Visibility{Name: show}}}
		if _, err := s.Run(t.Context(), speaker, c); err != nil {
			t.Fatal(err)
		}
		return speaker.Requests
	}
	shuffled := held(debatetest.Puzzle, ShowShuffled, &donor)
	if diff := cmp.Diff(held(donor, ShowWhole, nil)[:3], shuffled[:3]); diff != "" || len(shuffled) != 9 {
		t.Fatalf("9 requests, the first of which ask as a debate on the donor's question: got %d (-want +got):\n%s",
			len(shuffled), diff)
	}
	if diff := cmp.Diff(held(debatetest.Puzzle, ShowWhole, nil)[:3], shuffled[3:6]); diff != "" {
		t.Errorf("round 0 is that of any debate (-want +got):\n%s", diff)
	}
	if i := slices.IndexFunc(shuffled[6:], func(r inference.Request) bool {
		return r.Sampling.Seed != (debate.Seeds{Run: 3}).Of("q1", r.Agent, 1, 0)
	}); i >= 0 {
		t.Errorf("round 1 has the seeds of the question that is debated: got %+v", shuffled[6+i])
	}
}
