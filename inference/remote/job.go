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

// job is one generation on its way, which equal requests share. The goroutine that answers it closes done, at the end
// and once; failed and generation are written before that and read after it.
type job struct {
	question
	key        string
	generation inference.Generation // has its reply once done is closed
	choices    *choices             // the request in which it goes to a server; nil if its reply needs none
	submitted  time.Time
	done       chan struct{}
	failed     error // why the engine ended before the job had a reply; nil if it has one

	// The engine's mutex guards these.
	waiting  int  // how many requests it will answer
	answered bool // generation has its reply, and those that were waiting are counted
}

// jobFor returns the job of a request: that of an equal request, or a new one. A new one has its reply at once if that
// is known, waits for the job from which it differs in what decides nothing, or joins a request to a server. Only what
// is wrong with the request itself is returned as an error; other errors come with the job.
//
// The order of these matters. Known replies are asked for before the job could follow another one, because a journal
// has a record of its own for each key; and a job enters jobs and greedy under the one lock in which it was not found
// there, so that two equal requests never become two jobs.
func (e *Engine) jobFor(ctx context.Context, r inference.Request, participant int) (*job, error) {
	if r.UsualBound { // the server's own limit holds
		r.Sampling.ReasoningTokens = 0
	}
	q, err := e.questionOf(ctx, r)
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

// follow gives a job the reply of the first one, from which it differs in what decides nothing at temperature 0. Its
// record is its own: it has another key, and is marked as joined.
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

// name returns what replies say of the model: nothing, unless it is one of several.
func (e *Engine) name() string {
	if e.options.Member {
		return e.info.Hash
	}
	return ""
}

// keyOf returns the key of a generation: the servers' model and what they are sent for it, which is the prompt, the
// sampling with its seed, the bound, the grammar, and what else ends it. Journals know replies by it, so the encoding
// must not change: a new field is left out where it is zero, and none is renamed or moved. Prompt and Messages are
// never both set, see question.
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
		Tool          string   `json:",omitempty"`
	}{e.info.Hash, q.messages, q.prompt, q.Sampling, q.MaxTokens, q.Grammar, q.Continuations, q.Stop, q.EndLoops,
		q.Tool})
	return inference.Key{Asked: sha256.Sum256(said), By: e.by}.String()
}

// finish records the reply of a job, or the error that its servers ended with. An error of this request alone is its
// reply's; any other ends the engine, since a run with holes is no run.
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

// record shows a generation to the observer, one at a time. The job's done is still open, so that nobody sees a reply
// that is not recorded.
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

// end ends the engine with an error, unless it has ended, and returns the error that it ended with.
func (e *Engine) end(err error) error {
	e.refuse(err)
	return context.Cause(e.admit)
}

// answer asks the servers for the replies to choices, in the order of their jobs. It seals the choices only when a
// server has a place for them; what is tried again asks for the same jobs, since sealed choices take no more.
func (e *Engine) answer(c *choices) (replies []inference.Reply, err error) {
	n := 0
	err = e.try(e.admit, c.prefix(), func(_ context.Context, s *server) (err error) {
		defer bug.Catch(&err)
		n = len(e.seal(c)) // as late as possible, so that many gather; from here on nobody joins
		defer e.fly(n)()
		if len(c.Continuations) > 0 {
			replies = make([]inference.Reply, 1)
			replies[0], err = e.scores(e.work, s, c.question)
		} else {
			replies, err = e.replies(e.work, s, c.question, n)
		}
		return err
	})
	e.alone(err, c.question, n)
	return replies, err
}

// fly counts n replies as under way until the function that it returns is called, which must be once. DecodeDuration is
// the time in which at least one was: not the sum of their times, which would count a second many times.
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
