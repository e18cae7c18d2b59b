package scheduler

import (
	"fmt"

	"github.com/parley-debate/parley/inference/step"
)

// verify checks the books: the tree is right, every cell and every place is counted once, promised cells exist, and
// each sequence holds its path in the tree followed by its private tokens.
func (s *Scheduler) verify() error {
	if err := s.tree.Verify(); err != nil {
		return err
	}
	private, reserved, running := 0, 0, make(map[*party]int)
	for _, q := range s.sequences {
		private += len(q.private)
		if err := q.verify(); err != nil {
			return fmt.Errorf("sequence %d: %w", q.id, err)
		}
		if q.job != nil {
			running[q.job.party]++
			reserved += q.job.reserved
		}
	}
	for number, p := range s.parties {
		if running[p] != p.running {
			return fmt.Errorf("party %d has %d places, counted %d", number, p.running, running[p])
		}
	}
	switch {
	case private != s.private || reserved != s.reserved:
		return fmt.Errorf("private %d, reserved %d cells; counted %d, %d", s.private, s.reserved, private, reserved)
	case s.room() < 0:
		return fmt.Errorf("%d cells promised that are not there", -s.room())
	}
	return nil
}

func (q *sequence) verify() error {
	for n := range q.leaf.Up {
		if !n.Owners().Has(q.id) {
			return fmt.Errorf("does not hold its own path at %d", n.Start())
		}
	}
	path := q.leaf.Tokens()
	switch {
	case len(path) != q.shared():
		return fmt.Errorf("a path of %d tokens ends at %d", len(path), q.shared())
	case q.state == empty && (q.computed != 0 || len(path) != 0 || len(q.private) != 0):
		return fmt.Errorf("is empty and holds %d tokens", q.computed)
	case q.live() != (q.job != nil):
		return fmt.Errorf("is in state %d and runs %v", q.state, q.job)
	case q.job == nil:
		return nil
	case q.job.reserved < 0:
		return fmt.Errorf("was promised %d cells", q.job.reserved)
	}
	held := append(path, q.private...)
	if q.computed < q.shared() {
		held = path[:q.computed] // the rest is about to be filled
	} else if q.computed != len(held) {
		return fmt.Errorf("computed %d tokens, holds %d", q.computed, len(held))
	}
	for i, token := range held {
		if want, ok := q.job.token(i); ok && token != want {
			return fmt.Errorf("holds token %d at %d, its request has %d", token, i, want)
		}
	}
	return nil
}

// token returns what a job's sequence has to hold at a position.
func (job *Job) token(i int) (step.Token, bool) {
	if i < len(job.committed) {
		return job.committed[i], true
	}
	if drawn := i - len(job.Prompt); drawn < len(job.Result.Tokens) {
		return job.Result.Tokens[drawn].Token, true
	}
	return 0, false
}
