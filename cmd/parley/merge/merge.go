// Package merge joins the shards of a run: parley merge.
package merge

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "merge OUT [SHARD...]",
		Short: "Join the shards of a run that several machines have computed",
		Long: `Copies the generations of shards, which parley compare and parley run compute with --shard, into the
run directory OUT, each once. Without SHARD, these are all directories OUT.shard-I-of-N. The command of
the run with --out OUT and without --shard then finds all replies there, and writes debates, table and
report as if one machine had computed them.

Shards are only read, and may be running: merge again later for the rest. A reply that two machines
have computed differently is refused, and nothing is written; some questions are asked by two shards
each so that this is noticed. If shards are missing or unfinished, what there is is merged, and the
exit code is 1.`,
		Example: `  parley merge table1
  parley merge table1 node1/table1.shard-1-of-2 node2/table1.shard-2-of-2`,
		Args: flags.Args(1, math.MaxInt),
	}
	cmd.RunE = command.Do(o, &o.line, run, instead)
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line command.Line
}

// run joins the shards.
func run(o *Options) error {
	args := o.line.Args
	return merge(o.line.Err, args[0], args[1:])
}

// merge joins shards of a run, or of an experiment task by task, and says on w what was found.
func merge(w io.Writer, out string, shards []string) error {
	if len(shards) == 0 {
		shards = rundir.ShardsOf(out)
	}
	if len(shards) == 0 {
		return exit.Usage(fmt.Errorf("there is no shard %s.shard-I-of-N to merge: compute some with --out %[1]s "+
			"--shard I/N, or name their directories", out))
	}
	parts, err := partsOf(shards)
	if err != nil {
		return exit.Input(err)
	}
	if err := sameExperiment(out, shards, parts); err != nil {
		return exit.Input(err)
	}
	whole, incomplete := "", error(nil)
	for _, part := range parts {
		m, err := rundir.Merge(filepath.Join(out, part.name), part.shards)
		if err != nil {
			return exit.Input(err)
		}
		fmt.Fprintf(w, "%smerged %s: %s new, %s in all, of which several shards have %s, and have them alike\n",
			part.title(), wording.Count(len(m.Shards), "shard"), wording.Count(m.Added, "generation"),
			wording.Comma(m.Generations), wording.Comma(m.Compared))
		incomplete, whole = errors.Join(incomplete, incompleteError(part, m, out)), cmp.Or(whole, m.Command)
	}
	if incomplete == nil {
		fmt.Fprintf(w, "the shards are complete; for the result: %s\n", into(out, whole))
	}
	return incomplete
}

// into returns the command of the whole run with its last word, the run directory of the shards, replaced by out.
func into(out, whole string) string {
	words := "the command of the run with"
	if i := strings.LastIndex(whole, " --out="); i >= 0 {
		words = whole[:i]
	}
	return words + " --out=" + wording.Shell(out)
}

// mostNamed is how many lines about missing or unfinished shards an error has; the rest is counted.
const mostNamed = 10

// incompleteError names the shards that are missing or unfinished, with the commands that compute them.
func incompleteError(part shardsOfPart, m rundir.Merged, out string) error {
	var lines []string
	some := trial.Shard{Of: m.Of}
	for _, s := range m.Shards {
		some = *s.Header.Shard
	}
	again := func(i int) string {
		base := m.Command
		if base == "" {
			base = "the command of the run with --out=" + wording.Shell(out)
		}
		return fmt.Sprintf("%s --shard=%s", base, some.Slot(i))
	}
	for _, i := range m.Missing {
		lines = append(lines, fmt.Sprintf("shard %s is missing: %s", some.Slot(i), again(i)))
	}
	for _, s := range m.Unfinished() {
		i := s.Header.Shard.Index
		lines = append(lines, fmt.Sprintf("shard %s has %s of %s debates and is %s: %s", some.Slot(i),
			wording.Comma(s.Debates), wording.Comma(s.Expected), s.State, again(i)))
	}
	if len(lines) == 0 {
		return nil
	}
	if more := len(lines) - mostNamed; more > 0 {
		lines = append(lines[:mostNamed], fmt.Sprintf("and %d more", more))
	}
	return fmt.Errorf("%sthe run is not complete\n  %s", part.title(), strings.Join(lines, "\n  "))
}
