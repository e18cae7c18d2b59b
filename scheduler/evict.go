package scheduler

import (
	"cmp"
	"math"

	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/scheduler/prefix"
)

// evict empties an idle sequence. Cells that others hold too stay.
func (s *Scheduler) evict(q *sequence) step.MemoryOp {
	q.leaf = s.tree.Release(q.id, q.leaf, 0)
	q.state, q.computed, q.parked = empty, 0, false
	return step.MemoryOp{Kind: step.Remove, Dst: q.id, From: 0, To: -1}
}

// reclaim frees cells of an idle sequence: all of its own or, where spaces share the cells, up to short of them, and
// then no more than leaves its space with as much as the next one has, or than one space's part of what is short.
func (s *Scheduler) reclaim(q *sequence, short int) step.MemoryOp {
	all := s.holdings(true)
	if all == nil || s.options.Whole {
		return s.evict(q)
	}
	own, next := all[q.space], 0
	for space, amount := range all {
		if space != q.space && amount <= own {
			next = max(next, amount)
		}
	}
	first := q.leaf.End() // of q's own cells, or one of them that stays
	depth := first - min(short, max(own-next, (short+len(all)-1)/len(all)))
	for n := range q.leaf.Up {
		if _, alone := n.Owners().Only(); !alone {
			break
		}
		if first = n.Start(); first < depth {
			break
		}
	}
	if depth <= first {
		return s.evict(q) // what is above is held by others too, so that q would add nothing to it
	}
	q.leaf, q.computed = s.tree.Release(q.id, q.leaf, depth), depth
	return step.MemoryOp{Kind: step.Remove, Dst: q.id, From: int32(depth), To: -1}
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

// victim returns the idle sequence, other than keep, whose loss costs least, or nil: one of the space that holds most
// (see holdings). The cost is the number of tokens that waiting requests would have to compute again; among equals, the
// one that finished first goes first. With Options.Whole, sequences that hold no cells of their own are passed over
// when it is cells that are short.
func (s *Scheduler) victim(keep *sequence, forCells bool) (victim *sequence) {
	cost, held := s.evictionCosts(), s.holdings(forCells)
	for _, q := range s.sequences {
		if q.state != idle || q == keep {
			continue
		}
		if _, own := q.leaf.Owners().Only(); s.options.Whole && forCells && !own {
			continue
		}
		if victim == nil || cmp.Or(cmp.Compare(held[victim.space], held[q.space]),
			cmp.Compare(cost[q.id], cost[victim.id]), cmp.Compare(q.lastUsed, victim.lastUsed)) < 0 {
			victim = q
		}
	}
	return victim
}

// foresight bounds the waiting requests that are considered before a sequence is evicted: more than can run next.
const foresight = 2 * MaxSequences

// evictionCosts returns, for each sequence, how many tokens the waiting requests share with it and with no other: what
// they would have to compute again if it were evicted. It is computed at most once in a plan.
func (s *Scheduler) evictionCosts() []int {
	if s.cost != nil {
		return s.cost
	}
	s.cost, s.wants = make([]int, len(s.sequences)), make([]int, len(s.sequences))
	if s.options.Whole {
		for _, p := range s.prospects {
			if p.donor != nil {
				s.cost[p.donor.id] += p.length - p.next
				s.wants[p.donor.id]++
			}
		}
		return s.cost
	}
	for _, job := range s.queue[:min(len(s.queue), foresight)] {
		if job.seq != nil {
			continue // started in this plan
		}
		depth, at := s.tree.Match(s.tree.Root(), job.Space, job.committed)
		for n := range at.Up {
			if only, ok := n.Owners().Only(); ok {
				s.cost[only] += min(depth, n.End()) - n.Start()
			}
		}
	}
	return s.cost
}

// lapse is for how many steps a space that asks nothing keeps its part of the cells.
const lapse = 10_000

// holdings returns what each space holds of the cells, or else of the sequences, or nil where there is but one. Idle
// sequences are evicted by it, so that what a space has cached is safe from others up to an equal part:
//
//   - A space that has asked nothing for lapse steps gives way first: it counts as holding everything.
//   - Of the others, the one that holds most does, down to what the next one holds. So all come to hold the same, but
//     for those who want less.
//   - Within a space, that goes first which waiting requests need least. A sequence is cut at its end, no further than
//     is needed (see reclaim): the beginning of a prompt is what requests have in common.
//
// Generations that run come first: for their cells even a space that holds less than its part gives way.
func (s *Scheduler) holdings(ofCells bool) map[int]int {
	all, used := make(map[int]int), make(map[int]int)
	of := make(map[int]prefix.SeqSet)
	for _, q := range s.sequences {
		if q.state == empty {
			continue
		}
		own := of[q.space]
		own.Add(q.id)
		of[q.space] = own
		if ofCells {
			all[q.space] += len(q.private)
		} else {
			all[q.space]++
		}
		if used[q.space] = max(used[q.space], q.lastUsed); q.live() {
			used[q.space] = s.stats.Steps
		}
	}
	if len(all) < 2 {
		return nil
	}
	for space := range all {
		if ofCells {
			all[space] += s.tree.CellsOf(of[space])
		}
		if used[space]+lapse < s.stats.Steps {
			all[space] = math.MaxInt
		}
	}
	return all
}

// room returns the number of cells that are neither used nor promised. It is never negative (see verify).
func (s *Scheduler) room() int {
	return s.options.Cells - s.tree.Cells() - s.private - s.reserved
}

// pinnedCells returns the number of cells in the tree that eviction could not free: those of running sequences, and the
// cells [0, length) of source.
func (s *Scheduler) pinnedCells(source *sequence, length int) int {
	var live prefix.SeqSet
	for _, q := range s.live {
		live.Add(q.id)
	}
	cells := s.tree.CellsOf(live)
	if source == nil {
		return cells
	}
	for n := range source.leaf.Up {
		if n.Start() < length && !n.Owners().Meets(&live) {
			cells += min(n.End(), length) - n.Start()
		}
	}
	return cells
}
