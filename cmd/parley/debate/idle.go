package debate

import (
	"fmt"

	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/discussion"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/society"
)

// checkIdle refuses flags of parley debate that have no effect on the protocol.
func (d *Options) checkIdle(cmd command.Line, p protocol.Protocol) error {
	for _, flag := range []struct {
		name  string
		reads bool
		who   string
	}{
		{"facts", discussion.ShowsFacts(p.Settings) || society.JudgesFacts(p.Settings),
			"only protocols with voters-see, challenge or judge: facts look at facts"},
		{"wrong", debate.Typed[discussion.Settings](p.Settings).Challenge == discussion.ChallengeWrong,
			"only protocols with challenge: wrong show a wrong answer"},
		{"answer", !p.FormOf().Answers.Own, "form " + p.Form + " reads replies by its own rule"},
	} {
		if cmd.Given(flag.name) && !flag.reads {
			return fmt.Errorf("--%s has no effect here: %s", flag.name, flag.who)
		}
	}
	return nil
}
