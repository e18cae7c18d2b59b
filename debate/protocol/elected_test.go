package protocol

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/debatetest"
	"github.com/parley-debate/parley/inference"
)

// TestElected: whatever texts the agents write, the text that a debate has elected is the one that its answer was read
// from. Each reply names an option and itself, so that no text is there twice.
func TestElected(t *testing.T) {
	elected := map[string]int{}
	all := Protocols()
	for _, about := range []string{debate.CandidatesTexts, debate.CandidatesAnswers} {
		p := Protocol{Name: "vote-on-" + about, Settings: debate.Settings{Form: "society"}.
			With("agents", 4).With("rounds", 2).With("decide", "simple").With("candidates", about)}
		all = append(all, p)
	}
	for _, p := range all {
		if p.Form != "society" && p.Form != "discussion" {
			continue
		}
		d, err := p.Compose(debate.Asking{})
		if err != nil {
			t.Fatal(err)
		}
		for seed := range 6 {
			said := 0
			engine := inference.NewScript(func(r inference.Request) string {
				said++
				if r.Continuations != nil {
					return r.Continuations[(said+seed)%len(r.Continuations)]
				}
				return fmt.Sprintf("%d [disagree] (%c)", (r.Agent*(seed%2)+seed)%3, "ABC"[(r.Agent+seed*r.Round)%3])
			})
			transcript, err := d.Run(t.Context(), engine.Join(0), debatetest.Puzzle)
			if err != nil {
				t.Fatalf("%s: a debate ended with %v, want no error", p.Name, err)
			}
			text, agent, ok := transcript.Elected()
			if !ok {
				continue
			}
			elected[p.Name]++
			if read := debatetest.Puzzle.Extract(text); !read.Same(transcript.Decision.Answer) {
				t.Errorf("%s, seed %d: elected is %q of agent %d, want it to be the decision, %v (%s)", p.Name, seed,
					text, agent, transcript.Decision.Answer, transcript.Decision.Rule)
			}
		}
	}
	for _, p := range all {
		votes := strings.HasPrefix(p.Name, "vote-") || strings.HasPrefix(p.Name, "consensus-")
		if votes && elected[p.Name] == 0 {
			t.Errorf("%s elects no text, want at least one", p.Name)
		}
	}
}
