package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/escape"
	"github.com/parley-debate/parley/inference"
)

// progress shows the progress of a run: a bar on a terminal, elsewhere one line per minute.
type progress struct {
	out       io.Writer
	engine    inference.Engine
	reference string
	bar       *progressbar.ProgressBar // nil off a terminal
	start     time.Time

	mu      sync.Mutex // guards what follows
	printed time.Time  // of the last line
	n       int        // outcomes of the reference
	right   int        // of these
}

func newProgress(out io.Writer, engine inference.Engine, reference string, total int) *progress {
	now := time.Now()
	p := &progress{out: out, engine: engine, reference: reference, start: now, printed: now}
	if drawn := terminal(out); drawn != nil {
		p.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(drawn), progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionThrottle(200*time.Millisecond), progressbar.OptionSetWidth(20),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionSetRenderBlankState(true),
			progressbar.OptionEnableColorCodes(os.Getenv("NO_COLOR") == ""))
	}
	return p
}

func (p *progress) update(done, total int, o trial.Outcome) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if o.Condition == p.reference {
		p.n++
		if o.Score == task.Right {
			p.right++
		}
	}
	if p.bar != nil {
		p.bar.Describe(escape.Text(p.figures()))
		p.bar.Set(done)
		return
	}
	if now := time.Now(); now.Sub(p.printed) >= time.Minute {
		p.printed = now
		left := time.Duration(float64(now.Sub(p.start)) / float64(done) * float64(total-done))
		fmt.Fprintf(p.out, "%d of %d debates, %s, about %s left\n", done, total, p.figures(), left.Round(time.Second))
	}
}

// figures are the rates so far, and the accuracy of the reference.
func (p *progress) figures() string {
	s := p.engine.Stats()
	rate := func(tokens int, d time.Duration) int { return int(float64(tokens) / max(d.Seconds(), 1e-3)) }
	text := fmt.Sprintf("prefill %d tok/s, decode %d tok/s, %d %% of prompt tokens saved",
		rate(s.PromptComputed, s.PrefillDuration), rate(s.Decoded, s.DecodeDuration),
		100*s.PromptSaved()/max(1, s.PromptAsked))
	if p.n > 0 {
		text += fmt.Sprintf(", accuracy of %s %.2f", p.reference, float64(p.right)/float64(p.n))
	}
	return text
}

func (p *progress) finish() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
