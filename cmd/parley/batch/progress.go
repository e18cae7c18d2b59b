package batch

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/serve/batch"
)

// batchProgress shows the progress of a batch, like progress that of a run.
type batchProgress struct {
	out    io.Writer
	engine inference.Engine
	start  time.Time
	total  int    // lines
	stop   func() // ends the line on the terminal; nil off one

	mu      sync.Mutex // guards what follows
	printed time.Time  // of the last line
	batchCounts
}

// batchCounts are lines of a batch: done are all, with those whose replies a journal had, and those with an error.
type batchCounts struct{ done, known, wrong int }

// newBatchProgress begins to show how far a batch of total lines is.
func newBatchProgress(out io.Writer, engine inference.Engine, total int) *batchProgress {
	now := time.Now()
	p := &batchProgress{out: out, engine: engine, start: now, total: total, printed: now}
	if drawn := terminal.Of(out); drawn != nil {
		p.stop = terminal.ShowBar(drawn, time.Second, func() terminal.Progress { return p.progress(time.Now()) })
	}
	return p
}

// update counts an answer. Off a terminal it prints a line a minute at most.
func (p *batchProgress) update(a batch.Answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if p.engine.Stats().Steps == 0 {
		p.known = p.done
	}
	if !a.OK {
		p.wrong++
	}
	if now := time.Now(); p.stop == nil && now.Sub(p.printed) >= time.Minute {
		p.printed = now
		fmt.Fprintf(p.out, "%d of %s%s\n", p.done, wording.Count(p.total, "request"), p.left(now))
	}
}

// left says how long the rest will take, once there is something to tell it from. The caller has the lock.
func (p *batchProgress) left(now time.Time) string {
	computed := p.done - p.known
	if computed == 0 || p.done == p.total {
		return ""
	}
	each := float64(now.Sub(p.start)) / float64(computed)
	return fmt.Sprintf(", about %v left", time.Duration(each*float64(p.total-p.done)).Round(time.Second))
}

// progress is what the bar on a terminal shows.
func (p *batchProgress) progress(now time.Time) terminal.Progress {
	s := p.engine.Stats()
	p.mu.Lock()
	defer p.mu.Unlock()
	took := now.Sub(p.start)
	return terminal.Progress{
		Share: float64(p.done) / float64(max(1, p.total)),
		Line:  fmt.Sprintf("%s of %s requests%s", wording.Comma(p.done), wording.Comma(p.total), p.left(now)),
		Parts: []string{took.Round(time.Second).String(), fmt.Sprintf("%s tokens (%s/s)", wording.Comma(s.Decoded),
			wording.Comma(int(float64(s.Decoded)/max(took.Seconds(), 1)))), savedShare(s)},
	}
}

// savedShare words the share of prompt tokens that were not computed.
func savedShare(s inference.Stats) string {
	return fmt.Sprintf("%d %% of prompt tokens saved", 100*s.PromptSaved()/max(1, s.PromptAsked))
}

// finish ends the line on the terminal, and returns the counts.
func (p *batchProgress) finish() batchCounts {
	if p.stop != nil {
		p.stop()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.batchCounts
}

// summary is what is printed at the end.
func (p *batchProgress) summary() string {
	c, s := p.finish(), p.engine.Stats()
	text := fmt.Sprintf("%d of %s answered", c.done, wording.Count(p.total, "request"))
	if c.wrong > 0 {
		text += fmt.Sprintf(", %d with an error", c.wrong)
	}
	return fmt.Sprintf("%s; %s tokens drawn, %s", text, wording.Comma(s.Decoded), savedShare(s))
}
