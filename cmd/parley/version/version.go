// Package version prints what the program is: parley version.
package version

import (
	"encoding/json"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/program"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/inference/llamacpp"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of parley, Go and llama.cpp, and the CPU features of the build",
		Args:  flags.NoArgs,
	}
	cmd.RunE = command.Do(o, &o.line, run, instead)
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line command.Line
	json bool
}

// run prints the versions.
func run(o *Options) error {
	if o.json {
		return json.NewEncoder(o.line.Out).Encode(map[string]any{
			"parley": program.Version(), "go": runtime.Version(),
			"platform": runtime.GOOS + "/" + runtime.GOARCH, "llama.cpp": llamacpp.Build(),
			"flags": program.Flags(),
		})
	}
	return terminal.Printf(o.line.Out, "parley %s, %s, %s/%s\n%s\nbuilt with %s\n", program.Version(),
		runtime.Version(), runtime.GOOS, runtime.GOARCH, program.Build(), strings.Join(program.Flags(), " "))
}
