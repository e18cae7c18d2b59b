package runner

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/inference"
)

// TestProgressOffTerminal writes a line a minute and no more.
func TestProgressOffTerminal(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, inference.NewScript(func(inference.Request) string { return "" }), trial.Reference, 10)
	p.update(1, 10, trial.Outcome{Condition: trial.Reference, Score: task.Right})
	if out.Len() > 0 {
		t.Errorf("wrote %q in the first second", out.String())
	}
	p.printed = p.printed.Add(-time.Minute)
	p.start = p.start.Add(-time.Minute)
	p.update(4, 10, trial.Outcome{Condition: trial.Reference, Score: task.Wrong})
	p.update(5, 10, trial.Outcome{})
	p.finish()
	got := out.String()
	if strings.Count(got, "\n") != 1 || !strings.HasPrefix(got,
		"4 of 10 debates, prefill 0 tok/s, decode 0 tok/s, 0 % of prompt tokens saved, accuracy of mad 0.50, about "+
			"1m30s left") {
		t.Errorf("got %q", got)
	}
}

// TestProgressLine: a line never exceeds the terminal, and leaves out the least important parts first.
func TestProgressLine(t *testing.T) {
	p := newProgress(io.Discard, busy{}, trial.Reference, 440)
	now := p.start.Add(20 * time.Second)
	for columns, want := range map[int]string{
		30:  "[..........] 0 of 440 debates",
		60:  "[..........] 0 of 440 debates, 20s, 12,340 tokens (617/s)",
		100: "[..........] 0 of 440 debates, 20s, 12,340 tokens (617/s), 57 generations",
		110: "[..........] 0 of 440 debates, 20s, 12,340 tokens (617/s), 57 generations, " +
			"75 % of prompt tokens saved",
	} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			if got := p.line(now, columns); got != want || len(got) > columns {
				t.Errorf("%d columns: %s", columns, got)
			}
		})
	}
	p.update(110, 440, trial.Outcome{Condition: trial.Reference, Score: task.Right})
	if got, want := p.line(now, 120), "[##........] 110 of 440 debates, 20s, about 1m0s left, 12,340 tokens (617/s), "+
		"57 generations, mad 1.00"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// busy is an engine that has done some work.
type busy struct{ inference.Engine }

// Stats implements inference.Engine.
func (busy) Stats() inference.Stats {
	return inference.Stats{Decoded: 12_340, Generations: 57, PromptAsked: 4000, PromptComputed: 1000}
}
