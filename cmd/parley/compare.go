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
	"parley/inference"
)

func newCompare() *cobra.Command {
	c := &comparison{name: "compare"}
	var file string
	var generated, objects, questions int
	var difference float64
	cmd := &cobra.Command{
		Use:   "compare (--task FILE | --generated N)",
		Short: "Compare debates with a single answer, votes and each other on the same questions",
		Long: `Every condition gets the same questions, and what several conditions ask alike (the first round above all) is generated
once: comparisons are paired. Tasks are files of BIG-Bench Hard (multiple choice) or MATH-500, or generated puzzles.`,
		Example: `  parley compare --generated 50
  parley compare --task logical_deduction_seven_objects.json --model qwen2.5-7b-instruct-q4_k_m.gguf --agents 5 --questions 50`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("power") {
				return plan(cmd.OutOrStdout(), difference)
			}
			t, err := chooseTask(file, generated, objects, c.society.seed)
			if err != nil {
				return err
			}
			return c.run(cmd, t.Subset(questions, c.society.seed))
		},
	}
	c.register(cmd)
	cmd.Flags().StringVar(&file, "task", "", "task file")
	addNumber(cmd.Flags(), &generated, "generated", "", 0, task.PuzzlesRange,
		"so many generated puzzles of logical deduction")
	addNumber(cmd.Flags(), &objects, "objects", "", 3, task.ObjectsRange, "objects in generated puzzles")
	addNumber(cmd.Flags(), &questions, "questions", "q", 0, task.QuestionsRange.OrZero(),
		"at most so many questions, drawn with the seed; 0 is all")
	addNumber(cmd.Flags(), &difference, "power", "", 0, analysis.DifferenceRange,
		"say how many questions it takes to find this difference, such as 0.1, and run nothing")
	return cmd
}

// plan prints how many questions it takes to find a difference.
func plan(out io.Writer, difference float64) error {
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

// comparison is a run of the standard conditions, with its flags.
type comparison struct {
	holding
	name       string
	society    societyFlags
	conditions []string
	protocols  []string
	repeats    int
}

func (c *comparison) register(cmd *cobra.Command) {
	c.holding.register(cmd)
	c.society.register(cmd)
	cmd.Flags().StringSliceVar(&c.conditions, "conditions", nil, "conditions to run beside mad (default all)")
	cmd.Flags().StringSliceVar(&c.protocols, "protocols", nil,
		"further conditions: protocols that parley protocols lists, with their own agents and rounds, or .yaml files")
	addNumber(cmd.Flags(), &c.repeats, "repeats", "", 1, trial.RepeatsRange,
		"how often each condition is held on each question, each time with other seeds")
}

// run compares the conditions on a task, journals all of it, and prints the table.
func (c *comparison) run(cmd *cobra.Command, t task.Task) error {
	if c.dry {
		return c.rehearse(cmd, "", c.study(t))
	}
	return c.hold(cmd, c.name, "", c.study(t))
}

// study lists the conditions.
func (c *comparison) study(t task.Task) study {
	return func(model inference.ModelInfo) (o bench.Options, society debate.Society, err error) {
		if society, err = c.society.society(model, t.Rule); err != nil {
			return o, society, err
		}
		all, err := trial.Conditions(society)
		if err != nil {
			return o, society, usage(err)
		}
		conditions, err := trial.Select(all, c.conditions)
		if err != nil {
			return o, society, usage(err)
		}
		for _, name := range c.protocols {
			held, err := c.held(name, society)
			if err != nil {
				return o, society, usage(err)
			}
			if slices.ContainsFunc(conditions, func(c trial.Condition) bool { return c.Name == held.Name }) {
				return o, society, usage(fmt.Errorf("there is a condition %s already: give the protocol another "+
					"name in a file of yours, or name the --conditions that you want", held.Name))
			}
			conditions = append(conditions, held)
		}
		return bench.Options{Task: t, Conditions: conditions, Repeats: c.repeats}, society, nil
	}
}

// held is a protocol as a condition.
func (c *comparison) held(name string, society debate.Society) (trial.Condition, error) {
	p, err := debate.LoadProtocol(name)
	if err != nil {
		return trial.Condition{}, err
	}
	return trial.Held(p, c.society.prompts, society.Asking)
}
