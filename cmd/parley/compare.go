package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"parley/bench"
	"parley/bench/analysis"
	"parley/bench/task"
	"parley/bench/trial"
	"parley/debate"
	"parley/debate/protocol"
	"parley/debate/society"
	"parley/inference"
)

func newCompare() *cobra.Command {
	c := &comparison{}
	var file string
	var generated, objects, questions int
	var difference float64
	cmd := &cobra.Command{
		Use:   "compare (--task FILE | --generated N)",
		Short: "Compare debates with single answers, votes and each other on the same questions",
		Long: `All conditions get the same questions. Requests that several conditions share, above all those of
the first round, are generated once, so that comparisons are paired. A task is a benchmark file of a
family that parley data lists, or generated puzzles.`,
		Example: `  parley compare --generated 50
  parley compare --task logical_deduction_seven_objects.json --model qwen2.5-7b-instruct-q4_k_m.gguf --agents 5 --questions 50`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("power") {
				return printPower(cmd.OutOrStdout(), difference)
			}
			t, err := chooseTask(file, generated, objects, c.society.seed)
			if err != nil {
				return err
			}
			return c.compare(cmd, "compare", t.Subset(questions, c.society.seed))
		},
	}
	c.register(cmd)
	cmd.Flags().StringVar(&file, "task", "", "task file")
	addNumber(cmd.Flags(), &generated, "generated", "", 0, task.PuzzlesRange,
		"number of logical-deduction puzzles to generate")
	addNumber(cmd.Flags(), &objects, "objects", "", 3, task.ObjectsRange, "objects in each generated puzzle")
	addNumber(cmd.Flags(), &questions, "questions", "q", 0, task.QuestionsRange.OrZero(),
		"maximum number of questions, drawn with the seed; 0 for all")
	addNumber(cmd.Flags(), &difference, "power", "", 0, analysis.DifferenceRange,
		"print how many questions it takes to find this difference, such as 0.1, and run nothing")
	return cmd
}

// printPower prints how many questions it takes to find a difference.
func printPower(out io.Writer, difference float64) error {
	text, err := analysis.QuestionsFor(difference)
	if err != nil {
		return usage(err)
	}
	_, err = io.WriteString(out, text)
	return err
}

func chooseTask(file string, generated, objects int, seed uint64) (task.Task, error) {
	switch {
	case (file == "") == (generated == 0):
		return task.Task{}, usage(errors.New("give either --task FILE or --generated N"))
	case file != "":
		t, err := task.Load(file)
		return t, input(err)
	}
	t, err := task.Generate(objects, generated, seed)
	return t, usage(err)
}

// comparison is a comparison of the standard conditions, with its flags; demo has one too.
type comparison struct {
	runner
	society    societyFlags
	conditions []string
	protocols  []string
	repeats    int
}

func (c *comparison) register(cmd *cobra.Command) {
	c.runner.register(cmd)
	c.society.register(cmd)
	cmd.Flags().StringSliceVar(&c.conditions, "conditions", nil, "conditions to run beside mad (default all)")
	cmd.Flags().StringSliceVar(&c.protocols, "protocols", nil,
		"further conditions: protocols that parley protocols lists, or .yaml files, with their own agents and rounds")
	addNumber(cmd.Flags(), &c.repeats, "repeats", "", 1, trial.RepeatsRange,
		"how often each condition is run on each question, each time with other seeds")
}

// compare runs the conditions on a task. name is that of the command.
func (c *comparison) compare(cmd *cobra.Command, name string, t task.Task) error {
	if err := c.locate(name); err != nil {
		return err
	}
	return c.run(cmd, runSpec{study: standardStudy{task: t, society: c.society, conditions: c.conditions,
		protocols: c.protocols, repeats: c.repeats}})
}

// standardStudy asks the standard conditions, and protocols beside them.
type standardStudy struct {
	task       task.Task
	society    societyFlags
	conditions []string // names of those wanted beside mad, nil for all
	protocols  []string // names or files
	repeats    int
}

// resolve implements study.
func (s standardStudy) resolve(model inference.ModelInfo) (o bench.Options, society society.Society, err error) {
	if society, err = s.society.society(model, s.task.Rule); err != nil {
		return o, society, err
	}
	all, err := trial.Conditions(society)
	if err != nil {
		return o, society, usage(err)
	}
	conditions, err := trial.Select(all, s.conditions)
	if err != nil {
		return o, society, usage(err)
	}
	prompts := s.society.promptSet(model, s.task.Rule)
	for _, name := range s.protocols {
		condition, err := protocolCondition(name, prompts, society.Asking)
		if err != nil {
			return o, society, usage(err)
		}
		if slices.ContainsFunc(conditions, func(c trial.Condition) bool { return c.Name == condition.Name }) {
			return o, society, usage(fmt.Errorf("condition %s exists already: give the protocol another name in a "+
				"file of your own, or choose conditions with --conditions", condition.Name))
		}
		conditions = append(conditions, condition)
	}
	return bench.Options{Task: s.task, Conditions: conditions, Repeats: s.repeats}, society, nil
}

// protocolCondition is a protocol as a condition, with these prompts where the protocol leaves them open.
func protocolCondition(name, prompts string, asking debate.Asking) (trial.Condition, error) {
	p, err := protocol.LoadProtocol(name)
	if err != nil {
		return trial.Condition{}, err
	}
	return trial.Held(p, prompts, asking)
}
