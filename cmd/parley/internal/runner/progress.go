package runner

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/inference"
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
	if drawn := terminal.Of(out); drawn != nil {
		p.stop = terminal.Renew(drawn, 0, func() string { return p.line(time.Now(), terminal.Columns(drawn)-1) })
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

// line is the line on a terminal of so many columns. Fields that do not fit are dropped, the least important first.
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
	return terminal.Line(first, parts, columns)
}

func (p *progress) finish() {
	if p.stop != nil {
		p.stop()
	}
}
