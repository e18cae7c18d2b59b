// Package synth writes a model with random weights: parley models synth.
package synth

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/inference/machine"
	"github.com/parley-debate/parley/internal/bounds"
	"github.com/parley-debate/parley/models"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "synth",
		Short: "Write a model with random weights and a real architecture, to measure throughput",
		Long: `Writes a GGUF file with the shape of a real model, random weights and a made-up vocabulary. It takes
as long to compute as the real model and generates nonsense. The shapes that begin with mini- are for
tests: they have all parts of their family in a file of a few megabytes. There are

` + listShapes(),
		Example: "  parley models synth --shape qwen2.5-0.5b --quantization q4_0",
		Args:    flags.NoArgs,
	}
	cmd.RunE = command.Do(o, &o.line, run, instead)
	flags.Text(cmd.Flags(), &o.shape, "shape", "", "MODEL", "qwen2.5-0.5b",
		"model to take the shape of, one of the list")
	flags.Text(cmd.Flags(), &o.quantization, "quantization", "", "TYPE", "", "type of the weights: "+
		strings.Join(llamacpp.QuantizationTypes(), ", ")+
		" (default q4_0; f16 if this build's llama.cpp, which quantizes, does not know the architecture)")
	flags.Text(cmd.Flags(), &o.out, "out", "o", "FILE", "", "file to write (default synthetic-SHAPE-QUANTIZATION.gguf)")
	flags.Number(cmd.Flags(), &o.seed, "seed", "s", 1, flags.SeedRange, "seed of the random weights")
	flags.Number(cmd.Flags(), &o.layers, "layers", "", 0, bounds.From(0, 10_000),
		"layers, where all are too large or too slow (default the shape's)")
	flags.Number(cmd.Flags(), &o.context, "context", "c", 0, inference.ContextRange.OrZero(),
		"tokens that the model is said to be trained for, for dry runs of long debates (default the shape's)")
	flags.Number(cmd.Flags(), &o.threads, "threads", "t", machine.Threads(), inference.ThreadsRange,
		"threads for quantization")
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line         command.Line
	shape        string
	quantization string
	out          string
	seed         uint64
	threads      int
	context      int
	layers       int
}

// run writes the model.
func run(o *Options) error {
	s, err := models.ShapeNamed(o.shape)
	if err != nil {
		return exit.Usage(err)
	}
	if o.layers > 0 {
		if s, err = s.WithLayers(o.layers); err != nil {
			return exit.Usage(fmt.Errorf("--layers: %w", err))
		}
	}
	if o.context > 0 {
		s.Context = o.context
	}
	if o.quantization, err = synthQuantization(o.line.Err, s, o.quantization); err != nil {
		return exit.Usage(err)
	}
	if o.out == "" {
		o.out = fmt.Sprintf("synthetic-%s-%s.gguf", s.Name, strings.ToLower(o.quantization))
	}
	if _, err := os.Stat(o.out); err == nil {
		return exit.Usage(fmt.Errorf("%q exists already; remove it or choose another file with --out", o.out))
	}
	if err := synthesize(o.line, models.Synthetic{Shape: s, Seed: o.seed}, o.quantization, o.threads,
		o.out); err != nil {
		return err
	}
	info, err := models.Inspect(o.out)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.line.Out, "%s: %s, %s parameters, %s\n", o.out, info.Quantization,
		humanize.SIWithDigits(float64(info.Parameters), 2, ""), humanize.IBytes(uint64(info.SizeBytes)))
	return err
}

// synthQuantization is the type of the weights to write, by default q4_0. Where this build's llama.cpp, which
// quantizes, does not know the architecture, only f16 can be written.
func synthQuantization(w io.Writer, s models.Shape, asked string) (string, error) {
	if asked != "" {
		if err := llamacpp.CheckQuantization(asked); err != nil || strings.EqualFold(asked, "f16") {
			return asked, err
		}
	}
	known, err := llamacpp.Knows(s.Family)
	if known || err != nil { // without a llama.cpp, quantizing will say so
		return cmp.Or(asked, "q4_0"), nil
	}
	unknown := "this build's llama.cpp does not know the architecture " + s.Family + " and cannot quantize it"
	if asked != "" {
		return "", fmt.Errorf("--quantization %s: %s; f16 can be written", asked, unknown)
	}
	fmt.Fprintf(w, "%s: writing f16\n", unknown)
	return "f16", nil
}

// listShapes has a line for each architecture.
func listShapes() string {
	byFamily := map[string][]string{}
	for _, s := range models.Shapes {
		byFamily[s.Family] = append(byFamily[s.Family], s.Name)
	}
	var lines strings.Builder
	for _, family := range slices.Sorted(maps.Keys(byFamily)) {
		fmt.Fprintf(&lines, "  %-10s %s\n", family, strings.Join(byFamily[family], ", "))
	}
	return strings.TrimRight(lines.String(), "\n")
}

// synthesize writes an F16 file and has llama.cpp quantize it to any other type.
func synthesize(cmd command.Line, s models.Synthetic, quantization string, threads int, out string) error {
	if strings.EqualFold(quantization, "f16") {
		return models.WriteSynthetic(out, s)
	}
	fmt.Fprintf(cmd.Err, "writing %s of random weights, then quantizing on %d threads\n",
		humanize.IBytes(uint64(2*s.Shape.Parameters())), threads)
	half, err := os.MkdirTemp(filepath.Dir(out), ".parley-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(half)
	from := filepath.Join(half, "f16.gguf")
	if err := models.WriteSynthetic(from, s); err != nil {
		return err
	}
	return llamacpp.Quantize(cmd.Context, from, out, quantization, threads)
}
