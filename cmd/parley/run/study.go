package run

import (
	"fmt"
	"io"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/report"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/inference"
)

// report writes the report of all tasks that have been run, now or before, and prints how the published numbers for
// this model compare.
func (r *Options) report(cmd command.Line) error {
	written, err := report.Of(r.Place(), "", report.Options{})
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	fmt.Fprintln(cmd.Err, "the report is", written.Page)
	if r.JSON {
		return nil
	}
	return terminal.Fit(cmd.Out, func(w io.Writer) error {
		_, err := io.WriteString(w, written.Published)
		return err
	})
}

// taskStudy asks one task of an experiment.
type taskStudy struct {
	experiment experiment.Experiment
	task       task.Task
}

// EachModel implements study.
func (s taskStudy) EachModel(visit func(name string) error) error {
	return s.experiment.EachModel(visit)
}

// Resolve implements study.
func (s taskStudy) Resolve(model inference.ModelInfo) (bench.Options, error) {
	prepared, err := s.experiment.Prepare(s.task, model)
	return bench.Options{Run: prepared.Run, Task: s.task, Conditions: prepared.Conditions}, exit.Input(err)
}
