package knights

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/inference"
)

// judged answers for agents and their judge, and keeps what the judge is asked.
type judged struct {
	asked []inference.Request
	says  []string // the judge, about each agent
}

func (j *judged) Generate(_ context.Context, requests []inference.Request) ([]inference.Reply, error) {
	replies := make([]inference.Reply, len(requests))
	for i, r := range requests {
		replies[i].Text = `{"players": {"Ann": "knight", "Bob": "knave"}, "explanation": "secret of ` +
			string(rune('0'+r.Agent)) + `"}`
		if r.Agent == 3 {
			replies[i].Text = j.says[len(j.asked)]
			j.asked = append(j.asked, r)
		}
	}
	return replies, nil
}

// TestJudge: a judge rates each agent by its own replies, after the decision, on which it has no influence.
func TestJudge(t *testing.T) {
	set, err := prompts.LoadKnights("knights")
	if err != nil {
		t.Fatal(err)
	}
	c := debate.Case{ID: "q", Question: "Player name: Ann\nPlayer name: Bob\n"}
	plain, err := Knights{Agents: 2, Prompts: set, Reading: debate.ReadingCode}.Run(t.Context(), &judged{}, c)
	if err != nil {
		t.Fatal(err)
	}
	j := &judged{says: []string{`{"rating": 4, "reason": "all follows"}`, "no idea"}}
	got, err := Knights{Agents: 2, Prompts: set, Judge: JudgeSoundness,
		Reading: debate.ReadingCode}.Run(t.Context(), j, c)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Rounds) != len(plain.Rounds)+1 || got.Decision.Answer != plain.Decision.Answer ||
		got.Phases[len(got.Phases)-1] != debate.PhaseSoundness ||
		&got.Last()[0] != &got.Rounds[len(plain.Rounds)-1][0] {
		t.Fatalf("%q, decision %+v", got.Phases, got.Decision)
	}
	turns := got.Rounds[len(plain.Rounds)]
	if len(turns) != 2 || turns[0].Answer.Text != "4" || turns[1].Answer.Parsed || turns[1].Heard[0] != 1 {
		t.Errorf("%+v", turns)
	}
	for i, r := range j.asked {
		text := r.Messages[1].Content
		if own, other := "secret of "+string(rune('0'+i)),
			"secret of "+string(rune('1'-i)); !strings.Contains(text, own) ||
			strings.Contains(text, other) {
			t.Errorf("request %d: %s", i, text)
		}
	}
	if !got.Presides(3) || got.Role(3) != debate.RoleJudge || !got.Presides(2) ||
		!slices.Equal(got.Voters(), []int{0, 1}) || got.WholeAnswers(len(plain.Rounds)) || got.Validate() != nil {
		t.Errorf("roles %q, voters %v", got.Roles, got.Voters())
	}
	set.Rate = ""
	if _, err := (Knights{Prompts: set, Judge: JudgeSoundness, Reading: debate.ReadingCode}).Run(t.Context(), j,
		c); err == nil ||
		!strings.Contains(err.Error(), "no text rate") {
		t.Error(err)
	}
}

func TestReadRating(t *testing.T) {
	for reply, want := range map[string]int{
		`{"rating": 3, "reason": "a gap"}`: 3, `{"rating": "2"}`: 2, "Rating: 1, no reasons": 1,
		`{"rating": 4, "rea`: 4,
		`{"rating": 5}`:      0, `{"rating": 2.5}`: 0, "4": 0, "": 0, "rating: 99999999999999999999": 0,
	} {
		if got, ok := ReadRating(reply); ok != (want > 0) || ok && got != want {
			t.Errorf("%q is rated %d, %v; want %d", reply, got, ok, want)
		}
	}
}
