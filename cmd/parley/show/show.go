// Package show shows recorded debates: parley show.
package show

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/cmd/parley/internal/transcript"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/vote"
	"github.com/parley-debate/parley/internal/bounds"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	s := &Options{}
	cmd := &cobra.Command{
		Use:   "show (TRANSCRIPT | RUN-DIRECTORY)",
		Short: "Show recorded debates: agents as columns, rounds as rows, changed answers marked",
		Long: `Reads a file that parley debate --transcript wrote, or a run directory, whose debates it lists
unless --case selects some. No model is needed: --decide applies another decision rule to the
recorded replies.`,
		Example: `  parley debate --protocol madc --transcript debate.json "Is a tomato a fruit? (A) yes (B) no"
  parley show debate.json
  parley show parley-runs/demo-20261121-120000 --case generated/7 --condition madc --messages`,
		Args: flags.Args(1, 1),
	}
	cmd.RunE = command.Do(s, &s.line, run, instead)
	cmd.Flags().BoolVar(&s.messages, "messages", false,
		"print all messages as sent and all replies, instead of columns")
	flags.Text(cmd.Flags(), &s.question, "case", "", "QUESTION", "",
		"question of a run to show, with all its repeats, or a single debate as listed")
	flags.Text(cmd.Flags(), &s.condition, "condition", "", "CONDITION", "", "condition of a run to show")
	flags.Text(cmd.Flags(), &s.decide, "decide", "", "RULE", "",
		"apply another decision rule: "+strings.Join(transcript.RuleNames(), ", "))
	flags.Number(cmd.Flags(), &s.width, "width", "", 0, bounds.From(20, 10_000),
		"width in columns (default that of the terminal, else 120)")
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line                        command.Line
	messages                    bool
	question, condition, decide string
	width                       int
}

// run shows a debate, or debates of a run.
func run(s *Options) error {
	out := s.line.Out
	path := s.line.Args[0]
	info, err := os.Stat(path)
	if err != nil {
		return exit.Input(fmt.Errorf("%w; name the directory of a run, which parley runs lists, or a file that parley "+
			"debate --transcript wrote", err))
	}
	if info.IsDir() {
		return s.showRun(out, path)
	}
	if s.question != "" || s.condition != "" {
		return exit.Usage(fmt.Errorf("%s is a single debate: --case and --condition select debates of a run", path))
	}
	var t debate.Transcript
	if err = record.ReadJSON(path, &t); err == nil {
		err = t.Validate()
	}
	if err != nil || t.Rounds == nil && t.Failed == "" {
		return exit.Input(fmt.Errorf("%s is not a transcript as written by parley debate --transcript FILE: %v", path,
			cmp.Or(err, errors.New("it has no rounds"))))
	}
	return s.show(out, t, nil, t.Asked())
}

// showRun shows the selected debates of a run, or lists them if no question is selected.
func (s *Options) showRun(out io.Writer, path string) error {
	run, err := rundir.ReadRun(path)
	if err != nil {
		return exit.Input(err)
	}
	if s.question == "" && (s.messages || s.decide != "" || s.width != 0) {
		return exit.Usage(errors.New("--messages, --decide and --width need debates to show; select them with --case"))
	}
	shown, marked := 0, run.Marked()
	for _, o := range run.Outcomes {
		if s.question != "" && !o.IsOf(s.question) ||
			s.condition != "" && o.Condition != s.condition {
			continue
		}
		shown++
		if s.question == "" {
			fmt.Fprintf(out, "%s  %s: %s, right is %s\n", o.Case(), o.Condition,
				transcript.Answer(o.Transcript.Decision.Answer),
				cmp.Or(transcript.Brief(o.Target), "not known"))
			continue
		}
		if err := s.showOutcome(out, run, o, marked); err != nil {
			return err
		}
	}
	if shown == 0 {
		var of []string
		for _, asked := range []struct{ flag, value string }{{"case", s.question}, {"condition", s.condition}} {
			if asked.value != "" {
				of = append(of, fmt.Sprintf("%s %q", asked.flag, asked.value))
			}
		}
		return exit.Input(fmt.Errorf("%s has %d debates, but none of %s; parley show %[1]s lists them", path,
			len(run.Outcomes), strings.Join(of, " and ")))
	}
	return nil
}

// showOutcome shows a debate of a run under a line that names it; marked is whether the run knows right answers.
func (s *Options) showOutcome(out io.Writer, run rundir.Run, o trial.Outcome, marked bool) error {
	fmt.Fprintf(out, "%s, %s, right is %s, scored %s\n", o.Case(), o.Condition,
		cmp.Or(strings.Join(strings.Fields(o.Target), " "), "not known"), o.Score)
	isRight := run.Whole(o).IsRight
	if !marked || o.Target == "" {
		isRight = nil
	}
	if !marked && o.Target != "" && !task.Judged(run.Header.Measure) {
		fmt.Fprintln(out, "this older record does not tell which replies are right: parley score --task FILE "+
			"--details counts them")
	}
	return s.show(out, o.Transcript, isRight, askedIn(run.Outcomes, o))
}

// show shows a transcript: as a table, or with --messages as all that was sent. --decide decides it anew, in what is
// shown alone. isRight is nil where right answers are not known, and asked is the question, or "".
func (s *Options) show(out io.Writer, t debate.Transcript, isRight func(answer.Answer) bool, asked string) error {
	if s.decide != "" {
		rule, err := vote.RuleNamed(s.decide)
		if err != nil {
			return exit.Usage(err)
		}
		t.Decision = rule.Decide(t, debate.TiesFirst, nil)
	}
	if s.messages {
		return t.Story(out)
	}
	width := s.columnsOf(out)
	if asked != "" {
		fmt.Fprintln(out, "question:"+transcript.Indent(strings.Join(lastLines(terminal.Wrap(asked, width-4),
			mostAsked), "\n")))
	}
	columns(out, t, width)
	if t.Failed != "" && s.decide == "" {
		_, err := fmt.Fprintf(out, "failed: %s\n", t.Failed)
		return err
	}
	return transcript.Conclude(out, t, isRight)
}

// columnsOf is how wide a table may be.
func (s *Options) columnsOf(out io.Writer) int { return cmp.Or(s.width, terminal.ColumnsOf(out), 120) }
