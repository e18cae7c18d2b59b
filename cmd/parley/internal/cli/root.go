package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/cmd/parley/batch"
	"github.com/parley-debate/parley/cmd/parley/bench"
	"github.com/parley-debate/parley/cmd/parley/branch"
	"github.com/parley-debate/parley/cmd/parley/bundle"
	"github.com/parley-debate/parley/cmd/parley/compare"
	"github.com/parley-debate/parley/cmd/parley/data"
	datapull "github.com/parley-debate/parley/cmd/parley/data/pull"
	"github.com/parley-debate/parley/cmd/parley/debate"
	"github.com/parley-debate/parley/cmd/parley/demo"
	"github.com/parley-debate/parley/cmd/parley/diff"
	"github.com/parley-debate/parley/cmd/parley/doctor"
	"github.com/parley-debate/parley/cmd/parley/experiments"
	"github.com/parley-debate/parley/cmd/parley/export"
	"github.com/parley-debate/parley/cmd/parley/importlogs"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/help"
	"github.com/parley-debate/parley/cmd/parley/internal/program"
	"github.com/parley-debate/parley/cmd/parley/judge"
	"github.com/parley-debate/parley/cmd/parley/man"
	"github.com/parley-debate/parley/cmd/parley/merge"
	"github.com/parley-debate/parley/cmd/parley/models"
	modelpull "github.com/parley-debate/parley/cmd/parley/models/pull"
	"github.com/parley-debate/parley/cmd/parley/models/synth"
	"github.com/parley-debate/parley/cmd/parley/protocols"
	"github.com/parley-debate/parley/cmd/parley/repair"
	"github.com/parley-debate/parley/cmd/parley/replay"
	"github.com/parley-debate/parley/cmd/parley/report"
	"github.com/parley-debate/parley/cmd/parley/run"
	"github.com/parley-debate/parley/cmd/parley/runs"
	"github.com/parley-debate/parley/cmd/parley/score"
	"github.com/parley-debate/parley/cmd/parley/serve"
	"github.com/parley-debate/parley/cmd/parley/show"
	"github.com/parley-debate/parley/cmd/parley/similarity"
	"github.com/parley-debate/parley/cmd/parley/stats"
	"github.com/parley-debate/parley/cmd/parley/status"
	"github.com/parley-debate/parley/cmd/parley/version"
)

// New makes the root command with all others below it, each in the group under which help lists it. Tests make it
// again and again, which is why long texts of help are computed once.
func New() *cobra.Command {
	root := &cobra.Command{
		Use:   "parley",
		Short: "Multi-agent debates on local language models",
		Long: `Parley runs multi-agent debates on local GGUF models, offline and in one process, and evaluates them
with confidence intervals and paired tests. Start with "parley demo".

` + exit.Codes + `

Environment: $PARLEY_MODELS and $PARLEY_DATA are directories to search for models and task files,
$XDG_CACHE_HOME is where caches lie, $COLUMNS is how wide texts are, also in a pipe, and with $NO_COLOR
nothing is in colour.`,
		Version: program.Line(),
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			return cmp.Or(checkList(cmd, args), checkIdle(cmd))
		},

		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          flags.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return exit.Usage(flags.MeantFlag(cmd, err)) })
	modelsCommand, dataCommand := models.New(nil), data.New(nil)
	modelsCommand.AddCommand(modelpull.New(nil), synth.New(nil))
	dataCommand.AddCommand(datapull.New(nil))
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Run debates", []*cobra.Command{demo.New(nil), debate.New(nil), compare.New(nil), run.New(nil),
			run.NewReferee(nil), merge.New(nil)}},
		{"Read recorded runs", []*cobra.Command{runs.New(nil), show.New(nil), status.New(nil),
			report.New(nil), export.New(nil), score.New(nil), judge.New(nil), diff.New(nil), stats.New(nil),
			similarity.New(nil), replay.New(nil), branch.New(again, nil), repair.New(nil)}},
		{"Models, data and what can be run", []*cobra.Command{modelsCommand, dataCommand, protocols.New(nil),
			experiments.New(nil), importlogs.New(nil), bundle.New(nil)}},
		{"Serve", []*cobra.Command{serve.New(nil), batch.New(nil)}},
		{"This program and machine", []*cobra.Command{doctor.New(nil), bench.New(nil), version.New(nil), man.New()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.title
		}
		root.AddCommand(g.commands...)
	}
	help.On(root)
	return root
}

// again carries out words of a command line, as those of a recorded run.
func again(ctx context.Context, words []string, out, errs io.Writer) error {
	root := New()
	root.SetArgs(words)
	root.SetOut(out)
	root.SetErr(errs)
	return root.ExecuteContext(ctx)
}

// checkList tells those who ask for a list, as with other programs, that some commands list without being told.
func checkList(cmd *cobra.Command, args []string) error {
	lists := []string{"data", "experiments", "models", "protocols", "runs"}
	if len(args) != 1 || args[0] != "list" && args[0] != "ls" || !slices.Contains(lists, cmd.Name()) {
		return nil
	}
	if _, err := os.Stat(args[0]); err == nil {
		return nil
	}
	return exit.Usage(fmt.Errorf("leave out %q: %s lists without it", args[0], cmd.CommandPath()))
}

// checkCommands makes cobra's own commands, help and completion, refuse unknown arguments with the exit code of wrong
// usage. Call it after SetOut: they keep the output that root has at that time.
func checkCommands(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(_ *cobra.Command, args []string) error {
				_, rest, err := root.Find(args)
				if err == nil && len(rest) > 0 {
					err = flags.NoCommand(root, strings.Join(args, " "))
				}
				return exit.Usage(err)
			}
		case "completion":
			c.Args, c.RunE = flags.NoArgs, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			for _, shell := range c.Commands() {
				shell.Args = flags.NoArgs
			}
		}
	}
}
