// Package standard compares the standard conditions on a task: plain debate beside single answers, votes and variants.
package standard

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/runner"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
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
	if c.AsJobs() {
		return c.Jobs(cmd, t.Name, len(t.Questions))
	}
	if err := c.Locate(name); err != nil {
		return err
	}
	return c.Run(cmd, runner.Spec{Study: study{c, t}, Questions: len(t.Questions)})
}

// study asks a task under the standard conditions, and under protocols beside them.
type study struct {
	*Comparison
	task task.Task
}

// EachModel implements runner.Study.
func (s study) EachModel(visit func(name string) error) error {
	settings, err := s.settings()
	if err != nil {
		return exit.Usage(err)
	}
	if err := (protocol.Protocol{Settings: settings}).EachModel(visit); err != nil {
		return fmt.Errorf("--set team: %w", err)
	}
	for _, name := range s.protocols {
		p, err := protocol.LoadProtocol(name)
		if err != nil {
			return exit.Usage(err)
		}
		if err := p.EachModel(visit); err != nil {
			return fmt.Errorf("protocol %q: %w", name, err)
		}
	}
	return nil
}

// settings are those of the standard debates: the size that flags give, and the team of --set.
func (s study) settings() (debate.Settings, error) {
	settings := debate.Flat(society.FormName, society.Settings{Agents: s.Society.Agents, Rounds: s.Society.Rounds})
	for _, set := range s.set {
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
	if len(settings.Team()) == 0 {
		return settings, nil
	}
	_, err := trial.Held(protocol.Protocol{Name: trial.Reference, Settings: settings}, "madc", debate.Asking{})
	return settings, err
}

// Resolve implements runner.Study.
func (s study) Resolve(model inference.ModelInfo) (o bench.Options, err error) {
	society, err := s.Society.For(model, s.task)
	if err != nil {
		return o, err
	}
	settings, err := s.settings()
	if err != nil {
		return o, exit.Usage(err)
	}
	society.Team = settings.TeamAgents(society.Sampling, society.Agents)
	all, err := trial.Conditions(society)
	if err != nil {
		return o, exit.Usage(err)
	}
	conditions, err := trial.Select(all, s.conditions)
	if err != nil {
		return o, exit.Usage(err)
	}
	conditions, left, err := trial.WithoutCopies(conditions, s.conditions)
	if err != nil {
		return o, exit.Usage(err)
	}
	conditions, alone := trial.WithoutDonors(conditions, s.conditions, len(s.task.Questions))
	left = append(left, alone...)
	prompts, err := s.Society.PromptSet(model, s.task)
	if err != nil {
		return o, exit.Usage(err)
	}
	for _, name := range s.protocols {
		condition, err := s.protocolCondition(name, prompts, society.Asking)
		if err != nil {
			return o, exit.Usage(err)
		}
		if slices.ContainsFunc(conditions, func(c trial.Condition) bool { return c.Name == condition.Name }) {
			return o, exit.Usage(fmt.Errorf("condition %s exists already: give the protocol another name in a "+
				"file of your own, or choose conditions with --conditions", condition.Name))
		}
		conditions = append(conditions, condition)
	}
	o = bench.Options{Task: s.task, Conditions: conditions,
		Run: spec.Run{Repeats: s.repeats, Team: settings.Team(), Tests: spec.Tests{Contrasts: s.Tests.Contrasts},
			Notes: left}}
	o.Run.On(s.task)
	o.Run.Asking(society)
	return o, nil
}

// protocolCondition is a protocol as a condition. prompts is for protocols that name no prompt set. One whose prompts
// ask for what the task's rule does not read is refused.
func (s study) protocolCondition(name, prompts string, ask debate.Asking) (trial.Condition, error) {
	p, err := protocol.LoadProtocol(name)
	if err != nil {
		return trial.Condition{}, err
	}
	p = p.WithPrompts(prompts)
	if err := p.Agree(s.task.Rule); err != nil {
		return trial.Condition{}, fmt.Errorf("protocol %s: %w", p.Name, err)
	}
	ask.Stop = nil // each set has its own
	return trial.Held(p.Stating(s.task.Rule), prompts, ask)
}
