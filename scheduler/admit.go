package scheduler

import (
	"cmp"
	"slices"
)

// admit starts waiting requests in order, as sequences and cells allow. One that finds no room is not passed over, so
// that nothing starves.
func (s *Scheduler) admit(plan *Plan) {
	before := len(s.live)
	for _, job := range s.queue {
		if len(s.live) == s.options.Live || !s.start(plan, job) {
			break
		}
	}
	if len(s.live) > before {
		s.queue = slices.DeleteFunc(s.queue, func(job *Job) bool { return job.seq != nil })
	}
}

// source finds a sequence that holds the longest prefix of what the job knows, and how much of it the job can share:
// all of it, where the rows whose logits it needs are still to be computed, else what comes before them.
func (s *Scheduler) source(job *Job) (source *sequence, length int) {
	depth, at := s.tree.match(s.tree.root, job.committed)
	if depth == 0 {
		return nil, 0
	}
	before := min(depth, job.sharable())
	for id := range at.holders.all {
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

// sharable is how many of its tokens a job can take from others: those before the first row whose logits it needs.
func (job *Job) sharable() int {
	if job.Forced != nil {
		return len(job.Prompt) - 1
	}
	return len(job.committed) - 1
}

// start gives the job a sequence that shares what it can with others, and reports whether there was room. Idle
// sequences give way, those that nobody waits for first, and never in vain.
func (s *Scheduler) start(plan *Plan, job *Job) bool {
	source, length := s.source(job)
	total := len(job.committed) + s.expected(job)
	if s.pinned(source, length)+s.private+s.reserved+total-length > s.options.Cells {
		return false
	}
	q := s.free()
	if source != nil && source.continues(length) {
		q = source
	}
	for q == nil || s.room() < total-length {
		victim := s.victim(source)
		if victim == nil {
			q = source // the last idle one: it gives up what lies behind the shared part
			break
		}
		plan.Memory = append(plan.Memory, s.evict(victim))
		if q == nil {
			q = victim
		}
	}
	plan.Memory = append(plan.Memory, s.share(q, source, length)...)
	if rest := job.committed[length:]; len(rest) > 0 && q.leaf.children[rest[0]] == nil {
		q.leaf = s.tree.grow(q.id, q.leaf, rest)
	}
	if !job.firstDrawn {
		job.Result.Cached = length
	}
	q.job, q.state = job, prefill
	job.seq, job.reserved = q, total-q.shared()
	s.reserved += job.reserved
	s.live = append(s.live, q)
	return true
}

// expected is how many cells a job will need behind what it knows: as many as replies have had so far on average, as
// many as it may have while few have finished. The last token is drawn and never computed.
func (s *Scheduler) expected(job *Job) int {
	left := len(job.Prompt) + job.MaxTokens - 1 - len(job.committed)
	if finished := s.stats.Generations; finished >= 4 && left > 0 {
		return min(left, 1+s.drawn/finished)
	}
	return left
}

// makeRoom sees to it that running generations that have used up what was promised to them find a cell for their next
// token. Idle branches give way, then the youngest generation, which goes on when there is room again.
func (s *Scheduler) makeRoom(plan *Plan) {
	for s.room() < s.unpromised() {
		if victim := s.victim(nil); victim != nil {
			plan.Memory = append(plan.Memory, s.evict(victim))
			continue
		}
		s.preempt(s.live[len(s.live)-1])
		plan.Memory, s.deferred = append(plan.Memory, s.deferred...), nil
	}
}

// unpromised is the number of cells that this step needs and nobody promised.
func (s *Scheduler) unpromised() int {
	n := 0
	for _, q := range s.live {
		if q.state == decode && q.job.reserved == 0 {
			n++
		}
	}
	return n
}

// preempt puts the job of q back into the queue. What it has computed stays as a branch, for as long as that has room.
func (s *Scheduler) preempt(q *sequence) {
	job := q.job
	s.live = slices.DeleteFunc(s.live, func(other *sequence) bool { return other == q })
	s.retire(q)
	job.seq, job.reserved = nil, 0
	if job.Forced != nil {
		job.Result.Tokens = nil // scored again
	} else if len(job.Result.Tokens) > 0 {
		job.committed, job.firstDrawn = job.text(), true
	}
	s.enqueue(job)
	s.stats.Preempted++
}

// share makes q hold the first length tokens of source and nothing else; those that source has yet to compute will be
// computed for both. A sequence that is its own source is cut.
func (s *Scheduler) share(q, source *sequence, length int) (ops []MemoryOp) {
	if source == nil {
		return nil
	}
	computed := min(length, source.computed)
	switch {
	case q != source:
		at := source.leaf
		for at.start >= length {
			at = at.parent
		}
		q.leaf = s.tree.hold(q.id, at, length)
		if computed > 0 {
			ops = append(ops, MemoryOp{Kind: Copy, Src: source.id, Dst: q.id, From: 0, To: int32(computed)})
		}
	case q.computed > length:
		q.leaf = s.tree.release(q.id, q.leaf, length)
		ops = append(ops, MemoryOp{Kind: Remove, Dst: q.id, From: int32(length), To: -1})
	}
	q.computed = computed
	return ops
}

// retire ends the work of q. What it generated stays in the tree for whoever goes on from there: cells that another
// sequence holds as well are adopted from it, the rest become a branch. A sequence with nothing of its own is emptied.
func (s *Scheduler) retire(q *sequence) {
	s.reserved -= q.job.reserved
	s.private -= len(q.private)
	tail := q.private
	q.job, q.private, q.state, q.lastUsed = nil, nil, idle, s.stats.Steps
	q.leaf = s.tree.release(q.id, q.leaf, q.computed) // a prompt that was given up half-way

	shared := q.shared()
	if n, at := s.tree.match(q.leaf, tail); n > 0 {
		q.leaf, tail = s.adopt(q, at, shared, shared+n), tail[n:]
		if q.shared() < shared+n {
			tail = nil
		}
	}
	if len(tail) > 0 {
		q.leaf = s.tree.grow(q.id, q.leaf, tail)
	}
	q.computed = q.shared()
	if only := (seqSet{}).with(q.id); q.leaf.holders != only {
		s.deferred = append(s.deferred, s.evict(q))
	}
}

// adopt replaces the cells of q at [from, to) by those of a sequence that has computed node at, and returns q's leaf.
// If nobody has yet, q gives up everything from there on.
func (s *Scheduler) adopt(q *sequence, at *node, from, to int) *node {
	for id := range at.holders.all {
		if s.sequences[id].computed >= to {
			s.deferred = append(s.deferred,
				MemoryOp{Kind: Remove, Dst: q.id, From: int32(from), To: int32(to)},
				MemoryOp{Kind: Copy, Src: id, Dst: q.id, From: int32(from), To: int32(to)})
			return s.tree.hold(q.id, at, to)
		}
	}
	s.deferred = append(s.deferred, MemoryOp{Kind: Remove, Dst: q.id, From: int32(from), To: -1})
	return q.leaf
}

// evict empties an idle sequence.
func (s *Scheduler) evict(q *sequence) MemoryOp {
	q.leaf = s.tree.release(q.id, q.leaf, 0)
	q.state, q.computed = empty, 0
	return MemoryOp{Kind: Remove, Dst: q.id, From: 0, To: -1}
}

// free returns the lowest empty sequence, or nil.
func (s *Scheduler) free() *sequence {
	for _, q := range s.sequences {
		if q.state == empty {
			return q
		}
	}
	return nil
}

// victim returns the idle sequence, other than keep, whose loss costs least: what waiting requests would start from
// counts by the tokens that would have to be computed again, the rest by how long ago it finished.
func (s *Scheduler) victim(keep *sequence) (victim *sequence) {
	cost := s.wanted()
	for _, q := range s.sequences {
		if q.state != idle || q == keep {
			continue
		}
		if victim == nil || cmp.Or(cmp.Compare(cost[q.id], cost[victim.id]),
			cmp.Compare(q.lastUsed, victim.lastUsed)) < 0 {
			victim = q
		}
	}
	return victim
}

// foresight is how many waiting requests are looked at before a sequence is given up: as many as can run next, and
// more.
const foresight = 2 * MaxSequences

// wanted is, for every sequence, the number of tokens that waiting requests share with it alone. It is found once a
// plan.
func (s *Scheduler) wanted() []int {
	if s.cost != nil {
		return s.cost
	}
	s.cost = make([]int, len(s.sequences))
	for _, job := range s.queue[:min(len(s.queue), foresight)] {
		if job.seq != nil {
			continue // started in this plan
		}
		depth, at := s.tree.match(s.tree.root, job.committed)
		for n := at; n != s.tree.root; n = n.parent {
			if only, ok := n.holders.only(); ok {
				s.cost[only] += min(depth, n.end()) - n.start
			}
		}
	}
	return s.cost
}

// room is the number of cells that are neither used nor promised.
func (s *Scheduler) room() int {
	return s.options.Cells - s.tree.cells - s.private - s.reserved
}

// pinned is the number of cells in the tree that eviction could not free: those of running sequences, and the first
// length cells of source.
func (s *Scheduler) pinned(source *sequence, length int) int {
	var live seqSet
	for _, q := range s.live {
		live.add(q.id)
	}
	cells := s.tree.root.cellsOf(live)
	if source == nil {
		return cells
	}
	for n := source.leaf; n != s.tree.root; n = n.parent {
		if n.start < length && !n.holders.meets(live) {
			cells += min(n.end(), length) - n.start
		}
	}
	return cells
}
