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
						if job := s.Submit(limited(r)); space == 0 {
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
			t.Fatalf("beside another space are cached and joined %v, want what is without it, %v", beside, without)
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
				r.Space, r.Party = rapid.IntRange(0, 2).Draw(t, "space"), rapid.IntRange(0, 5).Draw(t, "party")
				jobs = append(jobs, s.Submit(limited(r)))
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
					t.Fatalf("tokens of prompt %v: %v, want %v, as alone", job.Prompt, tokensOf(job.Result.Tokens),
						tokensOf(alone(job.Request)))
				}
			}
		}
	})
}

// TestCachedPrefixesAreShared: ten keys, whose system prompts do not all fit, each find their part of the cells cached
// when they come back, however much one of them asks meanwhile; a key that asks no more loses its part.
func TestCachedPrefixesAreShared(t *testing.T) {
	const keys, system, cells = 10, 1000, 8192
	o := Options{Cells: cells, Sequences: 64, Live: 16, Batch: 512, Forget: true}
	s := mustNew(t, o)
	e := newFakeEngine(t, o)
	ask := func(key, number, length int) int {
		prompt := make([]step.Token, length)
		for i := range prompt {
			prompt[i] = step.Token(key + 1)
			if i >= system {
				prompt[i] = step.Token(1000 + number)
			}
		}
		job := s.Submit(Request{Party: key, Space: key, Prompt: prompt, MaxTokens: 16})
		run(t, s, e)
		return job.Result.Cached
	}
	cached := 0
	for round := range 10 {
		for key := range keys {
			if n := ask(key, round, system+35); round > 0 {
				cached += n
				if n < cells/keys-system/5 {
					t.Fatalf("round %d: key %d finds %d tokens cached, want its part of %d", round, key, n, cells)
				}
			}
		}
	}
	if computed := keys*(system+35)*9 - cached; computed > keys*(system+35)*9/3 {
		t.Errorf("%d prompt tokens are computed after the first round, want up to a third", computed)
	}
	for number := range 200 { // one floods
		ask(0, 100+number, 300+number)
	}
	for key := 1; key < keys; key++ {
		if n := ask(key, 500, system+35); n < cells/keys-system/5 {
			t.Errorf("after a flood of key 0, key %d finds %d tokens cached, want at least %d", key, n,
				cells/keys-system/5)
		}
	}
	s.stats.Steps += 9_900 // after 10,000 it loses its part, as docs/serve.md says
	if held := s.holdings(true); held[1] > cells {
		t.Errorf("a key has lost its part within 10,000 steps")
	}
	if s.stats.Steps += 200; s.holdings(true)[1] <= cells {
		t.Errorf("a key that has asked nothing for 10,100 steps keeps its part")
	}
	for round := range 2 {
		if n := ask(1, 600+round, 5000); round == 1 && n < system {
			t.Errorf("a key that asks alone finds %d tokens cached, want at least %d", n, system)
		}
	}
}
