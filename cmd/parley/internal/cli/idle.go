package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/cmd/parley/internal/exit"
)

// idleFlags are flags that have no effect without another flag, or together with one. They are refused rather than
// ignored.
var idleFlags = []struct {
	commands string // to which the rule applies, separated by blanks; "" for all that have the flag
	flag     string
	needs    string // flags of which one has to be given, separated by blanks; "" for none
	excludes string // flags of which none may be given, separated by blanks; "" for none
}{
	{"", "stop-every", "stop-when", ""},
	{"", "stop-within", "stop-when", ""},
	{"", "calibrate", "dry-run", ""},
	{"", "details", "", "json dry-run"},
	{"score diff", "list", "", "json"},
	{"", "device", "gpu-layers", ""},
	{"", "leave-out", "out", "fork dry-run"},
	{"compare", "objects", "generated power", "players"},
	{"compare", "players", "generated power", ""},
	{"compare", "spies", "players power", ""},
	{"compare", "hints", "players power", ""},
	{"compare import", "columns", "task power", ""},
	{"compare import", "rule", "task power", ""},
	{"run", "columns", "on", ""},
	{"run", "rule", "on", ""},
	{"run", "data", "", "on"},
	{"run", "task", "", "on"},
	{"run", "only", "", "on"},
	{"referee", "columns", "task", ""},
	{"referee", "rule", "task", ""},
	{"referee", "data", "", "task"},
	{"referee", "only", "", "task"},
	{"show", "width", "", "messages"},
	{"score", "scores", "", "answer decide task out list details"},
	{"serve", "share-prefixes", "api-key-file", ""},
	{"serve", "tls-cert", "tls-key", ""},
	{"serve", "tls-key", "tls-cert", ""},
	{"bench", "peer-expert", "peer", ""},
	{"bench", "peer-in-flight", "peer", ""},
	{"bench", "peer-flags", "peer", ""},
}

// checkIdle refuses flags that would have no effect.
func checkIdle(cmd *cobra.Command) error {
	given := func(name string) bool { f := cmd.Flag(name); return f != nil && f.Changed }
	for _, idle := range idleFlags {
		if !given(idle.flag) || idle.commands != "" && !slices.Contains(strings.Fields(idle.commands), cmd.Name()) {
			continue
		}
		if needs := strings.Fields(idle.needs); len(needs) > 0 && !slices.ContainsFunc(needs, given) {
			return exit.Usage(fmt.Errorf("--%s has no effect without --%s", idle.flag, needs[0]))
		}
		for _, excluded := range strings.Fields(idle.excludes) {
			if given(excluded) {
				return exit.Usage(fmt.Errorf("--%s has no effect with --%s", idle.flag, excluded))
			}
		}
	}
	return checkAlone(cmd)
}

// checkAlone refuses other flags and arguments with flags that make a command do something else altogether.
func checkAlone(cmd *cobra.Command) (err error) {
	for _, alone := range []string{"power", "sources", "schema", "fields"} {
		if f := cmd.Flag(alone); f == nil || !f.Changed {
			continue
		}
		cmd.Flags().Visit(func(f *pflag.Flag) {
			if f.Name != alone && err == nil {
				err = exit.Usage(fmt.Errorf("--%s has no effect with --%s", f.Name, alone))
			}
		})
		if cmd.Flags().NArg() > 0 && err == nil {
			err = exit.Usage(fmt.Errorf("%s has no effect with --%s", cmd.Flags().Arg(0), alone))
		}
	}
	return err
}
