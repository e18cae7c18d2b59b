// Package data lists families of benchmarks and checks task files: parley data.
package data

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/taskfile"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/inference"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "data [PATH...]",
		Short: "List the supported benchmark formats, or check task files and preview your own",
		Long: `Without a path, lists the benchmark families that --task reads, where to download them, and their
licences; parley data pull downloads some. With files or directories, describes each file: family,
number of questions, answer rule, the accuracy of the best constant answer, the sample size for a
margin of 5 points at 95 %, the first question, and all problems found. Files are identified by
their content; in directories, only files that end in .json, .jsonl, .csv, .tsv or
.parquet are checked.

A file of your own needs a column with the question and one with the answer: JSON, JSON lines, CSV,
TSV or Parquet. Obvious names are recognised: question, prompt, input, problem; answer, gold,
target, label, solution, or else reference, expected, ground_truth; choices, options, or A, B, C and
so on; passage, context, article, story for a text that is asked before the question. --columns names
others, and passage=- asks none. Choices are one column with a list, or a column each; the answer is a
choice's letter or label, its text, its index from 0 or its number from 1, and by=letter, by=text,
by=index or by=number says which, where several fit. Without --rule, the answers tell how replies are
read. Where rows are of several kinds, by a column called kind or since some have no choices,
parley run --on asks each kind as a task of its own, and only=KIND reads one. The preview shows the columns, the rule, the first three questions as they are asked, and each
row that is refused. A YAML file for --columns has the same keys, and rule:

  question: prompt
  answer: gold
  choices: [A, B, C, D]
  rule: letter`,
		Example: `  parley data
  parley data test.jsonl benchmarks/
  parley data mine.csv --columns question=prompt,answer=gold,choices=A,B,C,D`,
	}
	cmd.RunE = command.Do(o, &o.line, run, instead)
	o.columns.Register(cmd.Flags())
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON line per family or file")
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line    command.Line
	json    bool
	columns flags.Columns
}

// run lists the families, or describes files.
func run(o *Options) error {
	paths := o.line.Args
	m, err := o.columns.Mapping()
	switch {
	case err != nil:
		return exit.Usage(err)
	case len(paths) > 0:
		return taskfile.Check(o.line.Out, paths, m, o.json)
	}
	for _, name := range []string{"columns", "rule"} {
		if o.line.Given(name) {
			return exit.Usage(fmt.Errorf("--%s has no effect without a file", name))
		}
	}
	return listFamilies(o.line, o.json)
}

func listFamilies(cmd command.Line, asJSON bool) error {
	if asJSON {
		return command.PrintEach(json.NewEncoder(cmd.Out), task.Families())
	}
	return terminal.WriteTabbed(cmd.Out, func(w io.Writer) {
		for _, f := range task.Families() {
			kind := string(f.Kind())
			if f.Name == task.FamilyOwn {
				kind = f.Rule
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n\t  %s\n\t  right if %s\n\t  %s\n", f.Name, "kind "+kind, "rule "+
				""+f.Rule,
				f.Licence, f.Where, f.Format, f.Meaning(), askedBy(f))
		}
	})
}

// askedBy says with which prompts comparisons ask the questions of a family.
func askedBy(f task.Family) string {
	set, instruction := f.Asking().Prompts, f.Asking().Instruction
	switch {
	case f.Name == task.FamilyOwn:
		set = "plain, by the kind of the answers"
	case set == "":
		set = protocol.PromptSet(inference.ModelInfo{}, f.Rule)
	}
	if instruction != "" {
		instruction = fmt.Sprintf(", behind %q", instruction)
	}
	return "asked by prompts " + set + instruction
}
