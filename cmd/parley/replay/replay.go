// Package replay generates a recorded reply again: parley replay.
package replay

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/offline"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/engine"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/program"
	"github.com/parley-debate/parley/models"
	"github.com/parley-debate/parley/models/stores"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "replay RUN-DIRECTORY KEY",
		Short: "Generate a recorded reply again and compare it with the record",
		Long: `Finds a generation by its key, or by a unique beginning of it, generates it again on the same model,
and compares text, log-probability and key bit by bit. Differences are printed, and the exit code is
then 1. Model, mode, kernels, KV cache type and GPU are the recorded ones unless flags change them.
--model tells where the model file is now; a file with another hash is refused.`,
		Example: "  parley replay parley-runs/demo-20261121-120000 3f2a9c",
		Args:    flags.Args(2, 2),
	}
	cmd.RunE = command.Do(o, &o.line, run, instead)
	o.local.Register(cmd.Flags())
	cmd.Flags().Lookup("model").DefValue = "" // the record's model, as the long help says
	cmd.Flags().Lookup("model").Usage = "GGUF file, if it is no longer at its recorded path"
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line  command.Line
	local engine.Flags
	json  bool
}

// run generates the reply again.
func run(o *Options) error {
	args := o.line.Args
	recording, err := offline.FindGeneration(args[0], args[1])
	if err != nil {
		return exit.Input(err)
	}
	replayed, err := replay(o.line, &o.local, recording)
	if err != nil {
		return err
	}
	if o.json {
		err = json.NewEncoder(o.line.Out).Encode(replayed)
	} else {
		err = replayed.Write(o.line.Out)
	}
	if err == nil && !replayed.Equal {
		err = unequal(recording)
	}
	return err
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
func replay(cmd command.Line, f *engine.Flags, r offline.Recording) (offline.Replayed, error) {
	recorded := r.Model()
	if recorded.Remote != nil {
		return offline.Replayed{},
			exit.Input(fmt.Errorf("servers computed this reply (%s): it cannot be computed again "+
				"here; how often they repeat themselves, parley doctor --engine measures", recorded.About()))
	}
	f.Recorded(cmd, recorded)
	path, err := stores.Resolve(f.Model)
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
	engine, err := f.Open(cmd)
	if err != nil {
		return offline.Replayed{}, err
	}
	defer engine.Close()
	return r.Replay(cmd.Context, engine)
}
