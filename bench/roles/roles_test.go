package roles

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/inference"
)

// solved is a phase in which agents give roles for Ann and Bob, "" if nothing can be read.
func solved(roles ...string) (turns []debate.Turn) {
	for i, text := range roles {
		turn := debate.Turn{Agent: i}
		if ann, bob, ok := strings.Cut(text, " "); ok {
			turn.Answer = answer.Of("Ann: " + ann + ", Bob: " + bob)
		}
		turns = append(turns, turn)
	}
	return turns
}

// decidedBy is an outcome by the majority of the last round.
func decidedBy(question, truth string, rounds ...[]debate.Turn) trial.Outcome {
	return trial.Outcome{Question: question, Target: truth, Truth: answer.Of(truth),
		Transcript: debate.Transcript{Rounds: rounds}}
}

// puzzled is a debate of three on Ann, who is a spy, and Bob, who is a knave.
func puzzled(phases map[string][]debate.Turn, decision string) trial.Outcome {
	o := decidedBy("puzzle", "Ann: spy, Bob: knave")
	for _, phase := range []string{"proposal", "debate Ann", "adjustment after Ann", "debate Bob",
		"adjustment after Bob", "final"} {
		o.Transcript.Phases, o.Transcript.Rounds = append(o.Transcript.Phases, debate.Phase(phase)),
			append(o.Transcript.Rounds, phases[phase])
	}
	o.Transcript.Roles = []string{"Agent 1", "Agent 2", "Agent 3", "supervisor"}
	o.Transcript.Decision = debate.Decision{Answer: answer.Of(decision), Rule: debate.OtherRule("majority per player")}
	return o
}

// TestRoles is worked by hand. At first two agents call Ann a knight; her debate turns one of them, and Bob's turns
// nobody.
func TestRoles(t *testing.T) {
	o := puzzled(map[string][]debate.Turn{
		// Ann: 2 against 1; Bob: chaos, the vote goes to knave
		"proposal": solved("knight knave", "knight knight", "spy spy"),
		// who cannot be read stands by spy spy
		"adjustment after Ann": solved("knight knave", "spy knight", ""),
		"adjustment after Bob": solved("spy knave", "spy knight", "spy knave"),
		"final":                solved("spy knave", "spy knave", "spy knave"),
	}, "Ann: spy, Bob: knave")
	got := Of(played(o, decidedBy("other", "A", []debate.Turn{{}})))
	want := &Summary{
		N:       1,
		Initial: Round{Smooth: 0.5, AgentSmooth: (0.5 + 0 + 0.5) / 3, Major: 0.5},
		Rounds: []Round{
			{Strict: 1, Smooth: 1, AgentSmooth: 0.5, Major: 0.5},
			{Strict: 1, Smooth: 1, AgentStrict: 2.0 / 3, AgentSmooth: 2.5 / 3, All: 0.5, Major: 1},
		},
		Final: Round{Strict: 1, Smooth: 1, AgentStrict: 1, AgentSmooth: 1, All: 1, Major: 1},
		AUC: Round{Strict: 1, Smooth: 1, AgentStrict: 1.0 / 3, AgentSmooth: (0.5 + 2.5/3) / 2, All: 0.25,
			Major: 0.75},
		Shifts: agreement.Shifts{
			agreement.MajorityWrong: {1, 1}, agreement.MinorityRight: {0, 1}, // on Ann
			agreement.ChaosRight: {0, 1}, agreement.ChaosWrong: {1, 1}, // on Bob, of whom all three said another thing
		},
		Sizes: []Size{{Players: 2, N: 1, Shifts: agreement.Shifts{
			agreement.MajorityWrong: {1, 1}, agreement.MinorityRight: {0, 1},
			agreement.ChaosRight: {0, 1}, agreement.ChaosWrong: {1, 1}}}},
		Agents: []Agent{
			{Agent: 0, Shifts: agreement.Shifts{agreement.MajorityWrong: {1, 0}, agreement.ChaosRight: {0, 1}},
				Opinions: Opinions{Heard: 3, Taken: 1, Right: 1}}, // agent 2 takes up its knave for Bob
			{Agent: 1, Shifts: agreement.Shifts{agreement.MajorityWrong: {0, 1}, agreement.ChaosWrong: {1, 0}},
				Opinions: Opinions{Heard: 3}},
			{Agent: 2, Shifts: agreement.Shifts{agreement.MinorityRight: {0, 1}, agreement.ChaosWrong: {0, 1}},
				Opinions: Opinions{Heard: 4, Taken: 1, Right: 1}}, // agent 1 takes up its spy for Ann
		},
		Opinions: []Held{
			{"majority, wrong", Opinions{Heard: 2}}, {"minority, right", Opinions{Heard: 2, Taken: 1, Right: 1}},
			{"chaos, wrong", Opinions{Heard: 4}}, {"chaos, right", Opinions{Heard: 2, Taken: 1, Right: 1}},
		},
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })
	if diff := cmp.Diff(want, got, near, cmpopts.IgnoreUnexported(Agent{})); diff != "" {
		t.Errorf("the roles are those that were worked by hand (-want +got):\n%s", diff)
	}
}

// TestRolesOfOthers: what is no puzzle, broke off, or has no truth has no roles.
func TestRolesOfOthers(t *testing.T) {
	whole := puzzled(map[string][]debate.Turn{"proposal": solved("spy knave", "spy knave", "spy knave")},
		"Ann: spy, Bob: knave")
	short, untold := whole, whole
	short.Transcript.Phases = short.Transcript.Phases[:3]
	untold.Truth = answer.Unparsed
	if Of(played(whole)) == nil {
		t.Error("a puzzle has no roles")
	}
	if got := Of(played(short, untold, decidedBy("q", "A", []debate.Turn{{}}))); got != nil {
		t.Errorf("puzzles that are cut short, without a truth or not debated have no results of roles: got %+v", got)
	}
}

// TestRolesOfProtocols: the final smooth accuracy of a real debate is the task's own measure of its decision, in
// both readings.
func TestRolesOfProtocols(t *testing.T) {
	const game = "Player name: Ann\nPlayer name: Bob\n"
	for _, name := range []string{"knights", "knights-paper"} {
		p, err := protocol.LoadProtocol(name)
		if err != nil {
			t.Fatal(err)
		}
		d, err := p.Compose(debate.Asking{})
		if err != nil {
			t.Fatal(err)
		}
		engine := inference.NewScript(func(r inference.Request) string {
			return []string{`{"players": {"Ann": "spy", "Bob": "knight"}}`,
				`{"players": {"Ann": "spy", "Bob": "knave"}}`}[r.Agent%2]
		})
		transcript, err := d.Run(t.Context(), engine.Join(0), debate.Case{ID: "q", Question: game, Extract: answer.Raw})
		if err != nil {
			t.Fatal(err)
		}
		got := Of(played(trial.Outcome{Question: "q", Truth: answer.Of("Ann: spy, Bob: knave"),
			Transcript: transcript}))
		if got == nil || got.N != 1 || len(got.Rounds) != 2 || got.Final.Smooth != 0.5 || got.AUC.Smooth != 0.5 ||
			got.Final.Major != 1 || got.Final.AgentStrict != 1.0/3 {
			t.Errorf("%s: half of the roles are right in 1 game of 2 rounds, by a majority, strictly in 1/3 of "+
				"agents: got %+v", name, got)
		}
	}
}

// columns are the debates of a table of these outcomes.
func columns(outcomes ...trial.Outcome) []*outcome.Debate {
	return outcome.NewTable(outcomes).Debates()
}

// played goes through the debates of outcomes.
func played(outcomes ...trial.Outcome) (list []*Played) {
	for _, d := range columns(outcomes...) {
		list = append(list, Play(d))
	}
	return list
}

// turnsOf are the turns of a round as columns have them.
func turnsOf(turns ...debate.Turn) []outcome.Turn {
	return columns(trial.Outcome{Transcript: debate.Transcript{Rounds: [][]debate.Turn{turns}}})[0].Rounds()[0].Turns
}
