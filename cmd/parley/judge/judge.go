// Package judge has a model judge the decisions of a run: parley judge.
package judge

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/offline"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/engine"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "judge RUN-DIRECTORY",
		Short: "Have a model judge whether a run's decisions are right",
		Long: `Asks a model of each different decision on a question whether it is right, yes or no, for tasks with open
answers, which no rule can compare with the task's. Prints how often it says yes under each condition,
how often it agrees with what is known, and the accuracies corrected by its errors, with 95 % intervals.

What is known are the labels of --labels: the decisions that parley export writes as CSV, with a column
more, whose cells are right or wrong, 1 or 0, or empty; a few dozen, drawn at random, are enough. An
answer that has a label under one condition has it under all. Without --labels the recorded scores are
what is known, which tells how good a judge is where a rule can score.

The judge sees what the first agent was asked, the task's answer unless --blind, and the decision. Its
replies are kept in judge.jsonl.zst of the run directory, so that the same command resumes and asks
nothing twice; judge.json, which is replaced, has the result, and reports show its table. The default
model is that of the run.`,
		Example: `  parley judge parley-runs/demo-20261121-120000 --model qwen2.5-7b-instruct-q4_k_m
  parley judge parley-runs/open --labels open-decisions.csv --engine http://127.0.0.1:8000`,
		Args: flags.Args(1, 1),
	}
	cmd.RunE = command.Do(o, &o.line, run, instead)
	set := cmd.Flags()
	flags.Text(set, &o.labels, "labels", "", "FILE", "", "CSV file that says of some decisions whether they are right")
	set.BoolVar(&o.how.Blind, "blind", false, "do not show the judge the task's answer, as where it is none")
	o.model.Register(set)
	set.Lookup("model").DefValue = "" // the record's model, as the long help says
	o.model.RegisterRemote(set)
	set.BoolVar(&o.json, "json", false, "print only the content of judge.json")
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line   command.Line
	how    offline.Judging
	model  engine.Flags
	labels string
	json   bool
}

func run(o *Options) (err error) {
	cmd, directory := o.line, o.line.Args[0]
	run, err := rundir.ReadRun(directory)
	if err != nil {
		return exit.Input(err)
	}
	if o.labels != "" {
		if o.how.Labels, err = offline.ReadLabels(run, o.labels); err != nil {
			return exit.Input(err)
		}
	}
	if err := offline.CheckJudgement(directory); err != nil {
		return exit.Input(err)
	}
	if o.model.Address == "" {
		if run.Header.Model.Remote != nil && !cmd.Given("model") {
			return exit.Usage(errors.New("servers computed this run: name the judge with --model or --engine"))
		}
		o.model.Recorded(cmd, run.Header.Model)
	}
	journal, err := rundir.OpenJudgements(directory)
	if err != nil {
		return exit.Input(err)
	}
	defer func() { err = errors.Join(err, journal.Close()) }()
	judge, err := o.model.OpenTeam(cmd, noMembers,
		engine.Recorder{Generation: journal.Generation, Known: journal.Reply})
	if err != nil {
		return err
	}
	defer judge.Close()
	result, err := offline.Judge(cmd.Context, run, o.how, judge)
	if err != nil {
		return fmt.Errorf("judge: %w", err)
	}
	if err := result.Save(directory); err != nil {
		return err
	}
	if o.json {
		return json.NewEncoder(cmd.Out).Encode(result)
	}
	return terminal.Show(cmd.Out, result.Document())
}

// noMembers visits the members of no team: one model judges.
func noMembers(func(name string) error) error { return nil }
