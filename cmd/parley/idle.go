package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley/debate/discussion"
	"parley/debate/protocol"
)

// idleFlags are those that mean nothing without another flag, or beside one: what is typed and cannot be obeyed is
// refused.
var idleFlags = []struct {
	commands string // that it is about, with blanks; "" is all that have the flag
	flag     string
	needs    string // one of these flags, with blanks; "" is none
	beside   string
}{
	{"", "stop-every", "stop-when", ""},
	{"", "calibrate", "dry-run", ""},
	{"", "details", "", "json dry-run"},
	{"score diff", "list", "", "json"},
	{"", "device", "gpu-layers", ""},
	{"compare", "objects", "generated power", ""},
	{"show", "width", "", "messages"},
	{"experiments", "json", "", "schema"},
	{"bench", "peer-expert", "peer", ""},
	{"bench", "peer-in-flight", "peer", ""},
	{"bench", "peer-flags", "peer", ""},
}

// checkIdle refuses flags of a command that could not be obeyed.
func checkIdle(cmd *cobra.Command) error {
	given := func(name string) bool { f := cmd.Flag(name); return f != nil && f.Changed }
	for _, idle := range idleFlags {
		if !given(idle.flag) || idle.commands != "" && !slices.Contains(strings.Fields(idle.commands), cmd.Name()) {
			continue
		}
		if needs := strings.Fields(idle.needs); len(needs) > 0 && !slices.ContainsFunc(needs, given) {
			return usage(fmt.Errorf("--%s means nothing without --%s", idle.flag, needs[0]))
		}
		for _, beside := range strings.Fields(idle.beside) {
			if given(beside) {
				return usage(fmt.Errorf("--%s means nothing beside --%s", idle.flag, beside))
			}
		}
	}
	return checkAlone(cmd)
}

// checkAlone refuses everything beside flags with which a command does something else altogether.
func checkAlone(cmd *cobra.Command) (err error) {
	for _, alone := range []string{"power", "schema"} {
		if f := cmd.Flag(alone); f == nil || !f.Changed {
			continue
		}
		cmd.Flags().Visit(func(f *pflag.Flag) {
			if f.Name != alone && err == nil {
				err = usage(fmt.Errorf("--%s means nothing beside --%s", f.Name, alone))
			}
		})
		if cmd.Flags().NArg() > 0 && err == nil {
			err = usage(fmt.Errorf("%s means nothing beside --%s", cmd.Flags().Arg(0), alone))
		}
	}
	return err
}

// checkIdle refuses flags that mean nothing to the protocol.
func (d *debateCommand) checkIdle(cmd *cobra.Command, p protocol.Protocol) error {
	for _, flag := range []struct {
		name  string
		reads bool
		who   string
	}{
		{"facts", p.VotersSee == discussion.ShownFacts || p.Challenge == discussion.ChallengeFacts,
			"no protocol that shows facts (voters-see or challenge: facts)"},
		{"wrong", p.Challenge == discussion.ChallengeWrong, "no protocol that shows a wrong answer (challenge: wrong)"},
		{"answer", p.Form != "knights" && p.Form != "lesson", "form " + p.Form + " reads replies by a rule of its own"},
	} {
		if cmd.Flag(flag.name).Changed && !flag.reads {
			return fmt.Errorf("--%s means nothing here: %s", flag.name, flag.who)
		}
	}
	return nil
}
