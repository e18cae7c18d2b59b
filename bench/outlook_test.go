package bench

import (
	"testing"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/inference"
)

// TestShortReplies: with short replies a debate between two sides ends after its first round, whatever its prompts call
// the fields of a verdict and whichever verdict ends it.
func TestShortReplies(t *testing.T) {
	for _, prompts := range []string{"topic", "translation"} {
		for _, reading := range []string{debate.ReadingCode, debate.ReadingPaper} {
			p := protocol.Protocol{Settings: debate.Settings{Form: "tit-for-tat", Prompts: prompts, Reading: reading}}
			d, err := p.Compose(debate.Asking{})
			if err != nil {
				t.Fatal(err)
			}
			reply := shortReplies(d, func(int) string { return "" })
			transcript, err := d.Run(t.Context(), inference.NewScript(reply).Join(0),
				debate.Case{ID: "q", Question: "Q?", Extract: answer.Raw})
			if err != nil || transcript.RoundsHeld() != 1 || transcript.Decision.Rule != "the answer of the moderator" {
				t.Errorf("%s, %s: %d rounds, %q, %v", prompts, reading, transcript.RoundsHeld(),
					transcript.Decision.Rule, err)
			}
		}
	}
	d, err := protocol.Protocol{Settings: debate.Settings{Form: "society"}}.Compose(debate.Asking{})
	if err != nil {
		t.Fatal(err)
	}
	if got := shortReplies(d, func(int) string { return "(A)" })(inference.Request{Agent: 2}); got != "(A)" {
		t.Errorf("an agent of a society says %q", got)
	}
}
