package trial_test

import (
	"context"
	"encoding/json"
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
	Agents  int    `yaml:"agents"`
	Prompts string `yaml:"prompts"`
	Show    string `yaml:"show"`
	Volume  int    `yaml:"volume"`
}

// described says what the settings mean, and which numbers they can be.
var described = debate.Describe(func(r *relaySettings) []debate.Field {
	return []debate.Field{
		debate.Number(&r.Agents, 1, 1000, "number of agents in the relay"),
		debate.Says(&r.Prompts, "a set of prompts"),
		debate.Says(&r.Show, "how much of the others' texts is shown"),
		debate.Number(&r.Volume, 1, 11, "how loud they are, which no other form knows"),
	}
})

func relayForm(name string) debate.Form {
	return debate.Form{
		Name: name, Meaning: "agents speak in turn, each after the one before",
		Typed: described,
		Compose: func(s debate.Settings, _ debate.Asking) (debate.Debate, error) {
			return relay{debate.Typed[relaySettings](s).Agents}, nil
		},
		Agents: 2, Asks: debate.Wording{Prompts: "madc", OfRun: true},
	}
}

func init() {
	plain, own, after := relayForm("relay"), relayForm("relay-worded"), relayForm("relay-after")
	own.FirstRound = func(s debate.Settings, _ string) debate.Settings {
		return debate.Settings{}.With("prompts", "lesson").With("opening", "zero-shot")
	}
	own.Shuffled = func(s debate.Settings) (debate.Settings, string) {
		return debate.Changed(s, func(own *relaySettings) { own.Show = society.ShowShuffled }), ""
	}
	after.Prior = debate.PriorRequired
	debate.Register(plain, own, after)
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
			if single.Agents() != 1 || vote.Agents() != 2 || vote.Prompts() != want.prompts ||
				debate.Value[string](vote, "opening") != want.opening {
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

// TestSettingOfAnOwnForm: a setting that a form declares is read from files and flags within its range, described,
// written into records and read back; to other forms it means nothing.
func TestSettingOfAnOwnForm(t *testing.T) {
	p, err := protocol.ParseProtocol([]byte("form: relay\nvolume: 11\nagents: 4\n"))
	if err != nil {
		t.Fatal(err)
	}
	record, err := json.Marshal(p.Settings)
	if want := `{"form":"relay","agents":4,"volume":11}`; err != nil || string(record) != want {
		t.Errorf("got %s, want %s (%v)", record, want, err)
	}
	var back debate.Settings
	if err := json.Unmarshal(record, &back); err != nil || !back.Equal(p.Settings) {
		t.Errorf("got %v back, want %v (%v)", back, p.Settings, err)
	}
	if got := debate.Typed[relaySettings](back).Volume; got != 11 {
		t.Errorf("got volume %d, want 11", got)
	}
	if reads := p.FormOf().Reads; strings.Join(reads, " ") != "agents prompts show volume end-loops tool" {
		t.Errorf("the form reads \"agents prompts show volume end-loops tool\": got %q", reads)
	}
	for text, want := range map[string]string{
		"form: relay\nvolume: 12\n":    "[2:9] volume 12: must be from 1 to 11",
		"form: relay\nvolume: 0\n":     "[2:9] volume 0: must be from 1 to 11",
		"form: society\nvolume: 11\n":  "[2:9] volume means nothing to form society",
		"form: relay\norder: random\n": "[2:8] order means nothing to form relay",
	} {
		t.Run(text, func(t *testing.T) {
			if _, err := protocol.ParseProtocol([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}
