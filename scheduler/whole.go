package scheduler

import (
	"slices"

	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/scheduler/prefix"
)

// Sequences that are shared as a whole (Options.Whole): a recurrent model keeps one state for each sequence, that after
// its last token. A sequence can be copied or emptied, but not cut, and no row can be stored for several sequences.
//
// So a request can begin only where an idle sequence ends. Where requests part is known as soon as they wait: a prompt
// that is being computed stops there (stops), and the next plan copies it to a sequence of its own, which stays behind
// as an idle one (park). Requests that will begin there wait for it (prospect). All else is as with other models, but
// for these differences:
//
//   - A token whose state is not there any more is computed again, although the tree has its cells: these are
//     duplicates (see prefix.Tree.Grow). Stats.Repeated counts such tokens.
//   - An idle sequence without cells of its own is kept for its state, unless another one ends at the same cell.
//   - There are no drafts, since they would have to be cut.

// prospect is where a waiting job can begin.
type prospect struct {
	donor  *sequence // the idle sequence that ends latest within what the job can share; nil if there is none
	length int       // where donor ends
	next   int       // where the second best one ends
	depth  int       // how many tokens some sequence holds or is about to hold, of those that the job can share

	// A running sequence that holds more of the job's tokens, up to a position that it has reached or will reach; nil
	// if there is none.
	running *sequence
	branch  int
}

// waits reports whether running has not reached the branch yet.
func (p *prospect) waits() bool { return p.running != nil && p.running.computed < p.branch }

// prospect finds the longest prefix that a waiting job could reuse, and the running sequence that it would have to wait
// for.
func (s *Scheduler) prospect(job *Job) (p prospect) {
	var reach [MaxSequences]int // how many of the job's tokens each sequence holds or is about to hold
	most := job.sharable()
	s.tree.Along(job.Space, job.committed, func(n *prefix.Node, agree int) {
		p.depth = max(p.depth, min(agree, most))
		for id := range n.Owners().All {
			q := s.sequences[id]
			reach[id] = agree
			if q.state == idle && q.leaf == n && agree == n.End() && agree <= most {
				p.offer(q)
			}
		}
	})
	for _, q := range s.live {
		branch := min(reach[q.id], most)
		if s.drawsFor(q, job) {
			branch = len(job.Prompt)
		}
		reached := p.running != nil && branch == p.branch && q.computed == branch && p.waits()
		if branch >= q.computed && branch > p.length && (branch > p.branch || reached) {
			p.running, p.branch = q, branch
		}
	}
	return p
}

// drawsFor reports whether the first token of a waiting job will be drawn from the last row of q's prompt.
func (s *Scheduler) drawsFor(q *sequence, job *Job) bool {
	return q.state == prefill && !job.firstDrawn && !q.job.firstDrawn && q.job.samePrompt(job)
}

// offer considers an idle sequence that ends within what the job can share. Of two that end at the same position, the
// first is taken.
func (p *prospect) offer(q *sequence) {
	if p.donor == nil || q.computed > p.length {
		p.next, p.donor, p.length = p.length, q, q.computed
	} else {
		p.next = max(p.next, q.computed)
	}
}

// prospects yields the waiting jobs that may decide where prompts stop and what is evicted, each with its prospect.
func (s *Scheduler) prospects(yield func(*Job, prospect) bool) {
	for _, job := range s.queue[:min(len(s.queue), foresight)] {
		if job.seq == nil && !yield(job, s.prospect(job)) {
			return
		}
	}
}

// stops has, for each sequence whose prompt is being computed, the next position at which it stops, 0 for none.
func (s *Scheduler) stops() (at [MaxSequences]int) {
	if !slices.ContainsFunc(s.live, func(q *sequence) bool { return q.state == prefill }) {
		return at
	}
	stop := func(q *sequence, position int) {
		if q.computed < position && position < len(q.job.committed) && (at[q.id] == 0 || position < at[q.id]) {
			at[q.id] = position
		}
	}
	for _, p := range s.prospects {
		if p.waits() {
			stop(p.running, p.branch)
		}
	}
	for _, q := range s.live {
		for _, position := range s.foresees(q) {
			stop(q, position)
		}
	}
	return at
}

// foresees has the positions in q's prompt where a sequence is to be parked although nobody waits for it. One is before
// the last token: later requests may go on from there, such as another sample of the prompt, or the next turn if its
// text does not contain the reply as it was drawn. The other is where the prompt parts from an earlier one, if tokens
// had to be computed again for it: where two have parted, a third may. Each takes a sequence that could have kept a
// reply, so there must be enough.
func (s *Scheduler) foresees(q *sequence) []int {
	first := !q.job.firstDrawn || q.job.Forced != nil
	if q.state != prefill || !first || s.options.Sequences < 3*s.options.Live {
		return nil
	}
	return []int{q.job.parts, len(q.job.Prompt) - 1}
}

// park copies running sequences that stand at a branch to idle ones, before this plan goes on with them.
func (s *Scheduler) park(plan *Plan) {
	gain := s.gains()
	for _, q := range s.live {
		if gain[q.id] == 0 || s.isParked(q) {
			continue
		}
		p := s.lastFree()
		if p == nil {
			if p = s.victim(nil, false); p == nil || s.evictionCosts()[p.id] >= gain[q.id] {
				continue
			}
			plan.Memory = append(plan.Memory, s.evict(p))
		}
		plan.Memory = append(plan.Memory, s.share(p, q, q.computed)...)
		p.state, p.parked, p.lastUsed = idle, true, s.stats.Steps
	}
	s.cost, s.wants = nil, nil // there are new idle sequences
}

// setAside moves a sequence that has become idle to the last empty one. Together with free, which takes the first, and
// park, which takes the last, this keeps running sequences close together: llama.cpp computes those with consecutive
// numbers in one graph, and may need another graph after each gap.
func (s *Scheduler) setAside(q *sequence) {
	p := s.lastFree()
	if p == nil || p.id < q.id {
		return
	}
	s.deferred = append(s.deferred, s.share(p, q, q.computed)...)
	p.state, p.lastUsed = q.state, q.lastUsed
	s.deferred = append(s.deferred, s.evict(q))
	s.cost, s.wants = nil, nil
}

// lastFree returns the highest empty sequence, or nil.
func (s *Scheduler) lastFree() *sequence {
	for _, q := range slices.Backward(s.sequences) {
		if q.state == empty {
			return q
		}
	}
	return nil
}

// gains has, for each running sequence, the tokens that it would save to park it where it stands now.
func (s *Scheduler) gains() (gain [MaxSequences]int) {
	stands := func(q *sequence) bool { return q.computed > 0 && q.computed <= len(q.job.committed) }
	if !slices.ContainsFunc(s.live, stands) {
		return gain
	}
	for _, p := range s.prospects {
		if q := p.running; q != nil && !p.waits() {
			gain[q.id] += p.branch - p.length
		}
	}
	for _, q := range s.live {
		if q.computed > 0 && slices.Contains(s.foresees(q), q.computed) {
			gain[q.id]++
		}
	}
	return gain
}

// isParked reports whether an idle sequence ends at the last cell that q has computed.
func (s *Scheduler) isParked(q *sequence) bool {
	at := q.leaf.At(q.computed - 1)
	return at.End() == q.computed && s.idleAt(at, q)
}

// idleAt reports whether an idle sequence other than q ends with a node.
func (s *Scheduler) idleAt(n *prefix.Node, q *sequence) bool {
	for id := range n.Owners().All {
		if r := s.sequences[id]; r != q && r.state == idle && r.leaf == n {
			return true
		}
	}
	return false
}

// takesOver reports whether a job that finds no empty sequence continues the one that it begins with, which no other
// waiting job wants. Otherwise it evicts another one and continues a copy.
func (s *Scheduler) takesOver(source *sequence) bool {
	s.evictionCosts()
	return !source.parked && s.wants[source.id] <= 1
}

// planStops plans prompts up to where they end or stop.
func (s *Scheduler) planStops(plan *Plan) {
	stops := s.stops()
	for _, q := range s.live {
		if room := s.left(plan, q.job); q.state == prefill && room > 0 {
			end := len(q.job.committed)
			if stop := stops[q.id]; stop > 0 {
				end = stop
			}
			s.planRows(plan, []*sequence{q}, step.Row{Seq: q.id}, min(end, q.computed+room))
		}
	}
}
