package inference

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/scheduler"
)

// ErrTooLong is the error of a request that does not fit into the context. It fails alone.
var ErrTooLong = scheduler.ErrTooLong

// ErrCannot is the error of a request that a model, or the program that serves it, has no way to answer, whatever it is
// about. It fails alone.
var ErrCannot = errors.New("the model or its server has no way to do that")

// Cannot is an ErrCannot in words of its own.
type Cannot struct{ Err error }

func (c Cannot) Error() string        { return c.Err.Error() }
func (c Cannot) Unwrap() error        { return c.Err }
func (c Cannot) Is(target error) bool { return target == ErrCannot }

// Local is the engine in this process: llama.cpp behind the scheduler. It has one model, or several (see Also), each
// with a context, a prefix tree and a scheduler of its own, which take turns on the same threads (scheduler.Driver).
// Besides the methods of Engine it has some that look at the models or their contexts (Plan, Threads, Cells, Memory,
// Invariance): those must not be called after Close.
//
// It owns the models, and the contexts through the driver: only the driver's goroutine steps. Close stops the driver,
// then frees contexts and models.
type Local struct {
	models  []*instance          // the first one replies to requests that name none
	named   map[string]*instance // by Request.Model
	driver  *scheduler.Driver
	observe func(Generation) error
	known   func(key string) (Reply, bool)
	member  bool // of a team.Engine

	recorded map[Key]bool // greedy generations that the observer has, or that are known; the driver's goroutine alone

	mu        sync.RWMutex // guards the models against being freed while prompts are tokenized
	closed    bool
	embedders []*Embedder // they are closed with it, too
}

// Open loads a GGUF file, and those of Also, and starts an engine for them. Errors name the file and what to change.
func Open(path string, opts ...Option) (*Local, error) {
	o := defaults()
	for _, opt := range opts {
		opt(&o)
	}
	if _, err := o.complete(); err != nil {
		return nil, err
	}
	l := &Local{observe: o.generation, known: o.known, member: o.member, recorded: make(map[Key]bool)}
	if err := l.open(path, o); err != nil {
		l.release()
		return nil, err
	}
	return l, nil
}

// open plans for all models together: nothing is allocated for one of them that another would lack.
func (l *Local) open(path string, o options) (err error) {
	if err := l.describe(path, o); err != nil {
		return err
	}
	for _, m := range l.models {
		if err := m.load(); err != nil {
			return err
		}
	}
	if err := l.makePlans(); err != nil {
		return err
	}
	engines := make([]scheduler.Engine, len(l.models))
	for i, m := range l.models {
		if err := m.makeContext(); err != nil {
			return err
		}
		engines[i] = m.decoder
	}
	l.driver, err = l.drive(l.finishJob, engines)
	return err
}

// describe looks at the files of all models. Files with the same content are one model, however often they are named.
func (l *Local) describe(path string, o options) error {
	l.named = make(map[string]*instance)
	for _, file := range append([]modelFile{{path: path}}, o.others...) {
		info, header, err := describe(file.path)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(l.models, func(m *instance) bool { return m.info.Hash == info.Hash })
		if at < 0 {
			at = len(l.models)
			l.models = append(l.models, &instance{index: at, info: info, file: header})
		}
		l.named[file.name] = l.models[at]
	}
	if err := l.assignDevices(o); err != nil {
		return err
	}
	return l.checkWeights()
}

// assignDevices completes the options of each model, with the place that was chosen for any of its names.
func (l *Local) assignDevices(o options) (err error) {
	chosen := make(map[*instance]string)
	for _, name := range slices.Sorted(maps.Keys(o.placements)) {
		m := l.named[name]
		if m == nil {
			return fmt.Errorf("no model %q is opened that could be placed", name)
		}
		if other, twice := chosen[m]; twice && o.placements[other] != o.placements[name] {
			return fmt.Errorf("%q and %q are one model, which has two places", other, name)
		}
		chosen[m] = name
	}
	for _, m := range l.models {
		p := placement{o.model.GPULayers, o.model.Device}
		if name, is := chosen[m]; is {
			p = o.placements[name]
		}
		if m.options, err = o.placedAt(p); err != nil {
			return fmt.Errorf("model %q: %w", m.info.Name, err)
		}
	}
	return nil
}

// drive starts a driver, with an engine for each model.
func (l *Local) drive(finished func(*scheduler.Job) error, engines []scheduler.Engine) (*scheduler.Driver, error) {
	instances := make([]scheduler.Instance, len(l.models))
	for i, m := range l.models {
		s, err := scheduler.New(m.schedule)
		if err != nil {
			return nil, err
		}
		instances[i] = scheduler.Instance{Scheduler: s, Engine: engines[i]}
	}
	return scheduler.NewDriver(finished, instances...), nil
}

// Invariance computes one prompt in several ways with the engine's threads and cache, and compares the bits of the
// logits. It looks at the first model only. The engine must be idle.
func (l *Local) Invariance(ctx context.Context) (llamacpp.Invariance, error) {
	return l.models[0].invariance(ctx)
}

// Stop lets the step under way finish, shows what it finishes to OnGeneration, and then ends everybody's Generate with
// err.
func (l *Local) Stop(err error) { l.driver.Stop(err) }

// Err returns why nothing more is computed: what a step failed with, or what Stop was given; nil while all is well.
func (l *Local) Err() error { return l.driver.Err() }

// Close ends everybody's Generate with an error, and frees the models. It is idempotent.
func (l *Local) Close() error {
	l.driver.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		for i, m := range l.models {
			m.reviewCost(m.stats(l.driver.Stats(i)))
		}
	}
	l.closed = true
	var err error
	for _, e := range l.embedders {
		err = errors.Join(err, e.Close())
	}
	return errors.Join(err, l.release())
}

func (l *Local) release() (err error) {
	for _, m := range l.models {
		err = errors.Join(err, m.release())
	}
	return err
}

// Plan describes what was set up, and why: threads, memory of the cells, how many generations run at once, drafts. It
// has a line for each model.
func (l *Local) Plan() string {
	lines := make([]string, len(l.models))
	for i, m := range l.models {
		lines[i] = m.describePlan()
		if len(l.models) > 1 {
			lines[i] = m.info.Name + ": " + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

// Model describes the loaded files and how they are run.
func (l *Local) Model() ModelInfo {
	info := l.models[0].about()
	for _, m := range l.models[1:] {
		info.Team = append(info.Team, m.about())
	}
	return info
}

// Threads returns the number of compute threads at present, and Cells that of the KV cells of all models. Results
// depend on neither.
func (l *Local) Threads() int { return l.models[0].context.Threads() }
func (l *Local) Cells() (n int) {
	for _, m := range l.models {
		n += m.context.Cells()
	}
	return n
}

// Stats returns what was done and saved since Open.
func (l *Local) Stats() Stats {
	return l.total(func(m *instance) Stats { return m.stats(l.driver.Stats(m.index)) })
}

// total adds up the counts of all models.
func (l *Local) total(of func(*instance) Stats) (all Stats) {
	for i, m := range l.models {
		one := of(m)
		if i == 0 {
			all = one
		} else {
			all = all.Plus(one)
		}
		if len(l.models) > 1 {
			all.Models = append(all.Models, one)
		}
	}
	return all
}

// Occupied returns the number of KV cells that running generations hold.
func (l *Local) Occupied() (cells int) {
	for i := range l.models {
		cells += l.driver.Occupied(i)
	}
	return cells
}

// Join implements Engine.
func (l *Local) Join(order int) Participant {
	return &participant{local: l, Client: Client{Order: order}, joined: l.driver.Join(order)}
}

// Predict answers one conversation and calls onText with the text as it is generated, in whole characters. onText may
// be nil; it runs on the engine's goroutine and must not call the engine.
func (l *Local) Predict(ctx context.Context, messages []Message, sampling Sampling, maxTokens int,
	onText func(string)) (Reply, error) {
	p := l.Join(0)
	defer p.Leave()
	replies, err := p.Generate(ctx, []Request{{Messages: messages, Sampling: sampling, MaxTokens: maxTokens,
		OnPiece: func(p Piece) {
			if onText != nil && p.Text != "" {
				onText(p.Text)
			}
		}}})
	if err != nil {
		return Reply{}, err
	}
	return replies[0], replies[0].Err
}
