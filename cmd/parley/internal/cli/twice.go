package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/cmd/parley/internal/exit"
)

// checkTwice refuses a flag that a command line gives twice, since one of its values would be dropped. Lists grow with
// each, and pairs such as NAME=VALUE if they have other names.
func checkTwice(cmd *cobra.Command, args []string) error {
	_, own, err := cmd.Root().Find(args)
	if err != nil || cmd.DisableFlagParsing { // the words of a line that a shell completes are no flags
		return nil
	}
	given := make(map[string]string)
	return cmd.Flags().ParseAll(own, func(f *pflag.Flag, value string) error {
		shown, second := "--"+f.Name, value
		if grows(f) {
			name, of, pair := strings.Cut(value, "=")
			if !pair || !strings.Contains(f.Value.Type(), "=") {
				return nil
			}
			shown, second = shown+" "+name, of
		}
		if first, twice := given[shown]; twice {
			return exit.Usage(fmt.Errorf("%s is given twice, as %q and as %q: give it once", shown, first, second))
		}
		given[shown] = second
		return nil
	})
}

// grows reports whether the value of a flag is a list, to which each further one is added.
func grows(f *pflag.Flag) bool {
	value := f.Value
	if v, ok := value.(interface{ Unwrap() pflag.Value }); ok {
		value = v.Unwrap()
	}
	_, list := value.(pflag.SliceValue)
	return list || value.Type() == "stringToString"
}
