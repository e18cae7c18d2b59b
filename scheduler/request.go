package scheduler

// Token is a vocabulary id. SeqID is one of the engine's sequences.
type (
	Token int32
	SeqID int32
)

// Order ranks requests: by debate, then agent, then sample, then submission. The scheduler works in this order, so that
// the sequence of batches is a function of the work and never of the clock.
type Order struct {
	Debate, Agent, Sample int
}

// Sampling is how the tokens of one request are drawn; the scheduler hands it to the engine.
type Sampling struct {
	Temperature   float32
	TopK          int
	TopP          float32
	MinP          float32
	RepeatPenalty float32
	RepeatLastN   int
	IgnoreEnd     bool // the scheduler itself reads this one: an end token ends nothing
	Seed          uint64
	Rivals        int
	Grammar       string // that the reply has to follow, empty: none
}

// Key names a generation by its content (model, prompt tokens, sampling, seed): equal keys are one generation, computed
// once and given to everybody who asks. The zero Key is never shared.
type Key [32]byte

// Request asks for one generation, or for the log-probabilities of tokens that are given.
type Request struct {
	Order     Order
	Key       Key
	Prompt    []Token // at least one token; not modified, not copied
	Sampling  Sampling
	MaxTokens int // at least 1
	// score these instead of drawing: the result has them with their log-probabilities; MaxTokens is not read
	Given []Token

	OnToken func(Sampled) // called by Apply with every token of this generation, if set
	Tag     any           // the caller's own, untouched
}

// Result is one finished generation.
type Result struct {
	Tokens []Sampled // in order; the last one has End set if the model ended by itself
	Cached int       // prompt tokens that were not computed for this request
	Joined bool      // an equal generation, running or finished, was used
	Err    error     // this request alone failed
}

// Sampled is one drawn token.
type Sampled struct {
	Token   Token
	LogProb float32 // natural logarithm, temperature 1, whole vocabulary
	End     bool    // an end-of-generation token
	Stuck   bool    // the grammar allows no token: End is set, and nothing was drawn
	Rivals  []Rival // best other tokens, as many as Sampling.Rivals asks
}

// Rival is a token that was not drawn.
type Rival struct {
	Token   Token
	LogProb float32
}
