package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"parley/bench/offline"
	"parley/bench/rundir"
	"parley/inference"
	"parley/models"
)

func newSimilarity() *cobra.Command {
	s := &similarityCommand{}
	cmd := &cobra.Command{
		Use:   "similarity RUN-DIRECTORY",
		Short: "Say how alike the answers of agents are, by embeddings",
		Long: `Embeds each different answer of a run once and prints, for each condition, the mean cosine of the answers of two agents of a debate:
of the first answers and of the last, with 95 % intervals over questions. What is compared is the reply, and of a discussion the
solution in it. similarity.json in the directory has all rounds, and what computed them; one that is there is replaced.

Any GGUF embedding model can be named, and pools as its file says; of another model the mean of its last layer is taken. Without
--model that is the model of the run. Numbers of different models cannot be compared with each other, and those of a model that
was not made for embeddings tell less apart: its cosines are high for all texts of one kind.`,
		Example: `  parley similarity parley-runs/demo-20261121-120000
  parley similarity parley-runs/demo-20261121-120000 --model nomic-embed-text-v1.5.Q8_0`,
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&s.model, "model", "m", "", "GGUF file, or the name of one that `parley models` lists (default "+
		"that of the run)")
	addNumber(flags, &s.threads, "threads", "t", 0, inference.ThreadsRange.OrZero(),
		"threads that compute (default one per physical core)")
	addNumber(flags, &s.context, "context", "c", 0, inference.ContextRange.OrZero(),
		"most tokens of a text; the rest is cut (default 1,024, or what the model was made for)")
	addNumber(flags, &s.gpuLayers, "gpu-layers", "", 0, inference.GPULayersRange, "layers on the GPU, -1 for all")
	flags.StringVar(&s.device, "device", "", "GPU to use, as `parley doctor` names it")
	flags.BoolVar(&s.json, "json", false, "print what similarity.json has, and nothing else")
	return cmd
}

type similarityCommand struct {
	model, device               string
	threads, context, gpuLayers int
	json                        bool
}

func (s *similarityCommand) run(cmd *cobra.Command, directory string) error {
	run, err := rundir.ReadRun(directory)
	if err != nil {
		return input(err)
	}
	embedder, err := s.open(run.Header.Model)
	if err != nil {
		return err
	}
	defer embedder.Close()
	result, err := offline.SimilarityOf(cmd.Context(), run, embedder.Embed)
	if err != nil {
		return err
	}
	result.Model, result.Method, result.Most, result.Truncated = embedder.Model(), embedder.Method(), embedder.Most(),
		embedder.Truncated()
	if err := result.Save(directory); err != nil {
		return err
	}
	if s.json {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(result)
	}
	return result.Write(cmd.OutOrStdout())
}

// open loads the model that is named, or that of the run.
func (s *similarityCommand) open(recorded inference.ModelInfo) (*inference.Embedder, error) {
	path, err := s.find(recorded)
	if err != nil {
		return nil, input(err)
	}
	embedder, err := inference.OpenEmbedder(path, inference.Threads(s.threads), inference.Context(s.context),
		inference.GPULayers(s.gpuLayers), inference.Device(s.device))
	return embedder, input(err)
}

// find is where the model is, which has to be the one that the run was made with if none is named.
func (s *similarityCommand) find(recorded inference.ModelInfo) (path string, err error) {
	if s.model != "" {
		return models.Resolve(s.model)
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
		return "", fmt.Errorf("the run's model %s, SHA-256 %s, is not here: %w; name a model with --model",
			recorded.Name, recorded.Hash, err)
	}
	return path, nil
}
