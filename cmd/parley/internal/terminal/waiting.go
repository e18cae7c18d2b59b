package terminal

import (
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bug"
	"github.com/parley-debate/parley/internal/escape"
)

// Line joins a text and parts. Parts that do not fit into the columns are dropped, the last ones first.
func Line(line string, parts []string, columns int) string {
	line = escape.Text(line)
	for _, part := range parts {
		if longer := line + ", " + escape.Text(part); ansi.StringWidth(longer) <= columns {
			line = longer
		}
	}
	return ansi.Truncate(line, max(1, columns), "~")
}

// renew draws a line on a terminal after a delay and then every second, until the function that it returns removes it.
func renew(drawn io.Writer, delay time.Duration, line func() string) (stop func()) {
	return redraw(drawn, delay, func() { fmt.Fprint(drawn, "\r\x1b[K", line()) })
}

// redraw is renew for a line that is drawn by a function.
func redraw(drawn io.Writer, delay time.Duration, draw func()) (stop func()) {
	ended := Every(delay, time.Second, draw)
	return sync.OnceFunc(func() {
		ended()
		fmt.Fprint(drawn, "\r\x1b[K")
	})
}

// Every does something after a delay and then again and again, until the function that it returns, which waits for it,
// ends that.
func Every(delay, pause time.Duration, do func()) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go bug.Guarded(func() error {
		for wait := delay; ; wait = pause {
			select {
			case <-done:
				return nil
			case <-time.After(wait):
				do()
			}
		}
	}, func(error) { close(ended) })()
	return sync.OnceFunc(func() {
		close(done)
		<-ended
	})
}

// Waiting shows what a command is waiting for: on a terminal where that takes longer than a second, elsewhere with a
// line after ten, and one per minute. There is no bar, since nobody knows how long it takes.
type Waiting struct {
	start time.Time
	stop  func()

	mu     sync.Mutex // guards what follows
	what   string
	engine inference.Engine // it is nil where nothing is generated
}

// WaitFor shows a text until Finish is called; engine may be nil.
func WaitFor(out io.Writer, engine inference.Engine, what string) *Waiting {
	w := &Waiting{start: time.Now(), what: what, engine: engine, stop: func() {}}
	if drawn := Of(out); drawn != nil {
		w.stop = renew(drawn, time.Second, func() string { return w.line(time.Now(), columns(drawn)-1) })
	} else {
		w.stop = Every(10*time.Second, time.Minute, func() { fmt.Fprintln(out, w.line(time.Now(), math.MaxInt)) })
	}
	return w
}

// Say changes the text.
func (w *Waiting) Say(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.what = what
}

// line is the line on a terminal of so many columns.
func (w *Waiting) line(now time.Time, columns int) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	parts := []string{now.Sub(w.start).Round(time.Second).String()}
	if w.engine != nil {
		s := w.engine.Stats()
		parts = append(parts, wording.Count(s.Generations, "generation"), wording.Comma(s.Decoded)+" tokens")
	}
	return Line(w.what, parts, columns)
}

// Finish removes the text.
func (w *Waiting) Finish() { w.stop() }
