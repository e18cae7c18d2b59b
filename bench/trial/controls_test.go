package trial_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/society"
)

// TestControlsStandOnce: the standard conditions and those around a protocol have the same controls. They differ in
// self-consistency, whose budget is known beforehand only where every debate has the same calls.
func TestControlsStandOnce(t *testing.T) {
	standard, err := trial.Conditions(society.Society{Agents: 4, Rounds: 3})
	if err != nil {
		t.Fatal(err)
	}
	around, err := trial.Controls(protocol.Protocol{Name: trial.Reference,
		Settings: debate.Settings{Form: society.FormName}.With("agents", 4).With("rounds", 3)}, debate.Asking{}, "madc")
	if err != nil {
		t.Fatal(err)
	}
	for i, list := range [][]trial.Condition{standard, around} {
		t.Run([]string{"standard", "around"}[i], func(t *testing.T) {
			var lines []string
			for _, c := range list {
				if slices.Contains(trial.ControlNames(), c.Name) {
					lines = append(lines, fmt.Sprintf("%s after %q, oracle %t", c.Name, c.DependsOn, c.Oracle))
				}
			}
			budget := ""
			if &list[0] == &around[0] {
				budget = trial.Reference
			}
			want := []string{`single after "", oracle false`, `vote after "", oracle false`,
				fmt.Sprintf("self-consistency after %q, oracle false", budget),
				`self-consistency-tokens after "mad", oracle false`, `shuffled after "", oracle false`,
				`oracle after "", oracle true`}
			if got := strings.Join(lines, "\n"); got != strings.Join(want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
			}
		})
	}
	i := slices.IndexFunc(standard, func(c trial.Condition) bool { return c.Name == "self-consistency" })
	if got := standard[i].Agents; got != 12 {
		t.Errorf("self-consistency of the standard conditions has %d answers, want 4 agents x 3 rounds", got)
	}
}
