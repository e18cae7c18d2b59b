package scheduler

// Order ranks requests: by debate, then agent, then sample, then submission. The scheduler works in this order, so that
// the sequence of batches is a function of the work and never of the clock.
type Order struct {
	Debate, Agent, Sample int
}

// Key names a generation by its content (model, prompt tokens, sampling, seed): equal keys are one generation, computed
// once and given to everybody who asks. The zero Key is never shared.
type Key [32]byte

// Request asks for one generation, or for the log-probabilities of forced tokens.
type Request struct {
	Order     Order
	Key       Key
	Prompt    []Token // at least one token; not modified, not copied
	Sampling  Sampling
	Grammar   string // GBNF that the reply has to follow, empty: none
	MaxTokens int    // at least 1
	// Forced tokens are scored instead of drawing any: the result has them with their log-probabilities. MaxTokens is
	// not read.
	Forced []Token

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
