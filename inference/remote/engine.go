package remote

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/internal/bug"
)

// Options say how servers are asked. The zero value is usable.
type Options struct {
	Parallel   int           // requests under way at each server; 0 for as many as it takes
	Choices    int           // most replies that one request asks for; 0 is 1
	Vocabulary string        // GGUF file whose template and vocabulary make token ids; "" sends messages
	Patience   time.Duration // how long a request is tried again while no server answers; 0 is 15 minutes
	Timeout    time.Duration // of one exchange, in which a whole reply is computed; 0 is 30 minutes
	Backoff    time.Duration // after a first fault; 0 is half a second
	Grace      time.Duration // for what is under way when the engine is stopped; 0 is 10 seconds
	Member     bool          // replies name their model: the engine is one of a team.Engine

	// Says, if not nil, is told in a line when a server stops answering and when it answers again.
	Says func(line string)

	// Generation and Known are as inference.OnGeneration and inference.Known. Generation is called in the order in
	// which replies come.
	Generation func(inference.Generation) error
	Known      func(key string) (inference.Reply, bool)
}

// Engine is an engine whose model is computed by servers. It implements inference.Running.
//
// A request has a job, jobs gather in choices, and each choices runs in a goroutine of its own, which running counts.
// Two contexts end the engine: admit first, after which no further request is sent, and work when the grace of those
// under way is over. The cause of admit is the error that everybody gets.
//
// What stands above mu is set by Open and never changes. mu is held for moments only, also while Options.Known is
// asked, but never while a server or an observer is waited for; the pool has a mutex of its own, and neither is taken
// under the other.
type Engine struct {
	options    Options
	address    string
	pool       *pool
	vocabulary *inference.Vocabulary // it is nil if messages are sent
	info       inference.ModelInfo
	by         [sha256.Size]byte // digest of the model's identity, a part of every key
	ends       []int32           // the vocabulary's tokens that end a reply

	admit   context.Context // ends when no further request may be sent
	refuse  context.CancelCauseFunc
	work    context.Context // ends when the requests under way are given up
	abandon context.CancelCauseFunc
	running sync.WaitGroup // goroutines that ask servers, or wait for an equal job
	retried atomic.Int64   // exchanges that failed and were tried again

	mu   sync.Mutex      // guards what follows
	jobs map[string]*job // by key; jobs are never removed, so that equal requests are asked once
	// greedy has, at temperature 0, the first job of those that differ in what decides nothing, by the key without that
	greedy    map[string]*job
	gathering map[string]*choices // that wait for a place and take further jobs, by what those have in common
	stats     inference.Stats
	flying    int        // replies under way
	since     time.Time  // when the first of them began
	writing   sync.Mutex // held while Options.Generation is called: records come one after the other
}

// Open looks at the servers of an address: URLs separated by commas, and perhaps # and the model's name. It sends
// nothing but questions about the servers.
func Open(ctx context.Context, text string, o Options) (*Engine, error) {
	o.Patience, o.Timeout = cmp.Or(o.Patience, 15*time.Minute), cmp.Or(o.Timeout, 30*time.Minute)
	o.Backoff, o.Grace = cmp.Or(o.Backoff, 500*time.Millisecond), cmp.Or(o.Grace, 10*time.Second)
	a, err := parseAddress(text)
	if err != nil {
		return nil, err
	}
	e := &Engine{options: o, address: text, jobs: make(map[string]*job), greedy: make(map[string]*job),
		gathering: make(map[string]*choices)}
	e.pool = &pool{options: &e.options}
	for _, url := range a.servers {
		s, err := newServer(url, o.Timeout)
		if err != nil {
			return nil, err
		}
		e.pool.servers = append(e.pool.servers, s)
	}
	if err := probeAll(ctx, e.pool.servers, a.model); err != nil {
		return nil, err
	}
	for _, s := range e.pool.servers {
		s.most = cmp.Or(o.Parallel, s.about.slots)
		s.limit = s.most
	}
	if err := e.checkChoices(); err != nil {
		return nil, err
	}
	if err := e.openVocabulary(ctx); err != nil {
		return nil, err
	}
	e.info = e.describe()
	e.by = e.info.Identity("").Digest()
	e.admit, e.refuse = context.WithCancelCause(context.Background())
	e.work, e.abandon = context.WithCancelCause(context.Background())
	return e, nil
}

// openVocabulary reads the vocabulary, if there is one and the servers take token ids. Otherwise messages are sent, and
// the servers' own templates make prompts of them. ends stays empty where the end of a reply is not a single token:
// then no token is taken for it.
func (e *Engine) openVocabulary(ctx context.Context) (err error) {
	about := e.pool.servers[0].about
	if e.options.Vocabulary == "" || !slices.Contains(takesTokens, about.program) {
		return nil
	}
	if e.vocabulary, err = inference.OpenVocabulary(e.options.Vocabulary, about.room); err != nil {
		return err
	}
	_, eos := e.vocabulary.Ends()
	if eos != "" {
		if e.ends, err = e.vocabulary.Tokenize(eos, false, true); len(e.ends) != 1 {
			e.ends = nil
		}
	}
	return errors.Join(err, ctx.Err())
}

// digest returns the SHA-256 of texts, in hex. They are written as JSON before, so that their borders count too.
func digest(texts ...string) string {
	said, _ := json.Marshal(texts)
	sum := sha256.Sum256(said)
	return hex.EncodeToString(sum[:])
}

// Model implements inference.Engine.
func (e *Engine) Model() inference.ModelInfo { return e.info }

// Stats implements inference.Engine. DecodeDuration is the time in which requests were under way, which has that of
// prompts in it.
func (e *Engine) Stats() inference.Stats {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.stats
	if e.flying > 0 {
		s.DecodeDuration += time.Since(e.since)
	}
	return s
}

// Plan implements inference.Running. It names how many requests are sent at once, which is all that is planned here.
func (e *Engine) Plan() string {
	slots := 0
	for _, s := range e.pool.servers {
		slots += s.most
	}
	text := fmt.Sprintf("%s, up to %d requests at once", e.info.About(), slots)
	if n := len(e.pool.servers); n > 1 {
		text = fmt.Sprintf("%s at %d servers, each debate at one of them", text, n)
	}
	return text
}

// Threads implements inference.Running, as Cells and MemoryLine do: what servers have of these is not known.
func (e *Engine) Threads() int       { return 0 }
func (e *Engine) Cells() int         { return 0 }
func (e *Engine) MemoryLine() string { return "" }

// Survey implements inference.Running.
func (e *Engine) Survey() *inference.Survey {
	if e.vocabulary == nil {
		return nil
	}
	return e.vocabulary.Survey()
}

// Stop implements inference.Running: no further request is sent, and those under way have the options' grace.
func (e *Engine) Stop(err error) {
	e.refuse(err)
	timer := time.AfterFunc(e.options.Grace, bug.Lone(func() { e.abandon(err) }))
	defer timer.Stop()
	e.running.Wait()
	e.abandon(err)
}

// Close implements inference.Engine.
func (e *Engine) Close() (err error) {
	e.refuse(step.ErrClosed)
	e.abandon(step.ErrClosed)
	e.running.Wait()
	for _, s := range e.pool.servers {
		s.client.CloseIdleConnections()
	}
	if e.vocabulary != nil {
		err = e.vocabulary.Close()
	}
	return err
}

// Join implements inference.Engine.
func (e *Engine) Join(order int) inference.Participant { return &participant{e, order} }

// participant is one debate. It holds nothing at the servers: other debates never wait for it.
type participant struct {
	*Engine
	order int
}

// Leave implements inference.Participant.
func (p *participant) Leave() {}

// Generate implements inference.Participant. All requests have their jobs before the first reply is waited for, so that
// equal ones and those that go together find each other. If ctx ends, the jobs go on, and record what they get: others
// may share them.
func (p *participant) Generate(ctx context.Context, requests []inference.Request) ([]inference.Reply, error) {
	jobs, replies := make([]*job, len(requests)), make([]inference.Reply, len(requests))
	for i, r := range requests {
		if err := context.Cause(p.admit); err != nil {
			return nil, err
		}
		var err error
		if jobs[i], err = p.jobFor(ctx, r, p.order); err != nil {
			replies[i].Err = err
		}
	}
	for _, j := range jobs {
		if j != nil && j.choices != nil {
			p.start(j.choices) // all that this call can add to them is in
		}
	}
	for i, j := range jobs {
		if j == nil {
			continue
		}
		select {
		case <-j.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if j.failed != nil {
			return nil, j.failed
		}
		replies[i] = j.generation.Reply
		if show := requests[i].OnPiece; show != nil && replies[i].Err == nil {
			show(inference.Piece{Text: replies[i].Text, Reasoning: replies[i].Reasoning, Tokens: replies[i].Tokens,
				Done: true})
		}
	}
	return replies, nil
}

// Retried returns how often an exchange failed and was tried again.
func (e *Engine) Retried() int { return int(e.retried.Load()) }

// prefixText returns the part of a conversation that chooses its server: up to the first question, which all rounds of
// a debate repeat.
func prefixText(messages []inference.Message) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(m.Role + "\x00" + m.Content + "\x00")
		if m.Role == "user" {
			break
		}
	}
	return b.String()
}
