package scheduler

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestTreeIsAMapOfPrefixes compares the tree with the plainest thing that does the same: for every sequence, the tokens
// it holds. Cells are the distinct prefixes, a match is the longest of them.
func TestTreeIsAMapOfPrefixes(t *testing.T) {
	var hits, splits int
	rapid.Check(t, func(t *rapid.T) {
		tr, leaves, plain := newTree(), map[SeqID]*node{}, map[SeqID][]Token{}
		for range rapid.IntRange(1, 40).Draw(t, "operations") {
			seq := SeqID(rapid.IntRange(0, 5).Draw(t, "sequence"))
			if held, ok := plain[seq]; ok {
				depth := rapid.IntRange(0, len(held)).Draw(t, "kept")
				leaves[seq] = tr.release(seq, leaves[seq], depth)
				if plain[seq] = held[:depth]; depth == 0 {
					delete(plain, seq)
				}
			} else {
				tokens := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 2), func(i int) Token { return Token(i) }), 1,
					12).Draw(t, "tokens")
				depth, at := tr.match(tr.root, tokens)
				if want := longest(plain, tokens); depth != want {
					t.Fatalf("match(%v) = %d, want %d", tokens, depth, want)
				}
				hits += min(depth, 1)
				splits += min(at.end()-depth, 1)
				leaf := tr.root
				if depth > 0 {
					leaf = tr.hold(seq, at, depth)
				}
				if depth < len(tokens) {
					leaf = tr.grow(seq, leaf, tokens[depth:])
				}
				leaves[seq], plain[seq] = leaf, tokens
			}
			compareTree(t, tr, leaves, plain)
		}
	})
	if hits == 0 || splits == 0 {
		t.Errorf("%d hits and %d splits: the test saw nothing", hits, splits)
	}
}

func longest(plain map[SeqID][]Token, tokens []Token) int {
	n := 0
	for _, held := range plain {
		n = max(n, agreement(held, tokens))
	}
	return n
}

func compareTree(t *rapid.T, tr *tree, leaves map[SeqID]*node, plain map[SeqID][]Token) {
	t.Helper()
	distinct := map[string]seqSet{}
	for seq, held := range plain {
		for i := range held {
			key := string(bytesOf(held[:i+1]))
			distinct[key] = distinct[key].with(seq)
		}
		if got := path(leaves[seq]); !slices.Equal(got, held) {
			t.Fatalf("sequence %d holds %v, want %v", seq, got, held)
		}
	}
	if tr.cells != len(distinct) {
		t.Fatalf("%d cells, want %d", tr.cells, len(distinct))
	}
	walk(tr.root, func(n *node) {
		full := path(n)
		for i := n.start; i < n.end(); i++ {
			if want := distinct[string(bytesOf(full[:i+1]))]; n.holders != want {
				t.Fatalf("holders of %v are %v, want %v", full[:i+1], n.holders, want)
			}
		}
	})
}

// path is all tokens from the root to the end of n.
func path(n *node) []Token {
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

func bytesOf(tokens []Token) []byte {
	b := make([]byte, len(tokens))
	for i, t := range tokens {
		b[i] = byte(t)
	}
	return b
}
