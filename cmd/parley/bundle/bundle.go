// Package bundle packs an experiment for a machine without a network: parley bundle.
package bundle

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/chosen"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/internal/outfile"
	"github.com/parley-debate/parley/models"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	b := &Options{}
	cmd := &cobra.Command{
		Use:   "bundle --experiment NAME|FILE --out FILE",
		Short: "Pack an experiment with its model, data and this program, for a machine without a network",
		Long: `Writes one tar archive that holds all that a run needs: this program, the models, the task files, the
experiment with its protocols, every prompt, and the documentation. Its README.txt names the command
that runs the experiment; on the other machine

  mkdir lab && tar -xf FILE -C lab && cd lab && sha256sum -c --quiet SHA256SUMS

unpacks it and says if anything was changed on the way. That machine needs the same operating system
and a CPU with the vector units that README.txt names; make build ARCH=-march=x86-64-v3 builds a
program for most CPUs since 2013.`,
		Example: `  parley bundle --experiment madc-table1 --model qwen2.5-7b-instruct-q4_k_m.gguf \
    --data benchmarks --out madc.tar
  parley bundle --experiment madc-orders --small --out trial.tar`,
		Args: flags.NoArgs,
	}
	cmd.RunE = command.Do(b, &b.line, run, instead)
	set := cmd.Flags()
	flags.Text(set, &b.experiment, "experiment", "e", "EXPERIMENT", "",
		"the experiment to pack, or a .yaml file with one")
	flags.Text(set, &b.model, "model", "m", "FILE", models.EmbeddedName,
		"GGUF file, or a name that parley models lists")
	flags.Text(set, &b.out, "out", "o", "FILE", "", "file to write")
	b.chosen.Register(set, "pack")
	b.chosen.RegisterTask(set)
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line       command.Line
	chosen     chosen.Experiment // what the other machine is to run
	model      string
	experiment string
	out        string

	parts []part
	names map[string]string // in the bundle, by path
}

func run(b *Options) error {
	cmd := b.line
	if b.experiment == "" || b.out == "" {
		return exit.Usage(errors.New("parley bundle needs --experiment and --out; see parley bundle --help"))
	}
	if err := outfile.Check(output(b.out)); err != nil {
		return exit.Usage(fmt.Errorf("--out: %w", err))
	}
	command, err := b.collect()
	if err != nil {
		return exit.Input(err)
	}
	size := b.size()
	add, end := terminal.AddBytes(cmd.Err, "packing", size)
	err = output(b.out).Fill(func(out io.Writer) error { return write(cmd.Context, out, b.parts, add) })
	end()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.Out, `%s: %s, %s
on the other machine:
  mkdir lab && tar -xf %s -C lab && cd lab && sha256sum -c --quiet SHA256SUMS
  %s
`, b.out, wording.Count(len(b.parts), "file"), humanize.IBytes(uint64(size)), wording.Shell(filepath.Base(b.out)),
		wording.Shell(command...))
	return err
}
