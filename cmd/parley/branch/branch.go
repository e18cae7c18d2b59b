// Package branch holds recorded debates again from within a message: parley branch.
package branch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/branch"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/engine"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/runner"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bounds"
	"github.com/parley-debate/parley/internal/outfile"
)

// Again carries out a command line of this program.
type Again func(ctx context.Context, words []string, out, err io.Writer) error

// New makes the command, which has the command of a run carried out again. It calls instead, where a test gives one,
// with the options.
func New(again Again, instead func(*Options) error) *cobra.Command {
	o := &Options{again: again}
	cmd := &cobra.Command{
		Use:   "branch RUN-DIRECTORY",
		Short: "Find the sentence that moved a decision: debates held again from within a message",
		Long: `Takes messages of a recorded debate and holds the debate again, --samples times, from the beginning of
each of their sentences and from behind the last. What comes before is as recorded; what follows is
drawn anew, to the decision. Prints, for each sentence, how often the debate decides as recorded with
it and where other words took its place, the difference with a 95 % interval, and p corrected for all
sentences of the message. A branch computes its suffix: the rest is shared.

Without --agent and --round all messages of the debate are taken. --replace says what stands in the
place of a sentence, --drop leaves it out: both are compared with the sentence. The reasoning of a
model that thinks is kept, and its sentences are not taken.

The command of the run is carried out again on its task and model, so that it needs both. Branches are
kept in branch.jsonl.zst of the run directory, so that the same command resumes and draws nothing
twice; branch.json and branch.html, a page with the sentences shaded, are replaced.`,
		Example: `  parley branch parley-runs/demo-20261121-120000 --case generated/7 --condition mad --round 0
  parley branch parley-runs/demo-20261121-120000 --case generated/7 --condition mad --round 0 --agent 1 \
    --replace "2=So the fox is last."`,
		Args: flags.Args(1, 1),
	}
	cmd.RunE = command.Do(o, &o.line, run, instead)
	set := cmd.Flags()
	flags.Text(set, &o.choice.Case, "case", "", "QUESTION", "",
		"question of the run, with all its repeats, or a single debate as parley show lists it")
	flags.Text(set, &o.choice.Condition, "condition", "", "CONDITION", "", "condition of the run (default all)")
	flags.Number(set, &o.agent, "agent", "", 0, bounds.From(0, debate.MaxSize), "agent whose messages are taken, from "+
		"0 (default all)")
	flags.Number(set, &o.round, "round", "", 0, bounds.From(0, debate.MaxSize), "round whose messages are taken, from "+
		"0 (default all)")
	flags.Number(set, &o.draw.Samples, "samples", "", 50, branch.SamplesRange, "branches from each place")
	flags.Number(set, &o.draw.Seed, "seed", "s", 1, bounds.From(0, 1<<64), "seed of the branches")
	temperature, _ := inference.ParameterNamed("temperature")
	flags.Number(set, &o.temperature, temperature.Name, "", 0, temperature.Range, "temperature of what is drawn anew "+
		"(default as recorded)")
	flags.Each(set, &o.replace, "replace", "", "N=TEXT", nil, "put a text in the place of sentence N, from 1; may be "+
		"repeated")
	flags.Each(set, &o.drop, "drop", "", "N", nil, "leave sentence N out; may be repeated")
	set.BoolVar(&o.own, "own-answer", false, "compare sentences by the answer that their message states, instead of "+
		"by the debate's decision")
	set.BoolVar(&o.json, "json", false, "print only the content of branch.json")
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line          command.Line
	again         Again
	choice        branch.Choice
	agent, round  int
	draw          branch.Drawing
	temperature   float32
	replace, drop []string
	own           bool
	json          bool
}

// run finds the messages, and has the command of their run carried out again with branches in the place of debates.
func run(o *Options) (err error) {
	cmd, directory := o.line, o.line.Args[0]
	if err := o.read(); err != nil {
		return exit.Usage(err)
	}
	run, err := rundir.ReadRun(directory)
	if err != nil {
		return exit.Input(err)
	}
	messages, err := o.choice.Find(run)
	if err != nil {
		return exit.Input(err)
	}
	path, err := filepath.Abs(directory)
	if err != nil {
		return err
	}
	line, words, err := again(run, path)
	if err != nil {
		return exit.Input(err)
	}
	page := branch.Page(directory)
	if err := errors.Join(branch.CheckPlace(directory), outfile.Check(page)); err != nil {
		return exit.Input(err)
	}
	known, _, err := rundir.Recorded(directory)
	if err != nil {
		return exit.Input(err)
	}
	journal, err := rundir.OpenBranches(directory)
	if err != nil {
		return exit.Input(err)
	}
	defer func() { err = errors.Join(err, journal.Close()) }()
	var results branch.Results
	instead := &runner.Instead{Run: run, Path: path,
		Records: engine.Recorder{Generation: journal.Generation, Known: func(key string) (inference.Reply, bool) {
			if reply, ok := journal.Reply(key); ok {
				return reply, true
			}
			return known(key)
		}},
		Do: func(ctx context.Context, options bench.Options, engine inference.Running) (err error) {
			results, err = o.draw.All(ctx, run, messages, options, engine)
			return err
		}}
	fmt.Fprintf(cmd.Err, "again    %s\n", wording.Shell(words...))
	if err := o.again(instead.With(cmd.Context), words[1:], io.Discard, cmd.Err); err != nil {
		if here, _ := os.Getwd(); line.Directory != "" && line.Directory != here && !instead.Done() {
			err = fmt.Errorf("%w (the command of the run was given in %s, where its files may be)", err, line.Directory)
		}
		return err
	}
	if !instead.Done() {
		return exit.Input(fmt.Errorf("the command of the run does not come to %s again", directory))
	}
	results.Own = o.own
	return o.save(results, directory)
}

// read enters the flags.
func (o *Options) read() error {
	if o.choice.Case == "" {
		return errors.New("--case is needed: parley show lists the debates of a run")
	}
	if o.line.Given("agent") {
		o.choice.Agent = &o.agent
	}
	if o.line.Given("round") {
		o.choice.Round = &o.round
	}
	if o.line.Given("temperature") {
		o.draw.Temperature = &o.temperature
	}
	o.draw.Instead = make(map[int]string)
	for _, text := range o.replace {
		number, instead, _ := strings.Cut(text, "=")
		if strings.TrimSpace(instead) == "" {
			return fmt.Errorf("--replace %q has no text: --drop %s leaves the sentence out", text, number)
		}
		if err := o.put(number, instead); err != nil {
			return err
		}
	}
	for _, number := range o.drop {
		if err := o.put(number, ""); err != nil {
			return err
		}
	}
	return nil
}

// put enters what stands in the place of a sentence, "" for nothing.
func (o *Options) put(number, instead string) error {
	n, err := strconv.Atoi(strings.TrimSpace(number))
	if err != nil {
		return fmt.Errorf("%q names no sentence: their numbers are from 1", number)
	}
	if _, twice := o.draw.Instead[n]; twice {
		return fmt.Errorf("sentence %d is replaced or left out twice", n)
	}
	o.draw.Instead[n] = instead
	return nil
}

// holding are the commands that are carried out again. The record may come from a stranger.
var holding = []string{"compare", "demo", "referee", "run"}

// again is the command that made the run in a directory, and its words, so that it writes nothing.
func again(run rundir.Run, directory string) (line rundir.Line, words []string, err error) {
	switch h := run.Header; {
	case h.Imported != nil:
		return line, nil, fmt.Errorf("%s is imported (%s): another program has held its debates", directory, h.Imported)
	case h.Model.Remote != nil:
		return line, nil, fmt.Errorf("servers computed this run (%s): what they said cannot go on from within here",
			h.Model.About())
	}
	if n := len(run.Sessions); n > 0 {
		line = run.Sessions[n-1].Line
		words = line.Words(&run.Header)
	}
	switch {
	case words == nil:
		return line, nil, fmt.Errorf("%s does not tell which command made it, as older runs do not: resume it once",
			directory)
	case !slices.Contains(holding, words[1]) || slices.ContainsFunc(words, func(word string) bool {
		return strings.HasPrefix(word, "--engine")
	}):
		return line, nil, fmt.Errorf("%s says that %s made it, which is not carried out again: only %s are, on models "+
			"in this process", directory, wording.Shell(words...), wording.List(holding))
	}
	return line, append(words, "--dry-run", "--out="+filepath.Join(directory, line.Out)), nil
}

// save writes the results into the run directory and shows them.
func (o *Options) save(results branch.Results, directory string) error {
	if err := results.Save(directory); err != nil {
		return err
	}
	text, err := results.HTML()
	if err != nil {
		return err
	}
	page := branch.Page(directory)
	if err := page.Write(text); err != nil {
		return err
	}
	if o.json {
		return json.NewEncoder(o.line.Out).Encode(results)
	}
	if err := terminal.Show(o.line.Out, results.Document()); err != nil {
		return err
	}
	address, err := terminal.PageAddress(page.Path)
	if err != nil {
		return err
	}
	return terminal.Printf(o.line.Out, "\nThe page has the messages with their sentences shaded:\n  %s\n", address)
}
