package roles

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/inference"
)

// TestAlone is worked by hand: an agent that debates with nobody has all roles right once, one of three in another
// puzzle, and cannot be read in a third. There is nothing to regress on.
func TestAlone(t *testing.T) {
	p, err := protocol.LoadProtocol("knights-paper")
	if err != nil {
		t.Fatal(err)
	}
	p.Settings = p.With("agents", 1).With("until", "proposals")
	d, err := p.Compose(debate.Asking{})
	if err != nil {
		t.Fatal(err)
	}
	truth := answer.Of("Ann: knight, Bob: knave, Cid: spy")
	var outcomes []trial.Outcome
	for i, says := range []string{fmt.Sprintf(`{"players": {%s}, "explanation": "", "confidence": 9}`, right),
		fmt.Sprintf(`{"players": {%s}, "explanation": "", "confidence": 4}`, wrong), "I do not know."} {
		asked := 0
		transcript, err := d.Run(t.Context(), inference.NewScript(func(inference.Request) string {
			asked++
			return says
		}).Join(0), debate.Case{ID: "q", Question: game, Extract: answer.Raw, Truth: truth})
		if err != nil || asked != 1 || len(transcript.Phases) != 1 || transcript.Validate() != nil {
			t.Fatalf("an agent alone is asked once, in one valid phase: got %d requests, %q, %v",
				asked, transcript.Phases, err)
		}
		outcomes = append(outcomes, trial.Outcome{Question: fmt.Sprint(i), Truth: truth, Transcript: transcript})
	}
	got := Of(played(outcomes...))
	if len(got.Agents) != 1 || got.N != 3 || got.Final.Strict != 1.0/3 || len(got.Rounds) != 0 {
		t.Fatalf("agents alone have results and no rounds: want 3 games, 1/3 strictly right, got %+v", got)
	}
	want := &Alone{N: 3, Strict: 1.0 / 3, Smooth: (1 + 1.0/3) / 3, Sure: 2, Confidence: 6.5}
	if diff := cmp.Diff(want, got.Agents[0].Alone, cmpopts.IgnoreUnexported(Alone{}),
		cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("the shares are those that were worked by hand (-want +got):\n%s", diff)
	}
	if cases := Cases(columns(outcomes...), inference.ModelInfo{}); cases != nil {
		t.Errorf("agents alone are no cases of debates: got %+v, want none", cases)
	}
	outcomes[0].Transcript.Failed = "the engine stopped"
	if got := Of(played(outcomes...)); got.N != 2 {
		t.Errorf("a debate that failed is one of %d, want 2", got.N)
	}
	p.Settings = p.With("judge", "soundness")
	if _, err := p.Compose(debate.Asking{}); err == nil {
		t.Error("a judge was taken where nothing is debated, want an error")
	}
}
