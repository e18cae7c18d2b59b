package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/engine"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/inference/remote"
	"github.com/parley-debate/parley/internal/bug"
	"github.com/parley-debate/parley/internal/platform"
)

// examineServers looks at the servers of --engine, and measures whether they repeat themselves.
func examineServers(cmd command.Line, f engine.Flags, file string) []finding {
	engine, err := f.OpenServers(cmd)
	if err != nil {
		return []finding{{"engine", "failed", err.Error()}}
	}
	defer engine.Close()
	stop := context.AfterFunc(cmd.Context, bug.Lone(func() { engine.Stop(context.Canceled) }))
	defer stop()
	findings := []finding{{"engine", "ok", engine.Plan()}}
	shown := terminal.WaitFor(cmd.Err, nil, "asking the servers")
	repeats, err := engine.Repeats(cmd.Context)
	shown.Finish()
	if err != nil {
		return append(findings, finding{"repeats", "failed", err.Error()})
	}
	findings = append(findings, shareFinding("alone", repeats.Alone), shareFinding("under load", repeats.Loaded))
	if file == "" {
		return findings
	}
	before, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		saved, err := engine.Save(repeats)
		if err == nil {
			err = platform.WriteFile(file, saved, 0o644)
		}
		if err != nil {
			return append(findings, finding{"restart", "failed", err.Error()})
		}
		return append(findings, finding{"restart", "ok", "the replies are in " + file + ": restart the server, and " +
			"run the same command again"})
	}
	share := remote.Share{}
	if err == nil {
		share, err = engine.Against(before, repeats)
	}
	if err != nil {
		return append(findings, finding{"restart", "failed", fmt.Sprintf("%s: %v", file, err)})
	}
	return append(findings, shareFinding("restart", share))
}

// shareFinding is a warning where not all replies came again: a run at such a server is not repeated by another one.
func shareFinding(check string, s remote.Share) finding {
	if s.Equal < s.Of {
		return finding{check, "warning", s.String()}
	}
	return finding{check, "ok", s.String()}
}
