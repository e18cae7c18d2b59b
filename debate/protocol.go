package debate

import (
	"context"
	"fmt"
	"strings"

	"parley/debate/prompts"
)

// Protocol is a way to debate that has a name.
type Protocol struct {
	Name    string   `json:"name"`
	Source  string   `json:"source"`
	Meaning string   `json:"meaning"`
	Reads   []string `json:"reads"`           // the settings that mean something to it
	Roles   []string `json:"roles,omitempty"` // of the agents, where they differ

	hold func(ctx context.Context, speaker Speaker, c Case, s Settings) (Transcript, error)
}

// Settings are what protocols are run with, a society's and those that only others have; each reads its own.
type Settings struct {
	Society
	Level int
	Sides prompts.Sides
}

// Protocols lists them all.
func Protocols() []Protocol {
	return []Protocol{
		{"society", "Du et al. 2023; source 0, Key Decision-Makers", "all answer alone, then hear the others in an order and answer again; majority",
			[]string{"agents", "rounds", "reading", "order", "until", "topology", "show", "layout", "decide"}, nil, holdSociety},
		{"lesson", "source 1, an agents-lab lesson on Du et al.", "the same without a history: each call shows the own last answer and the others'; majority of raw strings",
			[]string{"agents", "rounds"}, nil, holdLesson},
		{"tit-for-tat", "source 3, Encouraging Divergent Thinking", "two sides argue in turns before a moderator who may end it; else a judge decides",
			[]string{"rounds", "reading", "level"}, SideNames, holdTitForTat},
	}
}

// ProtocolNamed finds one of Protocols.
func ProtocolNamed(name string) (Protocol, error) {
	var names []string
	for _, p := range Protocols() {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Protocol{}, fmt.Errorf("no protocol %q; there are %s", name, strings.Join(names, ", "))
}

// Hold runs one debate.
func (p Protocol) Hold(ctx context.Context, speaker Speaker, c Case, s Settings) (Transcript, error) {
	return p.hold(ctx, speaker, c, s)
}

func holdSociety(ctx context.Context, speaker Speaker, c Case, s Settings) (Transcript, error) {
	return s.Society.Run(ctx, speaker, c)
}

func holdLesson(ctx context.Context, speaker Speaker, c Case, s Settings) (Transcript, error) {
	result, err := Lesson{
		Asking: s.Asking, Agents: s.Agents, Rounds: s.Rounds, Prompts: s.Prompts,
	}.Run(ctx, speaker, c)
	return result.Transcript, err
}

func holdTitForTat(ctx context.Context, speaker Speaker, c Case, s Settings) (Transcript, error) {
	return TitForTat{
		Asking: s.Asking, Rounds: s.Rounds, Level: s.Level, Reading: s.Order.Reading, Prompts: s.Sides,
	}.Run(ctx, speaker, c)
}
