package generation

import "sync/atomic"

// Counters count what was done for one tenant. They only grow.
type Counters struct {
	Asked    atomic.Int64 // prompt tokens of generations that began
	Computed atomic.Int64 // of these, those that were not in the cache
	Drawn    atomic.Int64 // tokens
	Joined   atomic.Int64 // generations that an equal one under way was used for
	Restored atomic.Int64 // generations that the journal had
}

// Begin counts the prompt of a generation that begins: its tokens, and how many of them the cache had.
func (c *Counters) Begin(prompt, cached int) {
	c.Asked.Add(int64(prompt))
	c.Computed.Add(int64(prompt - cached))
}
