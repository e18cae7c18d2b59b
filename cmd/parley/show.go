package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bounds"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/vote"
)

func newShow() *cobra.Command {
	s := &showCommand{}
	cmd := &cobra.Command{
		Use:   "show (TRANSCRIPT | RUN-DIRECTORY)",
		Short: "Show recorded debates: agents as columns, rounds as rows, changed answers marked",
		Long: `Reads a file that parley debate --transcript wrote, or a run directory, whose debates it lists
unless --case selects some. No model is needed: --decide applies another decision rule to the
recorded replies.`,
		Example: `  parley debate --protocol madc --transcript debate.json "Is a tomato a fruit? (A) yes (B) no"
  parley show debate.json
  parley show parley-runs/demo-20261121-120000 --case generated/7 --condition madc --messages`,
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(cmd.OutOrStdout(), args[0]) },
	}
	cmd.Flags().BoolVar(&s.messages, "messages", false,
		"print all messages as sent and all replies, instead of columns")
	cmd.Flags().StringVar(&s.question, "case", "",
		"`QUESTION` of a run to show, with all its repeats, or a single debate as listed")
	cmd.Flags().StringVar(&s.condition, "condition", "", "`CONDITION` of a run to show")
	cmd.Flags().StringVar(&s.decide, "decide", "", "apply another decision `RULE`: "+strings.Join(ruleNames(), ", "))
	addNumber(cmd.Flags(), &s.width, "width", "", 0, bounds.From(20, 10_000),
		"width in columns (default that of the terminal, else 120)")
	return cmd
}

type showCommand struct {
	messages                    bool
	question, condition, decide string
	width                       int
}

func ruleNames() (names []string) {
	for _, r := range vote.Rules() {
		names = append(names, r.Name)
	}
	return names
}

func (s *showCommand) run(out io.Writer, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return input(fmt.Errorf("%w; name a run directory, such as one below parley-runs, or a file that parley "+
			"debate --transcript wrote", err))
	}
	if info.IsDir() {
		return s.showRun(out, path)
	}
	if s.question != "" || s.condition != "" {
		return usage(fmt.Errorf("%s is a single debate: --case and --condition select debates of a run", path))
	}
	var t debate.Transcript
	if err = record.ReadJSON(path, &t); err == nil {
		err = t.Validate()
	}
	if err != nil || t.Rounds == nil && t.Failed == "" {
		return input(fmt.Errorf("%s is not a transcript as written by parley debate --transcript FILE: %v", path,
			cmp.Or(err, errors.New("it has no rounds"))))
	}
	return s.show(out, t, answer.Unparsed)
}

// showRun shows the selected debates of a run, or lists them if no question is selected.
func (s *showCommand) showRun(out io.Writer, path string) error {
	run, err := rundir.ReadRun(path)
	if err != nil {
		return input(err)
	}
	if s.question == "" && (s.messages || s.decide != "" || s.width != 0) {
		return usage(errors.New("--messages, --decide and --width need debates to show; select them with --case"))
	}
	shown, exact := 0, run.Exact()
	for _, o := range run.Outcomes {
		if s.question != "" && o.Question != s.question && o.Case() != s.question ||
			s.condition != "" && o.Condition != s.condition {
			continue
		}
		shown++
		if s.question == "" {
			fmt.Fprintf(out, "%s  %s: %s, right is %s\n", o.Case(), o.Condition, show(o.Transcript.Decision.Answer),
				cmp.Or(o.Target, "not known"))
			continue
		}
		fmt.Fprintf(out, "%s, %s, right is %s, scored %s\n", o.Case(), o.Condition, cmp.Or(o.Target, "not known"),
			o.Score)
		truth := run.Truth(o)
		if !exact || o.Target == "" {
			truth = answer.Unparsed // no answer can be compared with the target
		}
		if err := s.show(out, o.Transcript, truth); err != nil {
			return err
		}
	}
	if shown == 0 {
		return input(fmt.Errorf("%s has %d debates, but none of case %q and condition %q", path, len(run.Outcomes),
			s.question, s.condition))
	}
	return nil
}

func (s *showCommand) show(out io.Writer, t debate.Transcript, truth answer.Answer) error {
	if s.decide != "" {
		rule, err := vote.RuleNamed(s.decide)
		if err != nil {
			return usage(err)
		}
		t.Decision = rule.Decide(t, vote.TiesFirst, nil)
	}
	if s.messages {
		return t.Story(out)
	}
	s.columns(out, t)
	if t.Failed != "" && s.decide == "" {
		_, err := fmt.Fprintf(out, "failed: %s\n", t.Failed)
		return err
	}
	return conclude(out, t, truth)
}

// Limits of a table with columns; rendering time grows faster than its size.
const (
	mostColumns = 500
	mostRows    = 500
)

// columns prints the replies as a table, agents as columns and rounds as rows.
func (s *showCommand) columns(out io.Writer, t debate.Transcript) {
	agents := 0
	for _, round := range t.Rounds {
		for _, turn := range round {
			agents = max(agents, turn.Agent+1)
		}
	}
	if agents > mostColumns || len(t.Rounds) > mostRows {
		fmt.Fprintf(out, "%d agents and %d rounds exceed the limits of a table, %d and %d; use --messages "+
			"instead\n", agents, len(t.Rounds), mostColumns, mostRows)
		return
	}
	w := table.NewWriter()
	w.SetOutputMirror(out)
	w.SetStyle(table.StyleLight)
	w.Style().Options.SeparateRows = true
	w.Style().Format.Header = text.FormatDefault
	header, width := table.Row{""}, max(12, (s.wide()-14)/max(1, agents)-3)
	configs := []table.ColumnConfig{{Number: 1, WidthMax: 14, WidthMaxEnforcer: text.WrapSoft}}
	for i := range agents {
		header = append(header, t.Role(i))
		configs = append(configs, table.ColumnConfig{Number: i + 2, WidthMax: width, WidthMaxEnforcer: text.WrapSoft})
	}
	w.AppendHeader(header)
	w.SetColumnConfigs(configs)
	before := make(map[int]answer.Answer)
	for r, round := range t.Rounds {
		if len(round) == 0 {
			continue
		}
		name := fmt.Sprintf("round %d", round[0].Round)
		if r < len(t.Phases) {
			name = string(t.Phases[r])
		}
		row := slices.Repeat(table.Row{""}, agents+1) // an unset cell would be printed as <nil>
		row[0] = name
		for _, turn := range round {
			row[turn.Agent+1] = cell(turn, before)
			before[turn.Agent] = turn.Answer
		}
		w.AppendRow(row)
	}
	w.Render()
}

// cell is one turn: its answer, whether that changed, whom the agent heard, and the text.
func cell(t debate.Turn, before map[int]answer.Answer) string {
	if t.Error != "" {
		return "silent: " + t.Error
	}
	head := show(t.Answer)
	if earlier, spoke := before[t.Agent]; spoke && earlier != t.Answer {
		head = "» " + head + " (was " + show(earlier) + ")"
	}
	if len(t.Heard) > 0 {
		head += fmt.Sprintf(" hears %v", t.Heard)
	}
	return head + "\n" + shortened(t.Reply.Text)
}

// shortened is as much of a text as keeps the table readable.
func shortened(s string) string {
	const most = 400
	s = strings.TrimSpace(s)
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + " …"
	}
	return s
}

func (s *showCommand) wide() int {
	if s.width > 0 {
		return s.width
	}
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && width > 40 {
		return width
	}
	return 120
}
