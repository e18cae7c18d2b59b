// Package compare compares debates with single answers and votes: parley compare.
package compare

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/puzzle"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/standard"
	"github.com/parley-debate/parley/debate/answer"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "compare (--task FILE | --generated N)",
		Short: "Compare debates with single answers, votes and each other on the same questions",
		Long: `All conditions get the same questions. Requests that several conditions share, above all those of
the first round, are generated once, so that comparisons are paired. A task is a benchmark file of a
family that parley data lists, a file of your own with a question and its answer in each row, or
generated puzzles. parley data FILE shows how a file is read.

Conditions, with the default numbers of agents and rounds. mad, a plain multi-agent debate, always
runs, since all others are compared with it:
` + standard.Conditions(),
		Example: `  parley compare --generated 50
  parley compare --task mine.csv --columns question=prompt,answer=gold
  parley compare --task logical_deduction_seven_objects.json --agents 5 --questions 50 \
    --model qwen2.5-7b-instruct-q4_k_m.gguf`,
		Args: flags.NoArgs,
	}
	cmd.RunE = command.Do(o, &o.line, run, instead)
	set := cmd.Flags()
	o.standard.Register(set)
	o.standard.RegisterShards(set)
	flags.Text(set, &o.file, "task", "", "FILE", "", "task file")
	flags.Text(set, &o.rule, "answer", "", "RULE", "", "answer rule by which replies and right answers are read: "+
		strings.Join(answer.Names(), ", ")+" (default reader, that of the task's kind of answers; with the embedded "+
		"model the rule of the task's family)")
	o.columns.Register(set)
	o.puzzles.register(set)
	flags.Number(set, &o.questions, "questions", "q", 0, task.QuestionsRange.OrZero(),
		"maximum number of questions, drawn with the seed; 0 for all")
	flags.Number(set, &o.power, "power", "", 0, spec.DifferenceRange,
		"print how many questions it takes to find this difference, such as 0.1, and run nothing")
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line      command.Line
	standard  standard.Comparison
	file      string
	rule      string // of --answer; "" is the reader of the task's kind of answers
	questions int    // at most; 0 for all
	puzzles   generatedPuzzles
	columns   flags.Columns
	power     float64 // 0 to run
}

// run compares on the task that the options name.
func run(o *Options) error {
	if o.line.Given("power") {
		return printPower(o.line.Out, o.power)
	}
	seed := o.standard.Society.Seed
	t, err := o.puzzles.orLoad(o.file, o.columns, seed)
	if err != nil {
		return err
	}
	if t, err = o.readBy(t); err != nil {
		return exit.Usage(err)
	}
	return o.standard.Compare(o.line, "compare", t.Subset(o.questions, seed))
}

// readBy returns a task with the rule that reads its answers, and with the instruction that its questions
// need: --answer, else the one that the user has named for data of their own.
func (o *Options) readBy(t task.Task) (task.Task, error) {
	t = t.WithInstruction(t.Asking().Instruction)
	switch {
	case o.rule != "":
		return t.ReadBy(o.rule)
	case o.columns.Ruled() || o.standard.Engine.Embedded():
		return t, nil
	}
	return t.ReadBy(answer.Reader)
}

// printPower prints how many questions it takes to find a difference.
func printPower(out io.Writer, difference float64) error {
	text, err := analysis.QuestionsFor(difference)
	if err != nil {
		return exit.Usage(err)
	}
	_, err = io.WriteString(out, text)
	return err
}

// generatedPuzzles describes puzzles that are generated in the place of a file: of logical deduction, or of knights,
// knaves and spies where the number of players is given.
type generatedPuzzles struct {
	count, objects int
	knights        puzzle.Form
}

// register adds the flags, with the ranges of the generators.
func (g *generatedPuzzles) register(set *pflag.FlagSet) {
	flags.Number(set, &g.count, "generated", "", 0, task.PuzzlesRange, "number of puzzles to generate")
	flags.Number(set, &g.objects, "objects", "", 3, task.ObjectsRange,
		"objects in each generated puzzle of logical deduction")
	flags.Number(set, &g.knights.Players, "players", "", 0, puzzle.PlayersRange,
		"generate puzzles of knights, knaves and spies with this many players")
	flags.Number(set, &g.knights.Spies, "spies", "", 1, puzzle.SpiesRange, "spies among the players")
	flags.Number(set, &g.knights.Hints, "hints", "", 0, puzzle.HintsRange,
		"hints of the game manager beside the number of spies")
}

// orLoad generates the puzzles, or reads the file if one is given.
func (g generatedPuzzles) orLoad(file string, columns flags.Columns, seed uint64) (t task.Task, err error) {
	switch {
	case (file == "") == (g.count == 0):
		return task.Task{}, exit.Usage(errors.New("give either --task FILE or --generated N"))
	case file != "":
		return columns.Load(file)
	case g.knights.Players > 0:
		t, err = task.GenerateKnights(g.knights, g.count, seed)
	default:
		t, err = task.Generate(g.objects, g.count, seed)
	}
	return t, exit.Usage(err)
}
