package validity_test

import (
	"fmt"
	"testing"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/validity"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference"
)

// TestArrivals: of each thing that agents are asked for beside answers, one came and one did not; decisions rest on
// some of them. Nothing is counted that was not asked for.
func TestArrivals(t *testing.T) {
	yes, half, two := true, 0.5, debate.Turn{Answer: answer.Of("a")}
	turn := func(kind debate.Kind, text string) debate.Turn {
		return debate.Turn{Kind: kind, Reply: inference.Reply{Text: text}}
	}
	rounds := func(turns ...debate.Turn) [][]debate.Turn { return [][]debate.Turn{{two}, turns} }
	settings := func(name, value string) *debate.Settings {
		s := debate.Settings{}.With(name, value)
		return &s
	}
	sure, kept := two, two
	sure.Confidence, kept.Verdict, kept.Agent, sure.Agent = &half, debate.VerdictKeep, 1, 1
	closed, cut := two, two
	closed.After, cut.After = []debate.Turn{two}, []debate.Turn{{}}
	cut.Agent = 1
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
		"[1 of 2 summaries]":     {Rounds: rounds(turn(debate.KindSummary, "so"), turn(debate.KindSummary, ""))},
		"[1 of 2 closing turns]": {Rounds: rounds(closed, cut)},
	} {
		t.Run(want, func(t *testing.T) {
			outcomes := []trial.Outcome{{Question: "q", Condition: "c", Transcript: transcript}}
			list := validity.Arrivals(outcome.NewTable(outcomes).Debates())
			if got := fmt.Sprint(list); got != want && got+" " != want || len(validity.InVain(list)) > 0 {
				t.Errorf("%v, of which in vain %v, want %s", list, validity.InVain(list), want)
			}
		})
	}
	never := []validity.Arrival{{What: "confidences", Asked: 90}, {What: "closing turns", Asked: 3}}
	if got := fmt.Sprint(validity.InVain(never)); got != "[0 of 90 confidences]" {
		t.Error(got)
	}
}
