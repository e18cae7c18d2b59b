package scheduler

import (
	"fmt"

	"github.com/parley-debate/parley/inference/step"
)

// verify checks the books: every cell and every place is counted once, promised cells exist, positions have no gaps,
// and each sequence holds its path in the tree followed by its private tokens. Tests call it, and so do Next and Apply
// in builds with -tags invariants.
func (s *Scheduler) verify() error {
	cells := 0
	var walk func(n *node) error
	walk = func(n *node) error {
		cells += len(n.tokens)
		for key, child := range n.children {
			if child.parent != n || child.start != n.end() || len(child.tokens) == 0 ||
				child.tokens[0] != key.token || child.key != key {
				return fmt.Errorf("a node at %d of %d tokens is not the child that its parent, which ends at %d, "+
					"has for %d", child.start, len(child.tokens), n.end(), key.token)
			}
			if child.owners.empty() {
				return fmt.Errorf("nobody holds the %d cells at %d", len(child.tokens), child.start)
			}
			if err := walk(child); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(s.tree.root); err != nil {
		return err
	}
	private, reserved, running := 0, 0, make(map[*party]int)
	for _, q := range s.sequences {
		private += len(q.private)
		if err := q.verify(s.tree.root); err != nil {
			return fmt.Errorf("sequence %d: %w", q.id, err)
		}
		if q.job != nil {
			running[q.job.party]++
			reserved += q.job.reserved
		}
	}
	for _, p := range s.parties {
		if running[p] != p.running {
			return fmt.Errorf("%v has %d places, counted %d", p.Party, p.running, running[p])
		}
	}
	switch {
	case cells != s.tree.cells || private != s.private || reserved != s.reserved:
		return fmt.Errorf("tree %d, private %d, reserved %d cells; counted %d, %d, %d", s.tree.cells, s.private,
			s.reserved, cells, private, reserved)
	case s.room() < 0:
		return fmt.Errorf("%d cells promised that are not there", -s.room())
	}
	return nil
}

func (q *sequence) verify(root *node) error {
	var path []step.Token
	for n := q.leaf; n != root; n = n.parent {
		if !n.owners.has(q.id) {
			return fmt.Errorf("does not hold its own path at %d", n.start)
		}
		path = append(append([]step.Token{}, n.tokens...), path...)
	}
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
