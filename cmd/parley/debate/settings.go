package debate

import (
	"fmt"
	"strings"

	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/protocol"
)

// debateParts are the settings that have flags of their own.
var debateParts = []struct{ name, short, place, more string }{
	{"agents", "n", "N", ""},
	{"rounds", "r", "N", ""},
	{"order", "", "ORDER", ""},
	{"topology", "", "TOPOLOGY", ""},
	{"show", "", "PART", ""},
	{"until", "", "END", ""},
	{"decide", "", "RULE", ""},
	{"layout", "", "LAYOUT", ""},
	{"level", "", "N", ""},
	{"reading", "", "SOURCE", ""},
	{"prompts", "", "SET", " (default of a society: plain, which asks for an answer in the form that the rule reads; " +
		"tiny for the embedded model)"},
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
		if seats := p.FormOf().SeatsOf(p.Settings); agent >= seats && agent < debate.MaxSize {
			return p, fmt.Errorf("--human %d: this debate has %s, who are numbered from 0: --human takes 0 to %d",
				agent, wording.Count(seats, "member"), seats-1)
		}
		if err := p.Human(agent); err != nil {
			return p, err
		}
	}
	_, err = p.Compose(debate.Asking{})
	return p, err
}
