package trial

import (
	"testing"
)

// TestReferenceOf: points of sweeps are compared where their values are equal, and all else with the reference.
func TestReferenceOf(t *testing.T) {
	all := []string{"single", "mad/agents=3", "mad/agents=5", "madc/agents=3", "madc/agents=5", "madc/agents=7",
		"madc/agents=5/rounds=2", "ring/agents=5", "plain"}
	for condition, want := range map[string]string{
		"single":                 "mad/agents=5",
		"plain":                  "mad/agents=5",
		"mad/agents=5":           "mad/agents=5",
		"mad/agents=3":           "mad/agents=5",
		"madc/agents=3":          "mad/agents=3",
		"madc/agents=5":          "mad/agents=5",
		"madc/agents=5/rounds=2": "mad/agents=5",
		"madc/agents=7":          "madc/agents=7", // no debate of that size is there
	} {
		t.Run(condition, func(t *testing.T) {
			if got := ReferenceOf(condition, "mad/agents=5", all); got != want {
				t.Errorf("%s is compared with %s, want %s", condition, got, want)
			}
		})
	}
	teams := append(all, "mixed-of-3", "mixed-of-10")
	for condition, want := range map[string]string{"mixed-of-3": "mad/agents=3", "mixed-of-10": "mixed-of-10"} {
		t.Run(condition, func(t *testing.T) {
			if got := ReferenceOf(condition, "mad/agents=5", teams); got != want {
				t.Errorf("%s is compared with %s, want %s: a team of its size", condition, got, want)
			}
		})
	}
	if got := ReferenceOf("mixed-of-10", "mixed-of-3", teams); got != "mixed-of-3" {
		t.Errorf("a team that is the reference: %s, want \"mixed-of-3\"", got)
	}
	if got := ReferenceOf("mixed-of-10", "plain", teams); got != "plain" {
		t.Errorf("a reference that has no size is plain: got %s", got)
	}
	if got := ReferenceOf("madc/agents=3", "plain", all); got != "plain" {
		t.Errorf("a reference that is not swept is plain: got %s", got)
	}
	both := []string{"a/x=1/y=1", "a/x=1/y=2", "a/x=2/y=1", "b/y=2/x=1", "b/x=2"}
	if got := ReferenceOf("b/y=2/x=1", "a/x=1/y=1", both); got != "a/x=1/y=2" {
		t.Errorf("settings in another order: %s, want \"a/x=1/y=2\"", got)
	}
	if got := ReferenceOf("b/x=2", "a/x=1/y=1", both); got != "a/x=2/y=1" {
		t.Errorf("with the reference's value of what only that sweeps it is a/x=2/y=1: got %s", got)
	}
	if got := ReferenceOf("c/prompts=b/x.yaml", "a/prompts=a/x.yaml", []string{"a/prompts=a/x.yaml",
		"a/prompts=b/x.yaml"}); got != "a/prompts=b/x.yaml" {
		t.Errorf("values that are paths: %s, want \"a/prompts=b/x.yaml\"", got)
	}
}
