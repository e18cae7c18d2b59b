package scheduler

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-debate/parley/inference/step"
)

// TestTreeAndItsTwin applies the same operations to the tree and to its naive twin: sequences take a path, continue
// along other paths or on their own, and give up the end of theirs. After each operation the two agree.
func TestTreeAndItsTwin(t *testing.T) {
	var saw sightings
	var adopted, cut int
	blind := func() bool { return saw.blind() || adopted == 0 || cut == 0 }
	checkUntilSeen(t, blind, func(t *rapid.T) {
		tr, twin, leaves := newTree(), naive{}, map[step.SeqID]*node{}
		for range rapid.IntRange(1, 40).Draw(t, "operations") {
			seq := step.SeqID(rapid.IntRange(0, 5).Draw(t, "sequence"))
			held := twin[seq]
			if len(held) > 0 && rapid.Bool().Draw(t, "gives up") {
				depth := rapid.IntRange(0, len(held)).Draw(t, "kept")
				leaves[seq] = tr.release(seq, leaves[seq], depth)
				twin.release(seq, depth)
				cut += min(depth, len(held)-depth)
			} else {
				token := rapid.Map(rapid.IntRange(0, 2), func(i int) step.Token { return step.Token(i) })
				more := rapid.SliceOfN(token, 1, 12).Draw(t, "tokens")
				if err := twin.agrees(tr, slices.Concat(held, more), &saw); err != nil {
					t.Fatal(err)
				}
				from := leaves[seq]
				if from == nil {
					from = tr.root
				}
				n, at := tr.match(from, 0, more)
				if n > 0 {
					from = tr.hold(seq, at, len(held)+n)
					adopted += min(n, len(held))
				}
				if n < len(more) {
					from = tr.grow(seq, from, 0, more[n:])
				}
				leaves[seq] = from
				twin.hold(seq, more)
			}
			if err := twin.differs(tr, leaves, &saw); err != nil {
				t.Fatal(err)
			}
		}
	})
	if blind() {
		t.Errorf("%+v, %d tokens adopted, %d cut: the test saw nothing", saw, adopted, cut)
	}
}

// TestTwinSeesDamage: the comparison notices a tree whose books are wrong.
func TestTwinSeesDamage(t *testing.T) {
	damages := map[string]func(tr *tree, leaf *node){
		"cells":  func(tr *tree, _ *node) { tr.cells-- },
		"owners": func(_ *tree, leaf *node) { leaf.owners.add(3) },
		"tokens": func(_ *tree, leaf *node) { leaf.tokens = []step.Token{7, 7} },
		"lost":   func(tr *tree, _ *node) { clear(tr.root.children) },
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			tr, twin, leaves := newTree(), naive{}, map[step.SeqID]*node{}
			for seq, tokens := range [][]step.Token{{1, 2, 3, 4}, {1, 2, 5, 6}} {
				n, at := tr.match(tr.root, 0, tokens)
				leaf := tr.root
				if n > 0 {
					leaf = tr.hold(step.SeqID(seq), at, n)
				}
				leaves[step.SeqID(seq)] = tr.grow(step.SeqID(seq), leaf, 0, tokens[n:])
				twin.hold(step.SeqID(seq), tokens)
			}
			var saw sightings
			if err := twin.differs(tr, leaves, &saw); err != nil {
				t.Fatal(err)
			}
			damage(tr, leaves[1])
			if err := twin.differs(tr, leaves, &saw); err == nil && twin.agrees(tr, twin[1], &saw) == nil {
				t.Errorf("%s: the comparison saw nothing", name)
			}
		})
	}
}
