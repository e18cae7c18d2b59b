package roles

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/inference"
)

// game has one solution: Ann is a knight, Bob a knave, Cid the spy.
const game = `---
Player name: Ann
Player statement: Bob is a knave.
---
Player name: Bob
Player statement: Ann is lying.
---
Player name: Cid
Player statement: Ann is a knave.
---
Message from the game manager: I am the game manager and here are some hints for you:
 1. Among all players, there is exactly one spy.
 2. Ann is a knight.
`

// Solutions that agents of the script give.
const (
	right = `"Ann": "knight", "Bob": "knave", "Cid": "spy"`
	wrong = `"Ann": "knight", "Bob": "spy", "Cid": "knave"`
)

// scripted follows three rules. Agent 0 is always right and argues so. Agent 1 is wrong until the adjustment after Bob,
// and argues wrongly. Agent 2 is wrong until the end, and its claims are one that follows and one that is vacuous.
func scripted(r inference.Request) string {
	asked := r.Messages[len(r.Messages)-1].Content
	if r.Agent == 4 { // the judge
		return fmt.Sprintf(`{"rating": %d, "reason": ""}`, 4-r.Sample)
	}
	said := 0 // how often the agent was asked before: proposal, debate Ann, adjustment, debate Bob, adjustment, ...
	for _, m := range r.Messages {
		if m.Role == "assistant" {
			said++
		}
	}
	reasons := []string{
		"If Ann is a knave, that is a contradiction. Bob is a knave.",
		"Bob is a spy.",
		"Ann is a knight. If Ann is a knave, then Cid is a knight.",
	}[r.Agent]
	if strings.Contains(asked, "The debate is now about one player") {
		return fmt.Sprintf(`{"role": "knight", "agree_with": [], "agree_reasoning": %q, "disagree_with": [], `+
			`"disagree_reasoning": ""}`, reasons)
	}
	roles := right
	if r.Agent == 2 || r.Agent == 1 && said < 4 {
		roles = wrong
	}
	return fmt.Sprintf(`{"players": {%s}, "explanation": %q, "confidence": %d}`, roles, reasons, 9-3*r.Agent)
}

// judged is the paper's debate with a judge of a kind.
func judged(t *testing.T, judge string) debate.Debate {
	t.Helper()
	p, err := protocol.LoadProtocol("knights-paper")
	if err != nil {
		t.Fatal(err)
	}
	p.Settings = p.With("judge", judge)
	d, err := p.Compose(debate.Asking{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestScripted: what agents of known rules do is what is counted. Worked by hand: on Ann all are right before and
// after. Before the debate on Bob agents 1 and 2 are a wrong majority, of whom 1 is corrected; on Cid agent 2 is alone.
func TestScripted(t *testing.T) {
	d := judged(t, "soundness")
	var outcomes []trial.Outcome
	for range 2 { // puzzles, so that bins have an interval
		transcript, err := d.Run(t.Context(), inference.NewScript(scripted).Join(0),
			debate.Case{ID: "q", Question: game, Extract: answer.Raw})
		if err != nil {
			t.Fatal(err)
		}
		outcomes = append(outcomes, trial.Outcome{Question: "q", Truth: answer.Of("Ann: knight, Bob: knave, Cid: spy"),
			Transcript: transcript})
	}
	got := Of(played(outcomes...))
	shifts := agreement.Shifts{
		agreement.MajorityRight: {0, 2 * (3 + 2)}, // all on Ann, agents 0 and 1 on Cid
		agreement.MajorityWrong: {2, 2},           // agents 2 and 1 on Bob
		agreement.MinorityRight: {0, 2},           // agent 0 on Bob
		agreement.MinorityWrong: {2, 0},           // agent 2 on Cid
	}
	if diff := cmp.Diff(shifts, got.Shifts); diff != "" {
		t.Errorf("the shifts are those of the agents' rules (-want +got):\n%s", diff)
	}
	// the vote is wrong on Bob and Cid until the adjustment after Bob
	if got.AUC.Strict != 2.0/3 || math.Abs(got.AUC.Smooth-7.0/9) > 1e-12 || got.Initial.Smooth != 1.0/3 ||
		got.Final.Strict != 1 {
		t.Errorf("the areas under the courses are 2/3 (strict) and 7/9 (smooth), from 1/3 to 1: got %+v", got)
	}
	for i, want := range []Bin{{9, 2, 1, nil}, {6, 2, 1.0 / 3, nil}, {3, 2, 1.0 / 3, nil}} {
		t.Run(fmt.Sprintf("agent %d", i), func(t *testing.T) {
			bins := got.Agents[i].Confidence
			if len(bins) != 1 || bins[0].Interval == nil {
				t.Fatalf("agent %d has one bin of confidence, with an interval: got %+v", i, bins)
			}
			if bins[0].Interval = nil; bins[0] != want {
				t.Errorf("agent %d: %+v, want %+v", i, bins[0], want)
			}
		})
	}
	without := slices.Clone(outcomes) // as in a run that is under way
	for i := range without {
		without[i].Transcript, without[i].Asked = trial.WithoutMessages(without[i].Transcript), game
	}
	diff := cmp.Diff(Of(played(outcomes...)), Of(played(without...)), cmpopts.IgnoreUnexported(Agent{}))
	if diff != "" ||
		Of(played(without...)).Claims == nil {
		t.Errorf("a run that is under way counts as its record does, with claims (-record +run):\n%s", diff)
	}
	// agent 1 improved, agent 0 was right throughout, agent 2 never
	ratings := []Rated{{Of: "improved", Ratings: [4]int{2: 2}}, {Of: "right throughout", Ratings: [4]int{3: 2}},
		{Of: "no better", Ratings: [4]int{1: 2}}}
	if diff := cmp.Diff(ratings, got.Ratings); diff != "" {
		t.Errorf("the ratings are those of the agents' rules (-want +got):\n%s", diff)
	}
	replies := Replies(columns(outcomes...)[0])
	want := Reply{"adjustment", "majority, wrong", "to right", Claims{Turns: 1, Mistaken: 1, N: 1, Fail: 1}}
	if diff := cmp.Diff(want, replies[[2]int{4, 1}]); diff != "" || len(replies) != 3*8 {
		t.Errorf("each of 3 agents has 8 replies, and that of agent 1 after Bob is as wanted: got %d replies, "+
			"(-want +got):\n%s", len(replies), diff)
	}
	// Every agent gives its reasons 1 + 3 + 3 + 1 times in each of two debates.
	for i, want := range []Claims{
		{Turns: 16, N: 32, Follow: 32}, {Turns: 16, Mistaken: 16, N: 16, Fail: 16},
		{Turns: 16, N: 32, Follow: 16, Vacuous: 16},
	} {
		t.Run(fmt.Sprintf("agent %d", i), func(t *testing.T) {
			if diff := cmp.Diff(want, got.Agents[i].Claims); diff != "" {
				t.Errorf("agent %d has the claims that were counted by hand (-want +got):\n%s", i, diff)
			}
		})
	}
	of := func(of string, times int) Claimed {
		return Claimed{of, Claims{Turns: 3 * times, Mistaken: times, N: 5 * times, Follow: 3 * times, Fail: times,
			Vacuous: times}}
	}
	if diff := cmp.Diff([]Claimed{of("proposal", 2), of("debate", 6), of("adjustment", 6), of("final", 2)},
		got.Claims); diff != "" {
		t.Errorf("the claims are those of the agents' rules (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Claimed{
		// agent 1 on Bob; on Cid it was right by then
		{"to right", Claims{Turns: 2, Mistaken: 2, N: 2, Fail: 2}},
		// all on Ann, agent 0 on both, agent 1 on Cid
		{"right as before", Claims{Turns: 12, Mistaken: 4, N: 20, Follow: 14, Fail: 4, Vacuous: 2}},
		{"wrong as before", Claims{Turns: 4, N: 8, Follow: 4, Vacuous: 4}}, // agent 2 on both
	}, got.Changes); diff != "" {
		t.Errorf("the changes are those of the agents' rules (-want +got):\n%s", diff)
	}
}

// TestReasons: what is argued is read from the fields that have it, and from the whole of a reply without fields.
func TestReasons(t *testing.T) {
	for reply, want := range map[string]string{
		`{"players": {"Ann": "spy"}, "explanation": "Ann is a spy."}`:              "Ann is a spy.",
		`{"role": "spy", "agree_reasoning": "One.", "disagree_reasoning": "Two."}`: "One.\nTwo.",
		`Ann is a spy.`: "Ann is a spy.",
		`{"players": {"Ann": "spy"}, "explanation": "Ann is a`: "Ann is a",
	} {
		t.Run(reply, func(t *testing.T) {
			if got := argumentsIn(reply); got != want {
				t.Errorf("%q has %q, want %q", reply, got, want)
			}
		})
	}
}
