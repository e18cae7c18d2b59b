// Package similarity measures how similar answers are: parley similarity.
package similarity

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/offline"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/models"
	"github.com/parley-debate/parley/models/stores"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	s := &Options{}
	cmd := &cobra.Command{
		Use:   "similarity RUN-DIRECTORY",
		Short: "Measure how similar the agents' answers are, by embeddings",
		Long: `Embeds each distinct answer of a run once and prints, for each condition, the mean cosine similarity
between the answers of two agents of a debate: for the first and for the last answers, with 95 %
intervals over questions. It compares whole replies, or the solution in a reply of a discussion.
similarity.json in the run directory, which is replaced, has all rounds and the model used.

--model can name any GGUF embedding model, which pools as its file says; of any other model, the
mean of its last layer is used. The default is the model of the run. Values of different models are
not comparable, and a model that was not trained for embeddings discriminates less: its similarities
are high for all texts of one kind.`,
		Example: `  parley similarity parley-runs/demo-20261121-120000
  parley similarity parley-runs/demo-20261121-120000 --model nomic-embed-text-v1.5.Q8_0`,
		Args: flags.Args(1, 1),
	}
	cmd.RunE = command.Do(s, &s.line, run, instead)
	set := cmd.Flags()
	flags.Text(set, &s.model, "model", "m", "FILE", "", "GGUF file, or a name that parley models lists (default "+
		"the model of the run)")
	flags.Number(set, &s.threads, "threads", "t", 0, inference.ThreadsRange.OrZero(),
		"compute threads (default one per physical core)")
	flags.Number(set, &s.context, "context", "c", 0, inference.ContextRange.OrZero(),
		"maximum tokens per text; the rest is cut off (default 1,024, or the length that the model was trained for)")
	flags.Number(set, &s.gpuLayers, "gpu-layers", "", 0, inference.GPULayersRange, "layers on the GPU; -1 for all")
	flags.Text(set, &s.device, "device", "", "GPU", "", "GPU to use, by the name that parley doctor prints")
	set.BoolVar(&s.json, "json", false, "print only the content of similarity.json")
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line                        command.Line
	model, device               string
	threads, context, gpuLayers int
	json                        bool
}

// run embeds the answers of a run and adds the result to its directory, which must be one to which it can be added:
// that is checked before a model is opened.
func run(s *Options) error {
	cmd := s.line
	directory := s.line.Args[0]
	run, err := rundir.ReadRun(directory)
	if err != nil {
		return exit.Input(err)
	}
	if err := offline.CheckSimilarity(directory); err != nil {
		return exit.Input(err)
	}
	embedder, err := s.openEmbedder(run.Header.Model)
	if err != nil {
		return err
	}
	defer embedder.Close()
	result, err := offline.SimilarityOf(cmd.Context, run, embedder.Embed)
	if err != nil {
		return err
	}
	result.Model, result.Method, result.Most, result.Truncated = embedder.Model(), embedder.Method(), embedder.Most(),
		embedder.Truncated()
	if err := result.Save(directory); err != nil {
		return err
	}
	if s.json {
		return json.NewEncoder(cmd.Out).Encode(result)
	}
	return terminal.Show(cmd.Out, result.Document())
}

// openEmbedder loads the named model, or the model of the run. The caller closes it.
func (s *Options) openEmbedder(recorded inference.ModelInfo) (*inference.Embedder, error) {
	path, err := s.find(recorded)
	if err != nil {
		return nil, exit.Input(err)
	}
	embedder, err := inference.OpenEmbedder(path, inference.Threads(s.threads), inference.Context(s.context),
		inference.GPULayers(s.gpuLayers), inference.Device(s.device))
	return embedder, exit.Input(err)
}

// find returns the path of the named model, or of the run's model if the file there still has its recorded hash.
func (s *Options) find(recorded inference.ModelInfo) (path string, err error) {
	if s.model != "" {
		return stores.Resolve(s.model)
	}
	if path = recorded.Path; recorded.Embedded {
		path, err = models.Embedded("")
	}
	hash := ""
	if err == nil {
		hash, err = models.Hash(path)
	}
	if err == nil && hash != recorded.Hash {
		err = fmt.Errorf("model %q has SHA-256 %s", path, hash)
	}
	if err != nil {
		return "", fmt.Errorf("the run's model %s, SHA-256 %s, is not available: %w; name a model with --model",
			recorded.Name, recorded.Hash, err)
	}
	return path, nil
}
