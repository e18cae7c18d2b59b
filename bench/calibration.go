package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"parley/bench/task"
	"parley/bench/trial"
	"parley/inference"
)

// Calibration says how much of a run is done before the rest is rehearsed: some questions under all conditions.
type Calibration struct {
	Seed      uint64 // draws the questions
	Questions int    // at most so many; 0: as many as there is time for
	// how long to go on asking; the first question may take ten times as long, all of them twice; default 20 s
	Limit time.Duration
}

// sample is what a calibration found out.
type sample struct {
	questions []task.Question   // that were asked, the last ones perhaps in part
	asks      map[string]string // the question that a case is about, whichever of its repeats it is
	works     []inference.Stats // of each part of it that was done
	heard     []exchange        // in an order that does not depend on who spoke first
	replies   map[string]inference.Reply
	like      map[matchKey][]string // keys of replies
}

// run does what a calibration says: one question first, then more of them at once, as many as fit into the time by what
// the ones before took.
func (c Calibration) run(ctx context.Context, o Options, engine *inference.Local) (*sample, error) {
	limit, began := cmp.Or(c.Limit, 20*time.Second), time.Now()
	end := began.Add(10 * limit)
	listening := &listener{Engine: engine}
	o.Engine, o.Observe, o.Progress, o.donors = listening, nil, nil, donorsOf(o.Task.Questions)
	s, left := &sample{asks: casesOf(o)}, c.draw(o.Task.Questions)
	for n := 1; n > 0; {
		o.Task.Questions, left = left[:n], left[n:]
		s.questions = append(s.questions, o.Task.Questions...)
		before := engine.Stats()
		if err := compareUntil(ctx, end, o); errors.Is(err, context.DeadlineExceeded) {
			break
		} else if err != nil {
			return nil, err
		}
		end = began.Add(2 * limit) // questions differ: one that is no candidate says little of the next
		s.works = append(s.works, since(engine.Stats(), before))
		took := time.Since(began)
		n = min(2*n, len(left), int(float64(len(s.questions))*float64(limit-took)/float64(took)))
	}
	s.sort(listening.heard)
	return s, nil
}

// compareUntil gives up at a time.
func compareUntil(ctx context.Context, end time.Time, o Options) error {
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	_, err := Compare(ctx, o)
	return err
}

// draw draws the questions, the first ones of which do not depend on their number.
func (c Calibration) draw(all []task.Question) (drawn []task.Question) {
	for _, i := range rand.New(rand.NewPCG(c.Seed, 0)).Perm(len(all)) {
		drawn = append(drawn, all[i])
	}
	return drawn[:min(len(drawn), cmp.Or(c.Questions, len(drawn)))]
}

// since is the work between two counts, as far as a Pace is asked about it.
func since(after, before inference.Stats) inference.Stats {
	return inference.Stats{
		Steps: after.Steps - before.Steps, Rows: after.Rows - before.Rows,
		PromptComputed: after.PromptComputed - before.PromptComputed, Attended: after.Attended - before.Attended,
		PrefillDuration: after.PrefillDuration - before.PrefillDuration,
		DecodeDuration:  after.DecodeDuration - before.DecodeDuration,
	}
}

// listener is an engine that keeps what is asked and answered.
type listener struct {
	inference.Engine
	mu    sync.Mutex // guards heard
	heard []exchange
}

type exchange struct {
	inference.Request
	inference.Reply
}

// Join implements inference.Engine.
func (l *listener) Join(order int) inference.Participant { return listening{l.Engine.Join(order), l} }

type listening struct {
	inference.Participant
	listener *listener
}

// Generate implements inference.Participant.
func (l listening) Generate(ctx context.Context, requests []inference.Request) ([]inference.Reply, error) {
	replies, err := l.Participant.Generate(ctx, requests)
	l.listener.mu.Lock()
	defer l.listener.mu.Unlock()
	for i, reply := range replies {
		if reply.Err == nil {
			l.listener.heard = append(l.listener.heard, exchange{requests[i], reply})
		}
	}
	return replies, err
}

// matchKey is what a request has in common with others. Fields that are empty say nothing.
type matchKey struct {
	question string
	place    string // round and agent, or the round
	form     string // how many messages, how many continuations, what grammar
}

// matchKeys of a request about a question, the closest first: those with the same agent in the same round, and on to
// those with any request.
func matchKeys(question string, r inference.Request) []matchKey {
	round, place := fmt.Sprint(r.Round), fmt.Sprintf("%d agent %d sample %d", r.Round, r.Agent, r.Sample)
	form := fmt.Sprint(len(r.Continuations), " ", r.Grammar)
	all := fmt.Sprint(len(r.Messages), " ", form)
	return []matchKey{{question, place, all}, {question, round, all}, {"", round, all}, {"", "", all}, {"", "", form},
		{}}
}

// casesOf are the questions of a run by the names of their cases: all times that a question is asked are alike.
func casesOf(o Options) map[string]string {
	asks := make(map[string]string)
	for _, q := range o.Task.Questions {
		for repeat := range o.Repeats {
			asks[trial.CaseID(q.ID, repeat)] = q.ID
		}
	}
	return asks
}

// sort puts what was heard to where it is looked for.
func (s *sample) sort(heard []exchange) {
	slices.SortStableFunc(heard, func(a, b exchange) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Reply.Key, b.Reply.Key),
			cmp.Compare(a.CachedTokens, b.CachedTokens))
	})
	s.heard, s.replies, s.like = heard, make(map[string]inference.Reply), make(map[matchKey][]string)
	for _, e := range heard {
		key := e.Reply.Key
		if _, known := s.replies[key]; known {
			continue
		}
		s.replies[key] = e.Reply
		for _, l := range matchKeys(s.asks[e.Case], e.Request) {
			s.like[l] = append(s.like[l], key)
		}
	}
}

// reply is the one to a request if it was heard, else one to a request like it, drawn by the key, so that equal
// requests have equal replies; standIn is the question that is looked for. Where nothing was heard at all, ok is false.
func (s *sample) reply(g inference.Generation, standIn string) (reply inference.Reply, ok bool) {
	if reply, ok = s.replies[g.Reply.Key]; ok {
		return reply, true
	}
	asked := inference.Request{Round: g.Round, Agent: g.Agent, Sample: g.Sample, Messages: g.Messages,
		Continuations: g.Continuations, Grammar: g.Grammar}
	for _, l := range matchKeys(standIn, asked) {
		if keys := s.like[l]; keys != nil {
			h := fnv.New64a()
			h.Write([]byte(g.Reply.Key))
			return s.replies[keys[h.Sum64()%uint64(len(keys))]], true
		}
	}
	return reply, false
}
