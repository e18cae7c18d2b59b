package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"parley/bench"
	"parley/bench/experiment"
	"parley/bench/report"
	"parley/bench/task"
	"parley/bench/trial"
	"parley/bounds"
	"parley/debate"
	"parley/inference"
)

func newRun() *cobra.Command {
	r := &runCommand{}
	cmd := &cobra.Command{
		Use:   "run NAME|FILE",
		Short: "Run an experiment: all its conditions on all its tasks, to a report beside the published numbers",
		Long: `Experiments of the papers are listed by parley experiments; a file of your own is written in the same words. Each task gets a run directory
in --out, and all of it one report. The same command again goes on with what is not finished; an experiment that was widened (more
questions, repeats, values of a sweep, conditions) generates only what is new.

Task files are looked for by name and content below the directories of --data; parley data says where to get them. --small runs the
miniature that the experiment describes: a minute on the embedded model, to see that everything works.`,
		Example: `  parley run madc-table1 --small
  parley run madc-table1 --model qwen2.5-7b-instruct-q4_k_m.gguf --data benchmarks --out table1
  parley run mine.yaml --data benchmarks --questions 50 --dry-run`,
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd, args[0]) },
	}
	r.register(cmd)
	flags := cmd.Flags()
	flags.StringSliceVar(&r.data, "data", nil, "directories below which task files are (default data, and $PARLEY_DATA)")
	flags.StringToStringVar(&r.files, "task", nil, "file of a task: NAME=FILE")
	flags.StringSliceVar(&r.only, "only", nil, "tasks to run (default all)")
	flags.BoolVar(&r.small, "small", false, "run the experiment's miniature")
	addNumber(flags, &r.questions, "questions", "q", 0, task.QuestionsRange,
		"so many questions a task, drawn with the seed, where it has more")
	addNumber(flags, &r.repeats, "repeats", "", 0, trial.RepeatsRange, "repeats in the place of the experiment's")
	addNumber(flags, &r.seed, "seed", "s", 0, bounds.From(1, 1<<64), "seed in the place of the experiment's")
	return cmd
}

type runCommand struct {
	holding
	data      []string
	files     map[string]string
	only      []string
	small     bool
	questions int
	repeats   int
	seed      uint64
}

func (r *runCommand) run(cmd *cobra.Command, name string) error {
	e, err := r.experiment(name)
	if err != nil {
		return input(err)
	}
	part, err := e.With(experiment.Changes{Only: r.only})
	if err != nil {
		return input(err)
	}
	tasks, err := part.Questions(r.places())
	if err != nil {
		return input(err)
	}
	if err := r.foresee(cmd, e, tasks); err != nil {
		return err
	}
	var failed error // debates, of the tasks that were run to their end
	for _, t := range tasks {
		err := r.task(cmd, e, t)
		if err != nil {
			err = fmt.Errorf("task %s: %w", t.Name, err)
		}
		if !errors.As(err, new(failures)) && err != nil {
			return errors.Join(failed, err)
		}
		failed = errors.Join(failed, err)
	}
	if r.dry {
		return nil
	}
	return errors.Join(r.report(cmd), failed)
}

// foresee looks at all tasks before the first one is begun, where there are several.
func (r *runCommand) foresee(cmd *cobra.Command, e experiment.Experiment, tasks []task.Task) error {
	if len(tasks) < 2 {
		return nil
	}
	engine, err := r.engine.open(cmd)
	if err != nil {
		return err
	}
	defer engine.Close()
	var cannot error
	for _, t := range tasks {
		options, _, err := r.study(e, t)(engine.Model())
		if err != nil {
			return err
		}
		if _, err := bench.ForeseeRun(cmd.Context(), options, engine); err != nil {
			cannot = errors.Join(cannot, fmt.Errorf("task %s: %w", t.Name, err))
		}
	}
	return usage(cannot)
}

// report writes the report of all tasks that have been run, now or before, and prints what of it stands beside
// published numbers for the model.
func (r *runCommand) report(cmd *cobra.Command) error {
	written, err := report.Of(r.place(), "", report.Options{})
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "the report is", written.Page)
	if r.json {
		return nil
	}
	_, err = fmt.Fprint(cmd.OutOrStdout(), written.Beside)
	return err
}

// task runs the experiment on one task, in a directory of its own.
func (r *runCommand) task(cmd *cobra.Command, e experiment.Experiment, t task.Task) error {
	if r.dry {
		return r.rehearse(cmd, t.Name, r.study(e, t))
	}
	r.begun = func() error { return r.keep(e) }
	return r.hold(cmd, e.Name, t.Name, r.study(e, t))
}

// experiment is the one that is named, with what the flags say otherwise, and with all of its tasks.
func (r *runCommand) experiment(name string) (e experiment.Experiment, err error) {
	if e, err = experiment.Load(name); err != nil {
		return e, err
	}
	if r.small {
		if e, err = e.Miniature(); err != nil {
			return e, err
		}
	}
	return e.With(experiment.Changes{Questions: r.questions, Repeats: r.repeats, Seed: r.seed})
}

// places are where task files are looked for.
func (r *runCommand) places() experiment.Data {
	d := experiment.Data{Directories: r.data, Files: r.files}
	if len(d.Directories) == 0 {
		d.Directories = append([]string{"data"}, filepath.SplitList(os.Getenv("PARLEY_DATA"))...)
	}
	return d
}

// study is the experiment on one task.
func (r *runCommand) study(e experiment.Experiment, t task.Task) study {
	return func(model inference.ModelInfo) (bench.Options, debate.Society, error) {
		s, err := e.Prepare(t, model)
		if err != nil {
			return bench.Options{}, s.Base, input(err)
		}
		return bench.Options{Task: t, Conditions: s.Conditions, Reference: s.Reference, Repeats: s.Repeats}, s.Base, nil
	}
}

// keep writes down the experiment as it is run, with all of its tasks: others may have been run before, or be run
// later.
func (r *runCommand) keep(e experiment.Experiment) error {
	text, err := e.YAML()
	if err != nil {
		return err
	}
	return renameio.WriteFile(filepath.Join(r.place(), "experiment.yaml"), text, 0o644)
}
