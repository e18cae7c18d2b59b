package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bounds"
	"github.com/parley-debate/parley/internal/bug"
)

// budget is what a command may take: time, generated tokens, or both. When it is used up, the engine is stopped as by
// an interrupt: the step under way ends, and what is finished is recorded. All tasks of an experiment share one.
type budget struct {
	limit spec.Budget // by flags; 0 is no limit

	mu      sync.Mutex // guards what follows
	began   time.Time  // of the first run
	tokens  int        // generated since then
	debates int        // finished since then
	ended   int        // of the tokens, those in debates that finished
	// tokens that were generated for debates that have not finished, by the keys of their replies
	unfinished map[string]int
	// stop is set while an engine runs, and nil again once it was told: an engine is stopped only once.
	stop func(error)
}

func (b *budget) register(set *pflag.FlagSet) {
	flags.Duration(set, &b.limit.Time, "for", bounds.From(0.001, 2_592_000),
		"stop in good order after this time, such as 2h, and say how to go on")
	flags.Amount(set, &b.limit.Tokens, "tokens", bounds.From(1, 1e12),
		"stop in good order after this many generated tokens, such as 5M, and say how to go on (from 1 to 1e+12)")
}

// budgetUsed is the error of a run that has used up its budget.
type budgetUsed struct{ used string }

// Error implements error.
func (u budgetUsed) Error() string { return "the budget is used up: " + u.used }

// Spent reports whether a run ended since its budget was used up.
func Spent(err error) bool { return errors.As(err, new(budgetUsed)) }

// forHeader returns the budget that the header records, or nil if there is no limit.
func (b *budget) forHeader() *spec.Budget {
	if b.limit == (spec.Budget{}) {
		return nil
	}
	return &b.limit
}

// start has the budget stop an engine once it is used up. The function that it returns ends that.
func (b *budget) start(stop func(error)) (end func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.began.IsZero() {
		b.began = time.Now()
	}
	b.stop = stop
	b.check()
	if b.limit.Time == 0 {
		return func() { b.detach() }
	}
	timer := time.AfterFunc(b.limit.Time-time.Since(b.began), bug.Lone(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.check()
	}))
	return func() {
		timer.Stop()
		b.detach()
	}
}

// detach forgets the engine, which may be closed by the time that a late timer fires.
func (b *budget) detach() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stop = nil
}

// check stops the engine if the budget is used up. The caller holds the lock. The engine is told from another
// goroutine, since it may be the caller of countTokens.
func (b *budget) check() {
	timely := b.limit.Time == 0 || time.Since(b.began) < b.limit.Time
	if b.stop == nil || timely && (b.limit.Tokens == 0 || b.tokens < b.limit.Tokens) {
		return
	}
	stop, used := b.stop, budgetUsed{fmt.Sprintf("%s generated in %s, of %s", wording.Count(b.tokens, "token"),
		time.Since(b.began).Round(time.Second), b.limit)}
	go bug.Lone(func() { stop(used) })()
	b.stop = nil
}

// countTokens counts the tokens of the generations that it passes on.
func (b *budget) countTokens(record func(inference.Generation) error) func(inference.Generation) error {
	return func(g inference.Generation) error {
		if err := record(g); err != nil {
			return err
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.unfinished == nil {
			b.unfinished = make(map[string]int)
		}
		if !g.Joined {
			b.tokens += g.Reply.Tokens
			b.unfinished[g.Reply.Key] = g.Reply.Tokens
		}
		b.check()
		return nil
	}
}

// countDebate counts a debate. What it shares with others was generated once, and counts once.
func (b *budget) countDebate(o trial.Outcome) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.debates++
	for call := range o.Transcript.Calls() {
		b.ended += b.unfinished[call.Reply.Key]
		delete(b.unfinished, call.Reply.Key)
	}
}

// more says what the debates that are left would take: at least, if they are like those that have ended and what was
// generated for others serves them; at most, if each takes its part of all that was generated.
func (b *budget) more(left int) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.debates == 0 {
		return "; no debate has ended yet: --dry-run tells what the run takes"
	}
	share := float64(left) / float64(b.debates)
	most := share * float64(b.tokens)
	least := min(most, max(0, share*float64(b.ended)-float64(b.tokens-b.ended)))
	each := float64(time.Since(b.began)) / float64(max(1, b.tokens))
	lasts := func(tokens float64) time.Duration { return time.Duration(tokens * each).Round(time.Second) }
	others := wording.Count(left, "debate")
	if least > 0.8*most {
		return fmt.Sprintf("; at this rate the other %s take up to %s more, in %s", others,
			wording.Count(int(most), "token"), lasts(most))
	}
	return fmt.Sprintf("; the other %s take from %s to %s more, in %s to %s: %s ended so far", others,
		wording.Comma(int(least)), wording.Count(int(most), "token"), lasts(least), lasts(most),
		wording.Count(b.debates, "debate"))
}

// watch runs something with the budget on an engine, which an interrupt stops too.
func (b *budget) watch(ctx context.Context, engine inference.Running) (end func()) {
	ended := b.start(engine.Stop)
	stop := context.AfterFunc(ctx, bug.Lone(func() { engine.Stop(context.Canceled) }))
	return func() {
		stop()
		ended()
	}
}
