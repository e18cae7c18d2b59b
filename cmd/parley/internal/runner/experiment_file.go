package runner

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/internal/outfile"
)

// ExperimentFile is the file that says what experiment a directory holds. It replaces that of an earlier run of it: an
// experiment beside the runs of its tasks, which are the parts, or with the same text.
func ExperimentFile(directory string, text []byte, parts []string) outfile.File {
	ours := func(file *os.File) bool {
		if !outfile.Opening("name: ")(file) {
			return false
		}
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return false
		}
		for _, run := range rundir.Within(directory) {
			if slices.Contains(parts, filepath.Base(run)) {
				return true
			}
		}
		there, err := io.ReadAll(file)
		return err == nil && bytes.Equal(there, text)
	}
	return outfile.File{Kind: outfile.Kind{Name: "experiment of the runs in its directory", Ours: ours},
		Path: filepath.Join(directory, experiment.File)}
}

// EachRun calls do with the run directory of each task that an experiment has begun, or with the directory itself where
// it is none of an experiment.
func EachRun(directory string, do func(run string) error) error {
	runs := rundir.Within(directory)
	if len(runs) == 0 {
		runs = []string{directory}
	}
	for _, run := range runs {
		if err := do(run); err != nil {
			return err
		}
	}
	return nil
}
