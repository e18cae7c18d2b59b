// Package scheduler decides which sequences advance in the next decode step. It knows tokens, sequences and KV cells.
// It knows no text, no clock and no C.
//
// All requests of a run share one tree of tokens (package prefix): a prefix that several prompts have in common is
// computed once and shared without copying. The core is a state machine without goroutines or I/O:
//
//	plan := s.Next()                    // which rows to decode, which cells to share or free, what to sample
//	sampled, err := engine.Step(ctx, plan)
//	finished := s.Apply(plan, sampled)  // what that means for the generations
//
// Its plans are a function of the requests and their order alone. Driver is the thin part around it: a goroutine that
// calls the core only while every participant waits. It never waits for clients, such as those of parley serve.
//
// # Duties of the caller of a Scheduler
//
// The caller owns a loop. Each turn of it:
//
//  1. Submit new requests, and Cancel those that nobody waits for any more. The order of several Submits between two
//     calls of Next does not matter, except that it breaks ties of Order.
//  2. Call Next, once. From here on the scheduler's books presume that the engine has carried out the plan.
//  3. Unless plan.Empty(), have the engine carry out the whole plan. A plan without rows that frees or shares cells is
//     not empty.
//  4. Call Apply, once, with the same plan and one Sampled for each of plan.Samples, in their order; with nil for an
//     empty plan. Only then is a job that Apply returns complete and its Result ready to be read.
//
// Submit may also be called between Next and Apply, and takes effect in the following Next. Cancel may not: the plan
// under way still names the job's sequence.
//
// If Step returns an error, the plan may have been carried out in part, and the books and the cells no longer agree.
// Neither the Scheduler nor the engine's context can be used again; a new run begins with new ones of both.
//
// A Scheduler is used by one goroutine at a time. The loop must go on until Idle: a scheduler never finishes a job
// outside Apply.
//
// # Ownership
//
// The scheduler keeps Request.Prompt and Request.Forced for as long as any sequence holds their cells, which may be
// long after the job is done. It copies neither and writes to neither; nor may the caller. Requests with the same
// prompt may pass the same slice.
//
// Result.Tokens is shared by jobs that joined one generation: read it, do not write to it. A Sampled that Apply was
// given belongs to the scheduler, with its alternatives. A Plan belongs to the caller until Apply; it is read, never
// written, and no part of it is used afterwards.
//
// Until is called within Apply, as is OnToken and, with the tokens that an equal generation already has, within Next,
// on the goroutine that calls them. It must not call the Scheduler.
//
// # What holds after each call
//
// After New, every sequence is empty and so must be those of the engine.
//
// After Next:
//   - A plan has at most Options.Batch rows: one for the last token of each generation that is being decoded, then
//     prompt rows, then drafts.
//   - Rows of one sequence have rising positions without gaps, and begin where its cells end. All sequences that a row
//     is stored for hold the same tokens at [0, Pos).
//   - Cells in use, those of the plan's rows included, and cells promised are together at most Options.Cells.
//
// After Apply, the books and the engine's cells agree, except for memory operations on cells that this plan used: they
// come first in the next plan. Each job is returned once; those of one Apply are in their Order.
//
// Of the cells of a sequence (see sequence), [0, shared) are in the tree and may be shared, [shared, computed) are its
// own. Of a prompt, [0, Result.Cached) was taken from other sequences, [Cached, len(Prompt)) was computed for it.
//
// # Memory that is kept
//
// A finished job with a Key is kept, with its tokens, for the life of the Scheduler, so that an equal request costs
// nothing, unless Options.Forget says otherwise. A finished generation stays in the tree as an idle sequence until its
// cells or its id are needed.
package scheduler
