package debate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/inference"
)

// TestAnswersQuestion: of all kinds of calls, five ask for an answer to the question.
func TestAnswersQuestion(t *testing.T) {
	for kind, want := range map[Kind]bool{
		KindReply: true, KindMessage: true, KindSolution: true, KindFinal: true, KindChallenge: true,
		KindPersona: false, KindStance: false, KindConfidence: false, KindBallot: false, KindJudgement: false,
		KindGiven: false, KindSummary: false, KindSelection: false, KindDonor: false, KindSoundness: false,
		KindReasons: false, KindFact: false, KindConfederate: false, KindClosing: false, KindScored: false,
	} {
		if got := kind.AnswersQuestion(); got != want {
			t.Errorf("kind %q asks for an answer to the question: got %t, want %t", kind, got, want)
		}
	}
}

// TestBrokenOff: a round that was broken off is kept if something was said in it; who was not asked has an error then.
func TestBrokenOff(t *testing.T) {
	unasked, said := Turn{}, Turn{Agent: 1, Reply: inference.Reply{Text: "(A)"}}
	errors := func(turns ...Turn) (rounds [][]string) {
		for _, round := range (Transcript{}).BrokenOff(turns).Rounds {
			var errors []string
			for _, turn := range round {
				errors = append(errors, turn.Error)
			}
			rounds = append(rounds, errors)
		}
		return rounds
	}
	if diff := cmp.Diff([][]string{{"the debate was broken off", ""}}, errors(unasked, said)); diff != "" {
		t.Errorf("the round is kept, and the first agent has an error (-want +got):\n%s", diff)
	}
	if got := errors(unasked, unasked); got != nil {
		t.Errorf("a round in which nothing was said is left out: got %q", got)
	}
}
