package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"parley/bench"
	"parley/bench/experiment"
	"parley/bench/task"
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
	r.engine.register(cmd)
	flags := cmd.Flags()
	flags.StringVarP(&r.out, "out", "o", "", "directory of the experiment; one that holds it is gone on with (default parley-runs/NAME-TIME)")
	flags.StringSliceVar(&r.data, "data", nil, "directories below which task files are (default data, and $PARLEY_DATA)")
	flags.StringToStringVar(&r.files, "task", nil, "file of a task: NAME=FILE")
	flags.StringSliceVar(&r.only, "only", nil, "tasks to run (default all)")
	flags.BoolVar(&r.small, "small", false, "run the experiment's miniature")
	flags.BoolVar(&r.json, "json", false, "print the results as JSON lines, one a task, and nothing else")
	flags.IntVarP(&r.questions, "questions", "q", 0, "so many questions a task, drawn with the seed, where it has more")
	flags.IntVar(&r.repeats, "repeats", 0, "repeats in the place of the experiment's")
	flags.Uint64VarP(&r.seed, "seed", "s", 0, "seed in the place of the experiment's")
	return cmd
}

type runCommand struct {
	engine    engineFlags
	out       string
	data      []string
	files     map[string]string
	only      []string
	small     bool
	json      bool
	questions int
	repeats   int
	seed      uint64
}

func (r *runCommand) run(cmd *cobra.Command, name string) error {
	e, err := r.experiment(name)
	if err != nil {
		return input(err)
	}
	tasks, err := e.Questions(r.places())
	if err != nil {
		return input(err)
	}
	if r.out == "" {
		r.out = filepath.Join("parley-runs", e.Name+time.Now().Format("-20060102-150405"))
	}
	var results []bench.Comparison
	for _, t := range tasks {
		result, err := r.hold(cmd, e, t.Subset(r.questions, e.Seed))
		if err != nil {
			return fmt.Errorf("task %s: %w", t.Name, err)
		}
		if results = append(results, result); r.json {
			if err := json.NewEncoder(cmd.OutOrStdout()).Encode(result); err != nil {
				return err
			}
		} else if err := result.Write(cmd.OutOrStdout()); err != nil {
			return err
		}
	}
	return nil
}

// experiment is the one that is named, with what the flags say otherwise.
func (r *runCommand) experiment(name string) (e experiment.Experiment, err error) {
	if e, err = experiment.Load(name); err != nil {
		return e, err
	}
	if r.small {
		if e, err = e.Miniature(); err != nil {
			return e, err
		}
	}
	return e.With(experiment.Changes{Only: r.only, Repeats: r.repeats, Seed: r.seed})
}

// places are where task files are looked for.
func (r *runCommand) places() experiment.Data {
	d := experiment.Data{Directories: r.data, Files: r.files}
	if len(d.Directories) == 0 {
		d.Directories = append([]string{"data"}, filepath.SplitList(os.Getenv("PARLEY_DATA"))...)
	}
	return d
}

// hold runs the experiment on one task, in a directory of its own.
func (r *runCommand) hold(cmd *cobra.Command, e experiment.Experiment, t task.Task) (c bench.Comparison, err error) {
	directory, err := bench.OpenDirectory(filepath.Join(r.out, t.Name))
	if err != nil {
		return c, usage(err)
	}
	defer directory.Close()
	if c, err = r.compare(cmd, e, t, directory); err != nil {
		return c, errors.Join(err, removeEmpty(directory))
	}
	return c, errors.Join(directory.Finish(c), directory.Close())
}

func (r *runCommand) compare(cmd *cobra.Command, e experiment.Experiment, t task.Task, directory *bench.Directory) (c bench.Comparison, err error) {
	engine, err := r.engine.open(cmd, inference.OnGeneration(directory.Generation), inference.Known(directory.Reply))
	if err != nil {
		return c, err
	}
	defer engine.Close()
	study, err := e.Prepare(t, engine.Model())
	if err != nil {
		return c, input(err)
	}
	header := bench.NewHeader(engine.Model(), t, study.Base, study.Conditions, study.Repeats)
	header.Reference = study.Reference
	header.Parley, header.Build, header.Time = programVersion(), buildLine(), time.Now().UTC().Format(time.RFC3339)
	if err := directory.Begin(header); err != nil {
		return c, err
	}
	if err := r.keep(e); err != nil {
		return c, err
	}
	if !r.json {
		fmt.Fprintf(cmd.ErrOrStderr(), "%splan     %s\n", header.Headline(), engine.Plan())
	}
	bar := newProgress(cmd.ErrOrStderr(), engine, study.Reference, header.Debates)
	defer bar.finish()
	return bench.Compare(cmd.Context(), bench.Options{
		Task: t, Conditions: study.Conditions, Reference: study.Reference, Repeats: study.Repeats, Engine: engine, Observe: directory.Outcome, Progress: bar.update,
	})
}

// keep writes down the experiment as it is run.
func (r *runCommand) keep(e experiment.Experiment) error {
	text, err := e.YAML()
	if err != nil {
		return err
	}
	return renameio.WriteFile(filepath.Join(r.out, "experiment.yaml"), text, 0o644)
}
