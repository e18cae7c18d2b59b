package run

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/runner"
)

// withFlags returns the experiment with the changes that flags ask for. Controls change only if their flag was given:
// its default must not override the experiment.
func (r *Options) withFlags(e experiment.Experiment) (experiment.Experiment, error) {
	changes := experiment.Changes{Questions: r.questions, Budgets: r.budgets, Methods: r.methods, Repeats: r.repeats,
		Seed: r.seed, Contrasts: r.Tests.Contrasts, MaxTokens: r.maxTokens, Sampling: r.sampling.OfExperiment(),
		Reasoning: r.reasoning, Beliefs: r.beliefs}
	if r.line.Given("controls") {
		changes.Controls = &r.controls
	}
	if r.agents > 0 {
		changes.Set = append(changes.Set, fmt.Sprintf("agents=%d", r.agents))
	}
	changes.Set = append(changes.Set, r.set...)
	e, err := e.With(changes)
	return e, exit.Usage(err)
}

// onOwn returns the experiment on the questions of --on, with the changes that flags ask for.
func (r *Options) onOwn(e experiment.Experiment) (experiment.Experiment, error) {
	m, err := r.columns.Mapping()
	if err != nil {
		return e, exit.Usage(err)
	}
	var files []task.Task
	var names, notes []string
	for _, name := range r.on {
		parts, kinds, err := m.Split(name)
		if err != nil {
			return e, exit.Input(err)
		}
		if kinds != "" {
			notes = append(notes, fmt.Sprintf("%s has questions of several kinds, each a task of its own: %s.",
				filepath.Base(name), kinds))
		}
		for _, part := range parts {
			t, err := part.Load(name)
			if err != nil {
				return e, exit.Input(err)
			}
			files, names = append(files, t), append(names, name)
		}
	}
	if e, err = e.On(m, files...); err != nil {
		return e, exit.Input(err)
	}
	e.Notes = append(e.Notes, notes...)
	for _, note := range notes {
		fmt.Fprintln(r.line.Err, note)
	}
	for i, name := range names {
		r.chosen.Read(e.Tasks[i].Name, name)
	}
	if e, err = r.withFlags(e); err != nil {
		return e, err
	}
	e, err = e.Fitting(r.Engine.Embedded(), files...)
	return e, exit.Usage(err)
}

// specs are the runs of the tasks that --only chooses. The experiment.yaml that they write nevertheless has all tasks,
// since the others may have been run before, or may be run later. Without --only, tasks whose files are missing are
// left out as long as there are others.
func (r *Options) specs(e experiment.Experiment) (specs []runner.Spec, missing *experiment.Missing, err error) {
	chosen, err := e.With(experiment.Changes{Only: r.chosen.Only})
	if err != nil {
		return nil, nil, err
	}
	tasks, err := chosen.Questions(r.chosen.Searched())
	var lacking experiment.Missing
	if errors.As(err, &lacking) && len(r.chosen.Only) == 0 && len(tasks) > 0 && len(tasks) == len(lacking.There) {
		missing, err = &lacking, nil
	}
	if err != nil {
		return nil, nil, err
	}
	text, err := e.YAML()
	if err != nil {
		return nil, nil, err
	}
	for _, t := range tasks {
		specs = append(specs, runner.Spec{Experiment: e, Task: t, Part: t.Name, File: text})
	}
	return specs, missing, nil
}

// missingError names the tasks whose files are missing, after the others have run.
func missingError(missing *experiment.Missing) error {
	if missing == nil {
		return nil
	}
	return fmt.Errorf("not run, since their files are missing: %s", strings.Join(missing.Tasks, ", "))
}
