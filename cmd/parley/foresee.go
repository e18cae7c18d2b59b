package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley/bench"
	"parley/debate"
	"parley/debate/protocol"
	"parley/inference"
)

// outlook is a debate before it is held: what is looked at is whether all that is said can fit into the context.
type outlook struct {
	ctx        context.Context
	engine     *inference.Local
	forecaster *bench.Forecaster
	protocol   protocol.Protocol
	asking     debate.Asking
	about      debate.Case
}

// foresee refuses a debate that cannot fit, whatever is said, and warns of one that may come not to. A debate of
// knights on the embedded model, whose replies are as long as they may be and whose context is small, gets a memory and
// a bound of replies that fit, where nobody says which.
func (d *debateCommand) foresee(cmd *cobra.Command, o outlook) (protocol.Protocol, debate.Asking, error) {
	what, sure, err := o.look()
	if err != nil || what == "" {
		return o.protocol, o.asking, err
	}
	better, found, err := o.better()
	if err != nil {
		return o.protocol, o.asking, err
	}
	advice := "lower --max-tokens, take fewer agents or rounds, or another --model"
	if found {
		advice = "what fits: " + better.command(cmd, o)
	}
	open := !cmd.Flags().Changed("max-tokens") || better.asking.MaxTokens == o.asking.MaxTokens
	switch {
	case found && open && o.engine.Model().Embedded && o.protocol.Form == "knights" &&
		better.protocol.Agents == o.protocol.Agents:
		fmt.Fprintf(cmd.ErrOrStderr(), "parley: %s; so this debate is that of %s\n", what,
			strings.TrimPrefix(advice, "what fits: "))
		return better.protocol, better.asking, nil
	case sure:
		return o.protocol, o.asking, usage(fmt.Errorf("this debate cannot be held: %s; %s", what, advice))
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "parley: warning: %s; if it does, the debate ends there; %s\n", what, advice)
	return o.protocol, o.asking, nil
}

// look says what does not fit, and whether that is sure.
func (o outlook) look() (what string, sure bool, err error) {
	d, err := o.compose()
	if err != nil {
		return "", false, err
	}
	seen, err := o.forecaster.Foresee(o.ctx, d, o.about)
	what, sure = o.forecaster.Says(seen)
	return what, sure, err
}

func (o outlook) compose() (debate.Debate, error) {
	o.asking.Observe = nil
	d, err := o.protocol.Compose(o.asking)
	return d, usage(err)
}

// bounded reports whether there is room for replies of so many tokens, and whether these are cut.
func (o outlook) bounded(maxTokens int) (room, cut bool) {
	o.asking.MaxTokens = maxTokens
	d, err := o.compose()
	if err != nil {
		return false, false
	}
	return o.forecaster.Spare(o.ctx, d, o.about)
}

// leastReply is the bound of a reply in which something can be said.
const leastReply = 32

// better is the first of some changes with which everything fits: shorter replies, a memory, and at last fewer agents.
func (o outlook) better() (better outlook, found bool, err error) {
	remembers := o
	reads, err := protocol.Reads(o.protocol.Settings, "memory")
	if err != nil {
		return o, false, err
	}
	if reads && o.protocol.Memory == 0 {
		remembers.protocol.Memory = 1
	}
	fewer := remembers
	fewer.protocol.Agents = 2
	for _, try := range []outlook{o, remembers, fewer} {
		if room, _ := try.bounded(leastReply); !room {
			continue
		}
		more := cmp.Or(o.asking.MaxTokens, inference.DefaultMaxTokens) - leastReply
		try.asking.MaxTokens = leastReply + sort.Search(max(0, more), func(n int) bool {
			room, _ := try.bounded(leastReply + n + 1)
			return !room
		})
		if _, cut := try.bounded(try.asking.MaxTokens); !cut {
			return try, true, nil
		}
	}
	return o, false, nil
}

// command is the command line that holds it.
func (o outlook) command(cmd *cobra.Command, before outlook) string {
	words := []string{cmd.CommandPath()}
	changed := map[string]bool{"max-tokens": true}
	var more []string
	if o.protocol.Memory != before.protocol.Memory {
		more = append(more, fmt.Sprintf("--set memory=%d", o.protocol.Memory))
	}
	if o.protocol.Agents != before.protocol.Agents {
		changed["agents"] = true
		more = append(more, fmt.Sprintf("--agents=%d", o.protocol.Agents))
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, value := range values {
			if !changed[f.Name] {
				words = append(words, "--"+f.Name+"="+quoted(value))
			}
		}
	})
	words = slices.Concat(words, more, []string{fmt.Sprintf("--max-tokens=%d", o.asking.MaxTokens)})
	for _, arg := range cmd.Flags().Args() {
		words = append(words, quoted(arg))
	}
	return strings.Join(words, " ")
}
