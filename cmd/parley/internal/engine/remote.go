package engine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/remote"
	"github.com/parley-debate/parley/models/stores"
)

// RegisterRemote adds the flag that has servers compute the model.
func (f *Flags) RegisterRemote(set *pflag.FlagSet) {
	flags.Text(set, &f.Address, "engine", "", "URL[,URL...][#MODEL]", "",
		"have servers compute the model: vLLM, SGLang, llama-server, Ollama, parley serve, or others that "+
			"speak OpenAI's protocol. --model then names the GGUF file whose template and vocabulary make token ids; "+
			"without "+
			"it, messages are sent. PARLEY_API_KEY has the keys")
}

// RegisterChoices adds the flag that has servers draw several replies for one request.
func (f *Flags) RegisterChoices(set *pflag.FlagSet) {
	flags.Number(set, &f.Choices, "choices", "", 1, remote.ChoicesRange,
		"with --engine: combine up to N equal prompts into one request (n of OpenAI's protocol). The server draws "+
			"them under the seed of the first, which records say; only for vLLM and parley serve")
}

// CheckServers refuses settings that the servers of --engine do not obey.
func (f *Flags) CheckServers(cmd command.Line) error {
	return f.checkRemote(cmd, members{address: f.Address})
}

// OpenServers opens the model that the servers of --engine compute.
func (f *Flags) OpenServers(cmd command.Line) (*remote.Engine, error) {
	return f.openRemote(cmd, f.Address, Recorder{}, false)
}

// openRemote opens the model of an address.
func (f *Flags) openRemote(cmd command.Line, address string, r Recorder, member bool) (*remote.Engine, error) {
	o := remote.Options{Parallel: f.parallel, Choices: f.Choices, Member: member, Generation: r.Generation,
		Known: r.Known, Says: func(line string) { terminal.Warn(cmd.Err, line) }}
	if address == f.Address && cmd.Given("model") {
		path, err := stores.Resolve(f.Model)
		if err != nil {
			return nil, exit.Input(err)
		}
		o.Vocabulary = path
	}
	engine, err := remote.Open(cmd.Context, address, o)
	if err != nil {
		return nil, exit.Input(fmt.Errorf("engine %w", err))
	}
	if o.Vocabulary != "" && engine.Model().Remote.Asked != inference.AskedTokens {
		terminal.Warn(cmd.Err,
			engine.Model().Remote.Program+" takes no token ids: messages are sent, which it renders itself, and "+
				"--model is not used")
	}
	return engine, nil
}

// localFlags say how a model is computed in this process.
var localFlags = []string{"threads", "context", "speculate", "gpu-layers", "device", "place", "kernels", "kv"}

// checkRemote refuses settings that servers do not obey.
func (f *Flags) checkRemote(cmd command.Line, t members) error {
	if f.mode == inference.Reproducible {
		return fmt.Errorf("--mode %s: what a server computes may depend on what else it computes, and nobody can "+
			"check it from here; use --mode %s, and see parley doctor --engine", inference.Reproducible, inference.Fast)
	}
	if t.address == "" || len(t.files) > 0 {
		return nil // something is computed here
	}
	var given []string
	for _, name := range localFlags {
		if cmd.Given(name) {
			given = append(given, "--"+name)
		}
	}
	if len(given) > 0 {
		return fmt.Errorf("%s: how a model is computed in this process, but --engine has servers compute it; set it "+
			"there", strings.Join(given, ", "))
	}
	return nil
}

// CheckForecast refuses a dry run of remote models.
func (f *Flags) CheckForecast(each func(visit func(name string) error) error) error {
	t, err := teamOf(f.Address, each)
	if err == nil && (t.address != "" || len(t.remote) > 0) {
		err = exit.Usage(errors.New("--dry-run measures the engine of this process; how long servers take, only " +
			"they " +
			"know: leave --engine out, or run a part with --questions or --for"))
	}
	return err
}
