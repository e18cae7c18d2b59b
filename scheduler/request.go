package scheduler

import "github.com/parley-debate/parley/inference/step"

// Order ranks requests: by debate, then agent, then sample, then submission. The scheduler works in this order, so that
// the sequence of batches is a function of the work and never of the clock.
type Order struct {
	Debate, Agent, Sample int
}

// Key names a generation by its content (model, prompt tokens, sampling, seed). Requests with equal keys share one
// generation, which is computed once. The zero Key is never shared.
type Key [32]byte

// identity is the key of a generation within the space of its requests, outside of which it is never shared.
type identity struct {
	space int
	key   Key
}

func (r *Request) identity() identity { return identity{r.Space, r.Key} }

// Request asks for one generation, or for the log-probabilities of forced tokens.
type Request struct {
	Order    Order
	Party    int // on whose behalf it is computed, see share.go
	Instance int // of the driver that it is for, from 0; a scheduler does not read it
	// Space bounds what is shared: requests of different spaces have no cells, generations and drafts in common, so
	// that no Result tells what was asked in another space.
	Space     int
	Key       Key
	Prompt    []step.Token // at least one token; not modified, not copied
	Sampling  step.Sampling
	Grammar   string // GBNF that the reply must follow, empty: none
	MaxTokens int    // at least 1
	// Forced tokens are scored instead of drawing any: the result has them with their log-probabilities. MaxTokens is
	// not read.
	Forced []step.Token

	// Until, if set, is called with every token that is drawn, in order, and reports whether it is the last one,
	// whatever else would be. Equal requests have an equal one. It is not called of those that join others.
	Until func(token step.Sampled) bool

	// Put, if set, is called after Until with every token that is drawn and is not the last one, and returns tokens to
	// put behind it, nil for none. The generation goes on behind them from its own cells. They count for MaxTokens.
	Put func(token step.Sampled) []step.Token

	// Instead, if set, is called before Until with every token that is drawn, and returns tokens to put in its place,
	// none if it stands. The token is then no part of the generation: neither Until nor Put is told of it.
	Instead func(token step.Sampled) []step.Token

	// Known, if not nil, is what the caller knows of this generation already. The job is done at once, and so are equal
	// ones of the same Next or later: their results have it and no tokens.
	Known any

	// OnToken, if set, is called with every token of this generation, whether it is computed for this request or for
	// an equal one, and with how many prompt tokens were not computed for it.
	OnToken func(token step.Sampled, cached int)
	Tag     any // belongs to the caller; the scheduler only hands it back
}

// Result is one finished generation.
type Result struct {
	// in order, those that were put among them; the last one has End set if the model ended by itself
	Tokens []step.Sampled
	Cached int   // prompt tokens that were not computed for this request
	Joined bool  // an equal generation, running or finished, was used
	Known  any   // see Request
	Err    error // this request alone failed
}
