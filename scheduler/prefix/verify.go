package prefix

import (
	"fmt"
	"unsafe"
)

// Nodes yields every node but the root. A node comes after those above it; children of one node come in any order.
func (t *Tree) Nodes(yield func(*Node) bool) { t.root.below(yield) }

func (n *Node) below(yield func(*Node) bool) bool {
	for _, child := range n.children {
		if !yield(child) || !child.below(yield) {
			return false
		}
	}
	return true
}

// Verify checks the books: every cell is counted once and held by somebody, every node is the child that its parent has
// for its first token, and positions have no gaps. It visits all nodes: it is for tests.
func (t *Tree) Verify() error {
	cells := 0
	check := func(parent *Node) error {
		for key, n := range parent.children {
			if n.parent != parent || n.start != parent.End() || len(n.tokens) == 0 || n.tokens[0] != key.token ||
				n.key != key {
				return fmt.Errorf("a node at %d of %d tokens is not the child that its parent, which ends at %d, "+
					"has for %d", n.start, len(n.tokens), parent.End(), key.token)
			}
			if n.owners == (SeqSet{}) {
				return fmt.Errorf("nobody holds the %d cells at %d", len(n.tokens), n.start)
			}
			cells += len(n.tokens)
		}
		return nil
	}
	if err := check(t.root); err != nil {
		return err
	}
	for n := range t.Nodes {
		if err := check(n); err != nil {
			return err
		}
	}
	if cells != t.cells {
		return fmt.Errorf("the tree has %d cells, counted %d", t.cells, cells)
	}
	return nil
}

// Bytes returns about how much memory the nodes take, without their tokens, most of which are those of prompts.
func (t *Tree) Bytes() int64 {
	size := func(n *Node) int64 {
		return int64(unsafe.Sizeof(*n)) + int64(len(n.children))*int64(unsafe.Sizeof(n.key)+unsafe.Sizeof(n))
	}
	bytes := size(t.root)
	for n := range t.Nodes {
		bytes += size(n)
	}
	return bytes
}
