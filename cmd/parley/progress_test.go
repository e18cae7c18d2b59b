package main

import (
	"bytes"
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
