package protocol

import (
	"strings"
	"testing"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// TestEndLoops: the setting decides whether a reply that repeats itself ends, and without it who asks does.
func TestEndLoops(t *testing.T) {
	said := strings.Repeat("I do not know. ", 40)
	yes, no := true, false
	for _, c := range []struct {
		setting *bool
		asked   bool
		want    inference.StopReason
	}{{nil, false, inference.StopEnd}, {nil, true, inference.StopLooped}, {&yes, false, inference.StopLooped},
		{&no, true, inference.StopEnd}} {
		d, err := Compose(debate.Settings{Form: "society"}.With("agents", 1).With("rounds", 1).With("prompts", "tiny").
			With("end-loops", c.setting),
			debate.Asking{EndLoops: c.asked})
		if err != nil {
			t.Fatal(err)
		}
		script := inference.NewScript(func(inference.Request) string { return said })
		transcript, err := d.Run(t.Context(), script.Join(0), aCase("society"))
		if err != nil {
			t.Fatal(err)
		}
		if reply := transcript.Rounds[0][0].Reply; reply.Stop != c.want ||
			(reply.LoopFrom > 0) != (c.want == inference.StopLooped) {
			t.Errorf("%+v: a reply stops with %s, and only a looped one says from where: got %s, from %d", c, c.want,
				reply.Stop, reply.LoopFrom)
		}
	}
}
