package trial_test

import (
	"context"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/society"
)

// relay is a form of a program's own: two agents speak in turn. Nothing outside this file knows it.
type relay struct{ agents int }

func (relay) Run(context.Context, debate.Speaker, debate.Case) (debate.Transcript, error) {
	return debate.Transcript{}, nil
}

type relaySettings struct {
	Agents  int    `doc:"number of agents in the relay"`
	Prompts string `doc:"a set of prompts"`
	Show    string `doc:"how much of the others' texts is shown"`
}

func relayForm(name string) debate.Form {
	return debate.Form{
		Name: name, Meaning: "agents speak in turn, each after the one before",
		Reads: debate.Reads[relaySettings](), Settings: debate.Described[relaySettings](),
		Compose: func(s debate.Settings, _ debate.Asking) (debate.Debate, error) {
			return relay{debate.Typed[relaySettings](s).Agents}, nil
		},
		Agents: 2, Asks: debate.Wording{Prompts: "madc", OfRun: true},
	}
}

func init() {
	plain, own, after := relayForm("relay"), relayForm("relay-worded"), relayForm("relay-after")
	own.FirstRound = func(s debate.Settings, _ string) debate.Settings {
		return debate.Settings{Prompts: "lesson", Opening: "zero-shot"}
	}
	own.Shuffled = func(s debate.Settings) (debate.Settings, string) {
		s.Show = society.ShowShuffled
		return s, ""
	}
	after.Prior = debate.PriorRequired
	protocol.Register(plain)
	protocol.Register(own)
	protocol.Register(after)
}

// TestControlsOfAnOwnForm: a form that says what it is gets the controls that fit it, and no others.
func TestControlsOfAnOwnForm(t *testing.T) {
	for name, want := range map[string]struct {
		controls, prompts, opening string
	}{
		"relay":        {"single vote self-consistency self-consistency-tokens oracle", "tiny", ""},
		"relay-worded": {"single vote self-consistency self-consistency-tokens shuffled oracle", "lesson", "zero-shot"},
	} {
		t.Run(name, func(t *testing.T) {
			p := protocol.Protocol{Name: "own", Settings: debate.Settings{Form: name}}
			conditions, err := trial.Controls(p, debate.Asking{}, "tiny")
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(trial.Names(conditions), " "); got != want.controls {
				t.Errorf("controls %q, want %q", got, want.controls)
			}
			single, vote := conditions[0].Protocol.Settings, conditions[1].Protocol.Settings
			if single.Agents != 1 || vote.Agents != 2 || vote.Prompts != want.prompts || vote.Opening != want.opening {
				t.Errorf("single %+v, vote %+v, want 1 and 2 agents, prompts %s, opening %q", single, vote,
					want.prompts, want.opening)
			}
			for _, c := range conditions {
				if spends := strings.HasPrefix(c.Name, "self-consistency"); spends != (c.DependsOn == "own") {
					t.Errorf("%s builds on %q, want the reference where it spends the same", c.Name, c.DependsOn)
				}
			}
		})
	}
	p := protocol.Protocol{Name: "own", Settings: debate.Settings{Form: "relay-after"}}
	if _, err := trial.Controls(p, debate.Asking{}, "tiny"); err == nil ||
		!strings.Contains(err.Error(), "form relay-after builds on another debate") {
		t.Errorf("got %v, want a refusal: it builds on another debate", err)
	}
	if err := (trial.Condition{Name: "own", Protocol: &p}).Validate(nil); err == nil ||
		!strings.Contains(err.Error(), "form relay-after spends what another debate has cost") {
		t.Errorf("got %v, want a refusal without an earlier debate", err)
	}
}
