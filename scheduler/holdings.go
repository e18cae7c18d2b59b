package scheduler

import (
	"math"

	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/scheduler/prefix"
)

// lapse is for how many steps a space that asks nothing keeps its part of the cells.
const lapse = 10_000

// holdings returns what each space holds of the cells, or else of the sequences; nil where there is but one. Idle
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
