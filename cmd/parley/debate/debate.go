// Package debate runs one debate and shows it: parley debate.
package debate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/engine"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/internal/bounds"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	d := &Options{}
	cmd := &cobra.Command{
		Use:   `debate ("QUESTION" | --puzzle)`,
		Short: "Run one debate and show each round as it finishes",
		Long: `The protocol defines how the debate proceeds: one that parley protocols lists, or a .yaml file of
your own. The flags below and --set NAME=VALUE change any of its settings; parley protocols --parts
lists their values. "-" reads the question from standard input, and --puzzle draws one of the puzzles
that the embedded model was trained on, by --seed.

A terminal shows replies while they are written, side by side where each agent gets 40 columns.
Changed answers are in colour, unless NO_COLOR is set.`,
		Example: `  parley debate --puzzle
  parley debate "Which is heavier, a litre of oil or a litre of water? (A) oil (B) water" \
    --model qwen2.5-7b-instruct-q4_k_m.gguf
  parley debate --protocol madc --agents 5 --rounds 3 - <question.txt
  parley debate --protocol tit-for-tat --set swapped=true "Is a tomato a fruit? (A) yes (B) no"`,
		Args: func(cmd *cobra.Command, args []string) error {
			if d.puzzle && len(args) == 0 {
				return nil
			}
			return flags.Args(1, 1)(cmd, args)
		},
	}
	cmd.RunE = command.Do(d, &d.line, run, instead)
	set := cmd.Flags()
	flags.Text(set, &d.protocol, "protocol", "", "PROTOCOL", protocol.Usual,
		"a protocol that parley protocols lists, or a .yaml file")
	for _, part := range debateParts {
		flags.Text(set, new(string), part.name, part.short, part.place, "",
			flags.SettingHelp(part.name, protocol.Parts())+part.more)
	}
	flags.Each(set, &d.set, "set", "", "NAME=VALUE", nil, "any other setting; may be repeated")
	flags.Text(set, &d.rule, "answer", "", "RULE", "", "answer rule: "+strings.Join(answer.Names(),
		", ")+" (default the protocol's, or the "+
		"reader of what the question asks for: an option, yes or no, a number, or else words)")
	flags.Text(set, &d.truth, "truth", "", "ANSWER", "",
		"the right answer, such as A or (A) for an option: oracle orders use it, "+
			"and the last line says whether the decision is right")
	flags.Text(set, &d.facts, "facts", "", "FILE", "",
		"file with facts about the question, for discussions that show them")
	flags.Text(set, &d.wrong, "wrong", "", "ANSWER", "",
		"a wrong answer, for challenges that show one (default one that the "+
			"model is asked for)")
	flags.Numbers(set, &d.humans, "human", bounds.From(0, debate.MaxSize+1),
		"agents, counted from 0, that you play at the terminal; moderator and judge come after the debaters")
	flags.Text(set, &d.transcript, "transcript", "", "FILE", "", "write the debate to this file, for parley show")
	set.BoolVar(&d.puzzle, "puzzle", false, "debate a puzzle of three objects that is drawn with --seed, and say "+
		"whether the decision is right")
	set.BoolVar(&d.json, "json", false, "print only one JSON line per turn, and one for the decision")
	d.asking.Register(cmd.Flags())
	d.engine.Register(cmd.Flags())
	d.engine.RegisterPlaces(cmd.Flags())
	d.engine.RegisterRemote(cmd.Flags())
	d.engine.RegisterChoices(cmd.Flags())
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return exit.Usage(notFlag(cmd, err)) })
	return cmd
}

// notFlag explains what to do with a question that begins like a flag, such as a puzzle below a line of dashes.
func notFlag(cmd *cobra.Command, err error) error {
	var syntax *pflag.InvalidSyntaxError
	var missing *pflag.NotExistError
	text := err.Error()
	taken := errors.As(err, &syntax)
	if errors.As(err, &missing) {
		taken = strings.ContainsAny(text[strings.Index(text, "-"):], " \n")
	}
	if !taken {
		return flags.MeantFlag(cmd, err)
	}
	return fmt.Errorf("%s: a question that begins with - is read as a flag: put -- before it, after all flags, "+
		"or give - and pass it on standard input", terminal.Beginning(text))
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line                              command.Line
	engine                            engine.Flags
	asking                            flags.Asking
	protocol, rule, truth, transcript string
	facts, wrong                      string
	set                               []string
	humans                            []int
	puzzle, json                      bool
}
