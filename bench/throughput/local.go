package throughput

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/machine"
)

// Local is our engine, in this process.
type Local struct {
	Open  func() (*inference.Local, error) // called at the start of each run
	Flags string                           // as the report shows them
	Plan  string                           // of the engine of the last run

	engine *inference.Local
	before inference.Stats // at the beginning of the lap
	least  int             // of the tree, at the beginning of the lap

	mu   sync.Mutex // guards what follows
	tree *tree
	lap
}

// lap is what is measured from Begin to Lap.
type lap struct {
	used      Usage
	started   time.Time
	latencies *latencies
	energy    *energy // nil where nothing is measured
}

// Name implements System.
func (l *Local) Name() string { return "parley" }

// Start implements System. Opening is not part of the measured time.
func (l *Local) Start(context.Context) error {
	var err error
	if l.engine, err = l.Open(); err != nil {
		return err
	}
	l.Plan, l.tree, l.lap = l.engine.Plan(), newTree(), lap{latencies: new(latencies)}
	resetPeakMemory()
	return nil
}

// Begin implements System.
func (l *Local) Begin() {
	l.before, l.least = l.engine.Stats(), l.tree.least()
	l.lap = lap{latencies: new(latencies), energy: startEnergy(), started: time.Now()}
}

// Join implements System.
func (l *Local) Join(order int) Client { return localClient{l, l.engine.Join(order)} }

// Lap implements System.
func (l *Local) Lap() Usage {
	u, s := l.used, l.engine.Stats().Add(-1, l.before)
	u.Wall = time.Since(l.started)
	u.Joules = l.energy.joules()
	u.FirstToken, u.BetweenTokens = percentiles(l.latencies.first), percentiles(l.latencies.between)
	u.Asked, u.Computed, u.Least = s.PromptAsked, s.PromptComputed, l.tree.least()-l.least
	u.Generations, u.Decoded, u.Steps, u.Attended = s.Generations, s.Decoded, s.Steps, s.Attended
	u.Outside = u.Wall - s.PrefillDuration - s.DecodeDuration
	u.PrefillRate = perSecond(s.PromptComputed, s.PrefillDuration)
	u.DecodeRate = perSecond(s.Decoded-s.Generations, s.DecodeDuration)
	u.PeakMemory = machine.PeakMemory(os.Getpid())
	l.energy = nil
	return u
}

// Stop implements System.
func (l *Local) Stop() error {
	if l.energy != nil { // of a run that failed
		l.energy.joules()
	}
	return l.engine.Close()
}

type localClient struct {
	local       *Local
	participant inference.Participant
}

// Leave implements Client.
func (c localClient) Leave() { c.participant.Leave() }

// Generate implements Client.
func (c localClient) Generate(ctx context.Context, requests []Request) ([]Reply, error) {
	asked := make([]inference.Request, len(requests))
	watch := c.local.latencies.watch(len(requests))
	for i, r := range requests {
		asked[i] = inference.Request{
			Prompt: r.Prompt, MaxTokens: r.Tokens, Agent: r.Agent, Sample: i,
			Sampling: inference.Sampling{Temperature: 1, IgnoreEnd: true, Seed: r.Seed}, OnPiece: watch(i),
		}
	}
	generated, err := c.participant.Generate(ctx, asked)
	if err != nil {
		return nil, err
	}
	c.local.mu.Lock()
	defer c.local.mu.Unlock()
	replies := make([]Reply, len(requests))
	for i, r := range generated {
		if r.Err != nil {
			return nil, r.Err
		}
		replies[i].Tokens = r.Generated
		c.local.tree.add(requests[i].Prompt, r.Generated)
		c.local.used.Requests++
		c.local.used.Generated += len(r.Generated)
	}
	return replies, nil
}

// resetPeakMemory forgets the peak of this process so far, if the operating system supports that.
func resetPeakMemory() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }
