package inference

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"

	"parley/inference/llamacpp"
	"parley/models"
	"parley/scheduler"
)

// ErrTooLong is the error of a request that does not fit into the context. It fails alone.
var ErrTooLong = scheduler.ErrTooLong

// Local is the engine in this process: llama.cpp behind the scheduler. Besides the methods of Engine it has some that
// look at the model or its context (Plan, Threads, Cells, Memory, Invariance): those must not be called after Close.
//
// It owns the model, and the context through the driver: only the driver's goroutine steps. Close stops the driver,
// then the engines that share the model (see Rehearsal), then frees the context and the model.
type Local struct {
	model    *llamacpp.Model
	context  *llamacpp.Context
	template *Template
	decoder  *decoder
	driver   *scheduler.Driver
	info     ModelInfo
	observe  func(Generation) error
	known    func(key string) (Reply, bool)
	restored atomic.Int64 // replies that were known
	plan     plan
	options  llamacpp.ContextOptions
	schedule scheduler.Options

	mu         sync.RWMutex // guards the model against being freed while prompts are tokenized
	closed     bool
	rehearsals []*Local // that use the model
}

// Open loads a GGUF file and starts an engine for it. Errors name the file and what to change.
func Open(path string, opts ...Option) (*Local, error) {
	o := defaults()
	for _, opt := range opts {
		opt(&o)
	}
	if err := o.complete(); err != nil {
		return nil, err
	}
	l := &Local{observe: o.generation, known: o.known}
	if err := l.load(path, &o); err != nil {
		l.release()
		return nil, err
	}
	l.schedule = scheduler.Options{
		Cells: l.context.Cells(), Sequences: l.context.Sequences(), Live: o.parallel, Batch: o.context.Batch,
		StepCost: l.plan.drafts,
	}
	l.decoder = &decoder{context: l.context}
	if err := l.start(l.decoder); err != nil {
		l.release()
		return nil, err
	}
	return l, nil
}

func (l *Local) start(e scheduler.Engine) error {
	s, err := scheduler.New(l.schedule)
	if err == nil {
		l.driver = scheduler.NewDriver(s, e, l.finished)
	}
	return err
}

func (l *Local) load(path string, o *options) (err error) {
	if l.info, err = describe(path); err != nil {
		return err
	}
	if l.model, err = llamacpp.LoadModel(path, o.model); err != nil {
		return err
	}
	m := l.model
	l.template, err = NewTemplate(m.ChatTemplate(), m.Detokenize([]llamacpp.Token{m.BOS()}, true),
		m.Detokenize([]llamacpp.Token{m.EOS()}, true), m.ControlTokens())
	if err != nil {
		return fmt.Errorf("model %q: %w", path, err)
	}
	if err := l.makePlan(o); err != nil {
		return err
	}
	l.options = o.context
	l.info.Template = fmt.Sprintf("%x", sha256.Sum256([]byte(m.ChatTemplate())))
	l.info.Mode, l.info.Kernels, l.info.KV, l.info.Device, l.info.GPULayers = o.mode, o.kernels, o.kv, o.device(),
		o.model.GPULayers
	if o.mode == Reproducible {
		found, err := l.Invariance(context.Background())
		if err == nil {
			err = found.Err()
		}
		if err != nil {
			return fmt.Errorf("model %q: mode %s does not hold here: %w; use --mode %s", path, Reproducible, err, Fast)
		}
	}
	l.context, err = m.NewContext(o.context)
	return err
}

// Invariance compares the bits of logits that this model and machine compute in several ways, with the engine's threads
// and cache; the engine must be idle.
func (l *Local) Invariance(ctx context.Context) (llamacpp.Invariance, error) {
	return l.model.CheckInvariance(ctx, l.options)
}

func describe(path string) (ModelInfo, error) {
	info, err := models.Inspect(path)
	if err != nil {
		return ModelInfo{}, err
	}
	hash, err := models.Hash(path)
	if err != nil {
		return ModelInfo{}, err
	}
	return ModelInfo{
		Name: info.Name, Path: path, Architecture: info.Architecture, Quantization: info.Quantization, Hash: hash,
		Parameters: info.Parameters, Context: info.Context, Embedded: info.Embedded,
	}, nil
}

// Stop ends everybody's Generate with an error, once the step under way is done and what it finishes has been observed.
func (l *Local) Stop(err error) { l.driver.Stop(err) }

// Close ends everybody's Generate with an error, and frees the model. It is idempotent.
func (l *Local) Close() error {
	l.driver.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for _, r := range l.rehearsals {
		r.stop()
	}
	return l.release()
}

func (l *Local) release() error {
	var err error
	if l.context != nil {
		err = l.context.Close()
	}
	if l.model != nil {
		err = errors.Join(err, l.model.Close())
	}
	return err
}

// Plan says what was set up for the work, and why: how many generations run at once, the memory of their cells, drafts.
func (l *Local) Plan() string {
	text := fmt.Sprintf("%s threads, cells take %s", humanize.Comma(int64(l.context.Threads())),
		humanize.IBytes(uint64(l.context.MemoryBytes())))
	if l.plan.free > 0 {
		text += fmt.Sprintf(" of %s free", humanize.IBytes(uint64(l.plan.free)))
	}
	return text + ", " + l.plan.String()
}

// Model describes the loaded file and how it is run.
func (l *Local) Model() ModelInfo { return l.info }

// Threads is how many compute, and Cells how many KV cells there are: results do not depend on them.
func (l *Local) Threads() int { return l.context.Threads() }
func (l *Local) Cells() int   { return l.context.Cells() }

// Stats returns what was done and saved since Open.
func (l *Local) Stats() Stats {
	s := l.driver.Stats()
	prefill, decode := l.decoder.durations()
	return Stats{
		Restored: int(l.restored.Load()), Generations: s.Generations, Joined: s.Joined, Preempted: s.Preempted,
		Drafted: s.Drafted, Accepted: s.Accepted, PromptAsked: s.PromptAsked, PromptComputed: s.PromptComputed,
		Decoded: s.Decoded, Attended: s.Attended, Steps: s.Steps, Rows: s.Rows, BatchCapacity: s.BatchCapacity,
		PeakSequences: s.PeakSequences,
		PeakCells:     s.PeakCells, Cells: s.Cells, PrefillDuration: prefill, DecodeDuration: decode,
	}
}

// Join implements Engine.
func (l *Local) Join(order int) Participant {
	return &participant{local: l, order: order, member: l.driver.Join(order)}
}

// Predict answers one conversation and hands out the text as it is generated, in whole characters.
func (l *Local) Predict(ctx context.Context, messages []Message, sampling Sampling, maxTokens int,
	onText func(string)) (Reply, error) {
	p := &participant{local: l, member: l.driver.Join(0), onText: onText}
	defer p.Leave()
	replies, err := p.Generate(ctx, []Request{{Messages: messages, Sampling: sampling, MaxTokens: maxTokens}})
	if err != nil {
		return Reply{}, err
	}
	return replies[0], replies[0].Err
}

// tokenize renders messages with the model's template.
func (l *Local) tokenize(ctx context.Context, messages []Message) ([]scheduler.Token, error) {
	segments, err := l.template.Render(ctx, messages)
	if err != nil {
		return nil, err
	}
	var tokens []scheduler.Token
	for i, s := range segments {
		part, err := l.model.Tokenize(s.Text, i == 0, !s.Plain)
		if err != nil {
			return nil, err
		}
		for _, t := range part {
			tokens = append(tokens, scheduler.Token(t))
		}
	}
	if len(tokens) > 1 && tokens[0] == tokens[1] && llamacpp.Token(tokens[0]) == l.model.BOS() {
		tokens = tokens[1:] // both the template and the tokenizer began with it
	}
	return tokens, nil
}

// pending is a request on its way through the scheduler.
type pending struct {
	Generation
	key       Key
	submitted time.Time
	open      int   // continuations that are not scored yet
	part      *part // of a rehearsal, once it has begun to be spoken
}

// continuation is one of those that a request asks to be scored.
type continuation struct {
	*pending
	index  int
	tokens int
}

// finished turns the scheduler's result into a reply and shows it to the observer, in the driver's order.
func (l *Local) finished(job *scheduler.Job) error {
	if c, ok := job.Tag.(continuation); ok {
		return l.scored(c, job)
	}
	p, result := job.Tag.(*pending), job.Result
	p.Reply = Reply{
		Key: p.key.String(), Stop: StopLength, PromptTokens: len(job.Prompt), CachedTokens: result.Cached,
		Tokens: len(result.Tokens), Duration: time.Since(p.submitted), Err: result.Err,
	}
	if result.Err != nil {
		return nil
	}
	text := make([]llamacpp.Token, 0, len(result.Tokens))
	for _, s := range result.Tokens {
		if s.Stuck {
			p.Reply.Err = fmt.Errorf("the grammar allows none of the model's tokens after %q",
				l.model.Detokenize(text, false))
			return nil
		}
		p.Reply.LogProb += float64(s.LogProb)
		if p.Sampling.Rivals > 0 {
			p.Reply.Scores = append(p.Reply.Scores, score(s))
		}
		p.Reply.Generated = append(p.Reply.Generated, int32(s.Token))
		if s.End {
			p.Reply.Stop = StopEnd
		} else {
			text = append(text, llamacpp.Token(s.Token))
		}
	}
	if p.Sampling.IgnoreEnd {
		p.Reply.Stop = StopLength
	}
	p.Reply.Text = l.model.Detokenize(text, false)
	if l.observe == nil || result.Joined {
		return nil
	}
	return l.observe(p.Generation)
}

// scored enters the log-probability of a continuation, and makes the reply when it is the last one.
func (l *Local) scored(c continuation, job *scheduler.Job) error {
	reply := &c.Reply
	for _, s := range job.Result.Tokens {
		reply.LogProbs[c.index] += float64(s.LogProb)
	}
	reply.Tokens += len(job.Result.Tokens)
	reply.PromptTokens, reply.CachedTokens = len(job.Prompt), max(reply.CachedTokens, job.Result.Cached)
	reply.Err = errors.Join(reply.Err, job.Result.Err)
	if c.open--; c.open > 0 || reply.Err != nil {
		return nil
	}
	best := slices.Index(reply.LogProbs, slices.Max(reply.LogProbs))
	reply.Text, reply.LogProb = c.Continuations[best], reply.LogProbs[best]
	reply.Key, reply.Stop, reply.Duration = c.key.String(), StopScored, time.Since(c.submitted)
	if l.observe == nil || job.Result.Joined {
		return nil
	}
	return l.observe(c.Generation)
}

func score(s scheduler.Sampled) TokenScore {
	out := TokenScore{Token: int32(s.Token), LogProb: s.LogProb}
	for _, r := range s.Rivals {
		out.Rivals = append(out.Rivals, TokenScore{Token: int32(r.Token), LogProb: r.LogProb})
	}
	return out
}
