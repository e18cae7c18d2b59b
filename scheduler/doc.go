// Package scheduler decides which sequences advance in the next decode step. It knows tokens, sequences and cells, and
// holds no text, no clock and no C pointer.
//
// All requests of an experiment share one tree of tokens: a prefix that several prompts have in common is computed once
// and forked without copying. The core is a pure state machine
//
//	plan := s.Next()                    // which rows to decode, which cells to share or give up, what to sample
//	sampled, err := engine.Step(ctx, plan)
//	finished := s.Apply(plan, sampled)  // what that means for the generations
//
// whose batches are a function of the requests and their order alone. Driver is the thin part around it: a goroutine
// that calls the core only while every participant waits.
package scheduler
