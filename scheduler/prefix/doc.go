// Package prefix has the tree of all tokens that an engine's sequences hold or are about to hold, so that what several
// prompts begin with is found, shared and counted once. It knows tokens and sequence ids; it knows no requests, no
// steps and no policy: who is admitted, evicted or copied is the scheduler's business.
//
// A path from the root spells the tokens of a sequence from its first one. Each node is a run of KV cells, [Start, End)
// by position, with the set of sequences that hold all of them. The whole life of a sequence is:
//
//	n, at := t.Match(t.Root(), space, prompt)       // how much of the prompt is there, and where
//	leaf := t.Hold(seq, at, n)                      // seq shares the cells [0, n)
//	leaf = t.Grow(seq, leaf, space, prompt[n:])     // and holds the rest alone
//	leaf = t.Release(seq, leaf, 0)                  // it gives up everything; the leaf is the root again
//
// The tree does not remember where a sequence ends: its holder keeps the leaf that the last of these calls returned.
// Hold, Grow and Release of other sequences split and join nodes, but a leaf that somebody keeps stays a valid node
// that ends at the same position.
//
// Tokens are never copied on the way in: a node's tokens share memory with the prompt that they came from, which nobody
// may change while a sequence holds them. A tree is used by one goroutine at a time.
package prefix
