package validity_test

import (
	"fmt"
	"testing"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/validity"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/titfortat"
	"github.com/parley-debate/parley/inference"
)

// TestArrivals: of each thing that agents are asked for beside answers, one came and one did not; a comparison rests on
// all but closing turns. Nothing is counted that was not asked for.
func TestArrivals(t *testing.T) {
	yes, half, two := true, 0.5, debate.Turn{Answer: answer.Of("a")}
	turn := func(kind debate.Kind, text string) debate.Turn {
		return debate.Turn{Kind: kind, Reply: inference.Reply{Text: text}}
	}
	rounds := func(turns ...debate.Turn) [][]debate.Turn { return [][]debate.Turn{{two}, turns} }
	settings := func(name string, value any) *debate.Settings {
		s := debate.Settings{}.With(name, value)
		return &s
	}
	sure, kept := two, two
	sure.Confidence, kept.Verdict, kept.Agent, sure.Agent = &half, debate.VerdictKeep, 1, 1
	closed, cut := two, two
	closed.After, cut.After = []debate.Turn{two}, []debate.Turn{{}}
	cut.Agent = 1
	selected := func(text string) debate.Turn {
		t := two
		t.Before = []debate.Turn{{Kind: debate.KindSelection, Heard: []int{0, 1}, Reply: inference.Reply{Text: text}}}
		return t
	}
	said := func(agent int, text string) debate.Turn {
		return debate.Turn{Agent: agent, Reply: inference.Reply{Text: text}}
	}
	heard := func(agent int, text string) debate.Turn {
		t := said(agent, text)
		t.Heard = []int{0}
		return t
	}
	held := debate.Settings{Form: titfortat.FormName}
	believing := two
	believing.Agent, believing.Beliefs = 1, []debate.Belief{{Answer: "a", Probability: 1}}
	for want, transcript := range map[string]debate.Transcript{
		"[]":                    {Rounds: rounds(two, sure, kept)},
		"[1 of 3 confidences]":  {Rounds: rounds(two, sure), Settings: settings("confidence", "asked")},
		"[1 of 3 confidences] ": {Rounds: rounds(two, sure), Settings: settings("confidence", "shown")},
		"[1 of 2 confidences]": {Rounds: rounds(turn(debate.KindConfidence, " 70\n"),
			turn(debate.KindConfidence, "very"))},
		"[1 of 2 verdicts to keep or revise]": {Rounds: rounds(two, kept), Settings: settings("verdict", "stated")},
		"[1 of 2 ballots]": {Decision: debate.Decision{Ballots: []debate.Ballot{{},
			{Invalid: "no"}}}},
		"[1 of 2 replies to a challenge]": {Challenges: []debate.Challenged{{Agrees: &yes}, {}}},
		"[1 of 2 judgements of facts]":    {Judged: []debate.Turn{two, {}}},
		"[1 of 2 ratings of arguments]": {Rounds: rounds(turn(debate.KindSoundness, `{"rating": 2}`),
			turn(debate.KindSoundness, "fine"))},
		"[1 of 2 ratings of reasons]": {Rounds: rounds(turn(debate.KindReasons, "agree: 3, disagree: 0"),
			turn(debate.KindReasons, "agree: 3"))},
		"[1 of 2 orders of the players]": {Rounds: [][]debate.Turn{{two, {}}},
			Phases: []debate.Phase{debate.PhaseOrder}},
		"[1 of 2 ties settled by the supervisor]": {Rounds: [][]debate.Turn{{two}, {{}}},
			Phases: []debate.Phase{debate.PhaseSettling("Ann"), debate.PhaseSettling("Bo")}},
		"[1 of 2 answers of the chairman]": {Voting: [][]debate.Turn{{turn(debate.KindBallot, "B first")},
			{{Kind: debate.KindJudgement, Answer: answer.Of("a")}, {Kind: debate.KindJudgement}}},
			Decision: debate.Decision{Rule: debate.Rule{Means: debate.MeansWritten, Name: debate.RoleChairman}}},
		"[1 of 2 answers of the judge]": {Voting: [][]debate.Turn{{{Kind: debate.KindJudgement, Answer: answer.Of("a")},
			{Kind: debate.KindJudgement}}}},
		"[1 of 4 critiques]": {Rounds: [][]debate.Turn{{said(0, "Two, so A."), heard(1, " Two,  so A.\n"),
			heard(2, "Step 1 fails: it is three."), heard(3, "\n"), heard(4, "Two, so A.")}, {heard(0, "I see.")}},
			Decision: debate.Decision{Rule: debate.Rule{Means: debate.MeansWritten, Name: debate.RoleArbiter}}},
		"[1 of 2 sides argued for as assigned]": {Rounds: [][]debate.Turn{{{Answer: answer.Of("A")},
			{Agent: 1, Answer: answer.Of("A")}, {Agent: 2, Answer: answer.Of("A")}}}, Assigned: []string{"A", "B"},
			Settings: &debate.Settings{}},
		"[] ":                    {Rounds: [][]debate.Turn{{said(0, "Two, so A."), heard(1, "Two, so A.")}}},
		"[1 of 2 summaries]":     {Rounds: rounds(turn(debate.KindSummary, "so"), turn(debate.KindSummary, ""))},
		"[1 of 2 closing turns]": {Rounds: rounds(closed, cut)},
		"[1 of 2 selections]":    {Rounds: rounds(selected("Take [2, 9]."), selected("all of them"))},
		"[1 of 2 personas]": {Rounds: rounds(turn(debate.KindPersona, `{"role": "a", "description": "b"}`),
			turn(debate.KindPersona, "a chemist"))},
		"[1 of 3 uses of the tool 2 of 3 values of its calls]": {Settings: settings("tool", "calculator"),
			Rounds: rounds(said(0, "<<1+1=2>> <<2*3=6>> <<1/0=error: division by zero>>"), said(1, "2"))},
		"[1 of 1 uses of the tool 1 of 1 values of its calls]": {Rounds: rounds(said(0, "2"), said(1, "<<1+1=2>>")),
			Settings: settings("team", []debate.Member{{}, {Tool: "calculator"}})},
		"[1 of 2 beliefs]": {Rounds: [][]debate.Turn{{two, believing}, {two, two}},
			Settings: settings("order", "most-probable-last")},
		"[1 of 2 statements of agreement]": {Rounds: rounds(turn(debate.KindStance, "I disagree."),
			turn(debate.KindStance, "Well.")), Reading: debate.ReadingCode},
		"[1 of 2 statements of agreement] ": {Rounds: rounds(turn(debate.KindMessage, "A."),
			turn(debate.KindMessage, "[AGREE]"), turn(debate.KindMessage, "I agree."), turn(debate.KindMessage, "B")),
			Reading: debate.ReadingPaper,
			Records: []debate.Record{{Agreement: &yes}, {Agreement: &yes}, {Agreement: &yes}, {}}},
		"[2 of 4 judgements of moderator and judge]": {Settings: &held, Roles: titfortat.SideNames(2),
			Rounds: [][]debate.Turn{{said(0, "A"), said(1, "B"), said(2, `{"debate_answer": ""}`)},
				{said(0, "A"), said(1, "B"), said(2, "go on")}, {said(0, "A"), said(1, "B"), said(2, "")},
				{said(3, "A or B")}, {said(3, `{"debate_answer": "A"}`)}}},
	} {
		t.Run(want, func(t *testing.T) {
			outcomes := []trial.Outcome{{Question: "q", Condition: "c", Transcript: transcript}}
			list := validity.Arrivals(outcome.NewTable(outcomes).Debates())
			if got := fmt.Sprint(list); got != want && got+" " != want || len(validity.InVain(list)) > 0 {
				t.Errorf("%v, of which in vain %v, want %s", list, validity.InVain(list), want)
			}
		})
	}
	never := []validity.Arrival{{What: "confidences", Asked: 90}, {What: "closing turns", Asked: 3},
		{What: "personas", Asked: 2}}
	if got := fmt.Sprint(validity.InVain(never)); got != "[0 of 90 confidences 0 of 2 personas]" {
		t.Errorf("in vain are \"[0 of 90 confidences 0 of 2 personas]\": got %s", got)
	}
}
