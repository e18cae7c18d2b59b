package rundir

import (
	"testing"

	"github.com/parley-debate/parley/inference"
)

// TestSameReply: a turn may have chosen another of the texts that were scored than the most probable one, and nothing
// else than its generation has.
func TestSameReply(t *testing.T) {
	scored := inference.Reply{Text: " a", LogProb: -2, LogProbs: []float64{-2, -3}}
	written := inference.Reply{Text: "a", LogProb: -2}
	for _, c := range []struct {
		generated, told inference.Reply
		want            bool
	}{
		{scored, scored, true},
		{scored, inference.Reply{Text: " a longer one", LogProb: -3}, true},
		{scored, inference.Reply{Text: " a longer one", LogProb: -2}, false},
		{scored, inference.Reply{Text: " a longer one", LogProb: -4}, false},
		{written, written, true},
		{written, inference.Reply{Text: "a", LogProb: -3}, false},
		{written, inference.Reply{Text: "b", LogProb: -2}, false},
	} {
		if got := sameReply(c.generated, c.told); got != c.want {
			t.Errorf("%+v and %+v: %v, want %v", c.generated, c.told, got, c.want)
		}
	}
}
