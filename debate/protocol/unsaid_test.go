package protocol

import (
	"context"
	"strings"
	"testing"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// invisible is a reply that nobody can see, and which a test can.
const invisible = "\u200b\n"

// TestNobodyIsSentNothing: a reply without a visible character, as of a model that ends within its reasoning, reaches
// no other agent, in any protocol, whoever gives it: one of the agents or all of them.
func TestNobodyIsSentNothing(t *testing.T) {
	blank, heard := 0, 0
	for _, p := range Protocols() {
		for dumb := -1; dumb < 6; dumb++ {
			company := company{form: p.Form, script: 1, asked: make(map[int]uint64)}
			script := inference.NewScript(func(r inference.Request) string {
				for _, m := range r.Messages {
					if m.Role != "assistant" && strings.Contains(m.Content, strings.TrimSpace(invisible)) {
						t.Errorf("%s, silent %d: agent %d is sent %q, want nothing of the empty reply", p.Name, dumb,
							r.Agent, m.Content)
					}
					heard += strings.Count(m.Content, "(nothing was said)")
				}
				if (dumb < 0 || r.Agent == dumb) && r.Grammar == "" && r.Continuations == nil {
					blank++
					return invisible
				}
				said, err := company.Generate(context.Background(), []inference.Request{r})
				if err != nil {
					t.Fatal(err)
				}
				return said[0].Text
			})
			d, err := p.Compose(debate.Asking{MaxTokens: 50, Closing: true})
			if err != nil {
				t.Fatal(err)
			}
			transcript, _ := d.Run(t.Context(), script.Join(0), aCase(p.Form)) // some end without a decision
			for r, round := range transcript.Rounds {
				for _, turn := range round {
					for _, other := range turn.Heard {
						if p.Form == "society" && r > 0 && showsTexts(p) && other < len(transcript.Rounds[r-1]) &&
							transcript.Rounds[r-1][other].Reply.Text == invisible {
							t.Errorf("%s, silent %d: agent %d hears %d, which said nothing, want it left out", p.Name,
								dumb, turn.Agent, other)
						}
					}
				}
			}
		}
	}
	if blank < 500 || heard < 10 {
		t.Errorf("%d replies say nothing, and %d sides are told so, want at least 500 and 10", blank, heard)
	}
}

// showsTexts reports whether agents of a protocol are shown what others write, and not their answers in its place.
func showsTexts(p Protocol) bool {
	switch debate.Value[string](p.Settings, "show") {
	case "answers", "vacuous", "shuffled", "noise":
		return false
	}
	return true
}
