package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/report"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bounds"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
)

func newRun() *cobra.Command {
	r := &runCommand{}
	cmd := &cobra.Command{
		Use:   "run NAME|FILE",
		Short: "Run an experiment: all conditions on all tasks, and a report with the published numbers",
		Long: `NAME is one of the experiments that parley experiments lists, FILE an experiment of your own in the
same format. Each task gets a run directory below --out, and the experiment one report. The same
command resumes an unfinished experiment. If you add questions, repeats, conditions or values of a
sweep, only what is new is generated.

Parley searches the directories of --data for the task files, by name and content; parley data tells
where to download them. --small runs the small version that the experiment defines, to check that
everything works: about a minute on the embedded model.`,
		Example: `  parley run madc-table1 --small
  parley run madc-table1 --model qwen2.5-7b-instruct-q4_k_m.gguf --data benchmarks --out table1
  parley run mine.yaml --data benchmarks --questions 50 --dry-run`,
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error { return r.experiment(cmd, args[0]) },
	}
	r.register(cmd)
	flags := cmd.Flags()
	flags.StringSliceVar(&r.data, "data", nil, "directories to search for task files (default data, and $PARLEY_DATA)")
	flags.StringToStringVar(&r.files, "task", nil, "use FILE for task NAME instead of searching: NAME=FILE")
	flags.StringSliceVar(&r.only, "only", nil, "tasks to run (default all)")
	flags.StringToStringVar(&r.team, "team", nil, "model FILE for the members of teams with ROLE: ROLE=FILE")
	flags.BoolVar(&r.small, "small", false, "run the experiment's small version")
	addNumber(flags, &r.questions, "questions", "q", 0, task.QuestionsRange,
		"maximum number of questions per task, drawn with the seed")
	addNumber(flags, &r.repeats, "repeats", "", 0, trial.RepeatsRange, "repeats, instead of the experiment's")
	addNumber(flags, &r.seed, "seed", "s", 0, bounds.From(1, 1<<64), "seed, instead of the experiment's")
	return cmd
}

type runCommand struct {
	runner
	data      []string
	files     map[string]string
	only      []string
	team      map[string]string
	small     bool
	questions int
	repeats   int
	seed      uint64
}

// experiment runs all chosen tasks, and then writes the report. Failed debates do not stop the tasks that follow; any
// other error does.
func (r *runCommand) experiment(cmd *cobra.Command, name string) error {
	e, err := r.load(name)
	if err != nil {
		return input(err)
	}
	specs, err := r.specs(e)
	if err != nil {
		return input(err)
	}
	if err := r.checkAllFit(cmd, specs); err != nil {
		return err
	}
	if err := r.locate(e.Name); err != nil {
		return err
	}
	var failed error
	for _, spec := range specs {
		err := r.run(cmd, spec)
		if err != nil {
			err = fmt.Errorf("task %s: %w", spec.part, err)
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

// load reads the experiment, with all of its tasks, and applies the flags that change it.
func (r *runCommand) load(name string) (e experiment.Experiment, err error) {
	if e, err = experiment.Load(name); err != nil {
		return e, err
	}
	if e, err = e.With(experiment.Changes{Models: r.team}); err != nil {
		return e, err
	}
	if r.small {
		if e, err = e.Miniature(); err != nil {
			return e, err
		}
	}
	if roles := e.Unfilled(); len(roles) > 0 {
		return e, fmt.Errorf("experiment %s leaves open which models play the roles of its teams: name a GGUF file for "+
			"each, as in parley run %s --team %s=FILE", e.Name, name, strings.Join(roles, "=FILE --team "))
	}
	return e.With(experiment.Changes{Questions: r.questions, Repeats: r.repeats, Seed: r.seed,
		Contrasts: r.contrasts})
}

// specs are the runs of the tasks that --only chooses. The experiment.yaml that they write nevertheless has all tasks,
// since the others may have been run before, or may be run later.
func (r *runCommand) specs(e experiment.Experiment) (specs []runSpec, err error) {
	chosen, err := e.With(experiment.Changes{Only: r.only})
	if err != nil {
		return nil, err
	}
	tasks, err := chosen.Questions(r.searched())
	if err != nil {
		return nil, err
	}
	text, err := e.YAML()
	if err != nil {
		return nil, err
	}
	for _, t := range tasks {
		specs = append(specs, runSpec{part: t.Name, study: taskStudy{e, t}, experiment: text})
	}
	return specs, nil
}

// searched says where to look for task files.
func (r *runCommand) searched() experiment.Data {
	d := experiment.Data{Directories: r.data, Files: r.files}
	if len(d.Directories) == 0 {
		d.Directories = append([]string{"data"}, filepath.SplitList(os.Getenv("PARLEY_DATA"))...)
	}
	return d
}

// checkAllFit refuses an experiment of several tasks before the first one starts if any of them cannot fit.
func (r *runCommand) checkAllFit(cmd *cobra.Command, specs []runSpec) error {
	if len(specs) < 2 {
		return nil
	}
	engine, err := r.openFor(cmd, specs[0].study) // all have the conditions of the experiment, and so its models
	if err != nil {
		return err
	}
	defer engine.Close()
	var cannot error
	for _, spec := range specs {
		options, _, err := spec.study.resolve(engine.Model())
		if err != nil {
			return err
		}
		if _, err := bench.ForeseeRun(cmd.Context(), options, engine); err != nil {
			cannot = errors.Join(cannot, fmt.Errorf("task %s: %w", spec.part, err))
		}
	}
	return usage(cannot)
}

// report writes the report of all tasks that have been run, now or before, and prints how the published numbers for
// this model compare.
func (r *runCommand) report(cmd *cobra.Command) error {
	written, err := report.Of(r.place(), "", report.Options{})
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "the report is", written.Page)
	if r.json {
		return nil
	}
	_, err = fmt.Fprint(cmd.OutOrStdout(), written.Published)
	return err
}

// taskStudy asks one task of an experiment.
type taskStudy struct {
	experiment experiment.Experiment
	task       task.Task
}

// eachModel implements study.
func (s taskStudy) eachModel(visit func(name string) error) error {
	return s.experiment.EachModel(visit)
}

// resolve implements study.
func (s taskStudy) resolve(model inference.ModelInfo) (bench.Options, society.Society, error) {
	prepared, err := s.experiment.Prepare(s.task, model)
	if err != nil {
		return bench.Options{}, prepared.Base, input(err)
	}
	return bench.Options{Task: s.task, Conditions: prepared.Conditions, Reference: prepared.Reference,
		Repeats: prepared.Repeats, Equivalence: prepared.Equivalence, Contrasts: prepared.Contrasts}, prepared.Base, nil
}
