package details

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/roles"
	"github.com/parley-debate/parley/bench/stat/agreement"
)

// TestRolesShown: puzzles have a line for each time in the details.
func TestRolesShown(t *testing.T) {
	summary := &roles.Summary{N: 1, Initial: roles.Round{Smooth: 0.5}, Rounds: make([]roles.Round, 2),
		Final: roles.Round{AgentStrict: 1}, AUC: roles.Round{Smooth: 1, All: 0.25, Major: 0.75},
		Shifts: agreement.Shifts{agreement.MajorityWrong: {1, 1}, agreement.MinorityRight: {0, 1},
			agreement.ChaosRight: {0, 1}, agreement.ChaosWrong: {1, 1}},
		Claims: []roles.Claimed{{Of: "debate", Claims: roles.Claims{Turns: 9, Mistaken: 2, N: 6, Follow: 3, Fail: 2,
			Vacuous: 1}}}}
	row := analysis.Row{Condition: "knights", N: 1, Dynamics: &analysis.Dynamics{Roles: summary}}
	text := rolesBlocks([]analysis.Row{row}).String()
	for _, want := range []string{"claims in debate: 3 follow, 2 fail, 1 vacuous; 2 of 9 replies", "proposals",
		"after player 2", "AUC",
		"majority, wrong 1 of 2; minority, right 1 of 1; chaos, wrong 1 of 2; chaos, right 1 of 1"} {
		t.Run(fmt.Sprintf("%.60s", want), func(t *testing.T) {
			if !strings.Contains(text, want) {
				t.Errorf("lacks %q:\n%s", want, text)
			}
		})
	}
}
