package debate

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRuleSentence: the sentence of a rule in a record is read back as the rule that wrote it; sentences that no rule
// writes stay as they are, byte for byte.
func TestRuleSentence(t *testing.T) {
	for text, want := range map[string]Rule{
		"": {},
		"majority, ties to the answer first in agent order": {Means: MeansRule, Name: "majority", Ties: TiesFirst},
		"last, ties drawn; withheld below a share of 0.5": {
			Means: MeansRule, Name: "last", Ties: TiesRandom, Withheld: 0.5},
		"simple vote": {Means: MeansElection, Name: "simple"},
		"ranked vote, open, so the first agent's": {Means: MeansElection, Name: "ranked", Outcome: OutcomeFirst},
		"simple vote at turn 3, message 9: decided": {
			Means: MeansElection, Name: "simple", Turn: 3, Message: 9, Outcome: OutcomeDecided},
		"hybrid consensus at turn 1, message 5: agreed": {
			Means: MeansConsensus, Name: "hybrid", Turn: 1, Message: 5, Outcome: OutcomeAgreed},
		"counting at turn 2, message 6: open after the last turn, so no answer": {
			Means: MeansCount, Turn: 2, Message: 6, Outcome: OutcomeNone},
		"judge at turn 2, message 6: the first panelist's answer out of all": {
			Means: MeansJudge, Turn: 2, Message: 6, Outcome: OutcomePanelist},
		"judge":                     {Name: "judge"},
		"the answer of the judge":   {Name: "the answer of the judge"},
		"majority per player; x; y": {Name: "majority per player; x; y"},
		"as logged: simple at turn 03, message 1: decided": {
			Means: MeansLogged, Name: "simple at turn 03, message 1: decided"},
		"majority, ties open; withheld below a share of 0.50": {
			Name: "majority, ties open; withheld below a share of 0.50"},
	} {
		t.Run(text, func(t *testing.T) {
			record, err := json.Marshal(text)
			if err != nil {
				t.Fatal(err)
			}
			var got Rule
			if err := json.Unmarshal(record, &got); err != nil || got != want {
				t.Errorf("%q is read into its parts: %v (-want +got):\n%s", text, err, cmp.Diff(want, got))
			}
			if again, err := json.Marshal(got); err != nil || string(again) != string(record) {
				t.Errorf("a rule is written as it was read: got %s, want %s (%v)", again, record, err)
			}
		})
	}
}

// FuzzRule: whatever a record says of a rule is written back as it was.
func FuzzRule(f *testing.F) {
	f.Add("majority, ties open; withheld below a share of 1e-07")
	f.Add("simple vote at turn 1, message 2: decided at turn 3, message 4: agreed")
	f.Fuzz(func(t *testing.T, text string) {
		var r Rule
		if err := r.UnmarshalText([]byte(text)); err != nil || r.String() != text {
			t.Errorf("got %q of %+v, want %q (%v)", r, r, text, err)
		}
	})
}
