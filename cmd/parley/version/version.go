// Package version prints what the program is: parley version.
package version

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/program"
	"github.com/parley-debate/parley/inference/llamacpp"
)

func New() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of parley, Go and llama.cpp, and the CPU features of the build",
		Args:  flags.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(map[string]any{
					"parley": program.Version(), "go": runtime.Version(),
					"platform": runtime.GOOS + "/" + runtime.GOARCH, "llama.cpp": llamacpp.Build(),
					"flags": program.Flags(),
				})
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "parley %s, %s, %s/%s\n%s\nbuilt with %s\n", program.Version(),
				runtime.Version(), runtime.GOOS, runtime.GOARCH, program.Build(), strings.Join(program.Flags(), " "))
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
