// Package models lists models: parley models.
package models

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"

	"github.com/dustin/go-humanize"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/throughput"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/inference/machine"
	"github.com/parley-debate/parley/models"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	o := &Options{}
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
	}
	cmd.RunE = command.Do(o, &o.line, run, instead)
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON line per model")
	cmd.Flags().BoolVar(&o.architectures, "architectures", false, "list what this build can run, instead of files")
	cmd.Flags().BoolVar(&o.hashes, "hash", false, "also print the SHA-256 of each file, which reads all of it")
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line          command.Line
	json          bool
	hashes        bool
	architectures bool
}

// run lists models or architectures.
func run(o *Options) error {
	dirs := o.line.Args
	if o.architectures {
		if o.hashes || len(dirs) > 0 {
			return exit.Input(errors.New("--architectures is about this build: leave out --hash and " +
				"directories"))
		}
		return listArchitectures(o.line, o.json)
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
	return listModels(o.line, list, errs, o.hashes, o.json)
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
