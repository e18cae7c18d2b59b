package analysis

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/bench/stat"
	"parley/bench/trial"
	"parley/debate"
	"parley/debate/answer"
	"parley/debate/protocol"
	"parley/inference"
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

// puzzled is a debate of three on Ann, who is a spy, and Bob, who is a knave.
func puzzled(phases map[string][]debate.Turn, decision string) trial.Outcome {
	o := decidedBy("puzzle", "Ann: spy, Bob: knave")
	for _, phase := range []string{"proposal", "debate Ann", "adjustment after Ann", "debate Bob",
		"adjustment after Bob", "final"} {
		o.Transcript.Phases, o.Transcript.Rounds = append(o.Transcript.Phases, debate.Phase(phase)),
			append(o.Transcript.Rounds, phases[phase])
	}
	o.Transcript.Roles = []string{"Agent 1", "Agent 2", "Agent 3", "supervisor"}
	o.Transcript.Decision = debate.Decision{Answer: answer.Of(decision), Rule: "majority per player"}
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
	got := rolesOf([]trial.Outcome{o, decidedBy("other", "A", said("A"))})
	want := &Roles{
		N:       1,
		Initial: RoleRound{Smooth: 0.5, AgentSmooth: (0.5 + 0 + 0.5) / 3, Major: 0.5},
		Rounds: []RoleRound{
			{Strict: 1, Smooth: 1, AgentSmooth: 0.5, Major: 0.5},
			{Strict: 1, Smooth: 1, AgentStrict: 2.0 / 3, AgentSmooth: 2.5 / 3, All: 0.5, Major: 1},
		},
		Final: RoleRound{Strict: 1, Smooth: 1, AgentStrict: 1, AgentSmooth: 1, All: 1, Major: 1},
		AUC: RoleRound{Strict: 1, Smooth: 1, AgentStrict: 1.0 / 3, AgentSmooth: (0.5 + 2.5/3) / 2, All: 0.25,
			Major: 0.75},
		Shifts: stat.Shifts{
			stat.MajorityWrong: {1, 1}, stat.MinorityRight: {0, 1}, // on Ann
			stat.ChaosRight: {0, 1}, stat.ChaosWrong: {1, 1}, // on Bob, of whom all three said another thing
		},
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Error(diff)
	}
	row := Row{Condition: "knights", N: 1, Dynamics: &Dynamics{Roles: got}}
	for name, want := range map[string]float64{"auc-smooth": 1, "auc-agreement-major": 0.75, "auc-agreement-all": 0.25,
		"initial-strict": 0, "initial-smooth": 0.5, "final-agent": 1} {
		if value, known := row.Measured(name); !known || math.Abs(value-want) > 1e-12 {
			t.Errorf("%s is %g, %v; want %g", name, value, known, want)
		}
	}
	text := rolesTable([]Row{row})
	for _, want := range []string{"proposals", "after player 2", "AUC",
		"majority, wrong 1 of 2; minority, right 1 of 1; chaos, wrong 1 of 2; chaos, right 1 of 1"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
}

// TestRolesOfOthers: what is no puzzle, broke off, or has no truth has no roles.
func TestRolesOfOthers(t *testing.T) {
	whole := puzzled(map[string][]debate.Turn{"proposal": solved("spy knave", "spy knave", "spy knave")},
		"Ann: spy, Bob: knave")
	short, untold := whole, whole
	short.Transcript.Phases = short.Transcript.Phases[:3]
	untold.Truth = answer.Unparsed
	if rolesOf([]trial.Outcome{whole}) == nil {
		t.Error("a puzzle has no roles")
	}
	if got := rolesOf([]trial.Outcome{short, untold, decidedBy("q", "A", said("A"))}); got != nil {
		t.Errorf("%+v", got)
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
		got := rolesOf([]trial.Outcome{{Question: "q", Truth: answer.Of("Ann: spy, Bob: knave"),
			Transcript: transcript}})
		if got == nil || got.N != 1 || len(got.Rounds) != 2 || got.Final.Smooth != 0.5 || got.AUC.Smooth != 0.5 ||
			got.Final.Major != 1 || got.Final.AgentStrict != 1.0/3 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
