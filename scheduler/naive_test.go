package scheduler

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-debate/parley/inference/step"
)

// naive is the prefix tree without a tree: the tokens that each sequence holds, and nothing else. It answers every
// question by going through all of them, so that one can see that it is right. Tests compare the tree with it.
type naive map[step.SeqID][]step.Token

// hold makes seq hold more tokens after its own.
func (n naive) hold(seq step.SeqID, tokens []step.Token) { n[seq] = slices.Concat(n[seq], tokens) }

// release cuts what seq holds to [0, depth).
func (n naive) release(seq step.SeqID, depth int) {
	if n[seq] = n[seq][:min(depth, len(n[seq]))]; len(n[seq]) == 0 {
		delete(n, seq)
	}
}

// match is the length of the longest prefix of tokens that some sequence holds.
func (n naive) match(tokens []step.Token) int {
	longest := 0
	for _, held := range n {
		longest = max(longest, agreement(held, tokens))
	}
	return longest
}

// prefixes has the owners of every distinct prefix: a cell is what has been computed for one of them.
func (n naive) prefixes() map[string]seqSet {
	all := map[string]seqSet{}
	for seq, held := range n {
		for i := range held {
			key := string(bytesOf(held[:i+1]))
			all[key] = all[key].with(seq)
		}
	}
	return all
}

// sightings counts what a comparison of the tree with its twin has seen, so that a test can fail if it saw nothing.
type sightings struct{ cells, shared, forks, matches, partial int }

func (s sightings) blind() bool {
	return min(s.cells, s.shared, s.forks, s.matches, s.partial) == 0
}

// checkUntilSeen checks a property on random input, and on more of it as long as what the test is about was not met:
// the few inputs of a short run seldom hold every rare event.
func checkUntilSeen(t *testing.T, blind func() bool, property func(*rapid.T)) {
	t.Helper()
	for range 20 {
		rapid.Check(t, property)
		if t.Failed() || !blind() {
			return
		}
	}
}

// differs says where a tree and its twin disagree: on what a sequence holds, on the cells and who holds each, or on how
// many cells some of the sequences hold. Where nodes end is not compared. leaves are the ends of the sequences' paths.
func (n naive) differs(tr *tree, leaves map[step.SeqID]*node, saw *sightings) error {
	for seq, leaf := range leaves {
		if got := path(leaf); !slices.Equal(got, n[seq]) {
			return fmt.Errorf("sequence %d holds %v, its twin %v", seq, got, n[seq])
		}
	}
	all := n.prefixes()
	if tr.cells != len(all) {
		return fmt.Errorf("%d cells, the twin has %d", tr.cells, len(all))
	}
	var err error
	saw.cells += len(all)
	walk(tr.root, func(at *node) {
		full := path(at)
		for i := at.start; i < at.end() && err == nil; i++ {
			if want := all[string(bytesOf(full[:i+1]))]; at.owners != want {
				err = fmt.Errorf("%v is held by %v, in the twin by %v", full[:i+1], at.owners, want)
			}
		}
		if _, alone := at.owners.only(); !alone {
			saw.shared++
		}
		saw.forks += min(len(at.children)/2, 1)
	})
	for mask := range 8 {
		var some seqSet
		for id := range step.SeqID(6) {
			if mask>>(id%3)&1 == 1 {
				some.add(id)
			}
		}
		cells := 0
		for _, owners := range all {
			if owners.meets(some) {
				cells++
			}
		}
		if got := tr.root.cellsOf(some); err == nil && got != cells {
			err = fmt.Errorf("%v hold %d cells, in the twin %d", some, got, cells)
		}
	}
	return err
}

// agrees compares the longest prefix that the tree finds for tokens with the one that its twin finds.
func (n naive) agrees(tr *tree, tokens []step.Token, saw *sightings) error {
	depth, at := tr.match(tr.root, 0, tokens)
	switch want := n.match(tokens); {
	case depth != want:
		return fmt.Errorf("match(%v) = %d, the twin says %d", tokens, depth, want)
	case !slices.Equal(path(at)[:depth], tokens[:depth]) || at.start > depth || at.end() < depth:
		return fmt.Errorf("match(%v) = %d ends in a node with %v", tokens, depth, path(at))
	}
	saw.matches += min(depth, 1)
	saw.partial += min(at.end()-depth, 1)
	return nil
}

// twinOf is the twin of a scheduler's tree, from what the requests say rather than from the tree where one runs.
func twinOf(s *Scheduler) (twin naive, leaves map[step.SeqID]*node) {
	twin, leaves = naive{}, map[step.SeqID]*node{}
	for _, q := range s.sequences {
		held := path(q.leaf)
		for i := range held {
			if q.job != nil {
				held[i], _ = q.job.token(i)
			}
		}
		leaves[q.id] = q.leaf
		if len(held) > 0 {
			twin.hold(q.id, held)
		}
	}
	return twin, leaves
}

// compareWithTwin compares the whole tree of a scheduler with its twin, and what the two find for waiting requests.
func compareWithTwin(s *Scheduler, saw *sightings) error {
	twin, leaves := twinOf(s)
	if err := twin.differs(s.tree, leaves, saw); err != nil {
		return err
	}
	for _, job := range s.queue {
		if err := twin.agrees(s.tree, job.committed, saw); err != nil {
			return err
		}
	}
	return nil
}

// path is all tokens from the root to the end of n.
func path(n *node) []step.Token {
	if n.parent == nil {
		return nil
	}
	return slices.Concat(path(n.parent), n.tokens)
}

func walk(n *node, visit func(*node)) {
	if n.parent != nil {
		visit(n)
	}
	for _, child := range n.children {
		walk(child, visit)
	}
}

func bytesOf(tokens []step.Token) []byte {
	b := make([]byte, len(tokens))
	for i, t := range tokens {
		b[i] = byte(t)
	}
	return b
}
