package scheduler

import (
	"slices"

	"github.com/parley-debate/parley/inference/step"
)

// tree is the radix tree of everything that the engine holds or is about to hold, by exact token ids. A node is a run
// of cells; its owners are the sequences that hold them. Children of a node start with different tokens, so that a
// sequence of tokens has one path and every cell in the tree is stored once (but see childKey). Each space (see
// Request.Space) has children of the root that are its own, and so a tree of its own.
//
//	root ── few-shot and question ──┬── reply of agent 0 ── exchange message
//	      owners 0 1 2              │   owner 0
//	                                └── reply of agent 1 ...
type tree struct {
	root  *node
	cells int // sum of the lengths of all nodes
}

type node struct {
	parent     *node
	key        childKey // its place among parent's children
	children   map[childKey]*node
	duplicates int          // the highest twin that a child has had
	tokens     []step.Token // never empty but in the root; shares memory with prompts, never written
	start      int          // position of tokens[0]
	owners     seqSet
}

// childKey tells the children of a node apart. Duplicates other than 0 exist with Options.Whole alone: children that
// start with the same token, because a sequence had to compute again what another one holds. The space is 0 but below
// the root.
type childKey struct {
	token     step.Token
	duplicate int
	space     int
}

func newTree() *tree { return &tree{root: &node{}} }

// childKey returns the key of a space's child that starts with a token.
func (n *node) childKey(space int, first step.Token, duplicate int) childKey {
	if n.parent != nil {
		space = 0 // the whole path is of one
	}
	return childKey{first, duplicate, space}
}

// child returns a space's child that starts with a token, nil if there is none. It sees no duplicates.
func (n *node) child(space int, first step.Token) *node {
	return n.children[n.childKey(space, first, 0)]
}

// end returns the position after the node's last token.
func (n *node) end() int { return n.start + len(n.tokens) }

// match walks down from a node along a space's tokens as far as they agree. It returns how many agree and the deepest
// node entered, which may be matched in part only; if no token agrees, that is the node itself.
func (t *tree) match(from *node, space int, tokens []step.Token) (agree int, at *node) {
	at = from
	for agree < len(tokens) {
		child := at.child(space, tokens[agree])
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

// agreement returns the length of the longest common prefix.
func agreement(a, b []step.Token) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// hold adds seq to the owners of the path that ends at depth inside node at, splitting the node where needed, and
// returns the node that ends at depth.
func (t *tree) hold(seq step.SeqID, at *node, depth int) *node {
	if depth < at.end() {
		at = t.split(at, depth)
	}
	for n := at; n != t.root; n = n.parent {
		n.owners.add(seq)
	}
	return at
}

// split cuts a node at a position strictly inside it and returns the upper part; the lower part keeps its identity.
func (t *tree) split(n *node, position int) *node {
	k := position - n.start
	upper := &node{parent: n.parent, key: n.key, tokens: n.tokens[:k], start: n.start, owners: n.owners}
	n.parent.children[upper.key] = upper
	n.parent, n.tokens, n.start, n.key = upper, n.tokens[k:], position, childKey{token: n.tokens[k]}
	upper.children = map[childKey]*node{n.key: n}
	return upper
}

// grow adds tokens as a new child of parent, held by seq alone. If parent has one that starts with the same token, the
// new one is its duplicate.
func (t *tree) grow(seq step.SeqID, parent *node, space int, tokens []step.Token) *node {
	n := &node{parent: parent, key: parent.childKey(space, tokens[0], 0), tokens: tokens, start: parent.end()}
	n.owners.add(seq)
	if parent.children == nil {
		parent.children = make(map[childKey]*node)
	}
	for parent.children[n.key] != nil {
		n.key.duplicate++
	}
	parent.duplicates = max(parent.duplicates, n.key.duplicate)
	parent.children[n.key] = n
	t.cells += len(tokens)
	return n
}

// release removes seq from the part of its path at [depth, leaf.end()) and returns the node that the path now ends at.
// A node that loses its last owner leaves the tree with its cells.
func (t *tree) release(seq step.SeqID, leaf *node, depth int) *node {
	for leaf != t.root && leaf.end() > depth {
		if leaf.start < depth {
			t.split(leaf, depth) // leaf is the lower part, [depth, end)
		}
		leaf.owners.remove(seq)
		if leaf.owners.empty() {
			delete(leaf.parent.children, leaf.key)
			t.cells -= len(leaf.tokens)
		} else {
			t.join(leaf)
		}
		leaf = leaf.parent
	}
	return leaf
}

// cellsOf returns the number of cells at and below n that any of the sequences holds.
func (n *node) cellsOf(sequences seqSet) int {
	cells := 0
	if n.owners.meets(sequences) {
		cells = len(n.tokens)
	}
	for _, child := range n.children {
		cells += child.cellsOf(sequences)
	}
	return cells
}

// join undoes a split that no longer separates anything: if all owners of a node continue into its only child, the two
// become one. No sequence's leaf is such a node, so the upper part may disappear and the child keeps its identity.
func (t *tree) join(n *node) {
	if n == t.root || len(n.children) != 1 {
		return
	}
	for _, child := range n.children {
		if child.owners != n.owners {
			return
		}
		child.tokens = slices.Concat(n.tokens, child.tokens)
		child.start, child.parent, child.key = n.start, n.parent, n.key
		n.parent.children[child.key] = child
	}
}
