// Package models lists models: parley models.
package models

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/models/stores"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "models [DIR...]",
		Short: "List the models on this machine, or download others",
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

Models whose architecture the build's llama.cpp does not know are marked, and named below the list
with the command that gives a newer llama.cpp. --architectures lists those that it knows.`,
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
	list, errs := []stores.Entry(nil), []error(nil)
	if len(dirs) == 0 {
		list, errs = stores.All()
	} else {
		list, errs = stores.List(dirs...)
	}
	return listModels(o.line, list, errs, o.hashes, o.json)
}
