package bench

import (
	"fmt"
	"maps"
	"slices"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
)

// builtOn is the index of the debate that another depends on: the one of the same repeat, unless its condition is held
// once.
func (o *Options) builtOn(p debateIndex) debateIndex {
	after := o.Conditions[p.condition].DependsOn
	p.condition = slices.IndexFunc(o.Conditions, func(c trial.Condition) bool { return c.Name == after })
	if o.Conditions[p.condition].Once {
		p.repeat = 0
	}
	return p
}

// prior is the transcript that a debate depends on, nil if it depends on none.
func (r *running) prior(p debateIndex) (*debate.Transcript, error) {
	if r.Conditions[p.condition].DependsOn == "" {
		return nil, nil
	}
	i := r.held[r.builtOn(p)]
	if r.failed[i] != nil {
		return nil, fmt.Errorf("%w: %w", debate.ErrPrior, r.failed[i])
	}
	return &r.outcomes[i].Transcript, nil
}

// donor is the question whose reasoning is heard if arguments are shuffled, or nil if the task has no other question.
func (o *Options) donor(p debateIndex) *debate.Case {
	next, ok := o.donors[o.Task.Questions[p.question].ID]
	if !ok {
		return nil
	}
	return &debate.Case{ID: trial.CaseID(next.ID, p.repeat), Question: next.Text, Extract: o.Task.Reader(next),
		Truth: next.Truth}
}

// caseOf is a question as all debates on it have it, by its own name.
func caseOf(t task.Task, q task.Question) debate.Case {
	return debate.Case{ID: q.ID, Question: q.Text, Extract: t.Reader(q), Truth: q.Truth, Right: t.Rights(q),
		Facts: q.Facts, Ending: endingOf(t, q), Choices: t.Choices(q), Relist: t.Relist(q)}
}

// endingOf is how a reply that states its answer to a question ends, for closing turns. A translation has no such end:
// it is the answer.
func endingOf(t task.Task, q task.Question) debate.Ending {
	if t.Kind() == answer.KindText && t.Measure != "" && t.Measure != "equal" {
		return debate.Ending{}
	}
	return debate.EndingOf(t.Kind(), reader.OptionsOf(q.About()))
}

// donorsOf gives each question of a task the next one as its donor.
func donorsOf(questions []task.Question) map[string]task.Question {
	donors := make(map[string]task.Question)
	for i, q := range questions {
		if len(questions) > 1 {
			donors[q.ID] = questions[(i+1)%len(questions)]
		}
	}
	return donors
}

// candidate reports whether a condition is held on a question: always, or only where the answers of the debate that it
// builds on compete.
func (r *running) candidate(p debateIndex) bool {
	share := r.Conditions[p.condition].Candidates
	if share == 0 {
		return true
	}
	replies := r.outcomes[r.held[r.builtOn(p)]].Transcript.Last()
	counts := make(map[string]int)
	for _, t := range replies {
		if t.Answer.Parsed {
			counts[t.Answer.Text]++
		}
	}
	return trial.Contested(maps.Values(counts), len(replies), share)
}
