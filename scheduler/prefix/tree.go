package prefix

import (
	"slices"

	"github.com/parley-debate/parley/inference/step"
)

// Tree is a radix tree by exact token ids. Children of a node start with different tokens, so that a sequence of
// tokens has one path and every cell in the tree is stored once (but see Grow). Each space (see scheduler.Request) has
// children of the root that are its own, and so a tree of its own.
//
//	root ── few-shot and question ──┬── reply of agent 0 ── exchange message
//	      owners 0 1 2              │   owner 0
//	                                └── reply of agent 1 ...
type Tree struct {
	root  *Node
	cells int // sum of the lengths of all nodes
}

// Node is a run of cells that the same sequences hold.
type Node struct {
	parent     *Node
	key        childKey // its place among parent's children
	children   map[childKey]*Node
	duplicates int32        // the highest duplicate that a child has had
	tokens     []step.Token // never empty but in the root; shares memory with prompts, never written
	start      int          // position of tokens[0]
	owners     SeqSet
}

// childKey tells the children of a node apart. A duplicate other than 0 is a child that starts with the same token as
// another one, see Grow. The space is 0 but below the root. The fields leave no gap, so that a map hashes them at once.
type childKey struct {
	token     step.Token
	duplicate int32
	space     int
}

// New returns a tree without cells.
func New() *Tree { return &Tree{root: &Node{}} }

// Root returns the node where all paths begin: it has no tokens and ends at 0.
func (t *Tree) Root() *Node { return t.root }

// Cells returns how many cells the tree has, each counted once, whoever holds it.
func (t *Tree) Cells() int { return t.cells }

// Start returns the position of the node's first token.
func (n *Node) Start() int { return n.start }

// End returns the position after the node's last token, 0 for the root.
func (n *Node) End() int { return n.start + len(n.tokens) }

// Owners returns the sequences that hold the node's cells. A holder of a node holds all nodes above it too. The root
// has none. The set is the tree's own: read it, do not change it.
func (n *Node) Owners() *SeqSet { return &n.owners }

// Up yields the node and all those above it, without the root.
func (n *Node) Up(yield func(*Node) bool) {
	for ; n.parent != nil; n = n.parent {
		if !yield(n) {
			return
		}
	}
}

// At returns the node on the path that ends with n which has the cell at a position in [0, n.End()).
func (n *Node) At(position int) *Node {
	for n.start > position {
		n = n.parent
	}
	return n
}

// Tokens returns a copy of all tokens on the path that ends with the node: those at [0, End).
func (n *Node) Tokens() []step.Token {
	tokens := make([]step.Token, n.End())
	for up := range n.Up {
		copy(tokens[up.start:], up.tokens)
	}
	return tokens
}

// childKey returns the key of a space's child that starts with a token.
func (n *Node) childKey(space int, first step.Token, duplicate int32) childKey {
	if n.parent != nil {
		space = 0 // the whole path is of one
	}
	return childKey{first, duplicate, space}
}

// child returns a space's child that starts with a token, nil if there is none. Of duplicates it sees the first.
func (n *Node) child(space int, first step.Token) *Node {
	return n.children[n.childKey(space, first, 0)]
}

// HasChild reports whether a space has a child of the node that starts with a token.
func (n *Node) HasChild(space int, first step.Token) bool { return n.child(space, first) != nil }

// Match walks down from a node along a space's tokens as far as they agree. It returns how many agree and the deepest
// node entered, which may be matched in part only; if no token agrees, that is the node itself. Of duplicates it sees
// the first.
func (t *Tree) Match(from *Node, space int, tokens []step.Token) (agree int, at *Node) {
	at = from
	for agree < len(tokens) {
		child := at.child(space, tokens[agree])
		if child == nil {
			break
		}
		n := Agreement(child.tokens, tokens[agree:])
		agree, at = agree+n, child
		if n < len(child.tokens) {
			break
		}
	}
	return agree, at
}

// Along yields every node whose path agrees with a space's tokens in at least one token of its own, each with the
// length of that agreement, which is below Node.End if the tokens part from the node or end within it. Unlike Match,
// Along sees all duplicates.
func (t *Tree) Along(space int, tokens []step.Token, yield func(n *Node, agree int)) {
	t.root.along(space, tokens, yield)
}

func (n *Node) along(space int, tokens []step.Token, yield func(*Node, int)) {
	rest := tokens[n.End():]
	if len(rest) == 0 {
		return
	}
	for duplicate := range n.duplicates + 1 {
		child := n.children[n.childKey(space, rest[0], duplicate)]
		if child == nil {
			continue
		}
		agree := child.start + Agreement(child.tokens, rest)
		yield(child, agree)
		if agree == child.End() {
			child.along(space, tokens, yield)
		}
	}
}

// Agreement returns the length of the longest common prefix of two texts.
func Agreement(a, b []step.Token) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// Hold makes seq an owner of the path that ends at depth inside node at, splitting the node where needed, and returns
// the node that ends at depth. at is what Match returned, or the root with a depth of 0, where nothing is held.
func (t *Tree) Hold(seq step.SeqID, at *Node, depth int) *Node {
	if depth < at.End() {
		at = t.split(at, depth)
	}
	for n := range at.Up {
		n.owners.Add(seq)
	}
	return at
}

// split cuts a node at a position strictly inside it and returns the upper part; the lower part keeps its identity.
func (t *Tree) split(n *Node, position int) *Node {
	k := position - n.start
	upper := &Node{parent: n.parent, key: n.key, tokens: n.tokens[:k], start: n.start, owners: n.owners}
	n.parent.children[upper.key] = upper
	n.parent, n.tokens, n.start, n.key = upper, n.tokens[k:], position, childKey{token: n.tokens[k]}
	upper.children = map[childKey]*Node{n.key: n}
	return upper
}

// Grow adds tokens, of which there is at least one, as a new child of parent, held by seq alone, and returns it. If
// parent has a child that starts with the same token, the new one is its duplicate: so a sequence that had to compute
// again what another one holds has cells of its own.
func (t *Tree) Grow(seq step.SeqID, parent *Node, space int, tokens []step.Token) *Node {
	n := &Node{parent: parent, key: parent.childKey(space, tokens[0], 0), tokens: tokens, start: parent.End()}
	n.owners.Add(seq)
	if parent.children == nil {
		parent.children = make(map[childKey]*Node)
	}
	for parent.children[n.key] != nil {
		n.key.duplicate++
	}
	parent.duplicates = max(parent.duplicates, n.key.duplicate)
	parent.children[n.key] = n
	t.cells += len(tokens)
	return n
}

// Release removes seq from the part of its path at [depth, leaf.End()) and returns the node that the path now ends at.
// A node that loses its last owner leaves the tree with its cells.
func (t *Tree) Release(seq step.SeqID, leaf *Node, depth int) *Node {
	for leaf != t.root && leaf.End() > depth {
		if leaf.start < depth {
			t.split(leaf, depth) // leaf is the lower part, [depth, end)
		}
		leaf.owners.remove(seq)
		if leaf.owners == (SeqSet{}) {
			delete(leaf.parent.children, leaf.key)
			t.cells -= len(leaf.tokens)
		} else {
			t.join(leaf)
		}
		leaf = leaf.parent
	}
	return leaf
}

// join undoes a split that no longer separates anything: if all owners of a node continue into its only child, the two
// become one. No sequence's leaf is such a node, so the upper part may disappear and the child keeps its identity.
func (t *Tree) join(n *Node) {
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

// CellsOf returns the number of cells that any of the sequences holds.
func (t *Tree) CellsOf(sequences SeqSet) int { return t.root.cellsOf(sequences) }

func (n *Node) cellsOf(sequences SeqSet) int {
	cells := 0
	if n.owners.Meets(&sequences) {
		cells = len(n.tokens)
	}
	for _, child := range n.children {
		cells += child.cellsOf(sequences)
	}
	return cells
}
