package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/offline"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/program"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/models"
)

func newReplay() *cobra.Command {
	var local engineFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "replay RUN-DIRECTORY KEY",
		Short: "Generate a recorded reply again and compare it with the record",
		Long: `Finds a generation by its key, or by a unique beginning of it, generates it again on the same model,
and compares text, log-probability and key bit by bit. Differences are printed, and the exit code is
then 1. Model, mode, kernels, KV cache type and GPU are the recorded ones unless flags change them.
--model tells where the model file is now; a file with another hash is refused.`,
		Example: "  parley replay parley-runs/demo-20261121-120000 3f2a9c",
		Args:    flags.Args(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			recording, err := offline.FindGeneration(args[0], args[1])
			if err != nil {
				return exit.Input(err)
			}
			replayed, err := local.replay(command.Of(cmd), recording)
			if err != nil {
				return err
			}
			if asJSON {
				err = json.NewEncoder(cmd.OutOrStdout()).Encode(replayed)
			} else {
				err = replayed.Write(cmd.OutOrStdout())
			}
			if err == nil && !replayed.Equal {
				err = unequal(recording)
			}
			return err
		},
	}
	local.register(cmd.Flags())
	cmd.Flags().Lookup("model").DefValue = "" // the record's model, as the long help says
	cmd.Flags().Lookup("model").Usage = "GGUF `FILE`, if it is no longer at its recorded path"
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// unequal is the error of a generation that differs from its record, with the likely cause.
func unequal(r offline.Recording) error {
	if r.Header.Build != program.Build() {
		return fmt.Errorf("the generation differs from the recorded one, which another build made: %s; this is %s",
			r.Header.Build, program.Build())
	}
	return errors.New("the generation differs from the recorded one")
}

// replay opens the model of a recorded generation, once its hash is checked, and generates again.
func (f *engineFlags) replay(cmd command.Line, r offline.Recording) (offline.Replayed, error) {
	recorded := r.Model()
	if recorded.Remote != nil {
		return offline.Replayed{}, exit.Input(fmt.Errorf("servers computed this reply (%s): it cannot be computed again "+
			"here; how often they repeat themselves, parley doctor --engine measures", recorded.About()))
	}
	if !cmd.Given("model") {
		if f.model = recorded.Path; recorded.Embedded {
			f.model = models.EmbeddedName
		}
	}
	for flag, setting := range map[string]struct {
		to       *string
		recorded string
	}{"mode": {&f.mode, recorded.Mode}, "kernels": {&f.kernels, recorded.Kernels}, "kv": {&f.kv, recorded.KV}} {
		if !cmd.Given(flag) && setting.recorded != "" {
			*setting.to = setting.recorded
		}
	}
	if !cmd.Given("gpu-layers") && !cmd.Given("device") && recorded.GPULayers != 0 {
		if f.gpuLayers = recorded.GPULayers; recorded.Device != inference.AnyGPU {
			f.device = recorded.Device
		}
	}
	path, err := models.Resolve(f.model)
	if err != nil {
		return offline.Replayed{}, exit.Input(err)
	}
	hash, err := models.Hash(path)
	if err != nil {
		return offline.Replayed{}, exit.Input(err)
	}
	if err := r.CheckModel(path, hash); err != nil {
		return offline.Replayed{}, exit.Input(err)
	}
	engine, err := f.open(cmd)
	if err != nil {
		return offline.Replayed{}, err
	}
	defer engine.Close()
	return r.Replay(cmd.Context, engine)
}
