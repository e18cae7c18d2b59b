// Package stats compares systems by the scores that other programs recorded: parley stats.
package stats

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/importer"
	"github.com/parley-debate/parley/bench/report"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/samples"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/program"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/debate/answer"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "stats FILE...",
		Short: "Compare systems by the scores that other evaluation programs recorded",
		Long: `Reads logs of evaluations and compares the systems in them on the questions that all have: paired
differences with intervals and tests, clustered and repeated, equivalence, power, and the noise
floor where samples have repeats. No model runs, and no score is changed but by --answer. A file is recognised by
its content:

` + listed() + `
NAME=FILE calls a file's system NAME, and files of the same NAME are repeats of it. Questions are
matched by their ids, or by their texts where an id has several; what only some systems have is
counted, named and left out. Scores are from 0 to 1; C, I, P and N, and words such as true, are
read as their programs mean them. A sample that failed counts in no accuracy.`,
		Example: `  parley stats base.eval tuned.eval
  parley stats base=samples_gsm8k_base.jsonl tuned=samples_gsm8k_tuned.jsonl --measure exact_match,strict-match
  parley stats scores.csv --reference single --equivalence 0.02 --out compared`,
		Args: flags.Args(1, math.MaxInt),
	}
	cmd.RunE = command.Do(o, &o.line, run, instead)
	set := cmd.Flags()
	flags.Text(set, &o.read.Measure, "measure", "", "NAME", "", "score that is read (default the first of the file)")
	flags.Text(set, &o.rule, "answer", "", "RULE", "", "read the replies again by this answer rule, in place of the "+
		"logs' own reading, and list what changes: "+strings.Join(answer.Names(), ", "))
	flags.Text(set, &o.reference, "reference", "", "SYSTEM", "",
		"system that the others are compared with (default the first)")
	flags.Text(set, &o.read.Cluster, "cluster", "", "FIELD", "", "field of a sample's metadata, document, variables "+
		"or row whose values are clusters of questions that may depend on each other (default the column cluster)")
	flags.Number(set, &o.read.Best, "best", "", 0, samples.BestRange.OrZero(),
		"score of a perfect sample, by which scores are divided (default 1)")
	flags.Number(set, &o.tests.Equivalence, "equivalence", "", 0, spec.DifferenceRange,
		"also test whether accuracies differ by less than this, such as 0.05")
	flags.Each(set, &o.tests.Contrasts, "contrast", "", "DIFFERENCE", nil,
		`also test a difference, such as "a - b" or "(a, b) - c"; may be given several times`)
	flags.Text(set, &o.out, "out", "o", "DIR", "",
		"also write a run directory, which parley report, show and export read")
	cmd.Flags().BoolVar(&o.details, "details", false, "print all tables")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

// listed are the formats, a line each.
func listed() (text string) {
	for _, f := range samples.Formats() {
		text += fmt.Sprintf("  %-16s %s: %s\n", f.Name, f.Source, f.Meaning)
	}
	return text
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line           command.Line
	read           samples.Options
	tests          spec.Tests
	reference, out string
	rule           string
	details, json  bool
}

// run reads the logs and prints the comparison.
func run(o *Options) error {
	read, err := samples.Read(o.line.Args, o.read)
	if err != nil {
		return exit.Input(err)
	}
	o.tests.Cluster = o.read.Cluster
	compared, err := read.Run(o.tests, o.reference, o.rule)
	if err != nil {
		return exit.Input(err)
	}
	compared.Header.Parley, compared.Header.Time = program.Version(), time.Now().UTC().Format(time.RFC3339)
	if err := o.save(compared); err != nil {
		return err
	}
	if o.json {
		return json.NewEncoder(o.line.Out).Encode(compared.Comparison)
	}
	fmt.Fprint(o.line.Err, compared.Header.Headline())
	for _, note := range compared.Header.Notes {
		fmt.Fprintln(o.line.Err, "note    ", strings.TrimSpace(note))
	}
	shown := compared.Comparison.Document()
	if o.details {
		shown = append(shown, report.Details(compared.Comparison))
	}
	return terminal.Show(o.line.Out, shown)
}

// save writes the run into a directory, if one is named.
func (o *Options) save(run rundir.Run) error {
	if o.out == "" {
		return nil
	}
	if err := importer.SaveTo(o.out, run); err != nil {
		return exit.Usage(err)
	}
	fmt.Fprintln(o.line.Err, "the run is in", o.out)
	return nil
}
