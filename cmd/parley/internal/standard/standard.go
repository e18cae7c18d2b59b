// Package standard compares the standard conditions on a task: plain debate beside single answers, votes and variants.
package standard

import (
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/runner"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/society"
)

// Conditions describes the standard conditions. It is computed once, since tests make the commands again and again.
var Conditions = sync.OnceValue(func() string {
	conditions, err := trial.Conditions(society.Society{Agents: flags.DefaultAgents, Rounds: flags.DefaultRounds})
	if err != nil {
		panic(err) // nothing in them depends on the user
	}
	var lines []string
	for _, c := range conditions {
		named := ""
		if c.OnDemand {
			named = " (only if named)"
		}
		lines = append(lines, fmt.Sprintf("  %-24s %s%s", c.Name, c.Meaning, named))
	}
	return strings.Join(lines, "\n")
})

// Comparison compares the standard conditions, and has the flags for it; demo uses it too.
type Comparison struct {
	runner.Runner
	Society    flags.Society
	conditions []string // names of those wanted beside mad; nil for all that need not be named
	protocols  []string // names or files
	set        []string // NAME=VALUE, of the debates
	repeats    int
}

func (c *Comparison) Register(set *pflag.FlagSet) {
	c.Runner.Register(set)
	c.Society.Register(set)
	flags.List(set, &c.conditions, "conditions", "CONDITIONS",
		"conditions to run beside mad, such as single,vote (default all that need not be named)")
	flags.List(set, &c.protocols, "protocols", "PROTOCOLS",
		"further conditions: protocols that parley protocols lists, or .yaml files, with their own agents and rounds")
	flags.Each(set, &c.set, "set", "", "NAME=VALUE", nil, "a setting of all standard debates, which can be "+
		"team: \"team=[{model: a.gguf}, {model: b.gguf}]\"; single answers and self-consistency stay those of --model")
	flags.Number(set, &c.repeats, "repeats", "", 1, trial.RepeatsRange,
		"how often each condition is run on each question, each time with other seeds")
}

// Compare runs the conditions on a task. name is that of the command.
func (c *Comparison) Compare(cmd command.Line, name string, t task.Task) error {
	if err := c.Locate(name); err != nil {
		return err
	}
	if err := c.Society.CheckPrompts(); err != nil {
		return err
	}
	e, err := c.experiment()
	if err != nil {
		return exit.Usage(err)
	}
	return c.Run(cmd, runner.Spec{Experiment: e, Task: t})
}

// experiment is the comparison as the experiment that it is.
func (c *Comparison) experiment() (experiment.Experiment, error) {
	plain, err := c.plain()
	if err != nil {
		return experiment.Experiment{}, err
	}
	e, err := experiment.Standard{Debate: plain, Conditions: c.conditions, Protocols: c.protocols,
		Ask: c.Society.Ask}.Experiment()
	e.Repeats, e.Contrasts = c.repeats, c.Tests.Contrasts
	return e, err
}

// plain returns the settings of the plain debate: those of the flags, and the team of --set.
func (c *Comparison) plain() (debate.Settings, error) {
	settings := c.Society.Settings()
	for _, set := range c.set {
		name, value, _ := strings.Cut(set, "=")
		if name != "team" {
			return settings, fmt.Errorf("--set %s: of the standard debates only the team can be set, as in "+
				"--set \"team=[{model: a.gguf}, {}]\"; others have flags of their own, or differ between conditions: "+
				"name a protocol with --protocols", set)
		}
		if err := settings.Set(name, value); err != nil {
			return settings, fmt.Errorf("--set %s: %w", set, err)
		}
	}
	return settings, nil
}
