package prefix

import "github.com/parley-debate/parley/inference/step"

// What follows damages a tree, for tests of what notices it.

func (t *Tree) LoseCell() { t.cells-- }

func (t *Tree) LoseAll() { clear(t.root.children) }

func (n *Node) AddOwner(q step.SeqID) { n.owners.Add(q) }

func (n *Node) RemoveOwner(q step.SeqID) { n.owners.remove(q) }

func (n *Node) SetTokens(tokens []step.Token) { n.tokens = tokens }

func (n *Node) Shift() { n.start++ }
