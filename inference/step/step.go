// Package step has the types that the scheduler and the binding share: one step of an engine, and what comes back. The
// scheduler fills in a Batch, and the binding carries it out; neither knows the other, and nothing is translated
// between them. MemoryOp and Row go to C as they are, so their fields and the order of these are those of shim.h.
//
// The package has no behaviour but the bounds of Sampling. What must hold for a batch is written where it is made and
// where it is carried out: at scheduler.Engine, and in the comment of package llamacpp.
package step

import "errors"

// ErrClosed is returned by all that an engine was asked for when it was closed.
var ErrClosed = errors.New("the engine is closed")

// Token is a vocabulary id. SeqID is one of the engine's sequences, from 0.
type (
	Token int32
	SeqID int32
)

// NoSeq is no sequence.
const NoSeq SeqID = -1

// Batch is everything that an engine does in one step, in this order: memory operations, one decode of all rows, then
// the samples. A batch without rows has no samples.
type Batch struct {
	Memory  []MemoryOp
	Rows    []Row
	Also    []SeqID // see Row
	Samples []Sample
}

// AlsoOf returns the sequences other than Row.Seq that a row of the batch is stored for.
func (b *Batch) AlsoOf(r Row) []SeqID { return b.Also[r.Also : r.Also+r.NAlso] }

// MemoryOp changes which sequences own which cells of the KV cache. It moves no data.
type MemoryOp struct {
	Kind     MemoryKind
	Src, Dst SeqID // Remove uses Dst alone
	From, To int32 // positions, half-open; To < 0 is the end
}

// MemoryKind is the kind of a MemoryOp.
type MemoryKind int32

// Kinds of MemoryOp.
const (
	Remove MemoryKind = iota // Dst gives up its cells at [From, To)
	Copy                     // Dst shares the cells of Src at [From, To)
)

// Row is one token to decode: its keys and values are stored at Pos, once, for Seq and for the sequences
// Batch.Also[Also : Also+NAlso], which hold the same cells before it. Rows may share a part of Batch.Also.
type Row struct {
	Token       Token
	Pos         int32
	Seq         SeqID
	Also, NAlso int32
}

// Sample draws the next token of Seq from the logits of Rows[Row]. Several samples may share a row.
type Sample struct {
	Row   int32
	Seq   SeqID  // NoSeq for a token that no sequence continues from; Start is then set
	Start *Start // resets the sampler of Seq; set for the first sample of a generation, nil to continue
}

// Start is a sampler before its first token.
type Start struct {
	Sampling Sampling
	Grammar  string // GBNF that the reply must follow, empty: none

	// History is the text so far, for a repetition penalty. Its last Drawn tokens are the reply so far; a grammar and
	// the other penalties need these alone.
	History []Token
	Drawn   int    // tokens of this generation that were drawn before: the index of the next in its random stream
	Forced  *Token // take this token, whatever its probability
}

// Sampled is one drawn token.
type Sampled struct {
	Token        Token
	LogProb      float32       // natural logarithm of its probability at temperature 1 over the whole vocabulary
	End          bool          // an end-of-generation token
	Put          bool          // it was not drawn, but put there (scheduler.Request.Put)
	Stuck        Stuck         // why nothing was drawn, 0 if something was; otherwise End is set
	Alternatives []Alternative // the best other tokens, as many as Sampling.Alternatives says; of equals the lower id
}

// Stuck is why a grammar has nothing drawn.
type Stuck int32

// Reasons of Stuck.
const (
	NoToken Stuck = 1 + iota // it allows none
	Costly                   // it can go on in so many ways that looking for one takes more than a token may take
)

// Alternative is a token that was not drawn.
type Alternative struct {
	Token   Token
	LogProb float32
}
