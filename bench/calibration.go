package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/inference"
)

// Calibration says how much of a run is done to estimate the whole: some questions, under all conditions.
type Calibration struct {
	Seed      uint64 // draws the questions
	Questions int    // the most that are asked; 0: as many as there is time for
	// how long to go on asking, by default 20 s; the first question may take ten times as long, all together twice
	Limit time.Duration
	// Says is called with what begins now, such as "calibrating: question 1 of 50". May be nil.
	Says func(what string)
	// Journals measures records, of the engine's generations too; without a Meter the disk is not estimated.
	Journals rundir.Measure
	// Known has the replies that are recorded and need not be generated, Recorded how many these are. May be nil.
	Known    func(key string) (inference.Reply, bool)
	Recorded int
	// Foreseen are the most replies that there can be: all that is known if there is no time for a question.
	Foreseen Foreseen
}

func (c Calibration) says(format string, values ...any) {
	if c.Says != nil {
		c.Says(fmt.Sprintf(format, values...))
	}
}

// asked is what the debates on a question took.
type asked struct {
	question task.Question
	cost     outcome.Cost
	cached   int             // prompt tokens
	tokens   int             // of different replies
	known    map[string]bool // by the keys of its replies: whether they are recorded
	debates  [2][]heard      // first those that build on no other
}

// heard is a debate as the engine heard it, without what is recorded.
type heard struct {
	id    string // of the case
	calls [][]inference.Exchange
}

// enter adds a debate.
func (a *asked) enter(h heard, buildsOnOthers bool) {
	stage := 0
	if buildsOnOthers {
		stage = 1
	}
	a.debates[stage] = append(a.debates[stage], h)
}

// sample is what a calibration found, of questions that were completed.
type sample struct {
	asked  []asked
	blocks []block
	failed []string
}

// block is the work since a calibration began, when some questions had been asked.
type block struct {
	questions int
	stats     inference.Stats
	took      time.Duration
	journals  int64
}

// last is the block at the end of a calibration that completed a question.
func (s *sample) last() block { return s.blocks[len(s.blocks)-1] }

// run asks one question first, and then more of them at once: as many as fit into the time, judging by those before.
func (c Calibration) run(ctx context.Context, o Options, engine *inference.Local) (*sample, error) {
	limit, began, before := cmp.Or(c.Limit, 20*time.Second), time.Now(), engine.Stats()
	end := began.Add(10 * limit)
	s, left := &sample{}, c.draw(o.Task.Questions)
	o.donors = donorsOf(left) // one of those that are asked too, as in the run: what it shares is not counted twice
	o.Run.Stop = nil          // the estimate is of the whole run
	left = left[:min(len(left), cmp.Or(c.Questions, len(left)))]
	all := len(left)
	for n := 1; n > 0; {
		c.says("calibrating: %s", nextQuestions(len(s.asked)+1, n, all, 10*limit))
		o.Task.Questions, left = left[:n], left[n:]
		if err := c.ask(ctx, end, o, s); errors.Is(err, context.DeadlineExceeded) {
			break
		} else if err != nil {
			return nil, err
		}
		took, journals := time.Since(began), int64(0)
		if c.Journals.Meter != nil {
			journals = c.Journals.Meter.Bytes()
		}
		s.blocks = append(s.blocks, block{len(s.asked), engine.Stats().Add(-1, before), took, journals})
		end = began.Add(2 * limit) // the next questions may take longer, if the first was no candidate, say
		n = min(8*n, len(left), int(float64(len(s.asked))*float64(limit-took)/float64(took)))
	}
	return s, nil
}

// nextQuestions names the n questions from the first one on.
func nextQuestions(first, n, all int, limit time.Duration) string {
	switch {
	case first == 1:
		return fmt.Sprintf("question 1 of %d, for at most %v", all, limit)
	case n == 1:
		return fmt.Sprintf("question %d of %d", first, all)
	}
	return fmt.Sprintf("questions %d to %d of %d", first, first+n-1, all)
}

// ask asks the questions of a task at once, and adds what they took to a sample. It gives up at a time.
func (c Calibration) ask(ctx context.Context, end time.Time, o Options, s *sample) error {
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	byID := make(map[string]*asked)
	listening, observed := &listener{Engine: o.Engine, heard: make(map[int][][]inference.Exchange)}, 0
	o.Engine = listening
	o.Observe = func(held trial.Outcome) error {
		if byID[held.Question] == nil {
			byID[held.Question] = &asked{known: make(map[string]bool)}
		}
		c.count(held, byID[held.Question])
		byID[held.Question].enter(heard{trial.CaseID(held.Question, held.Repeat), c.left(listening.of(observed))},
			o.buildsOn(held.Condition))
		observed++ // in the order in which debates join
		if c.Journals.Meter == nil {
			return nil
		}
		return c.Journals.Outcome(held)
	}
	outcomes, err := o.outcomes(ctx)
	if err != nil {
		return err
	}
	for _, q := range o.Task.Questions {
		if a := byID[q.ID]; a != nil {
			a.question = q
			s.asked = append(s.asked, *a)
		}
	}
	s.failed = append(s.failed, analysis.Failures(outcome.NewTable(outcomes).Debates())...)
	return nil
}

// count adds a debate to what its question took.
func (c Calibration) count(held trial.Outcome, a *asked) {
	for call := range held.Transcript.Calls() {
		if call.Error != "" {
			continue
		}
		a.cost.Add(call)
		a.cached += call.Reply.CachedTokens
		if _, counted := a.known[call.Reply.Key]; counted {
			continue
		}
		a.tokens += call.Reply.Tokens
		a.known[call.Reply.Key] = c.isKnown(call.Reply.Key)
	}
}

// draw draws questions; the first ones do not depend on how many are drawn.
func (c Calibration) draw(all []task.Question) (drawn []task.Question) {
	for _, i := range rand.New(rand.NewPCG(c.Seed, 0)).Perm(len(all)) {
		drawn = append(drawn, all[i])
	}
	return drawn
}

// left are the calls without what is recorded.
func (c Calibration) left(calls [][]inference.Exchange) [][]inference.Exchange {
	for i := range calls {
		calls[i] = slices.DeleteFunc(calls[i], func(e inference.Exchange) bool { return c.isKnown(e.Reply.Key) })
	}
	return calls
}

// isKnown reports whether a reply is recorded.
func (c Calibration) isKnown(key string) bool {
	if c.Known == nil {
		return false
	}
	_, is := c.Known(key)
	return is
}

// listener is an engine that keeps what is asked, and the replies.
type listener struct {
	inference.Engine
	mu    sync.Mutex // guards heard
	heard map[int][][]inference.Exchange
}

// of returns the calls of the participant that joined with this order.
func (l *listener) of(order int) [][]inference.Exchange {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.heard[order]
}

// Join implements inference.Engine.
func (l *listener) Join(order int) inference.Participant {
	return listened{l.Engine.Join(order), l, order}
}

type listened struct {
	inference.Participant
	listener *listener
	order    int
}

// Generate implements inference.Participant.
func (p listened) Generate(ctx context.Context, requests []inference.Request) ([]inference.Reply, error) {
	replies, err := p.Participant.Generate(ctx, requests)
	var call []inference.Exchange
	for i, reply := range replies {
		call = append(call, inference.Exchange{Request: requests[i], Reply: reply})
	}
	p.listener.mu.Lock()
	defer p.listener.mu.Unlock()
	p.listener.heard[p.order] = append(p.listener.heard[p.order], call)
	return replies, err
}
