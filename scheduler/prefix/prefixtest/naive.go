// Package prefixtest has the prefix tree's Naive twin, with which tests of the tree and of the scheduler compare it.
package prefixtest

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/scheduler/prefix"
)

// Naive is the prefix tree without a tree: the tokens that each sequence holds, and nothing else. It answers every
// question by going through all of them, so that one can see that it is right. Tests compare the tree with it.
type Naive map[step.SeqID][]step.Token

// Hold makes seq hold more tokens after its own.
func (n Naive) Hold(seq step.SeqID, tokens []step.Token) { n[seq] = slices.Concat(n[seq], tokens) }

// Release cuts what seq holds to [0, depth).
func (n Naive) Release(seq step.SeqID, depth int) {
	if n[seq] = n[seq][:min(depth, len(n[seq]))]; len(n[seq]) == 0 {
		delete(n, seq)
	}
}

// match is the length of the longest prefix of tokens that some sequence holds.
func (n Naive) match(tokens []step.Token) int {
	longest := 0
	for _, held := range n {
		longest = max(longest, prefix.Agreement(held, tokens))
	}
	return longest
}

// Prefixes has the owners of every distinct prefix: a cell is what has been computed for one of them.
func (n Naive) Prefixes() map[string]prefix.SeqSet {
	all := map[string]prefix.SeqSet{}
	for seq, held := range n {
		for i := range held {
			key := string(Bytes(held[:i+1]))
			set := all[key]
			set.Add(seq)
			all[key] = set
		}
	}
	return all
}

// Sightings counts what a comparison of the tree with its twin has seen, so that a test can fail if it saw nothing.
type Sightings struct{ cells, shared, forks, matches, partial int }

// Blind reports whether something was never seen.
func (s Sightings) Blind() bool {
	return min(s.cells, s.shared, s.forks, s.matches, s.partial) == 0
}

// CheckUntilSeen checks a property on random input, and on more of it as long as what the test is about was not met:
// the few inputs of a short run seldom hold every rare event.
func CheckUntilSeen(t *testing.T, blind func() bool, property func(*rapid.T)) {
	t.Helper()
	for range 20 {
		rapid.Check(t, property)
		if t.Failed() || !blind() {
			return
		}
	}
}

// Differs says where a tree and its twin disagree: on what a sequence holds, on the cells and who holds each, or on how
// many cells some of the sequences hold. Where nodes end is not compared. leaves are the ends of the sequences' paths.
func (n Naive) Differs(tr *prefix.Tree, leaves map[step.SeqID]*prefix.Node, saw *Sightings) error {
	for seq, leaf := range leaves {
		if got := leaf.Tokens(); !slices.Equal(got, n[seq]) {
			return fmt.Errorf("sequence %d holds %v, its twin %v", seq, got, n[seq])
		}
	}
	all := n.Prefixes()
	if tr.Cells() != len(all) {
		return fmt.Errorf("%d cells, the twin has %d", tr.Cells(), len(all))
	}
	var err error
	saw.cells += len(all)
	children := map[string]int{} // of each node, by its path
	for at := range tr.Nodes {
		full := at.Tokens()
		for i := at.Start(); i < at.End() && err == nil; i++ {
			if want := all[string(Bytes(full[:i+1]))]; *at.Owners() != want {
				err = fmt.Errorf("%v is held by %v, in the twin by %v", full[:i+1], *at.Owners(), want)
			}
		}
		if _, alone := at.Owners().Only(); !alone {
			saw.shared++
		}
		if parent := string(Bytes(full[:at.Start()])); parent != "" {
			if children[parent]++; children[parent] == 2 {
				saw.forks++
			}
		}
	}
	for mask := range 8 {
		var some prefix.SeqSet
		for id := range step.SeqID(6) {
			if mask>>(id%3)&1 == 1 {
				some.Add(id)
			}
		}
		cells := 0
		for _, owners := range all {
			if owners.Meets(&some) {
				cells++
			}
		}
		if got := tr.CellsOf(some); err == nil && got != cells {
			err = fmt.Errorf("%v hold %d cells, in the twin %d", some, got, cells)
		}
	}
	return err
}

// Agrees compares the longest prefix that the tree finds for tokens with the one that its twin finds.
func (n Naive) Agrees(tr *prefix.Tree, tokens []step.Token, saw *Sightings) error {
	depth, at := tr.Match(tr.Root(), 0, tokens)
	switch want := n.match(tokens); {
	case depth != want:
		return fmt.Errorf("match(%v) = %d, the twin says %d", tokens, depth, want)
	case !slices.Equal(at.Tokens()[:depth], tokens[:depth]) || at.Start() > depth || at.End() < depth:
		return fmt.Errorf("match(%v) = %d ends in a node with %v", tokens, depth, at.Tokens())
	}
	saw.matches += min(depth, 1)
	saw.partial += min(at.End()-depth, 1)
	return nil
}

// Bytes returns tokens, which are below 256, as bytes, for keys of maps.
func Bytes(tokens []step.Token) []byte {
	b := make([]byte, len(tokens))
	for i, t := range tokens {
		b[i] = byte(t)
	}
	return b
}
