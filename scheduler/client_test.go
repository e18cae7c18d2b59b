package scheduler

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/inference/step"
)

// handed is an engine whose steps begin when the test says so.
type handed struct {
	*fakeEngine
	begin chan struct{} // one step each; closed for all
	rows  chan int      // of the step that began
}

func newHanded(t *testing.T) *handed {
	return &handed{newFakeEngine(t, small), make(chan struct{}), make(chan int, 100)}
}

func (h *handed) Step(ctx context.Context, p *Plan) ([]step.Sampled, error) {
	h.rows <- len(p.Rows)
	<-h.begin
	return h.fakeEngine.Step(ctx, p)
}

func (d *Driver) running() (jobs int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.calls)
}

// TestClients are not waited for: one that comes while another computes is taken up by the next step, and both get what
// they would get alone.
func TestClients(t *testing.T) {
	e := newHanded(t)
	d := NewDriver(ignore, Instance{mustNew(t, small), e})
	defer d.Close()
	requests := []Request{
		{Prompt: []step.Token{1, 2, 3}, MaxTokens: 12, Sampling: step.Sampling{TopK: period}},
		{Prompt: []step.Token{4, 1}, MaxTokens: 3, Sampling: step.Sampling{TopK: period}},
	}
	var group sync.WaitGroup
	ask := func(i int) {
		results, err := d.Ask(context.Background(), i, requests[i:i+1])
		if err != nil {
			t.Error(err)
		} else if diff := cmp.Diff(alone(requests[i]), results[0].Tokens); diff != "" {
			t.Errorf("a request that comes while another computes gets the tokens that it gets alone (-want +got):\n%s",
				diff)
		}
	}
	group.Go(func() { ask(0) })
	if rows := <-e.rows; rows != 3 {
		t.Errorf("the first step has %d rows, want 3", rows)
	}
	group.Go(func() { ask(1) })
	for d.running() < 2 {
		time.Sleep(time.Millisecond)
	}
	e.begin <- struct{}{}
	if rows := <-e.rows; rows != 3 { // a token of the first, the prompt of the second
		t.Errorf("the second step has %d rows: it did not take up the second request", rows)
	}
	close(e.begin)
	group.Wait()
}

// TestClientGivesUp: what a client gave up is cancelled before the next step, although nobody asks for one, and then
// the driver rests.
func TestClientGivesUp(t *testing.T) {
	e := newHanded(t)
	s := mustNew(t, small)
	d := NewDriver(ignore, Instance{s, e})
	defer d.Close()
	ctx, cancel := context.WithCancel(context.Background())
	failed := make(chan error)
	go func() {
		_, err := d.Ask(ctx, 0, []Request{{Prompt: []step.Token{1, 2, 3}, MaxTokens: 300,
			Sampling: step.Sampling{TopK: period}}})
		failed <- err
	}()
	<-e.rows
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("a client that gives up got the error %v, want %v", err, context.Canceled)
	}
	close(e.begin)
	deadline := time.Now().Add(10 * time.Second)
	for {
		d.mu.Lock()
		idle, reserved := s.Idle() && len(d.abandoned) == 0, s.reserved
		d.mu.Unlock()
		if idle && reserved == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("what was given up still has its cells, want them free")
		}
		time.Sleep(time.Millisecond)
	}
	if n := len(e.rows); n > 0 {
		t.Errorf("%d more steps had rows, want 0", n)
	}
}

// TestForget: a scheduler that forgets keeps nothing of finished jobs, and equal requests that run at the same time
// still share a generation.
func TestForget(t *testing.T) {
	o := small
	o.Forget, o.StepCost = true, 2
	s, e := mustNew(t, o), newFakeEngine(t, o)
	for round := range 3 {
		var jobs []*Job
		for range 2 {
			jobs = append(jobs, s.Submit(Request{Key: Key{1}, Prompt: []step.Token{1, 2, 3, 4}, MaxTokens: 9}))
		}
		for !s.Idle() {
			plan := s.Next()
			sampled, err := e.Step(t.Context(), plan)
			if err != nil {
				t.Fatal(err)
			}
			s.Apply(plan, sampled)
		}
		for _, job := range jobs {
			if diff := cmp.Diff(alone(job.Request), job.Result.Tokens); diff != "" {
				t.Errorf("a job of a scheduler that forgets has the tokens that it has alone (-want +got):\n%s", diff)
			}
		}
		if m := s.Memory(); m.Jobs+m.Kept != 0 || len(s.drafter.replies) != 0 {
			t.Errorf("round %d: %+v is kept, and %d origins of drafts, want none of either", round, m,
				len(s.drafter.replies))
		}
		if s.stats.Generations != round+1 || s.stats.Joined != round+1 {
			t.Errorf("round %d: want %d generations, and as many joined: got %+v", round, round+1, s.stats)
		}
	}
}
