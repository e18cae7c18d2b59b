package scheduler

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/parley-debate/parley/inference/step"
)

// TestTrace shows the plans for small cases. A file is a story: `new` makes a scheduler, `submit` hands in one request
// a line (order, prompt one letter a token, MaxTokens), `run` prints every step until nothing is left.
func TestTrace(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var s *Scheduler
		var e *fakeEngine
		var jobs []*Job
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "new":
				var o Options
				d.ScanArgs(t, "cells", &o.Cells)
				d.ScanArgs(t, "sequences", &o.Sequences)
				d.ScanArgs(t, "live", &o.Live)
				d.ScanArgs(t, "batch", &o.Batch)
				o.Whole = d.HasArg("whole")
				if d.HasArg("step-cost") {
					var rows int
					d.ScanArgs(t, "step-cost", &rows)
					o.StepCost = float64(rows)
				}
				s, e, jobs = mustNew(t, o), newFakeEngine(t, o), nil
				return ""
			case "submit":
				for _, line := range strings.Split(d.Input, "\n") {
					var prompt string
					r := Request{}
					if _, err := fmt.Sscan(line, &r.Order.Debate, &r.Order.Agent, &prompt, &r.MaxTokens); err != nil {
						d.Fatalf(t, "%q: %v", line, err)
					}
					for _, letter := range prompt {
						r.Prompt = append(r.Prompt, step.Token(letter))
					}
					r.Sampling.Seed = uint64(len(jobs))
					if d.HasArg("repeating") {
						r.Sampling.TopK = period
					}
					jobs = append(jobs, s.Submit(r))
				}
				return ""
			case "run":
				before := len(e.trace)
				run(t, s, e)
				out := strings.Join(e.trace[before:], "\n") + "\n"
				if stats := s.Stats(); stats.Preempted+stats.Drafted > 0 {
					out += fmt.Sprintf("%d preempted, %d drafted, %d accepted\n", stats.Preempted, stats.Drafted,
						stats.Accepted)
				}
				if stats := s.Stats(); stats.Repeated > 0 {
					out += fmt.Sprintf("%d prompt tokens repeated\n", stats.Repeated)
				}
				for i, job := range jobs {
					out += fmt.Sprintf("%d: %d of %d prompt tokens cached, %d tokens\n", i, job.Result.Cached,
						len(job.Prompt), len(job.Result.Tokens))
				}
				jobs = nil
				return out
			}
			d.Fatalf(t, "unknown command %q", d.Cmd)
			return ""
		})
	})
}
