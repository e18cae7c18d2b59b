package scheduler

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/scheduler/prefix/prefixtest"
)

// TestSpacesShareNothing: where there is room for all, what a request of one space is told does not depend on what was
// asked in another, be it the same or the beginning of it, before or at the same time. The same requests in one space
// see each other.
func TestSpacesShareNothing(t *testing.T) {
	seen := 0
	prefixtest.CheckUntilSeen(t, func() bool { return seen == 0 }, func(t *rapid.T) {
		o := Options{Cells: 4000, Sequences: 64, Live: 64, Batch: 200}
		if o.Whole = rapid.Bool().Draw(t, "whole"); !o.Whole {
			o.StepCost = rapid.SampledFrom([]float64{0, 100}).Draw(t, "step cost")
		}
		var waves [][]Request
		var earlier [][]step.Token
		for range rapid.IntRange(1, 4).Draw(t, "waves") {
			var wave []Request
			for range rapid.IntRange(1, 6).Draw(t, "requests") {
				r := drawRequest(t, earlier, 0)
				if len(wave) > 0 && rapid.Bool().Draw(t, "again") {
					r = wave[rapid.IntRange(0, len(wave)-1).Draw(t, "which")]
				}
				r.Order, r.Space = Order{}, rapid.IntRange(0, 1).Draw(t, "space")
				wave = append(wave, r)
				earlier = append(earlier, slices.Concat(r.Prompt, tokensOf(alone(r))))
			}
			waves = append(waves, wave)
		}
		of := func(keep func(*Request) bool) (results []Result) {
			s, e := mustNew(t, o), newFakeEngine(t, o)
			for _, wave := range waves {
				var jobs []*Job
				for _, r := range wave {
					if space := r.Space; keep(&r) {
						if job := s.Submit(untilSum(r)); space == 0 {
							jobs = append(jobs, job)
						}
					}
				}
				run(t, s, e)
				for _, job := range jobs {
					results = append(results, job.Result)
				}
			}
			return results
		}
		told := func(results []Result) (list []any) {
			for _, r := range results {
				list = append(list, r.Cached, r.Joined)
			}
			return list
		}
		without := told(of(func(r *Request) bool { return r.Space == 0 }))
		if beside := told(of(func(*Request) bool { return true })); !slices.Equal(beside, without) {
			t.Fatalf("cached and joined beside another space: %v, without it: %v", beside, without)
		}
		together := told(of(func(r *Request) bool { r.Space = 0; return true }))
		if !slices.Equal(together, without) {
			seen++
		}
	})
	if seen == 0 {
		t.Error("the requests had nothing in common: the test saw nothing")
	}
}

// TestSpacesAndBatches: requests of several spaces in one tree, with little room, get what they get alone.
func TestSpacesAndBatches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := Options{Live: 4, Sequences: 6, Batch: 10, Cells: rapid.IntRange(30, 90).Draw(t, "cells"),
			Whole: rapid.Bool().Draw(t, "whole")}
		s, e := mustNew(t, o), newFakeEngine(t, o)
		var earlier [][]step.Token
		for range 3 {
			var jobs []*Job
			for range rapid.IntRange(1, 9).Draw(t, "requests") {
				r := drawRequest(t, earlier, 0)
				r.Space, r.Party = rapid.IntRange(0, 2).Draw(t, "space"), drawParty(t)
				jobs = append(jobs, s.Submit(untilSum(r)))
				earlier = append(earlier, slices.Concat(r.Prompt, tokensOf(alone(r))))
			}
			for !s.Idle() {
				plan := s.Next()
				checkInvariants(t, s)
				sampled, err := e.Step(context.Background(), plan)
				if err != nil {
					t.Fatal(err)
				}
				s.Apply(plan, sampled)
				checkInvariants(t, s)
			}
			for _, job := range jobs {
				if job.Result.Err == nil && !slices.Equal(tokensOf(job.Result.Tokens), tokensOf(alone(job.Request))) {
					t.Fatalf("prompt %v: %v", job.Prompt, job.Result.Tokens)
				}
			}
		}
	})
}
