// Package run runs an experiment: parley run.
package run

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/report"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/cmd/parley/internal/chosen"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/runner"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bounds"
	"github.com/parley-debate/parley/internal/outfile"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	r := &Options{}
	cmd := &cobra.Command{
		Use:   "run NAME|FILE",
		Short: "Run an experiment: all conditions on all tasks, and a report with the published numbers",
		Long: `NAME is one of the experiments that parley experiments lists, FILE an experiment of your own in the
same format. Each task gets a run directory below --out, and the experiment one report. The same
command resumes an unfinished experiment. If you add questions, repeats, conditions or values of a
sweep, only what is new is generated.

--` + strings.Join(flags.SamplingNames(true), ", --") + `, --agents, --max-tokens, --controls and --set change the
experiment; its file in --out, and the notes of the report, say so. A setting that no condition
reads, or that the experiment sweeps over, is refused.

Parley searches the directories of --data for the task files, by name and content; parley data tells
where to download them. --small runs the small version that the experiment defines, to check that
everything works: about a minute on the embedded model. Another model gets the prompts and the length
of replies of the whole experiment.

--on asks the questions of files of yours under the conditions of the experiment, with its
contrasts; several files are tasks of one report. The run is NAME-on-FILE, has no published numbers
beside it, and controls only with --controls. Conditions whose prompts ask for other answers than
yours are refused; --set prompts=plain has them ask for yours. parley data FILE shows how a file is
read.`,
		Example: `  parley run madc-table1 --small
  parley run madc-table1 --model qwen2.5-7b-instruct-q4_k_m.gguf --data benchmarks --out table1
  parley run madc-table1 --on mine.csv --columns question=prompt,answer=gold
  parley run mine.yaml --data benchmarks --questions 50 --dry-run`,
		Args: flags.Args(1, 1),
	}
	cmd.RunE = command.Do(r, &r.line, run, instead)
	set := cmd.Flags()
	r.chosen.Register(set, "run")
	r.chosen.RegisterTask(set)
	flags.Each(set, &r.on, "on", "", "FILE", nil, "ask the questions of this task file instead of the experiment's; "+
		"may be repeated, for a task of each file")
	r.register(set)
	return cmd
}

// register adds the flags that any experiment is run with.
func (r *Options) register(set *pflag.FlagSet) {
	r.Register(set)
	r.RegisterShards(set)
	r.columns.Register(set)
	flags.Numbers(set, &r.budgets, "budgets", experiment.BudgetRange, "budgets of the conditions in lengths of one "+
		"answer, such as 1,3,9, instead of the experiment's")
	flags.List(set, &r.methods, "methods", "LIST", "conditions to hold beside the reference, by their names in the "+
		"file; usual are those that are not optional (default usual)")
	flags.Number(set, &r.questions, "questions", "q", 0, task.QuestionsRange,
		"maximum number of questions per task, drawn with the seed")
	flags.Number(set, &r.repeats, "repeats", "", 0, trial.RepeatsRange, "repeats, instead of the experiment's")
	flags.Number(set, &r.seed, "seed", "s", 0, bounds.From(1, 1<<64), "seed, instead of the experiment's")
	r.sampling.RegisterChosen(set)
	flags.AddReasoning(set, &r.reasoning, "")
	flags.AddBeliefs(set, &r.beliefs)
	flags.Number(set, &r.maxTokens, "max-tokens", "", 0, inference.MaxTokensRange,
		"maximum length of a reply in tokens, instead of the experiment's")
	flags.Number(set, &r.agents, "agents", "n", 0, bounds.From(2, debate.MaxSize),
		"number of agents of all conditions that have several, instead of the experiment's")
	set.BoolVar(&r.controls, "controls", true, "controls of the reference beside the experiment's conditions, "+
		"instead of as it says")
	flags.Each(set, &r.set, "set", "", "NAME=VALUE", nil, "a setting of all conditions that read it, instead of the "+
		"experiment's; may be repeated")
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line command.Line
	name string // of the experiment; "" is the argument
	runner.Runner
	chosen    chosen.Experiment
	on        []string // the task files that replace those of the experiment; nil for none
	columns   flags.Columns
	budgets   []int
	methods   []string
	questions int
	repeats   int
	seed      uint64
	maxTokens int
	sampling  flags.Sampling
	reasoning string
	beliefs   bool
	agents    int
	controls  bool
	set       []string // NAME=VALUE
}

// run runs all chosen tasks, and then writes the report. Failed debates do not stop the tasks that follow; any
// other error does.
func run(r *Options) error {
	cmd := r.line
	e, err := r.load()
	if err != nil {
		return exit.Input(err)
	}
	if len(r.on) > 0 {
		e, err = r.onOwn(e)
	} else {
		e, err = r.withFlags(e)
	}
	if err != nil {
		return err
	}
	specs, missing, err := r.specs(e)
	if err != nil {
		return exit.Input(err)
	}
	if missing != nil {
		fmt.Fprintf(cmd.Err, "parley: warning: %v; the others run now\n", missing)
	}
	if specs, err = r.SpecsOfShard(cmd, specs); err != nil {
		return exit.Usage(err)
	}
	if err := r.CheckAllFit(cmd, specs); err != nil {
		return err
	}
	if err := r.Locate(e.Name); err != nil {
		return err
	}
	if err := r.checkPlace(e); err != nil {
		return exit.Usage(err)
	}
	var failed error
	for _, spec := range specs {
		err := r.Run(cmd, spec)
		if err != nil {
			err = fmt.Errorf("task %s: %w", spec.Part, err)
		}
		failed = errors.Join(failed, err)
		if runner.Spent(err) && !r.Dry { // what was held by then is the answer so far
			return errors.Join(r.report(cmd), failed)
		}
		if !errors.As(err, new(runner.Failures)) && err != nil {
			return failed
		}
	}
	failed = errors.Join(failed, exit.Input(missingError(missing)))
	if r.Dry {
		return failed
	}
	return errors.Join(r.report(cmd), failed)
}

// checkPlace refuses a directory in which the experiment or its report would take the place of other files.
func (r *Options) checkPlace(e experiment.Experiment) error {
	if r.Dry {
		return nil
	}
	text, err := e.YAML()
	if err != nil {
		return err
	}
	var parts []string
	for _, t := range e.Tasks {
		parts = append(parts, t.Name)
	}
	if err := outfile.Check(runner.ExperimentFile(r.Place(), text, parts)); err != nil {
		return fmt.Errorf("%w with --out", err)
	}
	return report.Check(r.Place())
}
