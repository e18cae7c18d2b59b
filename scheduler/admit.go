package scheduler

import (
	"slices"

	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/scheduler/prefix"
)

// admit starts waiting requests in turn (see inTurn), as sequences and cells allow. The first that finds no room ends
// it: later requests do not overtake, so that none starves. They do overtake one that waits for a running prompt, or
// for the row that draws its first token.
func (s *Scheduler) admit(plan *Plan) {
	before := len(s.live)
	for job := range s.inTurn {
		if len(s.live) == s.options.Live {
			break
		}
		source, length, repeats := s.source(job)
		if repeats < 0 || s.drawnSoon(job) {
			continue
		}
		if !s.start(plan, job, source, length) {
			break
		}
		if repeats > 0 {
			s.stats.Repeated += repeats
			job.parts = length + repeats
		}
	}
	if len(s.live) > before {
		s.queue = slices.DeleteFunc(s.queue, func(job *Job) bool { return job.seq != nil })
	}
}

// drawnSoon reports whether a sequence is about to compute the last token of the job's prompt for its logits, although
// the cell is there. The job's first token is drawn from that row too, so that it needs none of its own.
func (s *Scheduler) drawnSoon(job *Job) bool {
	return slices.ContainsFunc(s.live, func(q *sequence) bool {
		return q.shared() < len(q.job.Prompt) && s.drawsFor(q, job)
	})
}

// source finds the sequence that holds the longest prefix of the job's committed tokens, and how much of it the job can
// share: all of it if the rows whose logits the job needs are still to be computed, otherwise what comes before those
// rows. Of several such sequences it prefers one that the job can take over without loss, then the one that has
// computed most.
//
// With Options.Whole, source is an idle sequence that ends there, or nil. repeats is how many tokens the job has to
// compute although their cells are there; it is below 0 if the job is to wait for a running prompt.
func (s *Scheduler) source(job *Job) (source *sequence, length, repeats int) {
	if s.options.Whole {
		p := s.prospect(job)
		if p.waits() {
			return nil, 0, -1
		}
		return p.donor, p.length, max(0, min(p.depth, len(job.Prompt))-p.length)
	}
	source, length = s.longest(job)
	return source, length, 0
}

// longest is source without Options.Whole.
func (s *Scheduler) longest(job *Job) (source *sequence, length int) {
	depth, at := s.tree.Match(s.tree.Root(), job.Space, job.committed)
	if depth == 0 {
		return nil, 0
	}
	before := min(depth, job.sharable())
	for id := range at.Owners().All {
		q := s.sequences[id]
		if source == nil || q.continues(before) || !source.continues(before) && q.computed > source.computed {
			source = q
		}
	}
	if source.computed > before || source.state != prefill {
		depth = before
	}
	if depth == 0 {
		return nil, 0
	}
	return source, depth
}

// sharable returns how many of its tokens a job can take from others: [0, sharable) comes before the first row whose
// logits it needs.
func (job *Job) sharable() int {
	if job.Forced != nil {
		return len(job.Prompt) - 1
	}
	return len(job.committed) - 1
}

// admissible returns how many of the waiting requests may start in a plan.
func (s *Scheduler) admissible() int {
	if s.options.Whole {
		return min(len(s.queue), foresight)
	}
	return len(s.queue)
}

// start gives the job a sequence that shares [0, length) with its source, and reports whether there was room. It may
// evict idle sequences for it (see victim). The check at the top makes sure that none is evicted in vain: if every idle
// sequence goes and only the shared prefix stays, the job fits.
func (s *Scheduler) start(plan *Plan, job *Job, source *sequence, length int) bool {
	if !s.hasCells(job, source, length) {
		return false
	}
	total := len(job.committed) + s.expectedCells(job)
	q := s.free()
	if source != nil && source.continues(length) && (!s.options.Whole || q == nil && s.takesOver(source)) {
		q = source
	}
	for q == nil || s.room() < total-length {
		victim := s.victim(source, q != nil)
		if victim == nil {
			q = source // the last idle sequence: the job takes it over and gives up what lies after the shared prefix
			break
		}
		if q != nil {
			plan.Memory = append(plan.Memory, s.reclaim(victim, total-length-s.room()))
			continue
		}
		plan.Memory = append(plan.Memory, s.evict(victim))
		q = victim
	}
	plan.Memory = append(plan.Memory, s.share(q, source, length)...)
	if rest := job.committed[length:]; len(rest) > 0 && (s.options.Whole || !q.leaf.HasChild(job.Space, rest[0])) {
		q.leaf = s.tree.Grow(q.id, q.leaf, job.Space, rest)
	}
	if !job.firstDrawn || job.Forced != nil {
		job.Result.Cached = min(length, len(job.Prompt))
	}
	if source != nil && s.options.Whole {
		source.lastUsed = s.stats.Steps
	}
	q.job, q.space, q.state, q.parked, q.rows = job, job.Space, prefill, false, 0
	job.seq, job.reserved = q, total-q.shared()
	s.reserved += job.reserved
	s.live = append(s.live, q)
	job.party.running++
	return true
}

// hasCells reports whether a job fits that shares [0, length) with a source, if every idle sequence goes.
func (s *Scheduler) hasCells(job *Job, source *sequence, length int) bool {
	need := len(job.committed) + s.expectedCells(job) - length
	return s.pinnedCells(source, length)+s.private+s.reserved+need <= s.options.Cells
}

// expectedCells returns how many cells a job will need after its committed tokens. Until four generations have
// finished, it is the job's bound. Later it is the average length of the replies so far, which promises less and lets
// more run at once (makeRoom deals with longer replies). The last token is drawn and never computed, so it needs no
// cell.
func (s *Scheduler) expectedCells(job *Job) int {
	left := len(job.Prompt) + job.MaxTokens - 1 - len(job.committed)
	if finished := s.stats.Generations; finished >= 4 && left > 0 {
		return min(left, 1+s.drawn/finished)
	}
	return left
}

// makeRoom promises every running generation the cells for what it computes next. Where all cells are used or promised,
// it evicts idle sequences. When none is left, it preempts the youngest generation, which resumes when there is room.
func (s *Scheduler) makeRoom(plan *Plan) {
	for s.room() < s.unpromisedCells() {
		if victim := s.victim(nil, true); victim != nil {
			plan.Memory = append(plan.Memory, s.reclaim(victim, s.unpromisedCells()-s.room()))
			continue
		}
		s.preempt(s.live[len(s.live)-1])
		plan.Memory, s.deferred = append(plan.Memory, s.deferred...), nil
	}
	for _, q := range s.live {
		n := q.unpromised()
		q.job.reserved += n
		s.reserved += n
	}
}

// unpromisedCells returns the number of cells that this step needs beyond those that were promised.
func (s *Scheduler) unpromisedCells() int {
	n := 0
	for _, q := range s.live {
		n += q.unpromised()
	}
	return n
}

// unpromised returns the number of cells that a running sequence needs beyond those that it was promised: for its next
// token, or for tokens that were put behind the last one.
func (q *sequence) unpromised() int {
	need := 1
	if q.state == prefill {
		need = len(q.job.committed) - max(q.computed, q.shared())
	}
	return max(0, need-q.job.reserved)
}

// preempt puts the job of q back into the queue. Its cells stay in the tree as an idle branch, from which it resumes
// unless they are evicted first. Forced tokens are scored again from the first one.
func (s *Scheduler) preempt(q *sequence) {
	job := q.job
	s.live = slices.DeleteFunc(s.live, func(other *sequence) bool { return other == q })
	s.retire(q)
	job.seq, job.reserved = nil, 0
	if job.Forced != nil {
		job.Result.Tokens = nil
	} else if len(job.Result.Tokens) > 0 {
		job.committed, job.firstDrawn = job.text(), true
	}
	s.enqueue(job)
	s.stats.Preempted++
}

// share makes q hold the tokens [0, length) of source and nothing else. A memory operation shares those that source has
// computed; the rest will be computed by one row for both. If q is its own source, it is cut at length.
func (s *Scheduler) share(q, source *sequence, length int) (ops []step.MemoryOp) {
	if source == nil {
		return nil
	}
	computed := min(length, source.computed)
	switch {
	case q != source: // q is empty
		q.leaf = s.tree.Hold(q.id, source.leaf.At(length-1), length)
		if computed > 0 {
			ops = append(ops, step.MemoryOp{Kind: step.Copy, Src: source.id, Dst: q.id, From: 0, To: int32(computed)})
		}
	case q.computed > length:
		q.leaf = s.tree.Release(q.id, q.leaf, length)
		ops = append(ops, step.MemoryOp{Kind: step.Remove, Dst: q.id, From: int32(length), To: -1})
	}
	q.computed = computed
	return ops
}

// retire ends the work of q, which becomes idle. Its private cells [shared, computed) enter the tree, so that a later
// prompt can continue them: where another sequence holds the same tokens, q adopts the cells of that sequence and frees
// its own; the rest becomes a branch. A sequence that is left without cells of its own is evicted, since it would add
// nothing to what the others hold. The memory operations wait in s.deferred: this plan may still read the cells.
func (s *Scheduler) retire(q *sequence) {
	s.reserved -= q.job.reserved
	q.job.party.running--
	s.private -= len(q.private)
	tail, space := q.private, q.job.Space
	q.job, q.private, q.state, q.lastUsed = nil, nil, idle, s.stats.Steps
	q.leaf = s.tree.Release(q.id, q.leaf, q.computed) // if the prompt was given up half-way

	shared := q.shared()
	if n, at := s.tree.Match(q.leaf, space, tail); n > 0 && !s.options.Whole {
		q.leaf, tail = s.adopt(q, at, shared, shared+n), tail[n:]
		if q.shared() < shared+n {
			tail = nil
		}
	}
	if len(tail) > 0 {
		q.leaf = s.tree.Grow(q.id, q.leaf, space, tail)
	}
	q.computed = q.shared()
	if s.superfluous(q) {
		s.deferred = append(s.deferred, s.evict(q))
	} else if s.options.Whole {
		s.setAside(q)
	}
}

// superfluous reports whether an idle sequence adds nothing to what the others hold.
func (s *Scheduler) superfluous(q *sequence) bool {
	if s.options.Whole {
		return q.leaf == s.tree.Root() || s.idleAt(q.leaf, q)
	}
	only, alone := q.leaf.Owners().Only()
	return !alone || only != q.id
}

// adopt replaces the cells of q at [from, to) by those of a sequence that has computed node at, and returns q's leaf.
// If no sequence has computed it yet, q gives up everything from there on.
func (s *Scheduler) adopt(q *sequence, at *prefix.Node, from, to int) *prefix.Node {
	for id := range at.Owners().All {
		if s.sequences[id].computed >= to {
			s.deferred = append(s.deferred,
				step.MemoryOp{Kind: step.Remove, Dst: q.id, From: int32(from), To: int32(to)},
				step.MemoryOp{Kind: step.Copy, Src: id, Dst: q.id, From: int32(from), To: int32(to)})
			return s.tree.Hold(q.id, at, to)
		}
	}
	s.deferred = append(s.deferred, step.MemoryOp{Kind: step.Remove, Dst: q.id, From: int32(from), To: -1})
	return q.leaf
}
