package scheduler

import "github.com/parley-debate/parley/inference/step"

// planPrefill fills the batch with prompt tokens. A cell that several prompts begin with is computed once for all of
// them. A job whose prompt ends at a row draws its first token from the row's logits, and so do jobs with the same
// prompt that still wait for a sequence.
func (s *Scheduler) planPrefill(plan *Plan) {
	if s.options.Whole {
		s.planStops(plan)
		return
	}
	for _, q := range s.live {
		for q.state == prefill && q.computed < len(q.job.committed) && s.left(plan, q.job) > 0 {
			s.planRun(plan, q)
		}
	}
}

// planRun plans rows for q up to where its path in the tree forks, its prompt ends, or the batch is full.
func (s *Scheduler) planRun(plan *Plan, q *sequence) {
	committed := q.job.committed
	end := min(len(committed), q.computed+s.left(plan, q.job))
	members, also := []*sequence{q}, int32(len(plan.Also))
	if q.computed < q.shared() {
		at := q.leaf.At(q.computed)
		end = min(end, at.End())
		for id := range at.Owners().All {
			if r := s.sequences[id]; r != q && r.state == prefill && r.computed == q.computed {
				members, plan.Also = append(members, r), append(plan.Also, id)
			}
		}
	}
	s.planRows(plan, members, step.Row{Seq: q.id, Also: also, NAlso: int32(len(plan.Also)) - also}, end)
}

// planRows plans the rows of all members, which have computed the same tokens, up to end.
func (s *Scheduler) planRows(plan *Plan, members []*sequence, row step.Row, end int) {
	first := members[0]
	s.take(first.job, end-first.computed)
	for first.computed < end {
		pos := first.computed
		row.Token, row.Pos = first.job.committed[pos], int32(pos)
		plan.Rows = append(plan.Rows, row)
		if pos < len(first.job.Prompt) {
			plan.Prefill++
		}
		for _, r := range members {
			s.compute(r, row.Token)
			if i := pos - (len(r.job.Prompt) - 1); i >= 0 && r.job.Forced != nil {
				plan.sample(len(plan.Rows)-1, step.NoSeq, r.job.force(i), target{job: r.job})
			}
		}
	}
	for _, r := range members {
		if r.computed < len(r.job.committed) || r.job.Forced != nil {
			continue
		}
		s.startDecode(plan, r)
		if !r.job.firstDrawn {
			s.drawFirst(plan, r.job)
		}
	}
}

// startDecode samples the first token of q from the last row of the plan.
func (s *Scheduler) startDecode(plan *Plan, q *sequence) {
	q.state = decode
	plan.sample(len(plan.Rows)-1, q.id, q.job.resume(nil), target{job: q.job})
}

// force returns the sampler that scores the i-th forced token.
func (job *Job) force(i int) *step.Start {
	return &step.Start{Sampling: job.Sampling, Grammar: job.Grammar, Forced: &job.Forced[i]}
}

// drawFirst samples the first tokens of waiting requests with the leader's prompt from the last row of the plan, so
// that this row is computed once. They continue from that token when there is room for them.
func (s *Scheduler) drawFirst(plan *Plan, leader *Job) {
	for _, job := range s.queue {
		if !job.firstDrawn && job.samePrompt(leader) {
			job.firstDrawn, job.Result.Cached = true, len(job.Prompt)
			plan.sample(len(plan.Rows)-1, step.NoSeq, job.resume(nil), target{job: job})
		}
	}
}
