package debate

import (
	"fmt"

	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/debate/protocol"
)

// checkIdle refuses flags of parley debate that have no effect on the protocol.
func (d *Options) checkIdle(cmd command.Line, p protocol.Protocol) error {
	needs := p.FormOf().NeedsOf(p.Settings)
	for _, flag := range []struct {
		name  string
		reads bool
		who   string
	}{
		{"facts", needs.Facts, "only protocols with voters-see, challenge or judge: facts look at facts"},
		{"wrong", needs.Wrong, "only protocols with challenge: wrong show a wrong answer"},
		{"answer", !p.FormOf().Answers.Own, "form " + p.Form + " reads replies by its own rule"},
	} {
		if cmd.Given(flag.name) && !flag.reads {
			return fmt.Errorf("--%s has no effect here: %s", flag.name, flag.who)
		}
	}
	return nil
}
