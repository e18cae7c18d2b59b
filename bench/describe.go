package bench

import (
	"cmp"
	"slices"

	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
)

// NewHeader describes a run, except for the program, its build and the time. s is one of its debates, from which the
// size and the prompts are taken.
func NewHeader(o Options, s society.Society) rundir.Header {
	t := o.Task
	h := rundir.Header{
		Model: o.Engine.Model(), Task: t.Name, TaskHash: t.Hash, Family: t.Family, Source: t.Source,
		Replaces:   t.Replaces,
		Questions:  len(t.Questions),
		AnswerRule: t.Rule, Measure: cmp.Or(t.Measure, "equal"), Columns: t.Columns,
		Guess:  &t.Guess,
		Agents: s.Agents, Rounds: s.Rounds, Repeats: max(1, o.Repeats), Stop: o.Stop, Team: o.Team,
		Equivalence: o.Equivalence, Cluster: t.Cluster, Group: t.Group, Contrasts: o.Contrasts,
		Reading: s.Order.Reading,
		Prompts: s.Prompts.Name, Origin: s.Prompts.Origin,
		Shard:    o.shard,
		Sampling: s.Sampling, SamplingFrom: s.SamplingFrom, MaxTokens: s.MaxTokens, Seed: s.Seeds.Run,
		Reasoning: rundir.ReasoningOf(s.Asking),
		StopTexts: s.Stop, EndLoops: s.EndLoops,
		Closing: s.Closing && answer.IsReader(t.Rule),
	}
	if h.MaxTokens == 0 {
		h.MaxTokens = inference.DefaultMaxTokens
	}
	h.Notes = slices.Concat(o.LeftOut, Echoes(o))
	if o.Reference != trial.Reference {
		h.Reference = o.Reference
	}
	for _, c := range o.Conditions {
		h.Debates += len(t.Questions) * c.Times(o.Repeats)
		h.Conditions = append(h.Conditions, c.Name)
		if c.Protocol != nil {
			h.Protocols = append(h.Protocols, *c.Protocol)
		}
		if c.Oracle {
			h.Bounds = append(h.Bounds, c.Name)
		}
	}
	return h
}
