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

// Settings returns the settings of the debate.
func (f *Society) Settings() debate.Settings {
	return debate.Flat(society.FormName, society.Settings{Agents: f.Agents, Rounds: f.Rounds, Reading: f.reading})
}

// CheckPrompts refuses a prompt set that does not exist, or whose file cannot be read.
func (f *Society) CheckPrompts() (err error) {
	if f.prompts != "" {
		_, err = prompts.Load(f.prompts)
	}
	return exit.Input(err)
}

// Ask returns how a model is asked on a task, and the name of the prompt set: the default for both unless a flag names
// one, in the form that the task's answer rule reads. A set that asks for something else is refused.
func (f *Society) Ask(model inference.ModelInfo, t task.Task) (a debate.Asking, set string, err error) {
	usual := protocol.PromptSet(model, t.Rule)
	switch {
	case f.prompts != "":
		set = prompts.Asking(f.prompts, t.Kind())
		err = prompts.Agree(set, t.Rule)
	case model.Embedded:
		set = usual
	default:
		set = prompts.Asking(cmp.Or(t.Asking().Prompts, usual), t.Kind())
	}
	if err != nil {
		return a, "", err
	}
	a, err = f.Asking.For(model)
	return a, set, err
}
