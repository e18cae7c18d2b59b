// Package score reads, decides and scores a recorded run again: parley score.
package score

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/offline"
	"github.com/parley-debate/parley/bench/report"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/cmd/parley/internal/transcript"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
	"github.com/parley-debate/parley/internal/unknown"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	s := &Options{}
	cmd := &cobra.Command{
		Use:   "score RUN-DIRECTORY",
		Short: "Read, decide and score a recorded run again, without a model",
		Long: `Reads every recorded reply by the answer rule --answer, decides every debate by the rule --decide,
and scores it against the recorded target. Without them, recorded answers and decisions stay. Prints the
table of parley compare without timings, and what differs from the recorded scores. --answer reader is
the reader for the run's kind of answers. Beside a paper's rule, the reader reads the replies too, and
the other way round where --task names the file: the replies in dispute are counted, and --list lists
them. A bound such as
oracle has no decision: its last answers are scored. The run directory stays unchanged.

--scores reads what another program, such as COMET, thinks of the decisions: the decisions that parley
export writes as CSV, with a column more for each score. It prints their means with 95 % intervals and
writes scores.json into the run directory, which is replaced; reports then have their tables, and
their curves over what the experiment sweeps.`,
		Example: `  parley score parley-runs/demo-20261121-120000 --answer letter
  parley score parley-runs/demo-20261121-120000 --decide trajectory --list
  parley score exp-liang-levels/common-mt --scores comet.csv`,
		Args: flags.Args(1, 1),
	}
	cmd.RunE = command.Do(s, &s.line, run, instead)
	flags.Text(cmd.Flags(), &s.how.Answer, "answer", "", "RULE", "",
		"answer rule: reader, "+strings.Join(answer.Names(), ", "))
	flags.Text(cmd.Flags(), &s.how.Decide, "decide", "", "RULE", "",
		"decision rule: "+strings.Join(transcript.RuleNames(), ", "))
	flags.Text(cmd.Flags(), &s.task, "task", "", "FILE", "",
		"task file of the run, by whose measure answers are scored, with "+
			"partial credit (F1, smooth, chrF) too; where answers other than the target can be right, older records "+
			"and "+
			"--answer need it")
	flags.Text(cmd.Flags(), &s.scores, "scores", "", "FILE", "",
		"CSV file of scores that another program gave the decisions; "+
			"nothing else is scored")
	flags.Text(cmd.Flags(), &s.out, "out", "o", "FILE", "", "also write the result as JSON to this new file")
	cmd.Flags().BoolVar(&s.list, "list", false, "list all debates whose score changed, and all replies in dispute")
	cmd.Flags().BoolVar(&s.details, "details", false,
		"also print how the debates went: rounds, changed answers, agreement, entropy, costs")
	cmd.Flags().BoolVar(&s.json, "json", false, "print only the result, as JSON")
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line                command.Line
	how                 offline.Rescoring
	task, out, scores   string
	list, details, json bool
}

// run scores a run again, or reads the scores of another program. The run's own files stay as they are: a new result is
// written where --out says, and scores of another program get a file beside them.
func run(s *Options) error {
	cmd := s.line
	directory := s.line.Args[0]
	if err := s.check(); err != nil {
		return exit.Usage(err)
	}
	run, err := rundir.ReadRun(directory)
	if err != nil {
		return exit.Input(err)
	}
	if s.scores != "" {
		return s.external(cmd, directory, run)
	}
	if s.task != "" {
		t, err := recordedMapping(run.Header).Load(s.task)
		if err != nil {
			return exit.Input(err)
		}
		s.how.Task = &t
	}
	result, err := offline.Rescore(run, s.how)
	if err != nil {
		return exit.Input(err)
	}
	if err := s.save(result); err != nil {
		return err
	}
	if s.json {
		return json.NewEncoder(cmd.Out).Encode(result)
	}
	shown := result.Document(s.list)
	if s.details {
		shown = append(shown, report.Details(result.Comparison))
	}
	return terminal.Show(cmd.Out, shown)
}

// external reads the scores of another program, and writes them beside the run.
func (s *Options) external(cmd command.Line, directory string, run rundir.Run) error {
	scores, err := offline.ReadScores(run, s.scores)
	if err != nil {
		return exit.Input(err)
	}
	if err := scores.Save(directory); err != nil {
		return err
	}
	if s.json {
		return json.NewEncoder(cmd.Out).Encode(scores)
	}
	return terminal.Show(cmd.Out, scores.Document())
}

// recordedMapping reads a file as the run has read it.
func recordedMapping(h rundir.Header) (m task.Mapping) {
	if m.Recorded = true; h.Columns != nil {
		m.Columns, m.Rule = *h.Columns, h.AnswerRule
	}
	return m
}

// check refuses rules that do not exist before the run is read, which may take long.
func (s *Options) check() error {
	if _, err := reader.Rule(s.how.Answer); s.how.Answer != "" && s.how.Answer != answer.Reader && err != nil {
		return err
	}
	if s.how.Decide != "" && !slices.Contains(transcript.RuleNames(), s.how.Decide) {
		return unknown.Name("decision rule", s.how.Decide, transcript.RuleNames())
	}
	return nil
}

// save writes the result to a new file, if one is named. It never replaces a file: an earlier result may have been
// made by other rules.
func (s *Options) save(result offline.Rescored) error {
	if s.out == "" {
		return nil
	}
	text, err := json.MarshalIndent(result, "", "  ")
	if err != nil {
		return err
	}
	file, err := os.OpenFile(s.out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return exit.Usage(fmt.Errorf("%q exists already; remove it or choose another file with --out", s.out))
	}
	if err != nil {
		return exit.Usage(err)
	}
	_, err = file.Write(append(text, '\n'))
	return errors.Join(err, file.Close())
}
