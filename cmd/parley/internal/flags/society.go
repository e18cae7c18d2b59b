package flags

import (
	"cmp"

	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bounds"
)

// The usual size of a debate.
const (
	DefaultAgents = 3
	DefaultRounds = 2
)

// Society has the flags that describe a debate to compare.
type Society struct {
	Asking
	Agents, Rounds   int
	reading, prompts string
}

// Register adds the flags.
func (f *Society) Register(set *pflag.FlagSet) {
	Number(set, &f.Agents, "agents", "n", DefaultAgents, settingRange("agents"), "number of agents")
	Number(set, &f.Rounds, "rounds", "r", DefaultRounds, settingRange("rounds"),
		"number of rounds, including the first, in which all answer alone")
	Text(set, &f.reading, "reading", "", "SOURCE", debate.ReadingCode,
		"the source to follow where MADC's paper and its program differ: code or paper")
	Text(set, &f.prompts, "prompts", "", "SET", "", "prompt set, or a .yaml file (default plain, which asks for "+
		"an answer in the form that the rule reads; tiny for the embedded model)")
	f.Asking.Register(set)
}

// settingRange returns the range of a numeric setting of protocols.
func settingRange(name string) bounds.Range {
	r, _ := debate.RangeOf(name)
	return r
}

// PromptSet returns the prompt set of a debate: the default for a model and a task unless a flag names one, in the form
// that
// the task's answer rule reads. A set that asks for something else is refused.
func (f *Society) PromptSet(model inference.ModelInfo, t task.Task) (string, error) {
	if f.prompts == "" && model.Embedded {
		return protocol.PromptSet(model, t.Rule), nil
	}
	set := prompts.Asking(cmp.Or(f.prompts, t.Asking().Prompts, protocol.PromptSet(model, t.Rule)), t.Kind())
	if f.prompts == "" {
		return set, nil
	}
	return set, prompts.Agree(set, t.Rule)
}

// For returns the debate that the flags describe, with the defaults for a model and a task.
func (f *Society) For(model inference.ModelInfo, t task.Task) (society.Society, error) {
	order, err := society.ParseOrder("", f.reading)
	if err != nil {
		return society.Society{}, exit.Usage(err)
	}
	name, err := f.PromptSet(model, t)
	if err != nil {
		return society.Society{}, exit.Usage(err)
	}
	set, err := prompts.Load(name)
	if err != nil {
		return society.Society{}, exit.Input(err)
	}
	asking, err := f.Asking.For(model)
	if err != nil {
		return society.Society{}, err
	}
	return society.Society{Asking: asking.Stopping(set.Stop), Agents: f.Agents, Rounds: f.Rounds,
		Exchange: society.Exchange{Order: order}, Prompts: set}, nil
}
