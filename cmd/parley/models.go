package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/throughput"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/inference/machine"
	"github.com/parley-debate/parley/models"
)

func newModels() *cobra.Command {
	var asJSON, hashes, architectures bool
	cmd := &cobra.Command{
		Use:   "models [DIR...]",
		Short: "List the models on this machine, download others",
		Long: `Lists the embedded model, the GGUF files in $PARLEY_MODELS (directories separated by colons), the
current directory and the user's cache (parley/models), those that parley models pull has downloaded,
and those of other programs: Hugging Face's cache, Ollama, LM Studio and llama.cpp. Their directories
are only read, and found as these programs find them ($HF_HOME, $HF_HUB_CACHE, $OLLAMA_MODELS,
$LLAMA_CACHE). With arguments, lists the files in the given directories instead. A file that cannot be
used is reported, and the others are listed.

--model takes a path or a name of the list. A file of the directories above is named without .gguf.
Others are hf:OWNER/REPO:QUANTIZATION, ollama:NAME:TAG, lm-studio:OWNER/REPO:QUANTIZATION and
llama.cpp:FILE. What follows the last colon can be left out where a repository has one model; in
Ollama it is "latest" then. hf: looks among the files that Parley has downloaded first, then in
Hugging Face's cache. A name that could mean several models is refused. Runs record the SHA-256 of the
file, whatever its name.

The column "fits" compares weights and KV cache with the memory that is free now: "yes", the number of
KV cells if these would be fewer than usual, or "no". "At most, tokens/s" is what the memory and the
arithmetic of this machine, which are measured for a second, allow for one generation alone and for
` + fmt.Sprint(inference.UsualParallel) + ` at once, without attention; parley compare --dry-run forecasts the time of a run. It is left
out for mixtures of experts.

A file whose architecture the build's llama.cpp does not know is marked, with the command that gives a
newer llama.cpp. --architectures lists those that it knows.`,
		Example: `  parley models
  parley models --hash DIR
  parley models pull hf:Qwen/Qwen2.5-0.5B-Instruct-GGUF:Q4_K_M
  parley debate --model hf:Qwen/Qwen2.5-0.5B-Instruct-GGUF:Q4_K_M "Is a tomato a fruit? (A) yes (B) no"`,
		RunE: func(cmd *cobra.Command, dirs []string) error {
			if architectures {
				if hashes || len(dirs) > 0 {
					return exit.Input(errors.New("--architectures is about this build: leave out --hash and directories"))
				}
				return listArchitectures(command.Of(cmd), asJSON)
			}
			for _, dir := range dirs { // of those searched by default, some need not exist
				if _, err := os.ReadDir(dir); err != nil {
					return exit.Input(fmt.Errorf("models in %q: %w", dir, err))
				}
			}
			list, errs := []models.Entry(nil), []error(nil)
			if len(dirs) == 0 {
				list, errs = models.All()
			} else {
				list, errs = models.List(dirs...)
			}
			return listModels(command.Of(cmd), list, errs, hashes, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON line per model")
	cmd.Flags().BoolVar(&architectures, "architectures", false, "list what this build can run, instead of files")
	cmd.Flags().BoolVar(&hashes, "hash", false, "also print the SHA-256 of each file, which reads all of it")
	cmd.AddCommand(newPull(), newSynth())
	return cmd
}

// modelLine is a model as it is listed.
type modelLine struct {
	models.Entry
	Hash     string        `json:"hash,omitempty"`
	Template bool          `json:"chat_template"`
	Fit      inference.Fit `json:"memory"`
	Known    bool          `json:"architecture_known"`
	Alone    float64       `json:"tokens_per_second_at_most,omitempty"`
	// of inference.UsualParallel generations
	Together float64 `json:"tokens_per_second_at_most_together,omitempty"`
}

func listModels(cmd command.Line, list []models.Entry, errs []error, hashes, asJSON bool) error {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	header := table.Row{"name", "from", "architecture", "parameters", "size", "quantization", "context", "template",
		"fits", "at most, tokens/s"}
	if hashes {
		header = append(header, "sha256")
	}
	t.AppendHeader(append(header, "path"))
	speed := llamacpp.MeasureSpeed(machine.Threads())
	for _, m := range list {
		line := modelLine{Entry: m, Template: m.HasChatTemplate(), Fit: inference.FitOf(m.Info),
			Alone:    throughput.Bound(m.Info, speed, 1),
			Together: throughput.Bound(m.Info, speed, inference.UsualParallel)}
		unknown := llamacpp.CheckArchitecture(m.Architecture)
		if line.Known = unknown == nil; !line.Known && !slices.ContainsFunc(errs, sameAs(unknown)) {
			errs = append(errs, unknown)
		}
		var err error
		if hashes {
			line.Hash, err = models.Hash(m.Path)
		}
		switch {
		case err != nil:
			errs = append(errs, err)
		case asJSON:
			if err := json.NewEncoder(cmd.Out).Encode(line); err != nil {
				return err
			}
		default:
			t.AppendRow(line.row(hashes))
		}
	}
	if !asJSON {
		err := terminal.Fit(cmd.Out, func(w io.Writer) error {
			_, err := fmt.Fprintln(w, t.Render())
			return err
		})
		if err != nil {
			return err
		}
	}
	for _, err := range errs {
		fmt.Fprintln(cmd.Err, "parley:", err)
	}
	return nil
}

// sameAs finds an error with the text of another.
func sameAs(err error) func(error) bool {
	return func(other error) bool { return other.Error() == err.Error() }
}

// listArchitectures prints which architectures this build's llama.cpp knows.
func listArchitectures(cmd command.Line, asJSON bool) error {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.AppendHeader(table.Row{"architecture", "this build"})
	word := map[bool]string{true: "yes", false: "no"}
	for _, name := range models.Architectures() {
		known, err := llamacpp.Knows(name)
		if err == nil && asJSON {
			err = json.NewEncoder(cmd.Out).Encode(struct {
				Architecture string `json:"architecture"`
				Known        bool   `json:"known"`
			}{name, known})
		}
		if err != nil {
			return err
		}
		t.AppendRow(table.Row{name, word[known]})
	}
	if !asJSON {
		fmt.Fprintln(cmd.Out, t.Render())
	}
	return nil
}

func (l modelLine) row(hashes bool) table.Row {
	template, fits, rate, architecture := "no", "no", "", l.Architecture
	if !l.Known {
		architecture += " (unknown)"
	}
	if l.Template {
		template = "yes"
	}
	switch {
	case l.Fit.Fits && l.Fit.Cells < l.Fit.Wanted:
		fits = humanize.Comma(int64(l.Fit.Cells)) + " cells"
	case l.Fit.Fits:
		fits = "yes"
	}
	if l.Alone > 0 {
		rate = fmt.Sprintf("%s, %s", twoDigits(l.Alone), twoDigits(l.Together))
	}
	row := table.Row{l.Name, l.From, architecture, humanize.SIWithDigits(float64(l.Parameters), 1, ""),
		humanize.IBytes(uint64(l.SizeBytes)), l.Quantization, l.Context, template, fits, rate}
	if hashes {
		row = append(row, l.Hash[:12])
	}
	return append(row, l.Path)
}

// twoDigits writes a number of which no more is known.
func twoDigits(x float64) string {
	unit := math.Pow(10, math.Floor(math.Log10(x))-1)
	return strconv.FormatFloat(math.Round(x/unit)*unit, 'f', max(0, 1-int(math.Floor(math.Log10(x)))), 64)
}

func newSynth() *cobra.Command {
	var shape, quantization, out string
	var seed uint64
	var threads, context int
	cmd := &cobra.Command{
		Use:   "synth",
		Short: "Write a model with random weights and a real architecture, to measure throughput",
		Long: `Writes a GGUF file with the shape of a real model, random weights and a made-up vocabulary. It takes
as long to compute as the real model and generates nonsense. The shapes that begin with mini- are for
tests: they have all parts of their family in a file of a few megabytes. There are

` + listShapes(),
		Example: "  parley models synth --shape qwen2.5-0.5b --quantization q4_0",
		Args:    flags.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := models.ShapeNamed(shape)
			if err != nil {
				return exit.Usage(err)
			}
			if context > 0 {
				s.Context = context
			}
			if quantization, err = synthQuantization(cmd.ErrOrStderr(), s, quantization); err != nil {
				return exit.Usage(err)
			}
			if out == "" {
				out = fmt.Sprintf("synthetic-%s-%s.gguf", s.Name, strings.ToLower(quantization))
			}
			if _, err := os.Stat(out); err == nil {
				return exit.Usage(fmt.Errorf("%q exists already; remove it or choose another file with --out", out))
			}
			if err := synthesize(command.Of(cmd), models.Synthetic{Shape: s, Seed: seed}, quantization, threads, out); err != nil {
				return err
			}
			info, err := models.Inspect(out)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, %s parameters, %s\n", out, info.Quantization,
				humanize.SIWithDigits(float64(info.Parameters), 2, ""), humanize.IBytes(uint64(info.SizeBytes)))
			return err
		},
	}
	cmd.Flags().StringVar(&shape, "shape", "qwen2.5-0.5b", "`MODEL` to take the shape of, one of the list")
	cmd.Flags().StringVar(&quantization, "quantization", "", "`TYPE` of the weights: "+
		strings.Join(llamacpp.QuantizationTypes(), ", ")+
		" (default q4_0; f16 if this build's llama.cpp, which quantizes, does not know the architecture)")
	cmd.Flags().StringVarP(&out, "out", "o", "", "`FILE` to write (default synthetic-SHAPE-QUANTIZATION.gguf)")
	flags.Number(cmd.Flags(), &seed, "seed", "s", 1, flags.SeedRange, "seed of the random weights")
	flags.Number(cmd.Flags(), &context, "context", "c", 0, inference.ContextRange.OrZero(),
		"tokens that the model is said to be trained for, for dry runs of long debates (default the shape's)")
	flags.Number(cmd.Flags(), &threads, "threads", "t", machine.Threads(), inference.ThreadsRange,
		"threads for quantization")
	return cmd
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
