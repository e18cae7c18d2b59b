package runner

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/inference"
)

// progress shows the progress of a run: a bar on a terminal, elsewhere one line per minute. It counts what is recorded,
// as parley status --every does, but for the rate, which is that of the engine and moves with every step.
type progress struct {
	out    io.Writer
	engine inference.Engine
	header rundir.Header
	count  func() rundir.Count // what is recorded
	most   int                 // generations that there can be at the end; 0 if unknown
	before rundir.Count        // what was recorded when it began
	start  time.Time
	finish func() // ends the line on the terminal, or the lines elsewhere

	mu    sync.Mutex // guards what follows
	n     int        // recorded outcomes of the reference
	right int        // of these
}

// newProgress begins to show the progress of a run, which has so many generations ahead; 0 if that is unknown. What is
// recorded already counts as done, but not for the rate.
func newProgress(out io.Writer, engine inference.Engine, header rundir.Header, count func() rundir.Count,
	ahead int) *progress {
	p := &progress{out: out, engine: engine, header: header, count: count, before: count(), start: time.Now()}
	if ahead > 0 {
		p.most = p.before.Generations + ahead
	}
	if drawn := terminal.Of(out); drawn != nil {
		p.finish = terminal.ShowBar(drawn, 0, func() terminal.Progress { return p.progress(time.Now()) })
	} else {
		p.finish = terminal.Every(time.Minute, time.Minute, p.print)
	}
	return p
}

// print writes a line, also while no debate ends: large ones on a real model take longer than a minute.
func (p *progress) print() {
	count, parts := p.parts(time.Now())
	fmt.Fprintln(p.out, strings.Join(append([]string{count.Done()}, parts...), ", "))
}

// update takes note of an outcome that is recorded now.
func (p *progress) update(o trial.Outcome) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if o.Condition == p.header.Reference {
		p.n++
		if o.Score == task.Right {
			p.right++
		}
	}
}

// parts returns how far the run is, and the details of it, the most important first. The engine and the directory are
// asked without the lock, since they have locks of their own.
func (p *progress) parts(now time.Time) (count rundir.Count, parts []string) {
	count, stats := p.count(), p.engine.Stats()
	count.Most = p.most
	took := now.Sub(p.start)
	parts = []string{took.Round(time.Second).String()}
	left := rundir.TimeLeft(count.Left(p.before, took), p.header.Stop != nil)
	if left == "" { // all debates may end together
		left = rundir.TimeLeft(count.MostLeft(p.before, took), true)
	}
	if left != "" {
		parts = append(parts, left)
	}
	parts = append(parts, count.Work(float64(stats.Decoded)/max(took.Seconds(), 1))...)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.n > 0 {
		parts = append(parts, fmt.Sprintf("%s %.2f", p.header.Reference, float64(p.right)/float64(p.n)))
	}
	return count, parts
}

// progress is what the bar on a terminal shows. Where debates end together, generations tell how far it is.
func (p *progress) progress(now time.Time) terminal.Progress {
	count, parts := p.parts(now)
	share := float64(count.Debates) / float64(max(1, count.Expected))
	if count.Most > 0 {
		share = max(share, float64(count.Generations)/float64(count.Most))
	}
	return terminal.Progress{Share: share, Line: count.Done(), Parts: parts}
}
