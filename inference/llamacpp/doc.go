// Package llamacpp is the binding to llama.cpp: models, contexts, and steps that decode a whole batch and sample from
// it in one cgo call. It decides nothing: the scheduler says which sequence advances when.
//
// # Order of calls and goroutines
//
// LoadModel, NewContext, Step as often as needed, Context.Close, Model.Close. Several goroutines may use a Model at the
// same time. Its Close comes after everything else, and refuses while contexts are open. A Context, an
// Embedder and a TextStream are used by one goroutine at a time; which one does not matter. Contexts of one model may
// step at the same time. Nothing but Close may be called after Close.
//
// # Ownership
//
// C keeps no pointer into Go memory beyond a call: a Batch is read during Step and may be reused afterwards, what comes
// back is copied into out. A Model owns the mapped file, a Context its cells, samplers, threads and logits; Logits are
// copied out and are those of the last Step alone.
//
// # Duties of the caller of Step
//
// Step refuses what C would not survive: sequences, tokens, rows and samples out of range, and a batch larger than the
// context was made for. It does not know what each sequence holds; there the caller keeps the books, as the scheduler
// does:
//
//   - The rows of a sequence, in the order of the batch, continue it: the first is at the number of cells that the
//     sequence holds after the memory operations, each other one position further on.
//   - Row.Also names sequences other than Row.Seq, each once. All of them hold the same cells as Row.Seq at [0, Pos):
//     cells shared by a MemoryCopy or by earlier rows, not equal cells that were computed twice.
//   - The destination of a MemoryCopy has no cells at [From, To), and the source has all of them.
//   - The first Sample of each sequence has a Start. The sampler stays with the sequence's number until the next Start;
//     memory operations leave it as it is.
//
// # What an error leaves behind
//
// After ErrNoSlot the memory operations have been carried out and nothing was decoded: free cells and step again. After
// ErrAborted and any other error of C the content of the cells is undefined: close the context. An error of the checks
// in Go leaves everything as it was. An exception of C++ and a failed assertion of llama.cpp before the computation
// become errors; an assertion that fails while several threads compute ends the process.
//
// # Builds
//
// llama.cpp is a static library: tools/llama compiles the version that third_party/llama.lock pins, and the Makefile
// passes its place (PARLEY_LLAMA is its version). Without cgo, or with the tag llama_none, the package is a stub whose
// functions return ErrNoCgo.
package llamacpp
