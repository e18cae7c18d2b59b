// Package inference turns messages into replies: it renders them with the model's own chat template, tokenizes them,
// has the scheduler decode them together with everybody else's, and names each generation by a hash of its content.
//
// # Order of calls
//
// Open (or a Script in tests) gives an Engine; each debate calls Join, then Generate as often as it likes, then Leave;
// Close ends the engine. The engine decodes only while every participant that joined is waiting in Generate, so the
// batches depend on the work and never on the clock. It follows that one participant that neither asks nor leaves stops
// all of them: defer Leave right after Join.
//
// # Goroutines
//
// All methods of an Engine may be called from any goroutine. A Participant is used by one goroutine at a time, usually
// one for each debate. OnGeneration is called by the engine's own goroutine and must not call the engine; Known may be
// called from several goroutines at once.
//
// # Ownership
//
// Messages, prompts and continuations of a request are kept, not copied: do not change them after Generate. A Reply may
// share memory with the replies of equal requests: read it, do not change it.
//
// # Errors
//
// A request that cannot be served has Reply.Err set and leaves all others alone, of the same call too. An error of
// Generate itself means that there are no replies: the caller's context has ended, and the engine goes on for the
// others; or the engine has ended, by Close, by an error of OnGeneration, or because a step failed. An engine that has
// ended returns the same error from every Generate and is not restarted; Close still frees its memory.
package inference

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/parley-debate/parley/inference/chat"
	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/models"
)

// Message is one turn of a conversation.
type Message = chat.Message

// RoleText is the role of a last message that the chat template does not see; see package chat.
const RoleText = chat.RoleText

// GoesOn reports whether messages end with a text of its own (RoleText) behind what the template renders, or have
// nothing else: the beginning of a reply, or a whole prompt.
func GoesOn(messages []Message) bool {
	last := len(messages) - 1
	return last >= 0 && messages[last].Role == RoleText
}

// Request asks for one reply.
type Request struct {
	Messages []Message
	Prompt   []int32 // if not nil, token ids to send as they are, instead of Messages
	Sampling Sampling
	// upper bound on the reply's tokens; 0 means DefaultMaxTokens. Where Sampling.ReasoningTokens bounds the reasoning,
	// it bounds the answer alone.
	MaxTokens int

	// Stop are texts that end the reply: it ends before the first that its answer has, as StopText. The tokens of that
	// text count as the reply's. Scores have no such end.
	Stop []string `json:",omitempty"` // the server's keys are of a request as JSON
	// EndLoops ends a reply that repeats itself, as StopLooped: see package ending.
	EndLoops bool `json:",omitempty"`
	// UsualBound says that nobody chose the bound on reasoning in Sampling, so that it holds for a model that reasons.
	// For one that does not, or of which nobody knows, there is none.
	UsualBound bool `json:",omitempty"`

	// Continuations are texts, such as answer letters or votes. If there are any, the request asks for their
	// log-probabilities as the beginning of the reply instead of a reply. The prompt is computed once for all of them.
	// Reply.Text is then the most probable one.
	Continuations []string

	// Forced are token ids whose log-probabilities after the prompt are asked for, one by one, instead of a reply:
	// Reply.Scores has them. Sampling.Alternatives counts; nothing else of Sampling does, nor do MaxTokens and Grammar.
	Forced []int32

	// Model names the one that replies, of an engine with several (see Also); "" is the first.
	Model string

	Grammar string // GBNF that the reply must follow, from rule "root"; "" for none. Continuations ignore it

	// Tool is calculator.Name if the answer may call the calculator, "" for none: see package calculator. What that
	// writes counts for MaxTokens. There is none where a grammar shapes the reply, or scores are asked for.
	Tool string `json:",omitempty"`

	// Confidences has Reply.Confidences of a reply whose Sampling asks for alternatives, in the place of Reply.Scores.
	// It is not part of the content key: whoever keeps records asks for equal generations in one way.
	Confidences bool `json:",omitempty"`

	// Name is what records call the generation, for example "puzzle/7 round 1 agent 2". It is not part of the content
	// key.
	Name string

	// Case and Round name the debate that asks and its round, for observers. They are not part of the content key.
	Case  string
	Round int

	// OnPiece, if set, is called with the reply piece by piece as its tokens are drawn. The texts of the pieces make up
	// Reply.Text, unless it shows late that the first of them were reasoning (chat.Splitter). The last piece has Done
	// set; a request that fails may get none that has. What is not drawn token
	// by token, such as a known reply or the most probable continuation, is one piece. The engine's own goroutine calls
	// it: it must not call the engine, and delays everybody. It is not part of the content key.
	OnPiece func(Piece) `json:"-"`

	// Agent and Sample order the requests of one participant among each other. They are not part of the content key;
	// what makes two samples of one prompt differ is Sampling.Seed.
	Agent, Sample int
}

// Piece is what a token adds to a reply.
type Piece struct {
	Text      string // the characters that it completes, perhaps none
	Reasoning string // it is what was added to the reasoning, which is no part of the text
	Tokens    int    // of the reply so far, reasoning included
	Cached    int    // prompt tokens that were not computed for the reply
	Done      bool   // no other piece follows

	Drawn *TokenScore // the token; nil in a piece for which none was drawn
	End   bool        // it ends the reply, and is no text
	Mark  string      // of reasoning, where the token is one that no text has, see chat.Marks
}

// DefaultMaxTokens bounds a reply for which the caller set no bound.
const DefaultMaxTokens = 1024

// Sampling is how the next token is drawn. The zero value is greedy.
type Sampling = step.Sampling

// Chosen are the parameters of a Sampling that somebody chooses.
type Chosen = step.Chosen

// Budget is a number of tokens that may be 0 or not set, see step.Budget.
type Budget = step.Budget

// BudgetOf returns a budget of so many tokens.
func BudgetOf(tokens int) Budget { return step.BudgetOf(tokens) }

// Parameter is a number in Sampling, and what is to be known of it.
type Parameter = step.Parameter

// Parameters returns all parameters of Sampling.
func Parameters() []Parameter { return step.Parameters() }

// ParameterNamed returns the parameter of a name, see step.ParameterNamed.
func ParameterNamed(name string) (Parameter, bool) { return step.ParameterNamed(name) }

// ChosenOf chooses parameters by their names, see step.ChosenOf.
func ChosenOf(s Sampling, given func(name string) bool) Chosen { return step.ChosenOf(s, given) }

// TokenBias is what is added to the logit of a token.
type TokenBias = step.TokenBias

// StopReason says why a generation ended.
type StopReason string

const (
	StopEnd    StopReason = "end"       // the model drew an end token
	StopText   StopReason = "stop text" // one of Request.Stop came: the reply is complete
	StopLength StopReason = "length"    // MaxTokens was reached
	StopLooped StopReason = "looped"    // the reply began to repeat itself
	StopScored StopReason = "scored"    // continuations were scored, and nothing was generated
)

// Reply is what came back for one Request.
type Reply struct {
	Text string `json:"text"` // the answer; all of the reply if it has no reasoning
	// Reasoning is what the reply says in reasoning, without the marks of its family (package chat), and Raw the whole
	// reply with them; both are empty if there is none.
	Reasoning string `json:"reasoning,omitempty"`
	Raw       string `json:"raw,omitempty"`
	Key       string `json:"key"` // content key, see Key
	// of an engine with several models: SHA-256 of the file of the one that replied, hex
	Model        string     `json:"model,omitempty"`
	Stop         StopReason `json:"stop,omitempty"`
	PromptTokens int        `json:"prompt_tokens"` // with those that were put into the reply, and not drawn
	CachedTokens int        `json:"cached_tokens"` // prompt tokens that were not computed for this reply
	Tokens       int        `json:"tokens"`        // tokens generated, the end token included
	// of these, the tokens of the reasoning and its marks
	ReasoningTokens int `json:"reasoning_tokens,omitempty"`
	// the reply ends within its reasoning, usually because MaxTokens was reached: Text has no answer
	ReasoningCut bool `json:"reasoning_cut,omitempty"`
	// the reasoning came to its bound (Sampling.ReasoningTokens), or the model ended the reply within it, and it was
	// ended there by tokens that were not drawn
	ReasoningEnded bool `json:"reasoning_ended,omitempty"`
	// how often the reasoning went on where the model would have ended it (Sampling.ReasoningWaits)
	ReasoningWaited int `json:"reasoning_waited,omitempty"`
	// of a reply that ended as StopLooped: its first token that only repeats what came before, from 0
	LoopFrom int `json:"loop_from,omitempty"`
	// sum of the natural log-probabilities of the generated tokens
	LogProb float64 `json:"logprob"`
	// nobody said how probable the tokens were, as with many servers: LogProb is 0 and means nothing
	Unscored  bool          `json:"unscored,omitempty"`
	Duration  time.Duration `json:"-"`                  // from submission to completion
	LogProbs  []float64     `json:"logprobs,omitempty"` // of Request.Continuations: sums over their tokens
	Generated []int32       `json:"-"`                  // token ids
	// DeepConf's confidence of each token that was drawn, if Request.Confidences asks for it: see confidenceAt
	Confidences []float64 `json:"confidences,omitempty"`
	// one for each token that was drawn, if Sampling.Alternatives is above 0 and Request.Confidences does not ask for
	// them in short, and for each forced one
	Scores []TokenScore `json:"-"`
	// how a server drew it, if one request asked for it and others; it is nil if it was asked for alone
	Choice *Choice `json:"choice,omitempty"`
	Err    error   `json:"-"` // this request alone failed (for example ErrTooLong)
}

// Choice says that a reply is one of several that a server drew for one request, under one seed. The reply's own seed
// (Sampling.Seed) then only names it.
type Choice struct {
	Index int    `json:"index"` // from 0
	Of    int    `json:"of"`    // replies of the request, at least 2
	Seed  uint64 `json:"seed"`  // of the request: that of choice 0
}

// TokenScore is the log-probability of a sampled token, at temperature 1 over the whole vocabulary, with the best
// alternatives.
type TokenScore struct {
	Token        int32
	LogProb      float32
	Alternatives []TokenScore // at most Sampling.Alternatives, best first, the sampled token excluded
}

// Participant is one debate (or any other caller) that the engine waits for before it decodes. One goroutine at a time
// uses it.
type Participant interface {
	// Generate answers all requests, in their order, and blocks until the last is done. A request that cannot be
	// served has Err set in its Reply and leaves the others alone; the error returned ends the whole call (cancelled
	// context, engine closed or broken), and then there are no replies. Without requests it returns at once.
	Generate(ctx context.Context, requests []Request) ([]Reply, error)
	// Leave ends participation; the engine no longer waits for this participant. It is idempotent, must not be called
	// while Generate runs, and no Generate may follow it.
	Leave()
}

// Engine serves participants. The package comment says in which order its methods are called, and what errors leave
// behind. Every implementation keeps three promises: replies are in the order of the requests; equal requests get the
// same text, whatever their Name, Case, Round, Agent and Sample; and a reply does not depend on what else is asked.
type Engine interface {
	// Join announces a participant. Its order ranks its requests before those of participants with a larger order;
	// two participants of one engine must not share an order. Join all participants that are known before the first
	// calls Generate: the sequence of batches is then a function of the work alone.
	Join(order int) Participant
	// Model describes the model. It never changes, and may be asked after Close.
	Model() ModelInfo
	// Stats returns the counts since the engine was opened. It may be asked at any time, after Close too.
	Stats() Stats
	// Close ends everybody's Generate with an error, waits for the step under way, and frees the model. It is
	// idempotent.
	Close() error
}

// Running is an engine as a command uses it: it can be stopped in good order, and says what it was set up with. Local
// is one, as are engines of packages remote and team.
type Running interface {
	Engine
	// Stop lets what is under way finish, as far as that is soon, and then ends everybody's Generate with err.
	Stop(err error)
	// Plan describes what was set up, a line for each model.
	Plan() string
	// Threads that compute and KV cells in this process; it is 0 if nothing is computed here.
	Threads() int
	Cells() int
	// MemoryLine is what was allocated in this process, or "" if that is nothing to speak of.
	MemoryLine() string
	// Survey counts tokens as the engine would; it is nil if it cannot.
	Survey() *Survey
	// Able returns the error that a request is bound to get, as far as that is known before its prompt has tokens.
	Able(r Request) error
}

// ModelInfo describes the model behind an engine and every setting of the engine that may change its replies, for
// records and headlines. Those of a remote model say what its servers tell, and leave out what nobody knows.
type ModelInfo struct {
	Name         string `json:"name"`
	Path         string `json:"path"`
	Architecture string `json:"architecture"`
	Quantization string `json:"quantization"`
	Hash         string `json:"hash"` // SHA-256 of the file, hex; of a remote model see Remote
	Parameters   int64  `json:"parameters"`
	Context      int    `json:"context"` // tokens the model was trained for
	// Embedded is true for the model that is embedded in the program, and for a remote one that is asked with its
	// vocabulary. That is not recorded: which model a server has in its program nobody knows.
	Embedded bool   `json:"embedded"`
	Mode     string `json:"mode,omitempty"`     // how it is run: Fast, Reproducible or Elsewhere
	Template string `json:"template,omitempty"` // SHA-256 of its chat template, hex; "" if it has none
	Adapted  string `json:"adapted,omitempty"`  // how conversations are changed for the template, in words
	Kernels  string `json:"kernels,omitempty"`  // see Kernels; on a GPU, what computes the rest
	// Target is the set of instructions that our kernels were told to use, "" where they chose: all give the same bits.
	Target    string `json:"target,omitempty"`
	KV        string `json:"kv,omitempty"`         // see KV
	Device    string `json:"device,omitempty"`     // "CPU", the GPU that was named, or AnyGPU
	GPULayers int    `json:"gpu_layers,omitempty"` // see GPULayers

	// Reasons is how many tokens of reasoning come before an answer as a rule; 0 if none, or if nobody knows.
	Reasons int `json:"-"`
	// Waits reports whether its reasoning can be made to go on (Sampling.ReasoningWaits).
	Waits bool `json:"-"`
	// Room is how many tokens a request can have here, with its reply; 0 if nobody knows.
	Room int `json:"-"`

	Advice *models.Advice `json:"-"` // how its makers say that replies should be drawn; nil if that is not known

	Remote *Remote `json:"remote,omitempty"` // it is nil for a model in this process

	// Team are the other models of an engine that has several, which reply to requests that name them.
	Team []ModelInfo `json:"team,omitempty"`

	// Depends says why replies may depend on the batch or on the threads, as the self-test of mode Fast found; "" if
	// they do not, in other modes, with layers on a GPU, and without Calibrated, which has it made.
	Depends string `json:"depends,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (m ModelInfo) MarshalJSON() ([]byte, error) {
	type whole ModelInfo
	if m.Remote == nil {
		return json.Marshal(whole(m))
	}
	return json.Marshal(struct {
		whole
		Architecture string `json:"architecture,omitempty"`
		Quantization string `json:"quantization,omitempty"`
		Parameters   int64  `json:"parameters,omitempty"`
		Context      int    `json:"context,omitempty"`
		Embedded     bool   `json:"embedded,omitempty"` // nobody knows what a server has in its program
	}{whole(m), m.Architecture, m.Quantization, m.Parameters, m.Context, false})
}

// Elsewhere is the Mode of a remote model. What it computes may depend on the rest of its server's batches.
const Elsewhere = "remote, not invariant"

// Remote says which servers compute a model, and how they are asked. Nobody sees the weights of such a model, so that
// its Hash is one of what its servers say of it: their program, the model's name and digest, and how it is asked.
type Remote struct {
	Program string   `json:"program"`           // such as vLLM
	Version string   `json:"version,omitempty"` // as the servers give it; "" if they do not
	URLs    []string `json:"urls"`
	Asked   string   `json:"asked"` // in AskedTokens or AskedMessages
	// Vocabulary is the SHA-256 of the local file that makes token ids, hex; "" in older records and for messages.
	Vocabulary string `json:"vocabulary,omitempty"`
	// FileHash is the SHA-256 of the model's file, hex, which parley serve tells, and File what other programs tell
	// of it, a digest of their own or a path; "" for nothing.
	FileHash string `json:"file_hash,omitempty"`
	File     string `json:"file,omitempty"`
	// Fingerprint is what parley serve says of how it computes; "" of other programs.
	Fingerprint string `json:"fingerprint,omitempty"`
	// most replies that one request asks for, of equal prompts (see Choice); 0 is 1
	Choices int `json:"choices,omitempty"`
}

// How a remote model is asked.
const (
	AskedTokens   = "token ids" // of the template and the vocabulary of a local file
	AskedMessages = "messages"  // which the server renders
)

// About says in a few words what the model is, for headlines: beside its name.
func (m ModelInfo) About() string {
	if r := m.Remote; r != nil {
		asked := r.Asked
		if r.Choices > 1 {
			asked += fmt.Sprintf(", for up to %d replies at once", r.Choices)
		}
		return fmt.Sprintf("%s at %s, asked in %s; %s; its own limit on reasoning holds unless "+
			"--reasoning-tokens is given", strings.TrimSpace(r.Program+" "+r.Version),
			strings.Join(r.URLs, ", "), asked, Elsewhere)
	}
	about := fmt.Sprintf("%s %s, %s parameters, sha256 %.12s", m.Architecture, m.Quantization,
		humanize.SIWithDigits(float64(m.Parameters), 1, ""), m.Hash)
	if m.Reasons > 0 {
		about += fmt.Sprintf("; reasons before it answers, as a rule in about %s tokens",
			humanize.Comma(int64(m.Reasons)))
	}
	if m.Depends != "" {
		about += "; mode " + m.Mode + ", in which its replies may depend on the batch or the threads"
	}
	return about
}

// Short says that replies of so many tokens at most, drawn so, have too little room for what the model reasons, and
// what to change; "" if they have enough, or nobody knows.
func (m ModelInfo) Short(s Sampling, maxTokens int) string {
	room, bounded := s.ReasoningTokens.Tokens()
	switch {
	case m.Reasons == 0 || bounded && room == 0:
		return ""
	case bounded && room < m.Reasons:
		return fmt.Sprintf("%s reasons in about %s tokens as a rule, and that is ended after %s (--reasoning-tokens): "+
			"its answers may be worse than with more", m.Name, humanize.Comma(int64(m.Reasons)),
			humanize.Comma(int64(room)))
	case !bounded && maxTokens < m.Reasons:
		return fmt.Sprintf("%s reasons in about %s tokens as a rule before it answers, and replies end after %s: set "+
			"--reasoning-tokens, or in a team of several models reasoning-tokens of its members, which ends the "+
			"reasoning and asks for the answer (0 for none), or raise --max-tokens",
			m.Name, humanize.Comma(int64(m.Reasons)), humanize.Comma(int64(maxTokens)))
	}
	return ""
}

// All returns the models: this one, and those of its Team.
func (m ModelInfo) All() []ModelInfo {
	all := append([]ModelInfo{m}, m.Team...)
	all[0].Team = nil
	return all
}

// Stats counts what the engine did and saved since it was opened. Tokens are counted, not estimated.
type Stats struct {
	// requests whose reply was known from an earlier run, see Known
	Restored       int `json:"restored"`
	Generations    int `json:"generations"`     // distinct generations computed
	Joined         int `json:"joined"`          // requests that shared an equal generation
	Preempted      int `json:"preempted"`       // times that a generation was interrupted for lack of cells
	Drafted        int `json:"drafted"`         // tokens decoded before they were drawn, on speculation
	Accepted       int `json:"accepted"`        // drafted tokens that were then drawn
	PromptAsked    int `json:"prompt_asked"`    // prompt tokens of all requests, joined ones included
	PromptComputed int `json:"prompt_computed"` // prompt tokens decoded
	// of these, tokens whose cells were there, but not the state of a recurrent model after them
	PromptRepeated  int           `json:"prompt_repeated,omitempty"`
	Decoded         int           `json:"decoded"`        // tokens generated
	Attended        int           `json:"attended"`       // cells of the KV cache seen, summed over all rows
	Steps           int           `json:"steps"`          // calls of the engine
	Rows            int           `json:"rows"`           // batch rows over all steps
	BatchCapacity   int           `json:"batch_capacity"` // largest batch of one step, rows
	PeakSequences   int           `json:"peak_sequences"` // most sequences alive at once
	PeakCells       int           `json:"peak_cells"`     // most KV cells in use at once
	Cells           int           `json:"cells"`          // KV cells there are
	PrefillDuration time.Duration `json:"-"`              // time in steps, shared out by prompt rows
	DecodeDuration  time.Duration `json:"-"`              // time in steps, shared out by decode rows

	// Models are the counts of each, the first one's first, of an engine with several; the others are then their sums,
	// but for BatchCapacity, which is the largest.
	Models []Stats `json:"models,omitempty"`
}

// Plus adds the counts of another model.
func (s Stats) Plus(o Stats) Stats {
	s.Restored += o.Restored
	s.Generations += o.Generations
	s.Joined += o.Joined
	s.Preempted += o.Preempted
	s.Drafted += o.Drafted
	s.Accepted += o.Accepted
	s.PromptAsked += o.PromptAsked
	s.PromptComputed += o.PromptComputed
	s.PromptRepeated += o.PromptRepeated
	s.Decoded += o.Decoded
	s.Attended += o.Attended
	s.Steps += o.Steps
	s.Rows += o.Rows
	s.BatchCapacity = max(s.BatchCapacity, o.BatchCapacity)
	s.PeakSequences += o.PeakSequences
	s.PeakCells += o.PeakCells
	s.Cells += o.Cells
	s.PrefillDuration += o.PrefillDuration
	s.DecodeDuration += o.DecodeDuration
	return s
}

// Add returns the counts and durations together with so many times those of other work of the same engine, which may
// be less than none. Sizes and peaks stay as they are.
func (s Stats) Add(times float64, o Stats) Stats {
	counts, more := s.counts(), o.counts()
	for i, n := range counts {
		*n += int(math.Round(times * float64(*more[i])))
	}
	s.PrefillDuration += time.Duration(times * float64(o.PrefillDuration))
	s.DecodeDuration += time.Duration(times * float64(o.DecodeDuration))
	s.Models = slices.Clone(s.Models)
	for i := range s.Models {
		s.Models[i] = s.Models[i].Add(times, o.Models[i])
	}
	return s
}

// counts are what adds up over time.
func (s *Stats) counts() []*int {
	return []*int{&s.Restored, &s.Generations, &s.Joined, &s.Preempted, &s.Drafted, &s.Accepted, &s.PromptAsked,
		&s.PromptComputed, &s.PromptRepeated, &s.Decoded, &s.Attended, &s.Steps, &s.Rows}
}

// of returns the counts of one of the models.
func (s *Stats) of(model int) *Stats {
	if s.Models == nil {
		return s
	}
	return &s.Models[model]
}

// PromptSaved returns the number of prompt tokens that were asked for and not computed.
func (s Stats) PromptSaved() int { return s.PromptAsked - s.PromptComputed }
