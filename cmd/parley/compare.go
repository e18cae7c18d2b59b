package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"parley/bench"
	"parley/bench/task"
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
	cmd.Flags().IntVar(&generated, "generated", 0, "so many generated puzzles of logical deduction")
	cmd.Flags().IntVar(&objects, "objects", 3, "objects in generated puzzles: 3, 5 or 7")
	cmd.Flags().IntVarP(&questions, "questions", "q", 0, "so many questions, drawn with the seed (0: all)")
	cmd.Flags().Float64Var(&difference, "power", 0, "say how many questions it takes to find this difference, such as 0.1, and run nothing")
	return cmd
}

// plan prints how many questions it takes to find a difference.
func plan(out io.Writer, difference float64) error {
	text, err := bench.QuestionsFor(difference)
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

// comparison is a run of bench.Compare with its flags.
type comparison struct {
	name       string
	engine     engineFlags
	society    societyFlags
	conditions []string
	protocols  []string
	repeats    int
	stop       bench.Stopping
	out        string
	details    bool
	json       bool
}

func (c *comparison) register(cmd *cobra.Command) {
	c.engine.register(cmd)
	c.society.register(cmd)
	cmd.Flags().StringSliceVar(&c.conditions, "conditions", nil, "conditions to run beside mad (default all)")
	cmd.Flags().StringSliceVar(&c.protocols, "protocols", nil, "further conditions: protocols that parley protocols lists, with their own agents and rounds, or .yaml files")
	cmd.Flags().IntVar(&c.repeats, "repeats", 1, "how often each condition is held on each question, each time with other seeds")
	cmd.Flags().StringVar(&c.stop.Condition, "stop-when", "", "end as soon as it is clear that this condition differs from mad, by a test that may be looked at often")
	cmd.Flags().IntVar(&c.stop.Every, "stop-every", 25, "questions between two looks of --stop-when")
	cmd.Flags().BoolVar(&c.details, "details", false, "also how the debates went: rounds, changed answers, agreement, entropy, costs")
	cmd.Flags().StringVarP(&c.out, "out", "o", "", "run directory; one that holds this run is gone on with (default parley-runs/NAME-TIME)")
	cmd.Flags().BoolVar(&c.json, "json", false, "print the result as JSON and nothing else")
}

// run compares the conditions on a task, journals all of it, and prints the table.
func (c *comparison) run(cmd *cobra.Command, t task.Task) error {
	if c.out == "" {
		c.out = filepath.Join("parley-runs", c.name+time.Now().Format("-20060102-150405"))
	}
	directory, err := bench.OpenDirectory(c.out)
	if err != nil {
		return usage(err)
	}
	defer directory.Close()
	if directory.Torn > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "parley: %d bytes of a record that was being written when the last run ended were cut away\n", directory.Torn)
	}
	result, err := c.compare(cmd, t, directory)
	if err != nil {
		return errors.Join(err, removeEmpty(directory))
	}
	if err := errors.Join(directory.Finish(result), directory.Close()); err != nil {
		return err
	}
	if c.json {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(result)
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "generations, debates and result are in", directory.Path)
	if err := result.Write(cmd.OutOrStdout()); err != nil || !c.details {
		return err
	}
	_, err = fmt.Fprint(cmd.OutOrStdout(), "\n", result.Details())
	return err
}

func (c *comparison) compare(cmd *cobra.Command, t task.Task, directory *bench.Directory) (bench.Comparison, error) {
	engine, err := c.engine.open(cmd, inference.OnGeneration(directory.Generation), inference.Known(directory.Reply))
	if err != nil {
		return bench.Comparison{}, err
	}
	defer engine.Close()
	society, err := c.society.society(engine.Model(), t.Rule)
	if err != nil {
		return bench.Comparison{}, err
	}
	all, err := bench.Conditions(society)
	if err != nil {
		return bench.Comparison{}, usage(err)
	}
	conditions, err := bench.Select(all, c.conditions)
	if err != nil {
		return bench.Comparison{}, usage(err)
	}
	for _, name := range c.protocols {
		p, err := debate.LoadProtocol(name)
		if err != nil {
			return bench.Comparison{}, usage(err)
		}
		held, err := bench.Held(p, c.society.prompts, society.Asking)
		if err != nil {
			return bench.Comparison{}, usage(err)
		}
		if slices.ContainsFunc(conditions, func(c bench.Condition) bool { return c.Name == held.Name }) {
			return bench.Comparison{}, usage(fmt.Errorf("there is a condition %s already: give the protocol another name in a file of yours, or name the --conditions that you want", held.Name))
		}
		conditions = append(conditions, held)
	}
	options := bench.Options{Task: t, Conditions: conditions, Repeats: c.repeats, Engine: engine, Observe: directory.Outcome}
	if c.stop.Condition != "" {
		options.Stop = &c.stop
	}
	if err := options.Validate(); err != nil {
		return bench.Comparison{}, usage(err)
	}
	header := bench.NewHeader(engine.Model(), t, society, conditions, c.repeats)
	header.Stop = options.Stop
	header.Parley, header.Build, header.Time = programVersion(), buildLine(), time.Now().UTC().Format(time.RFC3339)
	if err := directory.Begin(header); err != nil {
		return bench.Comparison{}, err
	}
	if !c.json {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s%splan     %s\n", header.Headline(), header.Power(), engine.Plan())
		if generations, debates := directory.Recorded(); generations > 0 {
			fmt.Fprintf(cmd.ErrOrStderr(), "recorded %d generations and %d debates in %s are not held again\n", generations, debates, c.out)
		}
	}
	bar := newProgress(cmd.ErrOrStderr(), engine, bench.Reference, header.Debates)
	defer bar.finish()
	options.Progress = bar.update
	return bench.Compare(cmd.Context(), options)
}

// removeEmpty removes a run directory in which nothing was recorded, so that the same command can be given again.
func removeEmpty(d *bench.Directory) error {
	if err := d.Close(); err != nil || !d.Empty() {
		return err
	}
	return d.Remove()
}
