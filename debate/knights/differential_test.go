package knights

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/vote"
	"github.com/parley-debate/parley/inference"
)

// knightsCase is a debate that Wu et al.'s program has held on scripts: see tools/differential/knights.py.
type knightsCase struct {
	Players []string   `json:"players"`
	Depth   int        `json:"depth"`
	Said    [][]string `json:"said"` // by agent
	// by agent and reply but the last: the roles of all players, or of the one who was debated
	Read [][]json.RawMessage `json:"read"`
	Vote []string            `json:"vote"`
}

// scripted has agents say what a script gives them.
type scripted struct {
	said [][]string
}

func (s *scripted) Generate(_ context.Context, requests []inference.Request) ([]inference.Reply, error) {
	replies := make([]inference.Reply, len(requests))
	for i, r := range requests {
		replies[i].Text, s.said[r.Agent] = s.said[r.Agent][0], s.said[r.Agent][1:]
	}
	return replies, nil
}

// TestKnightsDifferential holds the same debates, most of whose replies are damaged, in the reading of the code: every
// reply is read as Wu et al.'s program reads it, and the votes come out the same. Two things are meant to differ: an
// empty text is no role, and a role needs no player's name beside it, since our prompts ask for none.
func TestKnightsDifferential(t *testing.T) {
	var file struct {
		Cases []knightsCase `json:"cases"`
	}
	if text, err := os.ReadFile("../testdata/differential/knights.json"); err != nil ||
		json.Unmarshal(text, &file) != nil {
		t.Fatalf("the cases of knights cannot be read: %v, want a file of JSON", err)
	}
	counts := map[string]int{}
	for n, c := range file.Cases {
		game := "Player name: " + strings.Join(c.Players, "\nPlayer name: ")
		d := knights{Agents: len(c.Said), Depth: c.Depth, Reading: debate.ReadingCode, Replies: debate.RepliesFree,
			Prompts: knightsOf(t)}
		transcript, err := d.Run(t.Context(), &scripted{c.Said}, debate.Case{ID: "differential", Question: game})
		if err != nil {
			t.Fatal(err)
		}
		for agent, read := range c.Read {
			for r, want := range read {
				turn := transcript.Rounds[r][agent]
				theirs := canonical(t, string(transcript.Phases[r]), c.Players, want)
				switch {
				case turn.Answer.Text == theirs:
					counts["same"]++
				case strings.Contains(theirs+",", ": ,"):
					counts["an empty role"]++
				case strings.Contains(turn.Reply.Text, `"role"`) && !strings.Contains(turn.Reply.Text, `"player_role"`):
					counts["a role without its player"]++
				default:
					t.Errorf("debate %d, agent %d, %s: %q is %q, theirs %q", n, agent, transcript.Phases[r],
						turn.Reply.Text, turn.Answer.Text, theirs)
				}
			}
		}
		if diff := cmp.Diff(vote.Assignment(c.Players, c.Vote), transcript.Decision.Answer); diff != "" {
			t.Errorf("debate %d: the vote is as in the released code (-want +got):\n%s", n, diff)
		}
	}
	if diff := cmp.Diff(map[string]int{"same": 1395, "an empty role": 4, "a role without its player": 2},
		counts); diff != "" {
		t.Errorf("%d debates agree or differ so often (-want +got):\n%s", len(file.Cases), diff)
	}
}

// canonical is what they have read, as an answer of ours.
func canonical(t *testing.T, phase string, players []string, read json.RawMessage) string {
	t.Helper()
	var roles []string
	var role string
	if json.Unmarshal(read, &roles) == nil {
		return vote.Assignment(players, roles).Text
	}
	if err := json.Unmarshal(read, &role); err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(phase, "debate ") + ": " + role
}
