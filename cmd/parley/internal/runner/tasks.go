package runner

import (
	"errors"
	"fmt"

	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/engine"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
)

// SpecsOfShard gives each task the part of it that --shard computes, and leaves out those of which it has none.
func (r *Runner) SpecsOfShard(cmd command.Line, specs []Spec) (mine []Spec, err error) {
	if r.shard.Of == 0 {
		return specs, nil
	}
	var questions []int
	for _, spec := range specs {
		questions = append(questions, len(spec.Task.Questions))
	}
	for i, part := range trial.PartsOf(r.shard.Index, r.shard.Of, questions) {
		if part == nil {
			fmt.Fprintf(cmd.Err, "parley: shard %s has none of the %s of task %s\n", r.shard.String(),
				wording.Count(questions[i], "question"), specs[i].Part)
			continue
		}
		specs[i].shard = part
		mine = append(mine, specs[i])
	}
	if len(mine) == 0 {
		return nil, fmt.Errorf("--shard %s: the tasks have %s in all, so that there is nothing for this shard",
			r.shard.String(), wording.Count(questionsIn(specs), "question"))
	}
	return mine, nil
}

// questionsIn is the number of questions of all tasks.
func questionsIn(specs []Spec) (n int) {
	for _, spec := range specs {
		n += len(spec.Task.Questions)
	}
	return n
}

// CheckAllFit refuses an experiment of several tasks before the first one starts if any of them cannot fit.
func (r *Runner) CheckAllFit(cmd command.Line, specs []Spec) error {
	if len(specs) < 2 {
		return nil
	}
	// all have the conditions of the experiment, and so its models
	engine, err := r.openFor(cmd, specs[0], engine.Recorder{})
	if err != nil {
		return err
	}
	defer engine.Close()
	var cannot error
	look := r.lookAhead(cmd, engine.Survey())
	defer look.end()
	for _, spec := range specs {
		options, err := spec.options(cmd.Context, engine)
		if err != nil {
			return err
		}
		if _, err := look.run(options, "task "+spec.Part); errors.As(err, new(stoppedLook)) {
			return err
		} else if err != nil {
			cannot = errors.Join(cannot, fmt.Errorf("task %s: %w", spec.Part, err))
		}
	}
	return exit.Usage(cannot)
}
