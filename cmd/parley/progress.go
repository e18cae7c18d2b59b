package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bug"
	"github.com/parley-debate/parley/internal/escape"
)

// progress shows the progress of a run: on a terminal a line with a bar that is renewed every second from the counts of
// the scheduler, elsewhere one line per minute.
type progress struct {
	out       io.Writer
	engine    inference.Engine
	reference string
	start     time.Time
	stop      func() // ends the line on the terminal; nil off one

	mu          sync.Mutex // guards what follows
	done, total int        // debates
	printed     time.Time  // of the last line
	n           int        // outcomes of the reference
	right       int        // of these
}

func newProgress(out io.Writer, engine inference.Engine, reference string, total int) *progress {
	now := time.Now()
	p := &progress{out: out, engine: engine, reference: reference, start: now, total: total, printed: now}
	if drawn := terminal(out); drawn != nil {
		p.stop = renew(drawn, 0, func() string { return p.line(time.Now(), columnsOf(drawn)-1) })
	}
	return p
}

func (p *progress) update(done, total int, o trial.Outcome) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total = done, total
	if o.Condition == p.reference {
		p.n++
		if o.Score == task.Right {
			p.right++
		}
	}
	if now := time.Now(); p.stop == nil && now.Sub(p.printed) >= time.Minute {
		p.printed = now
		fmt.Fprintf(p.out, "%d of %d debates, %s, about %s left\n", done, total, p.figures(),
			p.left(now).Round(time.Second))
	}
}

// left estimates the time for the debates that are left. The caller has the lock, and some debate is done.
func (p *progress) left(now time.Time) time.Duration {
	return time.Duration(float64(now.Sub(p.start)) / float64(p.done) * float64(p.total-p.done))
}

// figures are the rates so far, and the accuracy of the reference.
func (p *progress) figures() string {
	s := p.engine.Stats()
	rate := func(tokens int, d time.Duration) int { return int(float64(tokens) / max(d.Seconds(), 1e-3)) }
	text := fmt.Sprintf("decode %d tok/s, %d %% of prompt tokens saved", rate(s.Decoded, s.DecodeDuration),
		100*s.PromptSaved()/max(1, s.PromptAsked))
	if s.PrefillDuration > 0 || s.PromptComputed == 0 { // servers do not tell
		text = fmt.Sprintf("prefill %d tok/s, %s", rate(s.PromptComputed, s.PrefillDuration), text)
	}
	if p.n > 0 {
		text += fmt.Sprintf(", accuracy of %s %.2f", p.reference, float64(p.right)/float64(p.n))
	}
	return text
}

// line is the line on a terminal of so many columns. What there is no room for is left out, the least important first.
// The counts of the engine grow with every step, also before the first debate is done.
func (p *progress) line(now time.Time, columns int) string {
	s := p.engine.Stats() // not under the lock: the engine may be waiting for update
	p.mu.Lock()
	defer p.mu.Unlock()
	const bar = 10
	full := bar * p.done / max(1, p.total)
	first := fmt.Sprintf("[%s%s] %s of %s debates", strings.Repeat("#", full), strings.Repeat(".", bar-full),
		wording.Comma(p.done), wording.Comma(p.total))
	took := now.Sub(p.start)
	parts := []string{took.Round(time.Second).String()}
	if p.done > 0 && p.done < p.total {
		parts = append(parts, "about "+p.left(now).Round(time.Second).String()+" left")
	}
	rate := int(float64(s.Decoded) / max(took.Seconds(), 1))
	parts = append(parts, fmt.Sprintf("%s tokens (%s/s)", wording.Comma(s.Decoded), wording.Comma(rate)),
		wording.Count(s.Generations, "generation"))
	if s.PromptAsked > 0 {
		parts = append(parts, fmt.Sprintf("%d %% of prompt tokens saved", 100*s.PromptSaved()/s.PromptAsked))
	}
	if p.n > 0 {
		parts = append(parts, fmt.Sprintf("%s %.2f", p.reference, float64(p.right)/float64(p.n)))
	}
	return fit(first, parts, columns)
}

// fit joins a text and those parts for which a line has room, of which earlier ones go first.
func fit(line string, parts []string, columns int) string {
	line = escape.Text(line)
	for _, part := range parts {
		if longer := line + ", " + escape.Text(part); text.StringWidth(longer) <= columns {
			line = longer
		}
	}
	return text.Snip(line, max(1, columns), "~")
}

func (p *progress) finish() {
	if p.stop != nil {
		p.stop()
	}
}

// renew draws a line on a terminal after a delay and then every second, until the function that it returns removes it.
func renew(drawn io.Writer, delay time.Duration, line func() string) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go bug.Guarded(func() error {
		for wait := delay; ; wait = time.Second {
			select {
			case <-done:
				return nil
			case <-time.After(wait):
				fmt.Fprint(drawn, "\r\x1b[K", line())
			}
		}
	}, func(error) { close(ended) })()
	return sync.OnceFunc(func() {
		close(done)
		<-ended
		fmt.Fprint(drawn, "\r\x1b[K")
	})
}

// waiting shows on a terminal what a command is waiting for, where that takes longer than a second: there is no bar,
// since nobody knows how long it takes.
type waiting struct {
	start time.Time
	stop  func()

	mu     sync.Mutex // guards what follows
	what   string
	engine inference.Engine // nil: nothing is generated
}

// waitFor shows a text until finish is called; engine may be nil.
func waitFor(out io.Writer, engine inference.Engine, what string) *waiting {
	w := &waiting{start: time.Now(), what: what, engine: engine, stop: func() {}}
	if drawn := terminal(out); drawn != nil {
		w.stop = renew(drawn, time.Second, func() string { return w.line(time.Now(), columnsOf(drawn)-1) })
	}
	return w
}

// say changes the text.
func (w *waiting) say(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.what = what
}

func (w *waiting) line(now time.Time, columns int) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	parts := []string{now.Sub(w.start).Round(time.Second).String()}
	if w.engine != nil {
		s := w.engine.Stats()
		parts = append(parts, wording.Count(s.Generations, "generation"), wording.Comma(s.Decoded)+" tokens")
	}
	return fit(w.what, parts, columns)
}

func (w *waiting) finish() { w.stop() }
