// Package engine opens models as flags say: in this process, at servers, or some here and some there.
package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/program"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/chat"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/models"
	"github.com/parley-debate/parley/models/stores"
)

// Flags choose the model and how it runs.
type Flags struct {
	Model     string
	Address   string // of servers; "" computes here
	Choices   int    // most replies that one request to a server asks for
	Threads   int
	parallel  int
	context   int
	speculate bool
	gpuLayers int
	device    string
	places    []string // of models of a team
	kernels   string
	mode      string
	kv        string
	template  string // a file, or one of chat.TemplateNames
}

// DefaultThreads stands for one per physical core. Tests compute on one thread: side by side they then take less of the
// machine.
var DefaultThreads = 0

// Register adds the flag that chooses a model, and those of RegisterRunning.
func (f *Flags) Register(set *pflag.FlagSet) {
	flags.Text(set, &f.Model, "model", "m", "FILE", models.EmbeddedName,
		"GGUF file, or a name that parley models lists")
	f.RegisterRunning(set)
}

// RegisterRunning adds the flags that say how models run, without the one that chooses a model.
func (f *Flags) RegisterRunning(set *pflag.FlagSet) {
	flags.Number(set, &f.Threads, "threads", "t", DefaultThreads, inference.ThreadsRange.OrZero(),
		"compute threads (default one per physical core)")
	flags.Number(set, &f.parallel, "parallel", "p", 0, inference.ParallelRange.OrZero(),
		"maximum number of concurrent generations (default from the cost of a step, measured once and cached)")
	flags.Number(set, &f.context, "context", "c", 0, inference.ContextRange.OrZero(),
		"KV cache in tokens, in steps of 256, shared by all generations and kept prefixes "+
			"(default 32,768; 8,192 for the embedded model; fewer where memory is short)")
	set.BoolVar(&f.speculate, "speculate", true,
		"draft tokens from other agents' texts and earlier answers where it pays; only tokens that would be drawn "+
			"anyway are accepted")
	flags.Number(set, &f.gpuLayers, "gpu-layers", "", 0, inference.GPULayersRange, "layers on the GPU; -1 for all")
	flags.Text(set, &f.kernels, "kernels", "", "KERNELS", "parley",
		"CPU kernels: parley, whose results do not depend on the batch (parley:avx2 forces instructions that parley "+
			"doctor lists), or llama.cpp's with flash or plain attention")
	flags.Text(set, &f.mode, "mode", "", "MODE", inference.Fast,
		"fast, or reproducible: the same text whatever else is in the batch; refused where that cannot be "+
			"guaranteed")
	flags.Text(set, &f.kv, "kv", "", "TYPE", "f16",
		"KV cache type: f16, or q8_0, which takes half the memory and is less precise")
	flags.Text(set, &f.template, "chat-template", "", "TEMPLATE", "",
		"template of the model in the place of its own, and of others of "+
			"a team that have none: a file in Jinja, or "+strings.Join(chat.TemplateNames(), ", "))
	flags.Text(set, &f.device, "device", "", "GPU", "", "GPU to use, by the name that parley doctor prints")
}

// Open starts the engine, and warns if the build leaves vector units of the CPU unused.
func (f *Flags) Open(cmd command.Line, more ...inference.Option) (*inference.Local, error) {
	path, err := stores.Resolve(f.Model)
	if err != nil {
		return nil, exit.Input(err)
	}
	if err := f.checkNames(); err != nil {
		return nil, exit.Usage(err)
	}
	if cmd.Given("kernels") && strings.HasPrefix(f.kernels, "parley") && f.UseGPU() {
		return nil, exit.Usage(errors.New("--kernels parley runs on the CPU only, but --gpu-layers or --place uses a " +
			"GPU: " +
			"choose --kernels flash or plain, or leave it out, which takes parley for what is on the CPU"))
	}
	options := []inference.Option{
		inference.Threads(f.Threads), inference.Parallel(f.parallel), inference.Context(f.context),
		inference.GPULayers(f.gpuLayers), inference.Device(f.device),
		inference.Kernels(f.kernels), inference.Mode(f.mode), inference.KV(f.kv), inference.Calibrated(cacheDir()),
		inference.Speculate(f.speculate),
	}
	if f.template != "" {
		source, err := templateSource(f.template)
		if err != nil {
			return nil, exit.Input(fmt.Errorf("--chat-template: %w", err))
		}
		options = append(options, inference.ChatTemplate(source))
	}
	if detail, ok := program.CheckVectors(llamacpp.Build()); !ok {
		fmt.Fprintln(cmd.Err, "parley: warning:", detail)
	}
	engine, err := inference.Open(path, append(options, more...)...)
	if err != nil {
		return nil, exit.Input(err)
	}
	for _, m := range engine.Model().All() {
		if m.Depends != "" {
			fmt.Fprintf(cmd.Err,
				"parley: warning: replies of %s may depend on the batch or the threads, and be others in a run that "+
					"is repeated: %s\n", m.Name, m.Depends)
		}
		if m.Adapted != "" {
			fmt.Fprintf(cmd.Err, "parley: the chat template of %s: %s\n", m.Name, m.Adapted)
		}
	}
	return engine, nil
}

// String returns the flags that matter to speed, as they are typed.
func (f *Flags) String() string {
	return fmt.Sprintf("--parallel %d --context %d --speculate=%t --kernels %s --mode %s --kv %s --threads %d "+
		"--gpu-layers %d", f.parallel, f.context, f.speculate, f.kernels, f.mode, f.kv, f.Threads, f.gpuLayers)
}

// Embedded reports whether the model is the one inside the program.
func (f *Flags) Embedded() bool { return strings.EqualFold(f.Model, models.EmbeddedName) }

// Recorded has the model run as it ran for a record, but for what flags say.
func (f *Flags) Recorded(cmd command.Line, was inference.ModelInfo) {
	if !cmd.Given("model") {
		if f.Model = was.Path; was.Embedded {
			f.Model = models.EmbeddedName
		}
	}
	for flag, setting := range map[string]struct {
		to  *string
		was string
	}{"mode": {&f.mode, was.Mode}, "kernels": {&f.kernels, was.Kernels}, "kv": {&f.kv, was.KV}} {
		if !cmd.Given(flag) && setting.was != "" {
			*setting.to = setting.was
		}
	}
	if !cmd.Given("gpu-layers") && !cmd.Given("device") && was.GPULayers != 0 {
		if f.gpuLayers = was.GPULayers; was.Device != inference.AnyGPU {
			f.device = was.Device
		}
	}
}

// cacheDir is where the cost of a step is cached.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "parley")
}
