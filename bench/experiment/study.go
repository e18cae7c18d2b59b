package experiment

import (
	"cmp"
	"errors"
	"fmt"

	"parley/bench"
	"parley/bench/task"
	"parley/debate"
	"parley/debate/prompts"
	"parley/inference"
)

// Study is an experiment on one task, ready to be held on a model.
type Study struct {
	Task       task.Task
	Conditions []bench.Condition
	Reference  string
	Repeats    int
	Base       debate.Society // how agents are asked, and the size and wording of the reference
}

// controlNames are the conditions that controls add.
var controlNames = []string{"single", "vote", "self-consistency", "self-consistency-tokens", "oracle", "shuffled"}

// Questions reads the questions of all tasks. An error names every file that is missing.
func (e Experiment) Questions(d Data) (tasks []task.Task, err error) {
	if e.dir != "" {
		d.Directories = append([]string{e.dir}, d.Directories...)
	}
	for _, t := range e.Tasks {
		questions, taskErr := t.load(d, e.seed())
		tasks, err = append(tasks, questions), errors.Join(err, taskErr)
	}
	return tasks, err
}

// Prepare makes a study of a task for a model.
func (e Experiment) Prepare(t task.Task, model inference.ModelInfo) (Study, error) {
	points, err := e.Points()
	if err != nil {
		return Study{}, err
	}
	ask := debate.Asking{Sampling: e.Sampling.sampling(), MaxTokens: e.maxTokens(model), Seeds: debate.Seeds{Run: e.seed()}}
	set := bench.PromptSet(model, t.Rule)
	s := Study{Task: t, Repeats: max(1, e.Repeats), Reference: cmp.Or(e.Reference, points[0].Condition)}
	for _, p := range points {
		c, err := p.condition(set, ask)
		if err != nil {
			return Study{}, err
		}
		if c.Name == s.Reference {
			if s.Base, err = base(p.Protocol, ask, set); err != nil {
				return Study{}, err
			}
		}
		s.Conditions = append(s.Conditions, c)
	}
	return s, nil
}

// base describes the reference where a record has room for one debate.
func base(p debate.Protocol, ask debate.Asking, set string) (debate.Society, error) {
	wording, err := prompts.Load(set)
	if err != nil {
		return debate.Society{}, fmt.Errorf("prompts: %w", err)
	}
	order, err := debate.ParseOrder("", p.Reading)
	return debate.Society{Asking: ask, Agents: p.Agents, Rounds: p.Rounds, Exchange: debate.Exchange{Order: order}, Prompts: wording}, err
}

func (e Experiment) seed() uint64 { return cmp.Or(e.Seed, 1) }

func (e Experiment) maxTokens(model inference.ModelInfo) int {
	if e.MaxTokens == 0 && model.Embedded {
		return 256
	}
	return e.MaxTokens
}
