package bench

import (
	"cmp"
	"fmt"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/inference"
)

// Shard is the part of a run that one of several machines computes. Every machine divides the questions alike, since
// the division depends on them and on the most tokens of a reply alone. A shard computes
// each debate as the whole run does: it hears the same other questions where arguments are shuffled. Shard refuses more
// shards than questions, and a run that may stop early, since that depends on all questions before.
func (o Options) Shard(s trial.Shard) (Options, error) {
	if err := s.Validate(); err != nil {
		return o, err
	}
	questions := o.Task.Questions
	switch {
	case o.Run.Stop != nil:
		return o, fmt.Errorf("shard %s: a run that may stop early, %s, is one run: whether it stops depends on the "+
			"questions of all shards; leave out one of the two", &s, o.Run.Stop)
	case s.Of > len(questions):
		return o, fmt.Errorf("shard %s: task %s has %d questions, so that there can be at most as many shards", &s,
			o.Task.Name, len(questions))
	}
	cuts, i := trial.Cut(weigh(questions, cmp.Or(o.Run.MaxTokens, inference.DefaultMaxTokens)), s.Of), s.Index-1
	o.donors = o.donorsOf()
	part := append([]task.Question(nil), questions[cuts[i]:cuts[i+1]]...)
	if next := cuts[(i+1)%s.Of]; trial.HasCanary(i, s.Of, len(questions)) {
		part, s.Canaries = append(part, questions[next]), []string{questions[next].ID}
	}
	s.Questions, o.Task, o.shard = len(questions), o.Task.Only(part), &s
	return o, nil
}

// bytesPerToken is what a token of English has on average, more or less.
const bytesPerToken = 4

// weigh is what the debates on each question take, relative to each other: the length of the question and that of one
// longest reply, in bytes. It asks no model, so that all machines weigh alike.
func weigh(questions []task.Question, maxTokens int) (weights []int) {
	for _, q := range questions {
		weights = append(weights, len(q.Text)+bytesPerToken*maxTokens)
	}
	return weights
}

// donorsOf are the donors of all questions: those of the larger task, if there is one.
func (o Options) donorsOf() map[string]task.Question {
	if o.donors != nil {
		return o.donors
	}
	return donorsOf(o.Task.Questions)
}
