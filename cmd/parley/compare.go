package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/puzzle"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/runner"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
)

func newCompare() *cobra.Command {
	c := &comparison{}
	var file string
	var questions int
	var puzzles generatedPuzzles
	var columns flags.Columns
	var difference float64
	cmd := &cobra.Command{
		Use:   "compare (--task FILE | --generated N)",
		Short: "Compare debates with single answers, votes and each other on the same questions",
		Long: `All conditions get the same questions. Requests that several conditions share, above all those of
the first round, are generated once, so that comparisons are paired. A task is a benchmark file of a
family that parley data lists, a file of your own with a question and its answer in each row, or
generated puzzles. parley data FILE shows how a file is read.

Conditions, with the default numbers of agents and rounds. mad, a plain multi-agent debate, always
runs, since all others are compared with it:
` + listConditions(),
		Example: `  parley compare --generated 50
  parley compare --task mine.csv --columns question=prompt,answer=gold
  parley compare --task logical_deduction_seven_objects.json --model qwen2.5-7b-instruct-q4_k_m.gguf --agents 5 --questions 50`,
		Args: flags.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("power") {
				return printPower(cmd.OutOrStdout(), difference)
			}
			t, err := puzzles.orLoad(file, columns, c.society.Seed)
			if err != nil {
				return err
			}
			if t, err = c.readBy(t, columns.Ruled()); err != nil {
				return exit.Usage(err)
			}
			return c.compare(command.Of(cmd), "compare", t.Subset(questions, c.society.Seed))
		},
	}
	c.register(cmd.Flags())
	c.RegisterShards(cmd.Flags())
	cmd.Flags().StringVar(&file, "task", "", "task `FILE`")
	cmd.Flags().StringVar(&c.rule, "answer", "", "answer `RULE` by which replies and right answers are read: "+
		strings.Join(answer.Names(), ", ")+" (default reader, that of the task's kind of answers; with the embedded "+
		"model the rule of the task's family)")
	columns.Register(cmd.Flags())
	puzzles.register(cmd.Flags())
	flags.Number(cmd.Flags(), &questions, "questions", "q", 0, task.QuestionsRange.OrZero(),
		"maximum number of questions, drawn with the seed; 0 for all")
	flags.Number(cmd.Flags(), &difference, "power", "", 0, analysis.DifferenceRange,
		"print how many questions it takes to find this difference, such as 0.1, and run nothing")
	return cmd
}

// readBy returns a task with the rule that reads its answers, and with the instruction that its questions need. ruled
// tells that the user has named a rule for data of their own.
func (c *comparison) readBy(t task.Task, ruled bool) (task.Task, error) {
	t = t.Instructed(t.Asking().Instruction)
	embedded := c.Engine.Embedded()
	switch {
	case c.rule != "":
		return t.ReadBy(c.rule)
	case ruled || embedded:
		return t, nil
	}
	return t.ReadBy(answer.Reader)
}

// listConditions describes the standard conditions. It is computed once, since tests make the commands again and again.
var listConditions = sync.OnceValue(func() string {
	conditions, err := trial.Conditions(society.Society{Agents: flags.DefaultAgents, Rounds: flags.DefaultRounds})
	if err != nil {
		panic(err) // nothing in them depends on the user
	}
	var lines []string
	for _, c := range conditions {
		named := ""
		if c.OnDemand {
			named = " (only if named)"
		}
		lines = append(lines, fmt.Sprintf("  %-24s %s%s", c.Name, c.Meaning, named))
	}
	return strings.Join(lines, "\n")
})

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

// comparison compares the standard conditions, and has the flags for it; demo uses it too.
type comparison struct {
	runner.Runner
	society    flags.Society
	rule       string // of --answer; "" is the reader of the task's kind of answers
	conditions []string
	protocols  []string
	set        []string
	repeats    int
}

func (c *comparison) register(set *pflag.FlagSet) {
	c.Runner.Register(set)
	c.society.Register(set)
	set.StringSliceVar(&c.conditions, "conditions", nil,
		"`CONDITIONS` to run beside mad, such as single,vote (default all that need not be named)")
	set.StringSliceVar(&c.protocols, "protocols", nil,
		"further conditions: `PROTOCOLS` that parley protocols lists, or .yaml files, with their own agents and rounds")
	set.StringArrayVar(&c.set, "set", nil, "`NAME=VALUE`: a setting of all standard debates, which can be "+
		"team: \"team=[{model: a.gguf}, {model: b.gguf}]\"; single answers and self-consistency stay those of --model")
	flags.Number(set, &c.repeats, "repeats", "", 1, trial.RepeatsRange,
		"how often each condition is run on each question, each time with other seeds")
}

// compare runs the conditions on a task. name is that of the command.
func (c *comparison) compare(cmd command.Line, name string, t task.Task) error {
	if c.AsJobs() {
		return c.Jobs(cmd, t.Name, len(t.Questions))
	}
	if err := c.Locate(name); err != nil {
		return err
	}
	return c.Run(cmd, runner.Spec{Study: standardStudy{task: t, society: c.society, conditions: c.conditions,
		protocols: c.protocols, set: c.set, repeats: c.repeats, contrasts: c.Contrasts}})
}

// standardStudy asks a task under the standard conditions, and under protocols beside them.
type standardStudy struct {
	task       task.Task
	society    flags.Society
	conditions []string // names of those wanted beside mad; nil for all that need not be named
	protocols  []string // names or files
	set        []string // NAME=VALUE, of the debates
	repeats    int
	contrasts  []string
}

// EachModel implements study.
func (s standardStudy) EachModel(visit func(name string) error) error {
	settings, err := s.settings()
	if err != nil {
		return exit.Usage(err)
	}
	if err := (protocol.Protocol{Settings: settings}).EachModel(visit); err != nil {
		return fmt.Errorf("--set team: %w", err)
	}
	for _, name := range s.protocols {
		p, err := protocol.LoadProtocol(name)
		if err != nil {
			return exit.Usage(err)
		}
		if err := p.EachModel(visit); err != nil {
			return fmt.Errorf("protocol %q: %w", name, err)
		}
	}
	return nil
}

// settings are those of the standard debates: the size that flags give, and the team of --set.
func (s standardStudy) settings() (debate.Settings, error) {
	settings := debate.Settings{Form: society.FormName, Agents: s.society.Agents, Rounds: s.society.Rounds}
	for _, set := range s.set {
		name, value, _ := strings.Cut(set, "=")
		if name != "team" {
			return settings, fmt.Errorf("--set %s: of the standard debates only the team can be set, as in "+
				"--set \"team=[{model: a.gguf}, {}]\"; others have flags of their own, or differ between conditions: "+
				"name a protocol with --protocols", set)
		}
		if err := settings.Set(name, value); err != nil {
			return settings, fmt.Errorf("--set %s: %w", set, err)
		}
	}
	if len(settings.Team) == 0 {
		return settings, nil
	}
	_, err := trial.Held(protocol.Protocol{Name: trial.Reference, Settings: settings}, "madc", debate.Asking{})
	return settings, err
}

// Resolve implements study.
func (s standardStudy) Resolve(model inference.ModelInfo) (o bench.Options, society society.Society, err error) {
	if society, err = s.society.For(model, s.task); err != nil {
		return o, society, err
	}
	settings, err := s.settings()
	if err != nil {
		return o, society, exit.Usage(err)
	}
	society.Team = settings.TeamAgents(society.Sampling, society.Agents)
	all, err := trial.Conditions(society)
	if err != nil {
		return o, society, exit.Usage(err)
	}
	conditions, err := trial.Select(all, s.conditions)
	if err != nil {
		return o, society, exit.Usage(err)
	}
	conditions, left, err := trial.WithoutCopies(conditions, s.conditions)
	if err != nil {
		return o, society, exit.Usage(err)
	}
	conditions, alone := trial.WithoutDonors(conditions, s.conditions, len(s.task.Questions))
	left = append(left, alone...)
	prompts, err := s.society.PromptSet(model, s.task)
	if err != nil {
		return o, society, exit.Usage(err)
	}
	for _, name := range s.protocols {
		condition, err := s.protocolCondition(name, prompts, society.Asking)
		if err != nil {
			return o, society, exit.Usage(err)
		}
		if slices.ContainsFunc(conditions, func(c trial.Condition) bool { return c.Name == condition.Name }) {
			return o, society, exit.Usage(fmt.Errorf("condition %s exists already: give the protocol another name in a "+
				"file of your own, or choose conditions with --conditions", condition.Name))
		}
		conditions = append(conditions, condition)
	}
	return bench.Options{Task: s.task, Conditions: conditions, Repeats: s.repeats, Team: settings.Team,
		Contrasts: s.contrasts, LeftOut: left}, society, nil
}

// protocolCondition is a protocol as a condition. prompts is for protocols that name no prompt set. One whose prompts
// ask for what the task's rule does not read is refused.
func (s standardStudy) protocolCondition(name, prompts string, ask debate.Asking) (trial.Condition, error) {
	p, err := protocol.LoadProtocol(name)
	if err != nil {
		return trial.Condition{}, err
	}
	p = p.Worded(prompts)
	if err := p.Agree(s.task.Rule); err != nil {
		return trial.Condition{}, fmt.Errorf("protocol %s: %w", p.Name, err)
	}
	ask.Stop = nil // each set has its own
	return trial.Held(p.Stating(s.task.Rule), prompts, ask)
}
