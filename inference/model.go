package inference

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/parley-debate/parley/inference/chat"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/models"
	"github.com/parley-debate/parley/scheduler"
)

// instance is one model of an engine: what its file holds, how it is run, and its index in the driver.
type instance struct {
	index    int
	info     ModelInfo
	identity Identity
	file     models.Info
	options  options // its own: the plan completes them
	model    *llamacpp.Model
	template *chat.Template // it is nil if it has none
	// the template's source, as Vocabulary.Calls reads it
	templateText string
	marks        *chat.Marks // of its reasoning; nil if its family is not known to reason
	thinking     thinking
	// the marks that are control tokens, by token
	markTokens map[step.Token]string
	segments   *segmentCache // of its prompts
	plan       plan
	// the user said how many generations run at once
	givenParallel bool
	context       *llamacpp.Context
	decoder       *decoder
	schedule      scheduler.Options
	restored      atomic.Int64 // replies that were known
}

// describe looks at a file.
func describe(path string) (_ ModelInfo, file models.Info, err error) {
	if file, err = models.Inspect(path); err != nil {
		return ModelInfo{}, file, err
	}
	hash, err := models.Hash(path)
	if err != nil {
		return ModelInfo{}, file, err
	}
	return ModelInfo{
		Name: file.Name, Path: path, Architecture: file.Architecture, Quantization: file.Quantization, Hash: hash,
		Parameters: file.Parameters, Context: file.Context, Embedded: file.Embedded, Advice: file.Advice,
	}, file, nil
}

// load maps or reads the weights, and reads the chat template.
func (m *instance) load() (err error) {
	m.options.model.NoMmap = m.largePages()
	if m.model, err = llamacpp.LoadModel(m.info.Path, m.options.model); err != nil {
		return err
	}
	m.segments = newSegmentCache()
	o := m.options
	text := o.chatTemplate
	if own := m.model.ChatTemplate(); text == "" || m.index > 0 && own != "" {
		text = own
	}
	if text != "" {
		m.template, err = chat.Open(text, m.model.Detokenize([]step.Token{m.model.BOS()}, true),
			m.model.Detokenize([]step.Token{m.model.EOS()}, true), m.model.ControlTokens())
	}
	if err != nil {
		return fmt.Errorf("model %q: %w", m.info.Path, err)
	}
	m.templateText, m.info.Adapted = text, m.template.Adapted()
	m.info.Mode, m.info.Kernels, m.info.KV, m.info.Device, m.info.GPULayers = o.mode, o.kernels, o.kv, o.device(),
		o.model.GPULayers
	m.info.Target = o.model.Target
	if err := m.learn(text); err != nil {
		return err
	}
	m.identity = m.info.Identity(llamacpp.Build().String())
	return nil
}

// makeContext makes the context that was planned.
func (m *instance) makeContext() (err error) {
	o := m.options
	if o.mode == Reproducible {
		found, err := m.invariance(context.Background())
		if err == nil {
			err = found.Err()
		}
		if err != nil {
			return fmt.Errorf("model %q: mode %s does not hold here: %w; use --mode %s", m.info.Path, Reproducible, err,
				Fast)
		}
	}
	if m.info.Depends, err = m.depends(); err != nil {
		return err
	}
	if m.context, err = m.model.NewContext(o.context); err != nil {
		return err
	}
	m.schedule = scheduler.Options{
		Cells: m.context.Cells(), Sequences: m.context.Sequences(), Live: o.parallel, Batch: o.context.Batch,
		StepCost: m.plan.drafts, Forget: o.forget, Whole: m.model.Recurrent(),
		// half of what would double a step, so that there is time for the step in which somebody comes, and wide
		// enough that a seventh of the time goes into what a step costs besides its rows
		Slack: int(m.plan.cost / 2), Width: min(o.context.Batch, int(math.Ceil(6*m.plan.cost))),
	}
	m.decoder = &decoder{context: m.context}
	return nil
}

func (m *instance) invariance(ctx context.Context) (llamacpp.Invariance, error) {
	return m.model.CheckInvariance(ctx, m.options.context)
}

// invarianceVersion is raised when QuickInvariance or our kernels change.
const invarianceVersion = 1

// depends says why replies may depend on the batch or the threads in mode Fast, "" if they do not. Like the cost of a
// step it is found out once and kept. Of a model for embeddings nothing is said: it has no logits to compare.
func (m *instance) depends() (why string, err error) {
	o := m.options
	if o.mode != Fast || o.calibration == "" || o.model.GPULayers != 0 {
		return "", nil
	}
	if pooling, err := llamacpp.PoolingOf(m.model.Metadata()); err != nil || pooling != 0 {
		return "", nil
	}
	why, err = loadOrMeasure(filepath.Join(o.calibration, "invariance.json"), m.measurementName(invarianceVersion),
		func(string) bool { return true }, func() (string, error) {
			found, err := m.model.QuickInvariance(context.Background(), o.context)
			if err == nil && found.Err() != nil {
				return found.Err().Error(), nil
			}
			return "", err
		})
	if err != nil {
		return "", fmt.Errorf("model %q: comparing ways to compute a prompt: %w", m.info.Path, err)
	}
	return why, nil
}

func (m *instance) release() (err error) {
	if m.context != nil {
		err = m.context.Close()
	}
	if m.model != nil {
		err = errors.Join(err, m.model.Close())
	}
	return err
}

// stats returns the counts of the model's scheduler, with the times of its steps.
func (m *instance) stats(s scheduler.Stats) Stats {
	all := countsOf(s)
	all.Restored = int(m.restored.Load())
	all.PrefillDuration, all.DecodeDuration = m.decoder.durations()
	return all
}

func countsOf(s scheduler.Stats) Stats {
	return Stats{
		Generations: s.Generations, Joined: s.Joined, Preempted: s.Preempted, Drafted: s.Drafted, Accepted: s.Accepted,
		PromptAsked: s.PromptAsked, PromptComputed: s.PromptComputed, PromptRepeated: s.Repeated, Decoded: s.Decoded,
		Attended: s.Attended, Steps: s.Steps, Rows: s.Rows, BatchCapacity: s.BatchCapacity,
		PeakSequences: s.PeakSequences, PeakCells: s.PeakCells, Cells: s.Cells,
	}
}

// tokenize renders messages with one of the model's templates; opened tells whether the prompt ends within reasoning.
func (m *instance) tokenize(ctx context.Context, t *chat.Template, messages []Message) (tokens []step.Token,
	opened bool, err error) {
	parts, err := t.Render(ctx, messages)
	if err != nil {
		return nil, false, err
	}
	return m.tokensOfSegments(parts)
}

// tokensOfSegments returns the tokens of a rendered prompt; opened tells whether it ends within reasoning.
func (m *instance) tokensOfSegments(parts []chat.Segment) (tokens []step.Token, opened bool, err error) {
	for i, s := range parts {
		some, err := m.segments.tokens(m.model, segment{Text: s.Text, First: i == 0, Control: !s.Plain})
		if err != nil {
			return nil, false, err
		}
		tokens = append(tokens, some...)
	}
	if len(tokens) > 1 && tokens[0] == tokens[1] && tokens[0] == m.model.BOS() {
		tokens = tokens[1:] // both the template and the tokenizer began with it
	}
	if last := len(parts) - 1; last >= 0 && !parts[last].Plain {
		opened = m.marks.Opened(parts[last].Text)
	}
	return tokens, opened, nil
}

// room returns how many tokens a request can have, including its reply, and the words for what bounds it.
func (m *instance) room() (tokens int, by string) {
	if trained := m.info.Context; trained > 0 && trained <= m.plan.cells {
		return trained, "the model was trained for"
	}
	return m.plan.cells, "the context (--context) has"
}

// about describes the model and the room that it has here.
func (m *instance) about() ModelInfo {
	info := m.info
	info.Room, _ = m.room()
	return info
}

// fits refuses requests longer than the model was trained for. The scheduler refuses what the context cannot hold.
func (m *instance) fits(prompt []step.Token, maxTokens int) error {
	if trained := m.info.Context; trained > 0 && len(prompt)+maxTokens > trained {
		return fmt.Errorf("%w: %d prompt tokens and up to %d new ones, the model was trained for %d in all; lower "+
			"--max-tokens or the number of agents",
			ErrTooLong, len(prompt), maxTokens, trained)
	}
	return nil
}

// decoder carries out the scheduler's plans in a llama.cpp context, and measures them.
type decoder struct {
	context *llamacpp.Context

	mu              sync.Mutex // guards what follows
	prefill, decode time.Duration
}

// Step implements scheduler.Engine. The plan's batch goes to the binding as it is.
func (d *decoder) Step(ctx context.Context, plan *scheduler.Plan) ([]step.Sampled, error) {
	sampled := make([]step.Sampled, len(plan.Samples)) // the scheduler keeps it
	started := time.Now()
	if err := d.context.Step(ctx, &plan.Batch, sampled); err != nil {
		return nil, err
	}
	d.measure(plan, time.Since(started))
	return sampled, nil
}

// measure shares the time of a step out by its rows.
func (d *decoder) measure(plan *scheduler.Plan, took time.Duration) {
	if len(plan.Rows) == 0 {
		return
	}
	prefill := took * time.Duration(plan.Prefill) / time.Duration(len(plan.Rows))
	d.mu.Lock()
	defer d.mu.Unlock()
	d.prefill += prefill
	d.decode += took - prefill
}

func (d *decoder) durations() (prefill, decode time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.prefill, d.decode
}
