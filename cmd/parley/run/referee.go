package run

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
)

// referee is the experiment that the command of this name runs.
const referee = "referee"

// NewReferee makes the command that settles whether anything is worth its tokens: parley run referee, on a task file.
func NewReferee(instead func(*Options) error) *cobra.Command {
	r := &Options{name: referee}
	cmd := &cobra.Command{
		Use:   referee,
		Short: "Settle whether votes, another look or debates are worth their tokens on your model and questions",
		Long: `The same questions are asked of one answer, of votes, of one agent that checks itself, and of debates,
at equal budgets: 1, 3, 9 and 27 times the length of one answer. The methods share what they have in
common. The run ends with what to use within each budget, by how much at least the rest is worse,
what could not be told apart, and the smallest difference that could be seen; the report has the
picture, accuracy over tokens.

This is parley run referee, whose file parley experiments referee prints. --task asks the questions
of a file; without it, those of the experiment are searched for in --data, and the embedded model,
which knows only puzzles, gets some. --for 8h gives the answer of that time, from the questions that
all methods have answered by then: which are right has no part in when that is, but questions with
long replies are left out more often.`,
		Example: `  parley referee
  parley referee --model qwen2.5-7b-instruct-q4_k_m.gguf --task mine.csv --for 8h
  parley referee --model qwen2.5-7b-instruct-q4_k_m.gguf --task gsm8k.jsonl --budgets 1,5 --questions 200`,
		Args: flags.NoArgs,
	}
	cmd.RunE = command.Do(r, &r.line, run, instead)
	set := cmd.Flags()
	r.chosen.Register(set, "run")
	flags.Each(set, &r.on, "task", "", "FILE", nil, "task file whose questions are asked, also called --on; may be "+
		"repeated, for a task of each file")
	set.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "on" { // as parley run calls it
			name = "task"
		}
		return pflag.NormalizedName(name)
	})
	r.register(set)
	return cmd
}

// puzzles are as many as settle something on the embedded model.
const puzzles = 48

// load reads the experiment. The embedded model gets the questions that it knows where a referee is told of none.
func (r *Options) load() (experiment.Experiment, error) {
	if r.name == "" {
		return r.chosen.Load(r.line.Args[0], r.Engine.Embedded())
	}
	alone := r.on == nil && r.Engine.Embedded() && !r.chosen.Small
	r.chosen.Small = r.chosen.Small || alone
	e, err := r.chosen.Load(r.name, r.Engine.Embedded())
	if err == nil && alone {
		e.Tasks[0].Generated = puzzles
		fmt.Fprintf(r.line.Err, "the embedded model knows only puzzles, and gets %d: --model FILE --task FILE asks "+
			"yours\n", puzzles)
	}
	return e, err
}
