package debate

import (
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference"
)

// TestEcho: agents repeat each other only if they are asked the same, of the same model, and draw nothing. Names and
// memories are told to nobody in the first round.
func TestEcho(t *testing.T) {
	warm := &inference.Sampling{Temperature: 0.7}
	for want, c := range map[string]struct {
		agents      int
		temperature float32
		team        []Agent
	}{
		"3 of 3 agents": {agents: 3},
		"":              {agents: 3, temperature: 1},
		"2 of 3 agents": {agents: 3, team: []Agent{{Persona: "You are bold."}}},
		"2 of 2 agents": {agents: 2, team: []Agent{{Name: "Ann"}, {Name: "Bob", Memory: 1}}},
		"2 of 4 agents": {agents: 4, temperature: 1,
			team: []Agent{{Sampling: &inference.Sampling{}}, {}, {Sampling: &inference.Sampling{}}}},
		"3 of 4 agents": {agents: 4, team: []Agent{{Sampling: warm}}},
	} {
		t.Run(want, func(t *testing.T) {
			a := Asking{Sampling: inference.Sampling{Temperature: c.temperature}, Team: c.team}
			if got := a.Echo(c.agents); !strings.HasPrefix(got, want) || (want == "") != (got == "") {
				t.Errorf("%+v: %q, want %q", c, got, want)
			}
		})
	}
	for i, team := range [][]Agent{{{Model: "a"}, {Model: "b"}}, {{Method: "program"}}, {{Sampling: warm}}} {
		t.Run([]string{"models", "methods", "samplings"}[i], func(t *testing.T) {
			if got := (Asking{Team: team}).Echo(2); got != "" {
				t.Errorf(`%+v: %q, want ""`, team, got)
			}
		})
	}
	if got := (Asking{}).Echo(1); got != "" {
		t.Errorf("an agent alone: %q, want none", got)
	}
}
