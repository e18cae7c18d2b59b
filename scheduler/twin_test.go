package scheduler

import (
	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/scheduler/prefix"
	"github.com/parley-debate/parley/scheduler/prefix/prefixtest"
)

// twinOf is the twin of a scheduler's tree, from what the requests say rather than from the tree where one runs.
func twinOf(s *Scheduler) (twin prefixtest.Naive, leaves map[step.SeqID]*prefix.Node) {
	twin, leaves = prefixtest.Naive{}, map[step.SeqID]*prefix.Node{}
	for _, q := range s.sequences {
		held := q.leaf.Tokens()
		for i := range held {
			if q.job != nil {
				held[i], _ = q.job.token(i)
			}
		}
		leaves[q.id] = q.leaf
		if len(held) > 0 {
			twin.Hold(q.id, held)
		}
	}
	return twin, leaves
}

// compareWithTwin compares the whole tree of a scheduler with its twin, and what the two find for waiting requests.
func compareWithTwin(s *Scheduler, saw *prefixtest.Sightings) error {
	twin, leaves := twinOf(s)
	if err := twin.Differs(s.tree, leaves, saw); err != nil {
		return err
	}
	for _, job := range s.queue {
		if err := twin.Agrees(s.tree, job.committed, saw); err != nil {
			return err
		}
	}
	return nil
}
