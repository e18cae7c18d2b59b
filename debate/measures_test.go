package debate

import (
	"slices"
	"testing"

	"github.com/parley-debate/parley/debate/answer"
)

// TestDisagreementCountsAgents: three panelists who say the same in several calls have nothing to disagree about, and
// each is one of the pairs, however many calls it took.
func TestDisagreementCountsAgents(t *testing.T) {
	call := func(agent int, text string) Turn {
		return Turn{Agent: agent, Answer: answer.Answer{Text: text, Parsed: text != ""}}
	}
	round := []Turn{call(0, "(B)"), call(1, "(A)"), call(2, ""), call(0, "(A)"), call(1, "(A)"), call(2, "(B)"),
		call(1, "")}
	if got := (Transcript{Rounds: [][]Turn{round, round[:1]}}).Disagreement(); len(got) != 2 || got[0] != 2.0/3 ||
		got[1] != -1 {
		t.Errorf("got %v, want 2/3 and no pair", got)
	}
}

// TestANamedSupervisorHasNoVote: the supervisor of knights presides whatever its team calls it.
func TestANamedSupervisorHasNoVote(t *testing.T) {
	for _, name := range []string{RoleSupervisor, "Chair"} {
		t.Run(name, func(t *testing.T) {
			held := Transcript{Roles: []string{"Ann", "Bo", name}, Phases: []Phase{PhaseProposal, PhaseOrder},
				Rounds: [][]Turn{{{Agent: 0}, {Agent: 1}}, {{Agent: 2}}}}
			if voters := held.Voters(); !slices.Equal(voters, []int{0, 1}) {
				t.Errorf("%s: voters %v, want %v", name, voters, []int{0, 1})
			}
		})
	}
}
