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

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/inference"
)

// Calibration says how much of a run is done for real before the rest is simulated: some questions, under all
// conditions.
type Calibration struct {
	Seed      uint64 // draws the questions
	Questions int    // the most that are asked; 0: as many as there is time for
	// how long to go on asking, by default 20 s; the first question may take ten times as long, all together twice
	Limit time.Duration
	// Says is called with what begins now, such as "calibrating: question 1 of 50". May be nil.
	Says func(what string)
	// if above 1, up to how many machines the run is also simulated on; each takes Start to open its model
	Machines int
	Start    time.Duration
}

func (c Calibration) says(format string, values ...any) {
	if c.Says != nil {
		c.Says(fmt.Sprintf(format, values...))
	}
}

// sample holds the results of a calibration.
type sample struct {
	questions []task.Question            // those that were asked, the last ones perhaps in part
	asks      map[string]string          // the question of a case, for all repeats
	works     []inference.Stats          // the engine's work in each completed part
	heard     []exchange                 // sorted, so that the order does not depend on who spoke first
	replies   map[string]inference.Reply // by their key
	like      map[matchKey][]string      // keys of replies
}

// run asks one question first, and then more of them at once: as many as fit into the time, judging by those before.
func (c Calibration) run(ctx context.Context, o Options, engine *inference.Local) (*sample, error) {
	limit, began := cmp.Or(c.Limit, 20*time.Second), time.Now()
	end := began.Add(10 * limit)
	listening := &listener{Engine: engine}
	o.Engine, o.Observe, o.donors = listening, nil, o.donorsOf()
	s, left := &sample{asks: casesOf(o)}, c.draw(o.Task.Questions)
	for n := 1; n > 0; {
		switch all := len(s.questions) + len(left); {
		case len(s.questions) == 0:
			c.says("calibrating: question 1 of %d, for at most %v", all, 10*limit)
		case n == 1:
			c.says("calibrating: question %d of %d", len(s.questions)+1, all)
		default:
			c.says("calibrating: questions %d to %d of %d", len(s.questions)+1, len(s.questions)+n, all)
		}
		o.Task.Questions, left = left[:n], left[n:]
		s.questions = append(s.questions, o.Task.Questions...)
		before := engine.Stats()
		if err := compareUntil(ctx, end, o); errors.Is(err, context.DeadlineExceeded) {
			break
		} else if err != nil {
			return nil, err
		}
		end = began.Add(2 * limit) // the next questions may take longer, if the first was no candidate, say
		s.works = append(s.works, since(engine.Stats(), before))
		took := time.Since(began)
		n = min(2*n, len(left), int(float64(len(s.questions))*float64(limit-took)/float64(took)))
	}
	s.sort(listening.heard)
	return s, nil
}

// compareUntil compares, and gives up at a time.
func compareUntil(ctx context.Context, end time.Time, o Options) error {
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	_, err := Compare(ctx, o)
	return err
}

// draw draws questions; the first ones do not depend on how many are drawn.
func (c Calibration) draw(all []task.Question) (drawn []task.Question) {
	for _, i := range rand.New(rand.NewPCG(c.Seed, 0)).Perm(len(all)) {
		drawn = append(drawn, all[i])
	}
	return drawn[:min(len(drawn), cmp.Or(c.Questions, len(drawn)))]
}

// since is the work between two counts, in the fields that an inference.Latency reads.
func since(after, before inference.Stats) inference.Stats {
	work := inference.Stats{
		Steps: after.Steps - before.Steps, Rows: after.Rows - before.Rows,
		PromptComputed: after.PromptComputed - before.PromptComputed, Attended: after.Attended - before.Attended,
		PrefillDuration: after.PrefillDuration - before.PrefillDuration,
		DecodeDuration:  after.DecodeDuration - before.DecodeDuration,
	}
	for i := range after.Models {
		work.Models = append(work.Models, since(after.Models[i], before.Models[i]))
	}
	return work
}

// listener is an engine that records requests and replies.
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

// matchKey is what similar requests have in common. An empty field matches anything.
type matchKey struct {
	model    string // that replies, of several
	question string
	place    string // round, agent and sample, or the round
	form     string // number of messages, number of continuations, grammar
}

// matchKeys are the keys of a request about a question to a model, from the closest match, the same agent in the same
// round, to any request to the model, and to any at all.
func matchKeys(model, question string, r inference.Request) []matchKey {
	round, place := fmt.Sprint(r.Round), fmt.Sprintf("%d agent %d sample %d", r.Round, r.Agent, r.Sample)
	form := fmt.Sprint(len(r.Continuations), " ", r.Grammar)
	all := fmt.Sprint(len(r.Messages), " ", form)
	keys := []matchKey{{model, question, place, all}, {model, question, round, all}, {model, "", round, all},
		{model, "", "", all}, {model, "", "", form}, {model: model}}
	if model != "" {
		keys = append(keys, matchKey{})
	}
	return keys
}

// casesOf are the questions of a run by the names of their cases; all repeats of a question are the same to a
// calibration.
func casesOf(o Options) map[string]string {
	asks := make(map[string]string)
	for _, q := range o.Task.Questions {
		for repeat := range o.Run.Repeats {
			asks[trial.CaseID(q.ID, repeat)] = q.ID
		}
	}
	return asks
}

// sort files what was heard under the keys by which reply looks for it.
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
		for _, l := range matchKeys(e.Reply.Model, s.asks[e.Case], e.Request) {
			s.like[l] = append(s.like[l], key)
		}
	}
}

// reply is the reply to this very request if it was heard. Otherwise it is the reply to the most similar request about
// the question standIn, drawn by the key, so that equal requests have equal replies. ok is false if nothing was heard
// at all.
func (s *sample) reply(g inference.Generation, standIn string) (reply inference.Reply, ok bool) {
	if reply, ok = s.replies[g.Reply.Key]; ok {
		return reply, true
	}
	asked := inference.Request{Round: g.Round, Agent: g.Agent, Sample: g.Sample, Messages: g.Messages,
		Continuations: g.Continuations, Grammar: g.Grammar}
	for _, l := range matchKeys(g.Reply.Model, standIn, asked) {
		if keys := s.like[l]; keys != nil {
			h := fnv.New64a()
			h.Write([]byte(inference.AskedIn(g.Reply.Key))) // which is the same with another build
			return s.replies[keys[h.Sum64()%uint64(len(keys))]], true
		}
	}
	return reply, false
}
