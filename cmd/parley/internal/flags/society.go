package flags

import (
	"cmp"
	"strings"

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
	parts := protocol.PartsOf(society.Form())
	Number(set, &f.Agents, "agents", "n", DefaultAgents, settingRange("agents"), protocol.MeaningOf("agents"))
	Number(set, &f.Rounds, "rounds", "r", DefaultRounds, settingRange("rounds"), protocol.MeaningOf("rounds"))
	Text(set, &f.reading, "reading", "", "SOURCE", debate.ReadingCode, SettingHelp("reading", parts))
	Text(set, &f.prompts, "prompts", "", "SET", "", SettingHelp("prompts", parts)+" (default plain, which asks for an "+
		"answer in the form that the rule reads; tiny for the embedded model)")
	f.Asking.Register(set)
}

// SettingHelp is the help of a flag for a setting of protocols, as the forms say: what it means, the range of a number,
// and the values among parts that it can have.
func SettingHelp(name string, parts []debate.Part) string {
	text := protocol.MeaningOf(name)
	if in, number := debate.RangeOf(name); number {
		text += " (" + in.String() + ")"
	}
	if values := protocol.ValuesOf(name, parts); len(values) > 0 {
		text += ": " + strings.Join(values, ", ")
	}
	return text
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
