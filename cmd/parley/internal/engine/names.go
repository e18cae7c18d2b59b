package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/chat"
	"github.com/parley-debate/parley/internal/plaintext"
	"github.com/parley-debate/parley/internal/unknown"
	"github.com/parley-debate/parley/kernels"
)

// templateSource returns a chat template by its name, or reads it from a file.
func templateSource(name string) (string, error) {
	if source, ok := chat.Named(name); ok {
		return source, nil
	}
	text, err := plaintext.ReadFile(name, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return "", unknown.Name("template", name, chat.TemplateNames(), "or name a file")
	}
	return string(text), err
}

// Names of how a model runs: its kernels, its mode, and the type of its KV cache.
var (
	ModeNames = []string{inference.Fast, inference.Reproducible}
	KVNames   = []string{"f16", "q8_0"}
)

// KernelNames lists the kernels, ours also with each of the instructions that this processor can run.
func KernelNames() []string {
	names := []string{"parley", "flash", "plain"}
	for _, t := range kernels.Targets() {
		if t.Runs {
			names = append(names, "parley:"+t.Name)
		}
	}
	return names
}

// checkNames refuses names that the engine does not know.
func (f *Flags) checkNames() error {
	if target, named := strings.CutPrefix(f.kernels, "parley:"); named {
		if _, err := kernels.Choose(target); err != nil {
			return fmt.Errorf("--kernels %s: %w", f.kernels, err)
		}
	}
	for _, c := range []struct {
		flag, value string
		known       []string
	}{{"kernels", f.kernels, KernelNames()}, {"mode", f.mode, ModeNames}, {"kv", f.kv, KVNames}} {
		if !slices.Contains(c.known, c.value) && !strings.HasPrefix(c.value, "parley:") {
			return fmt.Errorf("--%s: %w", c.flag, unknown.Name("value", c.value, c.known))
		}
	}
	return nil
}
