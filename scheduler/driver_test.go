package scheduler

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/parley-debate/parley/inference/step"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var small = Options{Cells: 400, Sequences: 12, Live: 8, Batch: 32}

func ignore(*Job) error { return nil }

// TestDriverIgnoresTheClock lets debates of several rounds run at random speeds, on one instance and on several:
// batches, results and the order in which they are finished are the same every time.
func TestDriverIgnoresTheClock(t *testing.T) {
	for instances := 1; instances <= 3; instances++ {
		t.Run(fmt.Sprint(instances), func(t *testing.T) { ignoresTheClock(t, instances) })
	}
}

func ignoresTheClock(t *testing.T, instances int) {
	debates := func(seed uint64) (trace []string, finished []Order, results [][]Result) {
		engines, list := make([]*fakeEngine, instances), make([]Instance, instances)
		for i := range list {
			engines[i] = newFakeEngine(t, small)
			list[i] = Instance{mustNew(t, small), engines[i]}
		}
		d := NewDriver(func(job *Job) error {
			finished = append(finished, job.Order)
			return nil
		}, list...)
		defer d.Close()
		results = make([][]Result, 4)
		var participants []*Participant
		for i := range results {
			participants = append(participants, d.Join(i))
		}
		var group sync.WaitGroup
		for i, m := range participants {
			random := rand.New(rand.NewPCG(seed, uint64(i)))
			group.Go(func() {
				defer m.Leave()
				results[i] = talk(t, m, random, instances)
			})
		}
		group.Wait()
		for _, e := range engines {
			trace = append(trace, e.trace...)
		}
		return trace, finished, results
	}
	trace, finished, results := debates(1)
	for seed := range uint64(20) {
		trace2, finished2, results2 := debates(seed)
		if d := cmp.Diff(trace, trace2) + cmp.Diff(finished, finished2) + cmp.Diff(results, results2); d != "" {
			t.Fatal(d)
		}
	}
	if len(finished) != 4*3*3 {
		t.Errorf("%d generations finished, want %d", len(finished), 4*3*3)
	}
}

// TestInstancesTakeTurns: an instance steps until it has nothing left to do, and each request is served by its own.
func TestInstancesTakeTurns(t *testing.T) {
	var turns []int
	instances := make([]Instance, 3)
	for i := range instances {
		instances[i] = Instance{mustNew(t, small), turnEngine{newFakeEngine(t, small), i, &turns}}
	}
	d := NewDriver(ignore, instances...)
	defer d.Close()
	m := d.Join(0)
	defer m.Leave()
	for number, asked := range [][]int{{0, 1, 2}, {2, 0}, {1}} {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			turns = nil
			var requests []Request
			for agent, instance := range asked {
				requests = append(requests, Request{Order: Order{Agent: agent}, Instance: instance,
					Prompt: []step.Token{1, 2, 3}, MaxTokens: 4, Sampling: step.Sampling{Seed: uint64(instance)}})
			}
			results, err := m.Generate(t.Context(), requests)
			if err != nil {
				t.Fatal(err)
			}
			for i, r := range results {
				if diff := cmp.Diff(alone(requests[i]), r.Tokens); diff != "" {
					t.Errorf("a request of an instance gets the tokens that it gets alone (-want +got):\n%s", diff)
				}
			}
			took := slices.Compact(slices.Clone(turns))
			if slices.Sort(asked); len(took) != len(asked) {
				t.Errorf("instances %v were asked, want the steps on the same: %v", asked, turns)
			}
			if slices.Sort(took); !slices.Equal(took, asked) {
				t.Errorf("instances %v were asked, want the steps on the same: %v", asked, turns)
			}
		})
	}
	for instance := range instances {
		if n := d.Stats(instance).Generations; n != 2 {
			t.Errorf("instance %d: %d generations of 2, want 2", instance, n)
		}
	}
}

// turnEngine notes whose step it is.
type turnEngine struct {
	Engine
	instance int
	turns    *[]int
}

func (e turnEngine) Step(ctx context.Context, p *Plan) ([]step.Sampled, error) {
	*e.turns = append(*e.turns, e.instance)
	return e.Engine.Step(ctx, p)
}

// talk is a debate of three agents and three rounds whose prompts grow by what was said. The agents are spread over the
// instances.
func talk(t *testing.T, m *Participant, random *rand.Rand, instances int) (all []Result) {
	prompts := [][]step.Token{{1, 2, 3, 4, 5}, {1, 2, 3, 4, 5}, {1, 2, 3, 9}}
	for range 3 {
		var requests []Request
		for agent, prompt := range prompts {
			requests = append(requests, Request{Order: Order{Agent: agent}, Instance: agent % instances, Prompt: prompt,
				MaxTokens: 12, Sampling: step.Sampling{Seed: uint64(agent)}})
		}
		for range random.IntN(50) {
			runtime.Gosched()
		}
		results, err := m.Generate(context.Background(), requests)
		if err != nil {
			t.Error(err)
			return nil
		}
		for i, r := range results {
			prompts[i] = slices.Concat(prompts[i], tokensOf(r.Tokens), []step.Token{7, 7})
		}
		all = append(all, results...)
	}
	return all
}

// TestCancelledMember gives up within a step, without the others noticing.
func TestCancelledMember(t *testing.T) {
	e := &gate{Engine: newFakeEngine(t, small), entered: make(chan struct{}), leave: make(chan struct{})}
	d := NewDriver(ignore, Instance{mustNew(t, small), e})
	defer d.Close()
	a, b := d.Join(0), d.Join(1)
	ctx, cancel := context.WithCancel(context.Background())
	request := Request{Prompt: []step.Token{1, 2, 3}, MaxTokens: 20, Sampling: step.Sampling{Seed: 5}}
	errs := make(chan error)
	go func() {
		defer a.Leave()
		_, err := a.Generate(ctx, []Request{request})
		errs <- err
	}()
	var results []Result
	go func() {
		defer b.Leave()
		var err error
		results, err = b.Generate(context.Background(), []Request{request})
		errs <- err
	}()
	<-e.entered
	cancel()
	if err := <-errs; !errors.Is(err, context.Canceled) {
		t.Errorf("the cancelled participant got the error %v, want %v", err, context.Canceled)
	}
	close(e.leave)
	if err := <-errs; err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(alone(request), results[0].Tokens); diff != "" {
		t.Errorf("who asked together with a cancelled request gets the tokens that it gets alone (-want +got):\n%s",
			diff)
	}
}

// TestStop within a step: what the step finishes is handed on, and all others get the error.
func TestStop(t *testing.T) {
	e := &gate{Engine: newFakeEngine(t, small), entered: make(chan struct{}), leave: make(chan struct{})}
	finished := 0
	d := NewDriver(func(*Job) error { finished++; return nil }, Instance{mustNew(t, small), e})
	defer d.Close()
	short, long := d.Join(0), d.Join(1)
	ask := func(m *Participant, tokens int, result chan<- error) {
		_, err := m.Generate(context.Background(), []Request{{Prompt: []step.Token{1, 2, 3}, MaxTokens: tokens,
			Sampling: step.Sampling{Seed: 6}}})
		result <- err
	}
	first, second := make(chan error), make(chan error)
	go ask(short, 1, first)
	go ask(long, 20, second)
	<-e.entered
	stopped := errors.New("stopped")
	d.Stop(stopped)
	close(e.leave)
	if err := <-first; err != nil {
		t.Errorf("what the step finished was lost (%v), want its reply", err)
	}
	if err := <-second; !errors.Is(err, stopped) {
		t.Errorf("who was not finished got the error %v, want %v", err, stopped)
	}
	go ask(short, 1, first)
	if err := <-first; !errors.Is(err, stopped) || finished != 1 {
		t.Errorf("%d jobs finished; after that %v; want the error %q and 1", finished, err, stopped)
	}
}

// gate lets the first step begin and waits inside it.
type gate struct {
	Engine
	once           sync.Once
	entered, leave chan struct{}
}

func (g *gate) Step(ctx context.Context, p *Plan) ([]step.Sampled, error) {
	g.once.Do(func() { close(g.entered); <-g.leave })
	return g.Engine.Step(ctx, p)
}

// TestDriverEnds tells every waiting participant why: the engine broke, the journal could not be written, or Close.
func TestDriverEnds(t *testing.T) {
	broken := errors.New("broken")
	ask := []Request{{Prompt: []step.Token{1}, MaxTokens: 3}}
	t.Run("engine", func(t *testing.T) {
		e := newFakeEngine(t, small)
		e.fail = broken
		d := NewDriver(ignore, Instance{mustNew(t, small), e})
		defer d.Close()
		if _, err := d.Join(0).Generate(context.Background(), ask); !errors.Is(err, broken) {
			t.Errorf("a broken engine got the error %v, want %v", err, broken)
		}
	})
	t.Run("journal", func(t *testing.T) {
		d := NewDriver(func(*Job) error { return broken }, Instance{mustNew(t, small), newFakeEngine(t, small)})
		defer d.Close()
		m := d.Join(0)
		for range 2 {
			if _, err := m.Generate(context.Background(), ask); !errors.Is(err, broken) {
				t.Errorf("a driver whose engine broke got the error %v, want %v", err, broken)
			}
		}
	})
	t.Run("close", func(t *testing.T) {
		d := NewDriver(ignore, Instance{mustNew(t, small), newFakeEngine(t, small)})
		waits, other := d.Join(0), d.Join(1) // the other never asks, so nothing moves
		defer other.Leave()
		errs := make(chan error)
		go func() {
			_, err := waits.Generate(context.Background(), ask)
			errs <- err
		}()
		runtime.Gosched()
		d.Close()
		if err := <-errs; !errors.Is(err, step.ErrClosed) {
			t.Errorf("a request to a driver that closes got the error %v, want %v", err, step.ErrClosed)
		}
		d.Close()
	})
}
