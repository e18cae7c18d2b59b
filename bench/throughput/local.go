package throughput

import (
	"context"
	"os"
	"sync"
	"time"

	"parley/inference"
	"parley/inference/llamacpp"
)

// Local is our engine.
type Local struct {
	Open  func() (*inference.Local, error)
	Flags string // as the report shows them
	Plan  string // of the last run

	engine  *inference.Local
	started time.Time

	mu   sync.Mutex // guards what follows
	tree *tree
	used Usage
}

// Name implements Side.
func (l *Local) Name() string { return "parley" }

// Start implements Side. Opening is not part of the measured time.
func (l *Local) Start(context.Context) error {
	var err error
	if l.engine, err = l.Open(); err != nil {
		return err
	}
	l.Plan, l.tree, l.used = l.engine.Plan(), newTree(), Usage{}
	resetPeakMemory()
	l.started = time.Now()
	return nil
}

// Join implements Side.
func (l *Local) Join(order int) Seat { return localSeat{l, l.engine.Join(order)} }

// Stop implements Side.
func (l *Local) Stop() (Usage, error) {
	u, s := l.used, l.engine.Stats()
	u.Wall = time.Since(l.started)
	u.Asked, u.Computed, u.Least = s.PromptAsked, s.PromptComputed, l.tree.least()
	u.Generations, u.Decoded, u.Steps, u.Attended = s.Generations, s.Decoded, s.Steps, s.Attended
	u.Outside = u.Wall - s.PrefillDuration - s.DecodeDuration
	u.PrefillRate = float64(s.PromptComputed) / max(1e-9, s.PrefillDuration.Seconds())
	u.DecodeRate = float64(s.Decoded) / max(1e-9, s.DecodeDuration.Seconds())
	u.PeakMemory = llamacpp.PeakMemory(os.Getpid())
	return u, l.engine.Close()
}

type localSeat struct {
	local       *Local
	participant inference.Participant
}

func (s localSeat) Leave() { s.participant.Leave() }

func (s localSeat) Ask(ctx context.Context, asks []Ask) ([]Answer, error) {
	requests := make([]inference.Request, len(asks))
	for i, a := range asks {
		requests[i] = inference.Request{
			Prompt: a.Prompt, MaxTokens: a.Reply, Agent: a.Agent, Sample: i,
			Sampling: inference.Sampling{Temperature: 1, IgnoreEnd: true, Seed: a.Seed},
		}
	}
	replies, err := s.participant.Generate(ctx, requests)
	if err != nil {
		return nil, err
	}
	s.local.mu.Lock()
	defer s.local.mu.Unlock()
	answers := make([]Answer, len(asks))
	for i, r := range replies {
		if r.Err != nil {
			return nil, r.Err
		}
		answers[i].Tokens = r.Generated
		s.local.tree.add(asks[i].Prompt, r.Generated)
		s.local.used.Requests++
		s.local.used.Generated += len(r.Generated)
	}
	return answers, nil
}

// resetPeakMemory forgets the peak of this process so far, where the system can.
func resetPeakMemory() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }
