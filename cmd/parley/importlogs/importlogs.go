// Package importlogs converts logs of other programs to a run: parley import.
package importlogs

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/importer"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/samples"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/program"
	"github.com/parley-debate/parley/cmd/parley/internal/runner"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	i := &Options{}
	cmd := &cobra.Command{
		Use:   "import --from FORMAT FILE...",
		Short: "Convert logs of other debate programs to a run directory",
		Long: `Creates a run directory from debates that another program ran. parley show, report, export, score,
status and diff read it like any other. All files go into one run. A debate that cannot be read is
reported and left out. Formats:

` + listFormats() + `
Right answers come from the log, if it has any. --task takes them from a task file instead, whose
questions must be worded as in the log, and names the debates after its questions, so that parley
diff can pair them with your own run. Logs of debate-or-vote have no questions: their debates are
those of the task in its order, and the right answers must agree. A debate without a right answer
counts as unparsed. A file of ` + strings.Join(FormatNames()[len(importer.Formats()):], ", ") + ` is read as parley stats
reads it: its systems become conditions, with the scores that it has.`,
		Example: `  parley import --from liang MAD_Debate_Process/*.json --task lexical.jsonl --out theirs
  parley import --from du gsm_3_2.json
  parley import --from mallm output.json --task own.csv --columns question=prompt,answer=gold`,
		Args: flags.Args(1, math.MaxInt),
	}
	cmd.RunE = command.Do(i, &i.line, run, instead)
	flags.Text(cmd.Flags(), &i.from, "from", "", "FORMAT", "", "format of the logs: "+strings.Join(FormatNames(), ", "))
	flags.Text(cmd.Flags(), &i.task, "task", "", "FILE", "", "task file with the questions and right answers")
	i.columns.Register(cmd.Flags())
	flags.Text(cmd.Flags(), &i.out, "out", "o", "DIR", "", "run directory (default parley-runs/FORMAT-TIME)")
	cmd.Flags().BoolVar(&i.json, "json", false, "print only the summary, as JSON")
	return cmd
}

// FormatNames lists what --from can name: the formats of debates, and those of harnesses that parley stats reads.
func FormatNames() (names []string) {
	for _, f := range importer.Formats() {
		names = append(names, f.Name)
	}
	for _, f := range samples.Formats() {
		if !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

func listFormats() (text string) {
	for _, f := range importer.Formats() {
		text += fmt.Sprintf("  %-14s %s:\n                 %s\n", f.Name, f.Source, f.Meaning)
	}
	return text
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line            command.Line
	from, task, out string
	columns         flags.Columns
	json            bool
}

// run reads logs, and writes them as a run that the other commands read. What cannot be read is named and left out.
func run(i *Options) error {
	cmd := i.line
	files := i.line.Args
	if !slices.Contains(FormatNames(), i.from) {
		return exit.Usage(fmt.Errorf("name the format of the logs with --from: %s", strings.Join(FormatNames(), ", ")))
	}
	run, problems, err := i.read(files)
	if err != nil {
		return err
	}
	run.Header.Parley, run.Header.Time = program.Version(), time.Now().UTC().Format(time.RFC3339)
	if err := i.save(run); err != nil {
		return err
	}
	summary := importer.Summarize(run, problems)
	if i.json {
		return json.NewEncoder(cmd.Out).Encode(summary)
	}
	fmt.Fprintf(cmd.Err, "%sdebates and result are in %s\n", run.Header.Headline(), i.out)
	return terminal.Fit(cmd.Out, summary.Write)
}

// read makes a run of the logs, with what is left out of it.
func (i *Options) read(files []string) (run rundir.Run, problems []importer.Problem, err error) {
	if !slices.ContainsFunc(importer.Formats(), func(f importer.Format) bool { return f.Name == i.from }) {
		run, err = i.readSamples(files)
		return run, nil, err
	}
	log, err := importer.Read(i.from, files)
	if err != nil {
		return run, nil, exit.Input(err)
	}
	for _, p := range log.Problems {
		fmt.Fprintln(i.line.Err, "parley: left out:", p)
	}
	var questions *task.Task
	if i.task != "" {
		t, err := i.columns.Load(i.task)
		if err != nil {
			return run, nil, err
		}
		questions = &t
	}
	if run, err = log.Run(questions); err != nil {
		return run, nil, exit.Input(err)
	}
	return run, log.Problems, nil
}

// readSamples makes a run of what a harness recorded.
func (i *Options) readSamples(files []string) (run rundir.Run, err error) {
	if i.task != "" {
		return run, exit.Usage(fmt.Errorf("--task: %s has its own right answers and scores", i.from))
	}
	read, err := samples.Read(files, samples.Options{})
	if err != nil {
		return run, exit.Input(err)
	}
	for at, format := range read.Formats {
		if format != i.from {
			return run, exit.Input(fmt.Errorf("%q is not %s but %s", read.Files[at].Path, i.from, format))
		}
	}
	if run, err = read.Run(spec.Tests{}, "", ""); err != nil {
		return run, exit.Input(err)
	}
	return run, nil
}

// save writes the run into a directory, in which nothing of it stays if that fails.
func (i *Options) save(run rundir.Run) error {
	if i.out == "" {
		i.out = runner.DefaultDirectory(i.from)
	}
	if err := importer.SaveTo(i.out, run); err != nil {
		return exit.Usage(err)
	}
	return nil
}
