package debate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
)

// outlook is a debate that is about to run. Its methods tell whether its prompts and replies will fit into the context.
type outlook struct {
	ctx        context.Context
	engine     inference.Running
	forecaster *bench.Forecaster
	protocol   protocol.Protocol
	asking     debate.Asking
	about      debate.Case
}

// foresee refuses a debate that cannot fit even with short replies, and warns of one that may not fit with long ones. A
// knights debate on the embedded model, which always uses its longest reply and has a small context, gets a memory and
// reply length that fit; if flags set a length that does not, it is refused, since it would fail half-way.
func (d *Options) foresee(cmd command.Line, o outlook) (protocol.Protocol, debate.Asking, error) {
	if o.forecaster == nil { // nobody here knows the model's vocabulary
		return o.protocol, o.asking, nil
	}
	seen, err := o.look()
	what, sure := o.forecaster.Says(seen)
	if err != nil || what == "" {
		return o.protocol, o.asking, err
	}
	better, found, err := o.shrink(seen.Few.Tokens() > 0)
	if err != nil {
		return o.protocol, o.asking, err
	}
	advice := "lower --max-tokens, --agents or --rounds, or choose another --model"
	if found {
		advice = "what fits: " + better.command(cmd, o)
	}
	open := !cmd.Given("max-tokens") || better.asking.MaxTokens == o.asking.MaxTokens
	wordy := o.engine.Model().Embedded && o.protocol.FormOf().Wordy
	switch {
	case found && open && wordy && better.protocol.Agents() == o.protocol.Agents():
		fmt.Fprintf(cmd.Err, "parley: %s; running %s instead\n", what,
			strings.TrimPrefix(advice, "what fits: "))
		return better.protocol, better.asking, nil
	case sure:
		return o.protocol, o.asking, exit.Usage(fmt.Errorf("this debate cannot fit: %s; %s", what, advice))
	case wordy:
		return o.protocol, o.asking, exit.Usage(fmt.Errorf("this debate cannot fit, since the embedded model always "+
			"replies at full length: %s; %s", what, advice))
	}
	fmt.Fprintf(cmd.Err, "parley: warning: %s; the debate ends if that happens; %s\n", what, advice)
	return o.protocol, o.asking, nil
}

// look foresees the debate.
func (o outlook) look() (seen bench.Outlook, err error) {
	d, err := o.compose()
	if err != nil {
		return seen, err
	}
	seen, err = o.forecaster.Foresee(o.ctx, d, o.about)
	// nothing was generated: the debate lacks something that flags give
	return seen, exit.Usage(err)
}

// compose makes a debate to look ahead with. Its observer is left out, since nothing happens yet.
func (o outlook) compose() (debate.Debate, error) {
	o.asking.Observe = nil
	d, err := o.protocol.Compose(o.asking)
	return d, exit.Usage(err)
}

// checkBound reports whether replies of maxTokens leave room to spare, and whether that bound cuts off what a grammar
// requires.
func (o outlook) checkBound(maxTokens int) (room, cut bool) {
	o.asking.MaxTokens = maxTokens
	d, err := o.compose()
	if err != nil {
		return false, false
	}
	return o.forecaster.Spare(o.ctx, d, o.about)
}

// leastReply is the shortest useful bound of a reply, in tokens.
const leastReply = 32

// shrink returns the smallest change after which everything fits: shorter replies, else also a memory, else the others'
// answers alone, which come first if not even replies of a few words fit, else fewer agents and a memory.
func (o outlook) shrink(few bool) (better outlook, found bool, err error) {
	remembers := o
	reads, err := protocol.Reads(o.protocol.Settings, "memory")
	if err != nil {
		return o, false, err
	}
	if reads && o.memory() == 0 {
		remembers.protocol.Settings = o.protocol.With("memory", 1)
	}
	terse := o
	if reads, err = protocol.Reads(o.protocol.Settings, "show"); err != nil {
		return o, false, err
	}
	if reads && o.show() == "" {
		terse.protocol.Settings = terse.protocol.With("show", society.ShowAnswers)
	}
	fewer := remembers
	fewer.protocol.Settings = fewer.protocol.With("agents", 2)
	tries := []outlook{o, remembers, terse, fewer}
	if few {
		tries = []outlook{terse, o, remembers, fewer}
	}
	for _, try := range tries {
		if room, _ := try.checkBound(leastReply); !room {
			continue
		}
		more := cmp.Or(o.asking.MaxTokens, inference.DefaultMaxTokens) - leastReply
		try.asking.MaxTokens = leastReply + sort.Search(max(0, more), func(n int) bool {
			room, _ := try.checkBound(leastReply + n + 1)
			return !room
		})
		if _, cut := try.checkBound(try.asking.MaxTokens); !cut {
			return try, true, nil
		}
	}
	return o, false, nil
}

// memory is how many of its own replies an agent still sees; 0 is all.
func (o outlook) memory() int { return debate.Value[int](o.protocol.Settings, "memory") }

// show is what agents are shown of the others, "" if that is everything.
func (o outlook) show() string { return debate.Value[string](o.protocol.Settings, "show") }

// command is the command line of this debate. cmd has the flags that the user gave, and before is the debate that they
// describe.
func (o outlook) command(cmd command.Line, before outlook) string {
	changed := []string{"max-tokens"}
	var more []string
	if o.memory() != before.memory() {
		more = append(more, fmt.Sprintf("--set memory=%d", o.memory()))
	}
	if o.show() != before.show() {
		more = append(more, "--set show="+o.show())
	}
	if o.protocol.Agents() != before.protocol.Agents() {
		changed = append(changed, "agents")
		more = append(more, fmt.Sprintf("--agents=%d", o.protocol.Agents()))
	}
	words := append([]string{cmd.Path}, more...)
	if given := cmd.FlagWords(changed...); len(given) > 0 {
		words = slices.Insert(words, 1, wording.Shell(given...))
	}
	words = append(words, fmt.Sprintf("--max-tokens=%d", o.asking.MaxTokens), wording.Shell(cmd.Args...))
	return strings.TrimSpace(strings.Join(words, " "))
}
