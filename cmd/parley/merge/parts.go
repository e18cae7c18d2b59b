package merge

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/cmd/parley/internal/runner"
)

// shardsOfPart are the directories of one task of an experiment in all shards that have it, or of a run of its own.
type shardsOfPart struct {
	name   string // "" if the shards are no experiment's
	shards []string
}

// title begins what is said about a task of an experiment.
func (p shardsOfPart) title() string {
	if p.name == "" {
		return ""
	}
	return "task " + p.name + ": "
}

// partsOf groups the run directories of shards by task. A shard that has not begun a task is missing from its group,
// which the merge of that task then reports.
func partsOf(shards []string) (parts []shardsOfPart, err error) {
	for _, shard := range shards {
		if _, err := os.Stat(shard); err != nil {
			return nil, err
		}
		runs := rundir.Within(shard)
		if !experiment.IsDirectory(shard) {
			runs = []string{shard}
		}
		for _, run := range runs {
			name, err := filepath.Rel(shard, run)
			if err != nil {
				return nil, err
			}
			if name == "." {
				name = ""
			}
			at := slices.IndexFunc(parts, func(p shardsOfPart) bool { return p.name == name })
			if at < 0 {
				parts, at = append(parts, shardsOfPart{name: name}), len(parts)
			}
			parts[at].shards = append(parts[at].shards, run)
		}
	}
	return parts, nil
}

// sameExperiment writes the experiment of the shards beside its tasks, if they belong to an experiment. It refuses
// shards whose experiments differ in a byte: their tasks could not be one result.
func sameExperiment(out string, shards []string, parts []shardsOfPart) error {
	var first []byte
	for _, shard := range shards {
		text, err := os.ReadFile(filepath.Join(shard, experiment.File))
		switch {
		case errors.Is(err, os.ErrNotExist):
			continue
		case err != nil:
			return err
		case first == nil:
			first = text
		case !bytes.Equal(first, text):
			return fmt.Errorf("%s/experiment.yaml is another experiment than that of the shards before it", shard)
		}
	}
	if first == nil {
		return nil
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	return runner.ExperimentFile(out, first, names).Write(first)
}
