package remote

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"time"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bug"
)

// job is one generation on its way, which equal requests share.
type job struct {
	question
	key        string
	generation inference.Generation // with its reply, once done is closed
	choices    *choices             // that it goes to a server with; nil if its reply was known
	submitted  time.Time
	done       chan struct{}
	failed     error // the engine has ended

	// What the engine's mutex guards.
	waiting  int  // requests that it will answer
	answered bool // generation has its reply, and those that were waiting are counted
}

// job is that of a request: the one of an equal request, or a new one.
func (e *Engine) job(ctx context.Context, r inference.Request, participant int) (*job, error) {
	q, err := e.question(ctx, r)
	if err != nil {
		return nil, err
	}
	key, common := e.keyOf(q), e.commonOf(q)
	e.mu.Lock()
	defer e.mu.Unlock()
	if j := e.jobs[key]; j != nil {
		e.stats.Joined++
		if j.answered {
			e.stats.PromptAsked += j.generation.Reply.PromptTokens
		} else {
			j.waiting++
		}
		return j, nil
	}
	j := &job{question: q, key: key, generation: r.Generation(participant), submitted: time.Now(),
		done: make(chan struct{}), waiting: 1}
	e.jobs[key] = j
	var first *job
	if q.Sampling.Temperature == 0 && len(q.Continuations) == 0 {
		q.Sampling = q.Sampling.Deciding()
		name := e.keyOf(q)
		if first = e.greedy[name]; first == nil {
			e.greedy[name] = j
		}
	}
	if e.options.Known != nil {
		if reply, ok := e.options.Known(key); ok {
			e.stats.Restored++
			reply.Model = e.name()
			e.enterReply(j, reply)
			close(j.done)
			return j, nil
		}
	}
	if first != nil {
		e.stats.Joined++
		e.running.Go(bug.Lone(func() { e.follow(j, first) }))
		return j, nil
	}
	e.join(j, common)
	return j, nil
}

// follow gives a job the reply to another one, from which it differs in what decides nothing at temperature 0.
func (e *Engine) follow(j, first *job) {
	defer close(j.done)
	<-first.done
	if j.failed = first.failed; j.failed != nil || first.generation.Reply.Err != nil {
		j.generation.Reply.Err = first.generation.Reply.Err
		return
	}
	reply := first.generation.Reply
	reply.Key, reply.CachedTokens, reply.Duration = j.key, reply.PromptTokens, time.Since(j.submitted)
	e.mu.Lock()
	e.enterReply(j, reply)
	e.mu.Unlock()
	j.generation.Joined = true
	e.record(j)
}

// enterReply records the reply of a job, and counts the prompts of the requests that waited for it: here, and not when
// each takes its reply, so that counts of a run under way agree. The caller holds the mutex.
func (e *Engine) enterReply(j *job, reply inference.Reply) {
	j.generation.Reply, j.answered = reply, true
	e.stats.PromptAsked += j.waiting * reply.PromptTokens
}

// name is what replies say of the model.
func (e *Engine) name() string {
	if e.options.Member {
		return e.info.Hash
	}
	return ""
}

// keyOf names a generation by the servers and by what they are sent: the prompt, the sampling with its seed, the bound,
// the grammar, and what else ends it.
func (e *Engine) keyOf(q question) string {
	said, _ := json.Marshal(struct {
		Model         string
		Messages      []inference.Message
		Prompt        []int32
		Sampling      inference.Sampling
		MaxTokens     int
		Grammar       string
		Continuations []string
		Stop          []string `json:",omitempty"`
		EndLoops      bool     `json:",omitempty"`
	}{e.info.Hash, q.messages, q.prompt, q.Sampling, q.MaxTokens, q.Grammar, q.Continuations, q.Stop, q.EndLoops})
	return inference.Key{Asked: sha256.Sum256(said), By: e.by}.String()
}

// finish records the reply of a job, or the error that its servers ended with.
func (e *Engine) finish(j *job, reply inference.Reply, err error) {
	defer close(j.done)
	var f *fault
	switch {
	case errors.As(err, &f) && f.mine, errors.As(err, new(bug.Error)):
		j.generation.Reply.Err = err
		return
	case err != nil:
		j.failed = e.end(err)
		return
	}
	reply.Key, reply.Model, reply.Duration = j.key, e.name(), time.Since(j.submitted)
	e.mu.Lock()
	e.enterReply(j, reply)
	e.stats.Generations++
	e.stats.PromptComputed += reply.PromptTokens - reply.CachedTokens
	e.stats.Decoded += reply.Tokens
	e.mu.Unlock()
	e.record(j)
}

// record shows a generation to the observer.
func (e *Engine) record(j *job) {
	if e.options.Generation == nil {
		return
	}
	e.writing.Lock()
	defer e.writing.Unlock()
	if err := bug.Caught(func() error { return e.options.Generation(j.generation) }); err != nil {
		j.failed = e.end(err)
	}
}

// end ends the engine with an error, unless it has ended, and returns what it ended with.
func (e *Engine) end(err error) error {
	e.refuse(err)
	return context.Cause(e.admit)
}

// answer asks the servers for the replies to choices, in the order of their jobs.
func (e *Engine) answer(c *choices) (replies []inference.Reply, err error) {
	err = e.try(e.admit, c.prefix(), func(_ context.Context, s *server) (err error) {
		defer bug.Catch(&err)
		n := len(e.seal(c))
		defer e.fly(n)()
		if len(c.Continuations) > 0 {
			replies = make([]inference.Reply, 1)
			replies[0], err = e.scores(e.work, s, c.question)
		} else {
			replies, err = e.replies(e.work, s, c.question, n)
		}
		return err
	})
	return replies, err
}

// fly counts the replies of a request as under way until the function that it returns is called.
func (e *Engine) fly(n int) (landed func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.flying += n; e.flying == n {
		e.since = time.Now()
	}
	e.stats.PeakSequences = max(e.stats.PeakSequences, e.flying)
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.flying -= n; e.flying == 0 {
			e.stats.DecodeDuration += time.Since(e.since)
		}
	}
}
