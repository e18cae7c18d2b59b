package analysis

import (
	"testing"

	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference"
)

func TestMeasured(t *testing.T) {
	seven, quarter := 7.0, 0.25
	row := Row{N: 4, Accuracy: 0.75, Dynamics: &Dynamics{Decided: []int{3, 3}},
		Measures: relation.Values{"agreement": {Number: &seven}, "unparsed": {Number: &quarter}}}
	for name, want := range map[string]float64{
		"accuracy": 0.75, "unparsed": 0.25, "agreement": 7, "decided-in-turn-1": 0.75, "decided-in-turn-2": 0.75,
		"decided-in-turn-3": 0,
	} {
		t.Run(name, func(t *testing.T) {
			if got, known := row.Number(name); !known || got != want {
				t.Errorf("%s is %g, %v; want %g", name, got, known, want)
			}
		})
	}
	for _, name := range []string{"accuracy-by-people", "decided-in-turn-0", "decided-in-turn-x", "entropy",
		"entropy-code", "won-by-negative", "similarity"} {
		t.Run(name, func(t *testing.T) {
			if got, known := row.Number(name); known {
				t.Errorf("%s cannot be known here: got %g, want it unknown", name, got)
			}
		})
	}
	if _, known := (Row{}).Number("accuracy"); known {
		t.Error("a row without debates has an accuracy, want it unknown")
	}
}

// TestUnparsedReplies: of all turns, only those count that were asked to answer the question. A summary has no answer
// and needs none, and neither has a failed call, a judge who goes on, or what was said before and beside an answer.
func TestUnparsedReplies(t *testing.T) {
	read, unread := answer.Of("4"), answer.Answer{}
	held := debate.Transcript{Roles: []string{"Ann", "Bo", debate.RoleSummarizer}, Rounds: [][]debate.Turn{
		{{Agent: 0, Answer: read}, {Agent: 1, Answer: unread, Before: []debate.Turn{{Kind: debate.KindDonor}}},
			{Agent: 2, Kind: debate.KindSummary}},
		{{Agent: 0, Answer: read}, {Agent: 1, Error: "too long", Messages: []inference.Message{{}}},
			{Agent: 2, Kind: debate.KindSummary}},
		{{Agent: 0, Kind: debate.KindConfidence}, {Agent: 1, Kind: debate.KindPersona}},
	}, Voting: [][]debate.Turn{{{Agent: 0, Kind: debate.KindBallot}}}}
	var r Row
	r.add(debatesOf([]trial.Outcome{{Transcript: held}}).All[0])
	if r.Replies != 9 || r.Answers != 3 || r.UnparsedReplies != 1 {
		t.Errorf("9 replies, 3 answers and 1 unparsed reply are counted: got %d, %d and %d",
			r.Replies, r.Answers, r.UnparsedReplies)
	}
}
