package knights

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
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
	plain, err := knights{Agents: 2, Prompts: set, Reading: debate.ReadingCode}.Run(t.Context(), &judged{}, c)
	if err != nil {
		t.Fatal(err)
	}
	j := &judged{says: []string{`{"rating": 4, "reason": "all follows"}`, "no idea"}}
	got, err := knights{Agents: 2, Prompts: set, Judge: judgeSoundness,
		Reading: debate.ReadingCode}.Run(t.Context(), j, c)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Rounds) != len(plain.Rounds)+1 || got.Decision.Answer != plain.Decision.Answer ||
		got.Phases[len(got.Phases)-1] != debate.PhaseSoundness ||
		&got.Last()[0] != &got.Rounds[len(plain.Rounds)-1][0] {
		t.Fatalf("a judge adds one round, %s, and no decision: got %q and %+v, want %+v", debate.PhaseSoundness,
			got.Phases, got.Decision, plain.Decision)
	}
	turns := got.Rounds[len(plain.Rounds)]
	if len(turns) != 2 || turns[0].Answer.Text != "4" || turns[1].Answer.Parsed || turns[1].Heard[0] != 1 {
		t.Errorf(`of 2 judges the first reads "4", the second nothing though it heard 1: got %+v`, turns)
	}
	for i, r := range j.asked {
		text := r.Messages[1].Content
		if own, other := "secret of "+string(rune('0'+i)),
			"secret of "+string(rune('1'-i)); !strings.Contains(text, own) ||
			strings.Contains(text, other) {
			t.Errorf("request %d to a judge, want the secret of agent %d and not of the other: %s", i, i, text)
		}
	}
	if !got.Presides(3) || got.Role(3) != debate.RoleJudge || !got.Presides(2) ||
		!slices.Equal(got.Voters(), []int{0, 1}) || got.WholeAnswers(len(plain.Rounds)) || got.Validate() != nil {
		t.Errorf("the roles are %q and the voters %v, want agents 2 and 3 as judges and voters 0 and 1", got.Roles,
			got.Voters())
	}
	set.Rate = ""
	if _, err := (knights{Prompts: set, Judge: judgeSoundness, Reading: debate.ReadingCode}).Run(t.Context(), j,
		c); err == nil ||
		!strings.Contains(err.Error(), "no text rate") {
		t.Errorf(`%v, want an error with "no text rate"`, err)
	}
}

// TestExaminer: a judge who sees the solution rates the reasons of every stance, in a phase for each debate on a
// player, and has no influence on the decision.
func TestExaminer(t *testing.T) {
	set, err := prompts.LoadKnights("knights")
	if err != nil {
		t.Fatal(err)
	}
	c := debate.Case{ID: "q", Question: "Player name: Ann\nPlayer name: Bob\n",
		Truth: answer.Of("Ann: spy, Bob: knight")}
	said := 0
	var asked []inference.Request
	script := inference.NewScript(func(r inference.Request) string {
		switch text := r.Messages[len(r.Messages)-1].Content; {
		case r.Agent == 3:
			asked = append(asked, r)
			return fmt.Sprintf(`{"agree": %d, "disagree": 4, "reason": "so"}`, len(asked))
		case !strings.Contains(text, "The debate is now about"):
			return `{"players": {"Ann": "knight", "Bob": "knave"}, "explanation": "", "confidence": 9}`
		default:
			if said++; said == 4 { // agent 1 on Bob
				return "hm"
			}
			return fmt.Sprintf(`{"role": "spy", "agree_with": [], "agree_reasoning": "for %d", "disagree_with": [], `+
				`"disagree_reasoning": ""}`, said)
		}
	})
	d := knights{Agents: 2, Prompts: set, Judge: judgeReasons, Reading: debate.ReadingPaper}
	got, err := d.Run(t.Context(), script.Join(0), c)
	if err != nil {
		t.Fatal(err)
	}
	rated := got.Phases[len(got.Phases)-2:]
	if !slices.Equal(rated, []debate.Phase{"soundness Ann", "soundness Bob"}) || len(asked) != 3 ||
		&got.Last()[0] != &got.Rounds[len(got.Rounds)-3][0] || got.Validate() != nil {
		t.Fatalf("the rated phases are %q after %d calls, want soundness of Ann and of Bob after 3, beside the last "+
			"round", rated, len(asked))
	}
	turns := slices.Concat(got.Rounds[len(got.Rounds)-2], got.Rounds[len(got.Rounds)-1])
	for i, turn := range turns {
		want := answer.Of(fmt.Sprintf("agree: %d, disagree: 4", i+1))
		if turn.Heard[0] != []int{0, 1, 0}[i] || turn.Answer != want || turn.Kind != debate.KindReasons ||
			!got.Presides(turn.Agent) || turn.Round != len(got.Rounds)-2+i/2 {
			t.Errorf("turn %d of the examiner is %+v, want the answer %+v of kind %s on agent %d", i, turn, want,
				debate.KindReasons, []int{0, 1, 0}[i])
		}
		text := turn.Messages[1].Content
		for _, part := range []string{"Ann: spy, Bob: knight", fmt.Sprintf("Reasons to agree: for %d\n", i+1),
			"Reasons to disagree: none\n",
			[]string{"- Agent 1: knight", "- Agent 1: knight", "- Agent 1: knave"}[i],
			[]string{"- Agent 2: knight", "- Agent 2: knight", "- Agent 2: knave"}[i],
			[]string{"In the debate on Ann, Agent 1", "In the debate on Ann, Agent 2",
				"In the debate on Bob, Agent 1"}[i]} {
			if !strings.Contains(text, part) {
				t.Errorf("turn %d lacks %q, want it in the message: %s", i, part, text)
			}
		}
	}
	c.Truth = answer.Unparsed
	if _, err := d.Run(t.Context(), script.Join(0), c); err == nil || !strings.Contains(err.Error(), "--truth") {
		t.Errorf(`%v, want an error with "--truth"`, err)
	}
	d.Prompts.Examine = ""
	if _, err := d.Run(t.Context(), script.Join(0), c); err == nil || !strings.Contains(err.Error(),
		"no text examine") {
		t.Errorf(`%v, want an error with "no text examine"`, err)
	}
}

// TestReadReasons: a judge's two ratings are read from a reply, whole or cut, if both are from 0 to 4.
func TestReadReasons(t *testing.T) {
	for reply, want := range map[string]*Reasons{
		`{"agree": 0, "disagree": 4, "reason": ""}`: {0, 4}, `{"agree": "3", "disagree": " 2"}`: {3, 2},
		"Agree: 1. Disagree: 2": {1, 2}, "Agreement = 4, disagreement = 0, reason: agree 9": {4, 0},
		`{"agree": 1, "disagree": 3, "rea`:      {1, 3},
		`Disagree: 2`:                           nil,
		`{"agree": 5, "disagree": 0}`:           nil,
		`{"agree": 1.5, "disagree": 0}`:         nil,
		`{"agree": -1, "disagree": 0}`:          nil,
		`{"agree": [1], "disagree": 0}`:         nil,
		"":                                      nil,
		"agree: 99999999999999999, disagree: 1": nil,
	} {
		t.Run(reply, func(t *testing.T) {
			got, ok := ReadReasons(reply)
			if ok != (want != nil) || ok && got != *want {
				t.Errorf("%q is rated %+v, %v; want %+v", reply, got, ok, want)
			}
		})
	}
}

// TestReadRating: a judge's rating is read from a reply, whole or cut, if it is from 1 to 4.
func TestReadRating(t *testing.T) {
	for reply, want := range map[string]int{
		`{"rating": 3, "reason": "a gap"}`: 3, `{"rating": "2"}`: 2, "Rating: 1, no reasons": 1,
		`{"rating": 4, "rea`: 4,
		`{"rating": 5}`:      0, `{"rating": 2.5}`: 0, "4": 0, "": 0, "rating: 99999999999999999999": 0,
	} {
		t.Run(reply, func(t *testing.T) {
			if got, ok := ReadRating(reply); ok != (want > 0) || ok && got != want {
				t.Errorf("%q is rated %d, %v; want %d", reply, got, ok, want)
			}
		})
	}
}
