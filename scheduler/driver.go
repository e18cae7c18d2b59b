package scheduler

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/internal/bug"
)

// Instance is one model of a driver: its scheduler, and the engine that carries out that scheduler's plans.
type Instance struct {
	Scheduler *Scheduler
	Engine    Engine
}

// Driver runs one or more instances for participants that come and go. It takes a step only while every participant
// waits in Generate, so that what a batch holds does not depend on how fast anybody is. Each request names its
// instance. The instances take turns, and never compute at the same time: one steps until it has nothing left to do,
// then the next that has work does. Requests for the others gather meanwhile, so that their batches are wide.
//
// Duties of participants:
//
//   - Join all participants that are known before the first of them calls Generate; give each an order of its own. The
//     sequence of plans is then a function of the requests.
//   - A participant calls Generate from one goroutine at a time. Between two calls the whole driver waits for it, so
//     it must not linger, and must call Leave when it is done, even after an error.
//   - Leave comes after the last Generate has returned.
//
// Clients are callers that the driver never waits for, such as those of parley serve: they call Ask. Where there are
// only clients, a step is taken whenever there is work, and takes up what was asked before it. So their batches depend
// on the clock; results do not.
//
// The driver owns its instances: nobody else calls their schedulers and engines from NewDriver until Close has
// returned, and the engines' contexts are closed after that. Both callbacks, finished and Request.OnToken, run on the
// loop's goroutine with the driver's lock held: they must not call the driver or any participant, Close least of all,
// and they delay everybody.
//
// The driver ends with the first error of a step, of finished, or of Stop, and with Close. From then on every Generate
// that is under way or called later returns that error; a driver cannot be started again. Close is still to be called.
// A panic within a step is such an error.
type Driver struct {
	instances []Instance
	finished  func(*Job) error

	mu        sync.Mutex     // guards the schedulers and what follows; not held while an engine computes
	changed   sync.Cond      // signals the loop: a participant began to wait, left, or the driver was closed
	joined    int            // participants that have not left
	waiting   int            // participants in Generate
	calls     map[*Job]*call // of jobs that are not done
	abandoned []*Job         // by callers that gave up, to be cancelled before the next plan
	turn      int            // the instance that stepped last
	err       error          // why no more steps are taken

	stopped chan struct{} // closed when the loop has ended
	abort   context.CancelFunc
}

// call is one call of Generate. It ends when all of its jobs are done, or with an error.
type call struct {
	unfinished int           // jobs that are not done
	client     bool          // of no participant
	over       chan struct{} // closed at the end; err is set before
	err        error
}

// NewDriver starts the loop on at least one instance. finished is called by the loop with every job that is done, in
// Order within a step, before any caller of that step sees a result; an error from it ends the driver. Jobs whose
// callers gave up are not shown.
func NewDriver(finished func(*Job) error, instances ...Instance) *Driver {
	ctx, abort := context.WithCancel(context.Background())
	d := &Driver{instances: instances, finished: finished, calls: make(map[*Job]*call), stopped: make(chan struct{}),
		abort: abort}
	d.changed.L = &d.mu
	go bug.Lone(func() { d.loop(ctx) })() // each step has a guard of its own
	return d
}

// Participant is one caller that the driver waits for; its order ranks its requests.
type Participant struct {
	driver *Driver
	order  int
	client bool // see Driver.Ask
	left   bool
}

// Join announces a participant. No step is taken from now on unless it waits or has left.
func (d *Driver) Join(order int) *Participant {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.joined++
	return &Participant{driver: d, order: order}
}

// Leave ends membership. It is idempotent and must not be called while Generate runs.
func (m *Participant) Leave() {
	d := m.driver
	d.mu.Lock()
	defer d.mu.Unlock()
	if !m.left {
		m.left = true
		d.joined--
		d.changed.Signal()
	}
}

// Generate hands in requests and waits for all of them; Order.Debate is set to the participant's order. The results are
// in the order of the requests. Those of requests that failed alone carry their error; the error returned is that of
// the call, and then there are no results. If ctx ends first, Generate returns its error at once, the requests are
// cancelled before the next step, and the driver goes on for the others.
func (m *Participant) Generate(ctx context.Context, requests []Request) ([]Result, error) {
	return m.driver.generate(ctx, m, requests)
}

// Ask is Generate for a client, of the given order. Several goroutines may call it at once.
func (d *Driver) Ask(ctx context.Context, order int, requests []Request) ([]Result, error) {
	return d.generate(ctx, &Participant{driver: d, order: order, client: true}, requests)
}

func (d *Driver) generate(ctx context.Context, m *Participant, requests []Request) ([]Result, error) {
	if err := ctx.Err(); err != nil || len(requests) == 0 {
		return nil, err
	}
	jobs, c, err := d.submit(m, requests)
	if err != nil {
		return nil, err
	}
	select {
	case <-c.over:
	case <-ctx.Done():
		d.giveUp(jobs, c, ctx.Err())
	}
	if c.err != nil {
		return nil, c.err
	}
	results := make([]Result, len(jobs))
	for i, job := range jobs {
		results[i] = job.Result
	}
	return results, nil
}

func (d *Driver) submit(m *Participant, requests []Request) ([]*Job, *call, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.err != nil:
		return nil, nil, d.err
	case m.left:
		return nil, nil, errors.New("generate after leave")
	}
	c := &call{unfinished: len(requests), client: m.client, over: make(chan struct{})}
	jobs := make([]*Job, len(requests))
	for i, r := range requests {
		r.Order.Debate = m.order
		jobs[i] = d.instances[r.Instance].Scheduler.Submit(r)
		d.calls[jobs[i]] = c
	}
	d.waiting++
	if c.client {
		d.joined++
	}
	d.changed.Signal()
	return jobs, c, nil
}

// giveUp ends a call early. The loop cancels its jobs between two steps.
func (d *Driver) giveUp(jobs []*Job, c *call, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c.unfinished == 0 {
		return // finished in the same moment
	}
	for _, job := range jobs {
		if d.calls[job] == c {
			delete(d.calls, job)
			d.abandoned = append(d.abandoned, job)
		}
	}
	d.end(c, err)
}

func (d *Driver) end(c *call, err error) {
	c.unfinished, c.err = 0, err
	close(c.over)
	d.waiting--
	if c.client {
		d.joined--
		d.changed.Signal() // the last one to wait for may have gone
	}
}

// Stop lets the step under way end, hands on the jobs that it finishes, and then ends the loop and everybody's Generate
// with err. It returns at once. The first error of a driver stays.
func (d *Driver) Stop(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fail(err)
	d.changed.Signal()
}

// Close interrupts the step under way, ends everybody's Generate with step.ErrClosed, and returns when the loop has
// ended.
// It is idempotent.
func (d *Driver) Close() {
	d.mu.Lock()
	if d.err == nil {
		d.err = step.ErrClosed
	}
	d.changed.Signal()
	d.mu.Unlock()
	d.abort()
	<-d.stopped
}

// Err returns why the driver has ended, or is about to; nil while it computes.
func (d *Driver) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// Stats returns the counts of an instance's scheduler.
func (d *Driver) Stats(instance int) Stats {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.instances[instance].Scheduler.Stats()
}

// Memory counts what an instance's scheduler keeps.
func (d *Driver) Memory(instance int) Memory {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.instances[instance].Scheduler.Memory()
}

// Occupied returns the number of cells that running generations of an instance hold.
func (d *Driver) Occupied(instance int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.instances[instance].Scheduler.occupied()
}

func (d *Driver) loop(ctx context.Context) {
	defer close(d.stopped)
	for more := true; more; {
		var err error
		if more, err = d.step(ctx); err != nil {
			d.Stop(err)
			more = true // once, to wake everybody
		}
	}
}

// step takes one step, and reports false if the driver has ended. A panic comes back as an error.
func (d *Driver) step(ctx context.Context) (more bool, err error) {
	defer bug.Catch(&err)
	instance, plan := d.next()
	if plan == nil {
		return false, nil
	}
	var sampled []step.Sampled
	var failed error
	if !plan.empty() {
		sampled, failed = instance.Engine.Step(ctx, plan)
	}
	d.apply(instance, plan, sampled, failed)
	return true, nil
}

// next waits until all participants wait and there is work, if only to cancel what was given up, and plans it for the
// instance whose turn it is. The plan is nil when the driver has ended.
func (d *Driver) next() (Instance, *Plan) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.err == nil && (d.waiting < d.joined || d.waiting+len(d.abandoned) == 0) {
		d.changed.Wait()
	}
	if d.err != nil {
		for _, c := range d.calls {
			if c.unfinished > 0 {
				d.end(c, d.err)
			}
		}
		return Instance{}, nil
	}
	for _, job := range d.abandoned {
		d.instances[job.Instance].Scheduler.Cancel(job)
	}
	d.abandoned = nil
	for range d.instances {
		if !d.instances[d.turn].Scheduler.Idle() {
			break
		}
		d.turn = (d.turn + 1) % len(d.instances)
	}
	instance := d.instances[d.turn]
	return instance, instance.Scheduler.Next()
}

// apply enters the outcome of a step and wakes those whose last job it finished.
func (d *Driver) apply(instance Instance, plan *Plan, sampled []step.Sampled, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.fail(err)
		return
	}
	// jobs whose callers gave up have no call
	done := instance.Scheduler.Apply(plan, sampled)
	done = slices.DeleteFunc(done, func(job *Job) bool { return d.calls[job] == nil })
	for _, job := range done {
		if err := d.finished(job); err != nil {
			d.fail(err)
			return
		}
	}
	for _, job := range done {
		c := d.calls[job]
		delete(d.calls, job)
		if c.unfinished--; c.unfinished == 0 {
			d.end(c, nil)
		}
	}
}

func (d *Driver) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}
