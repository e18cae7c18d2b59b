package trial_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
)

// TestWithoutCopies: at temperature 0 controls that need several answers are left out, each with a line, or refused by
// name; above it, with a team of several models, and where one model gives each answer anew they stay.
func TestWithoutCopies(t *testing.T) {
	all := func(temperature float32, team ...debate.Agent) []trial.Condition {
		s := society.Society{Agents: 2, Rounds: 2}
		s.Sampling, s.Team = inference.Sampling{Temperature: temperature}, team
		conditions, err := trial.Conditions(s)
		if err != nil {
			t.Fatal(err)
		}
		return conditions
	}
	without := func(conditions []trial.Condition) (gone []string) {
		kept, left, err := trial.WithoutCopies(conditions, []string{"single"})
		if err != nil || len(kept)+len(left) != len(conditions) {
			t.Fatalf("all %d conditions are kept or left out: got %d and %q, %v",
				len(conditions), len(kept), left, err)
		}
		for i, line := range left {
			name, _, _ := strings.Cut(line, " ")
			if gone = append(gone, name); !strings.HasSuffix(left[i], "one text, copied, so that it is the single "+
				"answer.") {
				t.Errorf("a condition is left out, as its replies are copies of one text: got %q", line)
			}
		}
		return gone
	}
	if got := without(all(0)); !slices.Equal(got, []string{"vote", "self-consistency", "self-consistency-tokens",
		"oracle"}) {
		t.Errorf("at temperature 0 vote, the self-consistencies and the oracle are left out: got %q", got)
	}
	if got := without(all(0.7)); got != nil {
		t.Errorf("above temperature 0 none is left out: got %q", got)
	}
	if got := without(all(0, debate.Agent{Model: "a"}, debate.Agent{Model: "b"})); !slices.Equal(got, []string{
		"self-consistency", "self-consistency-tokens"}) {
		t.Errorf("with two models the self-consistencies alone are left out: got %q", got)
	}
	_, _, err := trial.WithoutCopies(all(0), []string{"single", "self-consistency"})
	if err == nil || !strings.Contains(err.Error(), "condition self-consistency: at temperature 0") {
		t.Errorf("a condition of copies that was named is refused, with the temperature 0: got %v", err)
	}
	reference := protocol.Protocol{Name: "tit-for-tat", Settings: debate.Settings{Form: "tit-for-tat"}}
	controls, err := trial.Controls(reference, debate.Asking{}, "madc")
	if err != nil {
		t.Fatal(err)
	}
	if got := without(controls); len(got) != 4 {
		t.Errorf("controls of a protocol: %q, want 4 of them", got)
	}
	if echo := debate.EchoOf(controls[slices.IndexFunc(controls, func(c trial.Condition) bool {
		return c.Name == "self-consistency"
	})].Debate); !strings.Contains(echo, "one text, copied") {
		t.Errorf("a sampling form warns of \"one text, copied\": got %q", echo)
	}
}

// TestWithoutDonors: with one question there is no other that agents could hear about. Conditions that need one are
// left out, unless they were named; with two questions all stay.
func TestWithoutDonors(t *testing.T) {
	conditions, err := trial.Conditions(society.Society{Agents: 2, Rounds: 2})
	if err != nil {
		t.Fatal(err)
	}
	kept, left := trial.WithoutDonors(conditions, []string{"noise"}, 1)
	if len(left) != 1 || !strings.HasPrefix(left[0], "shuffled is left out: ") || len(kept) != len(conditions)-1 {
		t.Errorf("of one question shuffled alone is left out of %d conditions: got %d kept, %q",
			len(conditions), len(kept), left)
	}
	if kept, left := trial.WithoutDonors(conditions, nil, 2); left != nil || len(kept) != len(conditions) {
		t.Errorf("of two questions all %d conditions stay: got %d, left out %q", len(conditions), len(kept), left)
	}
	reference := protocol.Protocol{Name: "r", Settings: debate.Settings{Form: "society"}.With("rounds", 2).
		With("abstain", 0.5)}
	controls, err := trial.Controls(reference, debate.Asking{}, "madc")
	if err != nil {
		t.Fatal(err)
	}
	if _, left := trial.WithoutDonors(controls, nil, 1); len(left) != 1 {
		t.Errorf("controls of a protocol: %q, want 1 of them", left)
	}
}
