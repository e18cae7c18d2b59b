package prefix_test

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/scheduler/prefix"
	"github.com/parley-debate/parley/scheduler/prefix/prefixtest"
)

// TestTreeAndItsTwin applies the same operations to the tree and to its naive twin: sequences take a path, continue
// along other paths or on their own, and give up the end of theirs. After each operation the two agree.
func TestTreeAndItsTwin(t *testing.T) {
	var saw prefixtest.Sightings
	var adopted, cut int
	blind := func() bool { return saw.Blind() || adopted == 0 || cut == 0 }
	prefixtest.CheckUntilSeen(t, blind, func(t *rapid.T) {
		tr, twin, leaves := prefix.New(), prefixtest.Naive{}, map[step.SeqID]*prefix.Node{}
		for range rapid.IntRange(1, 40).Draw(t, "operations") {
			seq := step.SeqID(rapid.IntRange(0, 5).Draw(t, "sequence"))
			held := twin[seq]
			if len(held) > 0 && rapid.Bool().Draw(t, "gives up") {
				depth := rapid.IntRange(0, len(held)).Draw(t, "kept")
				leaves[seq] = tr.Release(seq, leaves[seq], depth)
				twin.Release(seq, depth)
				cut += min(depth, len(held)-depth)
			} else {
				token := rapid.Map(rapid.IntRange(0, 2), func(i int) step.Token { return step.Token(i) })
				more := rapid.SliceOfN(token, 1, 12).Draw(t, "tokens")
				if err := twin.Agrees(tr, slices.Concat(held, more), &saw); err != nil {
					t.Fatal(err)
				}
				from := leaves[seq]
				if from == nil {
					from = tr.Root()
				}
				n, at := tr.Match(from, 0, more)
				if n > 0 {
					from = tr.Hold(seq, at, len(held)+n)
					adopted += min(n, len(held))
				}
				if n < len(more) {
					from = tr.Grow(seq, from, 0, more[n:])
				}
				leaves[seq] = from
				twin.Hold(seq, more)
			}
			if err := errors.Join(twin.Differs(tr, leaves, &saw), tr.Verify()); err != nil {
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
	damages := map[string]func(tr *prefix.Tree, leaf *prefix.Node){
		"cells":  func(tr *prefix.Tree, _ *prefix.Node) { tr.LoseCell() },
		"owners": func(_ *prefix.Tree, leaf *prefix.Node) { leaf.AddOwner(3) },
		"tokens": func(_ *prefix.Tree, leaf *prefix.Node) { leaf.SetTokens([]step.Token{7, 7}) },
		"lost":   func(tr *prefix.Tree, _ *prefix.Node) { tr.LoseAll() },
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			tr, twin, leaves := prefix.New(), prefixtest.Naive{}, map[step.SeqID]*prefix.Node{}
			for seq, tokens := range [][]step.Token{{1, 2, 3, 4}, {1, 2, 5, 6}} {
				n, at := tr.Match(tr.Root(), 0, tokens)
				leaf := tr.Root()
				if n > 0 {
					leaf = tr.Hold(step.SeqID(seq), at, n)
				}
				leaves[step.SeqID(seq)] = tr.Grow(step.SeqID(seq), leaf, 0, tokens[n:])
				twin.Hold(step.SeqID(seq), tokens)
			}
			var saw prefixtest.Sightings
			if err := twin.Differs(tr, leaves, &saw); err != nil {
				t.Fatal(err)
			}
			damage(tr, leaves[1])
			if err := twin.Differs(tr, leaves, &saw); err == nil && twin.Agrees(tr, twin[1], &saw) == nil {
				t.Errorf("%s: the comparison saw nothing", name)
			}
		})
	}
}

// TestVerify sees damage of every kind.
func TestVerify(t *testing.T) {
	for name, damage := range map[string]func(tr *prefix.Tree, leaf *prefix.Node){
		"a cell too few":  func(tr *prefix.Tree, _ *prefix.Node) { tr.LoseCell() },
		"nodes too few":   func(tr *prefix.Tree, _ *prefix.Node) { tr.LoseAll() },
		"a gap":           func(_ *prefix.Tree, leaf *prefix.Node) { leaf.Shift() },
		"another token":   func(_ *prefix.Tree, leaf *prefix.Node) { leaf.SetTokens([]step.Token{9, 9}) },
		"held by nobody":  func(_ *prefix.Tree, leaf *prefix.Node) { leaf.RemoveOwner(0) },
		"an empty branch": func(_ *prefix.Tree, leaf *prefix.Node) { leaf.SetTokens(nil) },
	} {
		t.Run(name, func(t *testing.T) {
			tr := prefix.New()
			above := tr.Grow(0, tr.Root(), 0, []step.Token{1, 2})
			leaf := tr.Grow(0, above, 0, []step.Token{3, 4})
			if err := tr.Verify(); err != nil {
				t.Fatal(err)
			}
			if damage(tr, leaf); tr.Verify() == nil {
				t.Errorf("%s: Verify() = nil, want an error", name)
			}
		})
	}
}
