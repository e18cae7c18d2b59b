package scheduler

import (
	"slices"

	"github.com/parley-debate/parley/inference/step"
)

// tree is the radix tree of everything that the engine holds or is about to hold, by exact token ids. A node is a run
// of cells; its holders are the sequences that own them. Children of a node start with different tokens, so that a
// sequence of tokens has one path and every cell in the tree is stored once.
//
//	root ── few-shot and question ──┬── reply of agent 0 ── exchange message
//	      holders 0 1 2             │   holder 0
//	                                └── reply of agent 1 ...
type tree struct {
	root  *node
	cells int // sum of the lengths of all nodes
}

type node struct {
	parent   *node
	children map[step.Token]*node
	tokens   []step.Token // never empty but in the root; shares memory with prompts, never written
	start    int          // position of tokens[0]
	holders  seqSet
}

func newTree() *tree { return &tree{root: &node{}} }

// end is the position after the node's last token.
func (n *node) end() int { return n.start + len(n.tokens) }

// match walks down from a node along tokens as far as they agree. It returns how many agree and the deepest node
// entered, which may be matched in part only; if no token agrees, that is the node itself.
func (t *tree) match(from *node, tokens []step.Token) (agree int, at *node) {
	at = from
	for agree < len(tokens) {
		child := at.children[tokens[agree]]
		if child == nil {
			break
		}
		n := agreement(child.tokens, tokens[agree:])
		agree, at = agree+n, child
		if n < len(child.tokens) {
			break
		}
	}
	return agree, at
}

// agreement is the length of the longest common prefix.
func agreement(a, b []step.Token) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// hold adds seq to the holders of the path that ends at depth inside node at, splitting the node where needed, and
// returns the node that ends at depth.
func (t *tree) hold(seq step.SeqID, at *node, depth int) *node {
	if depth < at.end() {
		at = t.split(at, depth)
	}
	for n := at; n != t.root; n = n.parent {
		n.holders.add(seq)
	}
	return at
}

// split cuts a node at a position strictly inside it and returns the upper part; the lower part keeps its identity.
func (t *tree) split(n *node, position int) *node {
	k := position - n.start
	upper := &node{parent: n.parent, tokens: n.tokens[:k], start: n.start, holders: n.holders}
	upper.children = map[step.Token]*node{n.tokens[k]: n}
	n.parent.children[upper.tokens[0]] = upper
	n.parent, n.tokens, n.start = upper, n.tokens[k:], position
	return upper
}

// grow adds tokens as a new child of parent, which must have none that starts with the same token, held by seq alone.
func (t *tree) grow(seq step.SeqID, parent *node, tokens []step.Token) *node {
	n := &node{parent: parent, tokens: tokens, start: parent.end()}
	n.holders.add(seq)
	if parent.children == nil {
		parent.children = make(map[step.Token]*node)
	}
	parent.children[tokens[0]] = n
	t.cells += len(tokens)
	return n
}

// release removes seq from the part of its path at [depth, leaf.end()) and returns the node that the path now ends at.
// A node that loses its last holder leaves the tree with its cells.
func (t *tree) release(seq step.SeqID, leaf *node, depth int) *node {
	for leaf != t.root && leaf.end() > depth {
		if leaf.start < depth {
			t.split(leaf, depth) // leaf is the lower part, [depth, end)
		}
		leaf.holders.remove(seq)
		if leaf.holders.empty() {
			delete(leaf.parent.children, leaf.tokens[0])
			t.cells -= len(leaf.tokens)
		} else {
			t.join(leaf)
		}
		leaf = leaf.parent
	}
	return leaf
}

// cellsOf is the number of cells at and below n that any of the sequences holds.
func (n *node) cellsOf(sequences seqSet) int {
	cells := 0
	if n.holders.meets(sequences) {
		cells = len(n.tokens)
	}
	for _, child := range n.children {
		cells += child.cellsOf(sequences)
	}
	return cells
}

// join undoes a split that no longer separates anything: if all holders of a node continue into its only child, the two
// become one. No sequence's leaf is such a node, so the upper part may disappear and the child keeps its identity.
func (t *tree) join(n *node) {
	if n == t.root || len(n.children) != 1 {
		return
	}
	for _, child := range n.children {
		if child.holders != n.holders {
			return
		}
		child.tokens = slices.Concat(n.tokens, child.tokens)
		child.start, child.parent = n.start, n.parent
		n.parent.children[child.tokens[0]] = child
	}
}
