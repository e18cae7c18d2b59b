package experiment

import (
	"fmt"
	"slices"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
)

// Standard is an experiment with one form, which no file describes: its conditions are a plain debate, variants of it
// and its controls (trial.Conditions), and protocols beside them. parley compare is this experiment.
type Standard struct {
	Debate     debate.Settings // of the plain debate, a society: its size, reading and team
	Conditions []string        // the names of those wanted beside it; nil for all that need not be named
	Protocols  []string        // names or files
	// Ask says how a model is asked on a task, and with which prompts where a protocol names none.
	Ask func(model inference.ModelInfo, t task.Task) (ask debate.Asking, prompts string, err error)
}

// Experiment returns the experiment, of which the caller may set Repeats and Contrasts. It refuses a debate that cannot
// be held, and protocols that cannot be read.
func (s Standard) Experiment() (Experiment, error) {
	e := Experiment{standard: &s}
	for _, name := range s.Protocols {
		e.Conditions = append(e.Conditions, Condition{Protocol: name})
	}
	if _, err := trial.Held(s.plain().Protocol, "", debate.Asking{}); err != nil {
		return e, err
	}
	_, err := e.Points()
	return e, err
}

// plain returns the debate as the condition that it is.
func (s Standard) plain() Point {
	return Point{Condition: trial.Reference, Protocol: protocol.Protocol{Name: trial.Reference, Settings: s.Debate}}
}

// addTo puts the standard conditions that are wanted before the protocols of a run. base is the plain debate.
func (s Standard) addTo(run *TaskRun, base society.Society) error {
	run.Team = s.Debate.Team()
	base.Team = s.Debate.TeamAgents(base.Sampling, base.Agents)
	all, err := trial.Conditions(base)
	if err != nil {
		return err
	}
	wanted, err := trial.Select(all, s.Conditions)
	if err != nil {
		return err
	}
	wanted, copies, err := trial.WithoutCopies(wanted, s.Conditions)
	if err != nil {
		return err
	}
	wanted, alone := trial.WithoutDonors(wanted, s.Conditions, run.Questions)
	run.Notes = append(copies, alone...)
	run.named = append(slices.Clone(s.Conditions), trial.Names(run.Conditions)...)
	for _, c := range run.Conditions {
		if slices.Contains(trial.Names(wanted), c.Name) {
			return fmt.Errorf("condition %s exists already: give the protocol another name in a file of your own, or "+
				"choose conditions with --conditions", c.Name)
		}
	}
	run.Conditions = append(wanted, run.Conditions...)
	return nil
}
