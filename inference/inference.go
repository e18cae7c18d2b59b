// Package inference turns messages into replies: it renders them with the model's own chat template, tokenizes them,
// has the scheduler decode them together with everybody else's, and names every generation by its content.
//
// Lifecycle: Open (or a Script in tests) gives an Engine; each debate calls Join, then Generate as often as it likes,
// then Leave; Close ends the engine. The engine decodes only while every participant that joined is waiting in
// Generate, so the batches depend on the work and never on the clock.
package inference

import (
	"context"
	"time"
)

// Message is one turn of a conversation.
type Message struct {
	Role    string `json:"role"` // "system", "user" or "assistant"
	Content string `json:"content"`
}

// Request asks for one reply.
type Request struct {
	Messages  []Message
	Prompt    []int32 // token ids to send as they are, instead of Messages
	Sampling  Sampling
	MaxTokens int // upper bound on the reply's tokens; 0 means DefaultMaxTokens

	// Continuations asks for their log-probabilities as the beginning of the reply, instead of a reply: those of answer
	// letters or votes. All are computed in one pass, the prompt once. Text is then the most probable one.
	Continuations []string

	Grammar string // GBNF that the reply has to follow, from its rule "root"; empty: none. Not read with Continuations

	// Name is what records call the generation, for example "puzzle/7 round 1 agent 2". Not part of the content key.
	Name string

	// Case and Round are the debate that asks and its round, for whoever watches an engine. Not part of the content key.
	Case  string
	Round int

	// Agent and Sample order the requests of one participant among each other. They are not part of the content key;
	// what makes two samples of one prompt differ is Sampling.Seed.
	Agent, Sample int
}

// DefaultMaxTokens bounds a reply for which the caller set no bound. Source 0 allows 4096; a local run pays for each
// one.
const DefaultMaxTokens = 1024

// Sampling is how the next token is drawn. The zero value is greedy. The chain is the one of llama.cpp, in its order:
// repetition penalty, top-k, top-p, min-p, temperature, draw.
type Sampling struct {
	Temperature   float32 `json:"temperature"`              // 0 is greedy
	TopK          int     `json:"top_k,omitempty"`          // 0 is off
	TopP          float32 `json:"top_p,omitempty"`          // 0 and 1 are off
	MinP          float32 `json:"min_p,omitempty"`          // 0 is off
	RepeatPenalty float32 `json:"repeat_penalty,omitempty"` // 0 and 1 are off
	RepeatLastN   int     `json:"repeat_last_n,omitempty"`  // tokens the penalty looks back on; 0 means 64
	// go on to MaxTokens whatever the model says: for measurements
	IgnoreEnd bool   `json:"ignore_end,omitempty"`
	Seed      uint64 `json:"seed"` // the random stream; see Seed
	// how many of the best other tokens are reported per position
	Rivals int `json:"rivals,omitempty"`
}

// StopReason says why a generation ended.
type StopReason string

const (
	StopEnd    StopReason = "end"    // the model said it was done
	StopLength StopReason = "length" // MaxTokens reached
	StopScored StopReason = "scored" // nothing was generated
)

// Reply is what came back for one Request.
type Reply struct {
	Text         string     `json:"text"`
	Key          string     `json:"key"` // content key, see Key
	Stop         StopReason `json:"stop,omitempty"`
	PromptTokens int        `json:"prompt_tokens"`
	CachedTokens int        `json:"cached_tokens"` // prompt tokens that were not computed for this reply
	Tokens       int        `json:"tokens"`        // tokens generated, the end token included
	// sum of the natural log-probabilities of the generated tokens
	LogProb   float64       `json:"logprob"`
	Duration  time.Duration `json:"-"`                  // from submission to completion
	LogProbs  []float64     `json:"logprobs,omitempty"` // of Request.Continuations: sums over their tokens
	Generated []int32       `json:"-"`                  // token ids
	// one per generated token, where Sampling.Rivals asks for any
	Scores []TokenScore `json:"-"`
	Err    error        `json:"-"` // this request alone failed (for example ErrTooLong)
}

// TokenScore is the log-probability of a sampled token, at temperature 1 over the whole vocabulary, with its best
// rivals.
type TokenScore struct {
	Token   int32
	LogProb float32
	Rivals  []TokenScore // at most Sampling.Rivals, best first, the sampled token excluded
}

// Participant is one debate (or any other caller) that the engine waits for before it decodes.
type Participant interface {
	// Generate answers all requests, in their order, and blocks until the last is done. A request that cannot be
	// served has Err set in its Reply and leaves the others alone; the error returned ends the whole call (cancelled
	// context, engine closed or broken).
	Generate(ctx context.Context, requests []Request) ([]Reply, error)
	// Leave ends participation; the engine no longer waits for this participant. It is idempotent.
	Leave()
}

// Engine serves participants.
type Engine interface {
	// Join announces a participant. Its order ranks its requests before those of participants with a larger order;
	// two participants of one engine must not share an order. Join all participants that are known before the first
	// calls Generate: the sequence of batches is then a function of the work alone.
	Join(order int) Participant
	Model() ModelInfo
	Stats() Stats
	Close() error
}

// ModelInfo describes the model behind an engine, and all of how it is run that may change what it says, for records
// and headlines.
type ModelInfo struct {
	Name         string `json:"name"`
	Path         string `json:"path"`
	Architecture string `json:"architecture"`
	Quantization string `json:"quantization"`
	Hash         string `json:"hash"` // SHA-256 of the file, hex
	Parameters   int64  `json:"parameters"`
	Context      int    `json:"context"` // tokens the model was trained for
	Embedded     bool   `json:"embedded"`
	Mode         string `json:"mode,omitempty"`       // how it is run: Fast or Reproducible
	Template     string `json:"template,omitempty"`   // SHA-256 of its chat template, hex
	Kernels      string `json:"kernels,omitempty"`    // see Kernels; on a GPU, what computes the rest
	KV           string `json:"kv,omitempty"`         // see KV
	Device       string `json:"device,omitempty"`     // "CPU", the GPU that was named, or AnyGPU
	GPULayers    int    `json:"gpu_layers,omitempty"` // see GPULayers
}

// Stats is what the scheduler saved and did since the engine was opened. Tokens are counted, not estimated.
type Stats struct {
	// requests whose reply was known from an earlier run, see Known
	Restored        int           `json:"restored"`
	Generations     int           `json:"generations"`     // distinct generations computed
	Joined          int           `json:"joined"`          // requests that shared an equal generation
	Preempted       int           `json:"preempted"`       // times that a generation gave way to others, to go on later
	Drafted         int           `json:"drafted"`         // tokens decoded ahead, on speculation
	Accepted        int           `json:"accepted"`        // of those, the ones that came about
	PromptAsked     int           `json:"prompt_asked"`    // prompt tokens of all requests, joined ones included
	PromptComputed  int           `json:"prompt_computed"` // prompt tokens decoded
	Decoded         int           `json:"decoded"`         // tokens generated
	Attended        int           `json:"attended"`        // cells of the KV cache seen, summed over all rows
	Steps           int           `json:"steps"`           // calls of the engine
	Rows            int           `json:"rows"`            // batch rows over all steps
	BatchCapacity   int           `json:"batch_capacity"`  // largest batch of one step, rows
	PeakSequences   int           `json:"peak_sequences"`  // most sequences alive at once
	PeakCells       int           `json:"peak_cells"`      // most KV cells in use at once
	Cells           int           `json:"cells"`           // KV cells there are
	PrefillDuration time.Duration `json:"-"`               // time in steps, shared out by prompt rows
	DecodeDuration  time.Duration `json:"-"`               // time in steps, shared out by decode rows
}

// PromptSaved is the number of prompt tokens that were asked and not computed.
func (s Stats) PromptSaved() int { return s.PromptAsked - s.PromptComputed }
