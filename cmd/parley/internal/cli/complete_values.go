package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/throughput"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/models"
)

// valuesOf lists the values of a setting that have names, with their meanings.
func valuesOf(setting string) (values []string) {
	for _, p := range protocol.Parts() {
		if p.Setting == setting {
			values = append(values, p.Value+"\t"+p.Meaning)
		}
	}
	return values
}

// always completes from a list that does not depend on what was typed before. It is made only when a shell asks.
func always(list func() []string) func(*cobra.Command, []string) []string {
	return func(*cobra.Command, []string) []string { return list() }
}

// some completes from fixed values.
func some(values ...string) func(*cobra.Command, []string) []string {
	return func(*cobra.Command, []string) []string { return values }
}

func protocolNames() (names []string) {
	for _, p := range protocol.Protocols() {
		names = append(names, p.Name+"\t"+p.Meaning)
	}
	return names
}

func experimentNames() (names []string) {
	for _, e := range experiment.List() {
		names = append(names, e.Name+"\t"+e.Source)
	}
	return names
}

// conditionNames are the standard conditions.
func conditionNames() (names []string) {
	conditions, err := trial.Conditions(society.Society{Agents: flags.DefaultAgents, Rounds: flags.DefaultRounds})
	if err != nil {
		return nil
	}
	for _, c := range conditions {
		names = append(names, c.Name+"\t"+c.Meaning)
	}
	return names
}

// taskNames are the tasks of the experiment that the first argument names.
func taskNames(_ *cobra.Command, args []string) (names []string) {
	if len(args) == 0 {
		return nil
	}
	e, err := experiment.Load(args[0])
	if err != nil {
		return nil
	}
	for _, t := range e.Tasks {
		names = append(names, t.Name)
	}
	return names
}

// recordedConditions are the conditions of the run that the first argument names.
func recordedConditions(_ *cobra.Command, args []string) (names []string) {
	return recorded(args, func(o trial.Outcome) string { return o.Condition })
}

// recordedQuestions are the questions of that run.
func recordedQuestions(_ *cobra.Command, args []string) (names []string) {
	return recorded(args, func(o trial.Outcome) string { return o.Question })
}

// recorded are the different names in the debates of a run, in their order, or none if it cannot be read.
func recorded(args []string, name func(trial.Outcome) string) (names []string) {
	if len(args) == 0 {
		return nil
	}
	run, err := rundir.ReadRun(args[0])
	if err != nil {
		return nil
	}
	seen := make(map[string]bool)
	for _, o := range run.Outcomes {
		if n := name(o); !seen[n] {
			seen[n], names = true, append(names, n)
		}
	}
	return names
}

func shapeNames() (names []string) {
	for _, s := range models.Shapes {
		names = append(names, s.Name)
	}
	return names
}

func workloadNames() (names []string) {
	for _, w := range throughput.Workloads() {
		names = append(names, w.Name+"\t"+w.Title)
	}
	return slices.Concat(names, []string{"all"})
}
