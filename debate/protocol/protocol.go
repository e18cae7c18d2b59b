// Package protocol composes debates: it knows all forms, reads settings by name, refuses those that mean nothing to a
// form or contradict each other, and lists the named protocols. Whoever holds debates by name imports it; forms never
// do.
package protocol

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"parley/debate"
	"parley/debate/answer"
	"parley/debate/knights"
	"parley/debate/vote"
	"parley/strictyaml"
)

// Protocol is a composition that has a name.
type Protocol struct {
	Name    string `yaml:"name" json:"name"`
	Source  string `yaml:"source" json:"source"`
	Meaning string `yaml:"meaning" json:"meaning"`
	// the rule by which answers are read, where its wording asks for a form
	Answer          string `yaml:"answer" json:"answer,omitempty"`
	debate.Settings `yaml:",inline" json:"settings"`

	text []byte // of the file it was read from
}

//go:embed protocols.yaml
var protocolsFile []byte

var protocols = func() (all []Protocol) {
	if err := strictyaml.Unmarshal(protocolsFile, &all); err != nil {
		panic(err) // embedded
	}
	return all
}()

// Protocols lists those in the program.
func Protocols() []Protocol { return append([]Protocol(nil), protocols...) }

// LoadProtocol finds one of Protocols, or reads one from a path that ends in .yaml or .yml. Unknown and contradictory
// settings are refused, with their line.
func LoadProtocol(name string) (Protocol, error) {
	if strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") {
		text, err := strictyaml.ReadFile(name)
		if err != nil {
			return Protocol{}, fmt.Errorf("protocol: %w", err)
		}
		p, err := ParseProtocol(text)
		if err != nil {
			return Protocol{}, fmt.Errorf("protocol %q: %w", name, err)
		}
		return p, nil
	}
	var names []string
	for _, p := range protocols {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Protocol{}, fmt.Errorf("no protocol %q; there are %s, or name a .yaml file", name, strings.Join(names, ", "))
}

// ParseProtocol reads one. What is not said of it (its name, its source) may be left out.
func ParseProtocol(text []byte) (Protocol, error) {
	p := Protocol{Name: "own", text: text}
	if err := strictyaml.Unmarshal(text, &p); err != nil {
		return Protocol{}, err
	}
	if p.Form == "" {
		return Protocol{}, errors.New("form must be given: the loop that the parts are put into, such as society")
	}
	if err := p.CheckNumbers(debate.WrittenIn(text)...); err != nil {
		return Protocol{}, debate.Located(text, err)
	}
	if _, err := p.Compose(debate.Asking{}); err != nil {
		return Protocol{}, err
	}
	return p, nil
}

// Compose makes the debate.
func (p Protocol) Compose(ask debate.Asking) (debate.Debate, error) {
	d, err := Compose(p.Settings, ask)
	if err != nil {
		return nil, debate.Located(p.text, err)
	}
	return named{d, p}, nil
}

// Equal reports whether two protocols are composed alike.
func (p Protocol) Equal(other Protocol) bool {
	return p.Name == other.Name && p.Answer == other.Answer && reflect.DeepEqual(p.Settings, other.Settings)
}

// Human has a person answer for an agent.
func (p *Protocol) Human(agent int) error {
	if agent < 0 || agent > 1000 {
		return fmt.Errorf("agent %d: they are numbered from 0", agent)
	}
	// a list of its own: that of a protocol in the program is everybody's
	team := make([]debate.Member, max(len(p.Team), agent+1))
	copy(team, p.Team)
	team[agent].Human = true
	p.Team = team
	return nil
}

// truthForms are the ways in which a right answer may stand in a reply. A bare "A" is no answer by a rule that reads
// "(A)".
var truthForms = []string{"%s", "(%s)", "answer is (%s)", `\boxed{%s}`, "Final Solution: %s"}

// Truth reads the right answer to a question as somebody writes it down, by the rule by which replies are read: as it
// stands, or in the form that the rule looks for. What the rule reads in no form can be no answer, and is refused.
func (p Protocol) Truth(question, text, rule string) (answer.Answer, error) {
	extract, err := answer.Named(rule)
	if err != nil {
		return answer.Unparsed, err
	}
	example := answer.Example(rule)
	if players, err := knights.PlayersOf(question); p.Form == "knights" && err == nil {
		extract, example = knights.Roles(players), vote.Assignment(players,
			slices.Repeat([]string{"knight"}, len(players))).Text
	}
	for _, form := range truthForms {
		if a := extract(fmt.Sprintf(form, text)); a.Parsed && strings.TrimSpace(text) != "" {
			return a, nil
		}
	}
	return answer.Unparsed, fmt.Errorf("the truth %.80q can be no answer by the rule %s, whose answers look like %s",
		text, rule, example)
}

// Roles are what the agents are called, nil where they are numbered.
func (p Protocol) Roles() []string {
	d, err := p.Compose(debate.Asking{})
	if err != nil {
		return nil
	}
	return rolesOf(d)
}

// named is a debate whose transcript says by what protocol and settings it was held.
type named struct {
	debate.Debate
	protocol Protocol
}

// Run implements Debate.
func (n named) Run(ctx context.Context, speaker debate.Speaker, c debate.Case) (debate.Transcript, error) {
	t, err := n.Debate.Run(ctx, speaker, c)
	t.Protocol, t.Settings = n.protocol.Name, &n.protocol.Settings
	return t, err
}

func (n named) RoleNames() []string { return rolesOf(n.Debate) }
