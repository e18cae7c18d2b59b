package debate

import (
	"fmt"
	"strings"

	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/listing"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/debate/vote"
)

// debateParts are the settings that have flags of their own.
var debateParts = []struct{ name, short, place, usage string }{
	{"agents", "n", "N", "number of agents"},
	{"rounds", "r", "N", "maximum number of rounds, including the first"},
	{"order", "", "ORDER", "how the others are listed: " + strings.Join(listing.Names(), ", ")},
	{"topology", "", "TOPOLOGY", "who hears whom: full, ring, neighbours (a ring that lists the predecessor first), " +
		"star (agent 0 hears all, all hear agent 0), random, random:K, graph"},
	{"show", "", "PART", "how much of the others' texts is shown: " + strings.Join(society.VisibilityNames(), ", ")},
	{"until", "", "END", "when the debate ends: rounds, agreement or certain; of tit-for-tat: moderator, answer or " +
		"preference"},
	{"decide", "", "RULE", "decision rule over the transcript, or election on the last solutions: " +
		strings.Join(vote.DecisionNames(), ", ")},
	{"layout", "", "LAYOUT", "layout of later prompts: history, or shared (all solutions once, at the beginning), " +
		"which costs far less with many agents"},
	{"level", "", "N", "level at which the sides of tit-for-tat may agree, from 0 (on everything) to 3 (on nothing)"},
	{"reading", "", "SOURCE", "the source to follow where a paper and its program differ: paper or code"},
	{"prompts", "", "SET", "prompt set, or a .yaml file (default of a society: plain, which asks for an answer in " +
		"the form that the rule reads; tiny for the embedded model)"},
}

// compose loads the protocol and applies the flags that change it.
func (d *Options) compose(cmd command.Line) (protocol.Protocol, error) {
	p, err := protocol.LoadProtocol(d.protocol)
	if err != nil {
		return p, err
	}
	for _, part := range debateParts {
		if cmd.Given(part.name) {
			if err := p.Set(part.name, cmd.Flags.Lookup(part.name).Value.String()); err != nil {
				return p, fmt.Errorf("--%w", err) // which begins with the name
			}
		}
	}
	for _, set := range d.set {
		name, value, ok := strings.Cut(set, "=")
		if !ok {
			return p, fmt.Errorf("--set %s: must be NAME=VALUE", set)
		}
		if err := p.Set(name, value); err != nil {
			return p, fmt.Errorf("--set %s: %w", set, err)
		}
	}
	for _, agent := range d.humans {
		if err := p.Human(agent); err != nil {
			return p, err
		}
	}
	_, err = p.Compose(debate.Asking{})
	return p, err
}
