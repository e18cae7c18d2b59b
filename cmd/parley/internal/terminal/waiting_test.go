package terminal

import (
	"bytes"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-debate/parley/inference"
)

// TestWaiting: a line says what is waited for, for how long, and what was generated meanwhile, as far as there is room.
func TestWaiting(t *testing.T) {
	w := WaitFor(io.Discard, nil, "opening the model")
	defer w.Finish()
	if got := w.line(w.start.Add(3*time.Second), 60); got != "opening the model, 3s" {
		t.Errorf(`%v, want "opening the model, 3s"`, got)
	}
	w = WaitFor(io.Discard, working{}, "")
	defer w.Finish()
	w.Say("calibrating: question 1 of 2")
	if got, want := w.line(w.start.Add(20*time.Second), 60),
		"calibrating: question 1 of 2, 20s, 57 generations"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := Line("opening\x1b[2J", nil, 10); got != `opening\u~` {
		t.Errorf("%v, want \"opening\\\\u~\"", got)
	}
}

// TestWaitingOffTerminal: in a pipe, what takes more than a moment is told after ten seconds, and then once a minute.
func TestWaitingOffTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		w := WaitFor(&out, working{}, "calibrating")
		time.Sleep(9 * time.Second)
		if out.Len() > 0 {
			t.Errorf("wrote %q in the first seconds, want nothing", out.String())
		}
		w.Say("calibrating: question 1 of 2")
		time.Sleep(2 * time.Minute)
		w.Finish()
		want := ""
		for _, at := range []string{"10s", "1m10s"} {
			want += "calibrating: question 1 of 2, " + at + ", 57 generations, 12,340 tokens\n"
		}
		if got := out.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// working is an engine that has done some work.
type working struct{ inference.Engine }

// Stats implements inference.Engine.
func (working) Stats() inference.Stats {
	return inference.Stats{Decoded: 12_340, Generations: 57, PromptAsked: 4000, PromptComputed: 1000}
}

// TestRenew draws a line at once, removes it, and draws nothing after that; one with a delay is not drawn at all if it
// is over before.
func TestRenew(t *testing.T) {
	drawn := make(chan string, 10)
	stop := renew(writes(drawn), 0, func() string { return "line" })
	if got := <-drawn; got != "\r\x1b[Kline" {
		t.Errorf("%q, want \"\\r\\x1b[Kline\"", got)
	}
	stop()
	stop()
	renew(writes(drawn), time.Hour, func() string { return "late" })()
	for _, want := range []string{"\r\x1b[K", "\r\x1b[K"} {
		for got := ""; got != want; {
			if got = <-drawn; got != want && got != "\r\x1b[Kline" {
				t.Fatalf("a line is drawn anew in one write: got %q, want %q, or the line again", got, want)
			}
		}
	}
	if len(drawn) > 0 {
		t.Errorf("%q is drawn after the end, want nothing", <-drawn)
	}
}

// writes passes on what is written.
type writes chan string

func (w writes) Write(p []byte) (int, error) {
	w <- string(p)
	return len(p), nil
}
