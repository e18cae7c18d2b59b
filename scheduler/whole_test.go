package scheduler

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/scheduler/prefix"
	"github.com/parley-debate/parley/scheduler/prefix/prefixtest"
)

// TestWholeChangesNothing is TestBatchingChangesNothing for sequences that cannot be cut: the engine refuses to change
// a part of one. At every step, what the tree finds for waiting requests is what going through all sequences finds.
func TestWholeChangesNothing(t *testing.T) {
	var saved, copied, preempted, repeated, duplicates, evictions, waited int
	blind := func() bool {
		return saved <= 0 || min(copied, preempted, repeated, duplicates, evictions, waited) == 0
	}
	prefixtest.CheckUntilSeen(t, blind, func(t *rapid.T) {
		live := rapid.IntRange(1, 6).Draw(t, "live")
		o := Options{
			Live: live, Sequences: live * rapid.IntRange(1, 4).Draw(t, "sequences for each"),
			Batch: live + rapid.IntRange(0, 10).Draw(t, "more rows"), Cells: rapid.IntRange(20, 120).Draw(t, "cells"),
			Whole: true,
		}
		s, e := mustNew(t, o), newFakeEngine(t, o)
		serveWaves(t, s, e, func() {
			for !s.Idle() {
				plan := s.Next()
				checkInvariants(t, s)
				for _, job := range s.queue {
					p := s.prospect(job)
					if err := p.differs(s, job); err != nil {
						t.Fatal(err)
					}
					waited += btoi(p.waits())
				}
				twin, _ := twinOf(s)
				duplicates += s.tree.Cells() - len(twin.Prefixes())
				sampled := stepBesideBooks(t, s, e, plan)
				s.Apply(plan, sampled)
				checkInvariants(t, s)
			}
		})
		stats := s.Stats()
		saved += stats.PromptAsked - stats.PromptComputed
		copied, preempted, repeated = copied+e.copied, preempted+stats.Preempted, repeated+stats.Repeated
		for _, line := range e.trace {
			evictions += btoi(len(line) > 6 && line[:6] == "remove")
		}
	})
	if blind() {
		t.Errorf("saved %d, copied %d, preempted %d, repeated %d, duplicates %d, evictions %d, waited %d: the "+
			"test saw nothing", saved, copied, preempted, repeated, duplicates, evictions, waited)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// stepBesideBooks carries out a plan and compares the engine's sequences with the books.
func stepBesideBooks(t tester, s *Scheduler, e *fakeEngine, plan *Plan) []step.Sampled {
	t.Helper()
	if plan.empty() {
		return nil
	}
	sampled, err := e.Step(context.Background(), plan)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range s.sequences {
		if held := append(q.leaf.Tokens(), q.private...)[:q.computed]; !slices.Equal(held, e.states[q.id]) {
			t.Fatalf("sequence %d holds %v, want what the books say, %v", q.id, held, e.states[q.id])
		}
	}
	return sampled
}

// differs says where a prospect differs from what going through all sequences finds.
func (p prospect) differs(s *Scheduler, job *Job) error {
	var length, depth, branch int
	for _, q := range s.sequences {
		held := q.leaf.Tokens()
		agree := min(prefix.Agreement(held, job.committed), job.sharable())
		depth = max(depth, agree)
		if q.state == idle && agree == len(held) {
			length = max(length, agree)
		}
		if q.live() && s.drawsFor(q, job) {
			agree = len(job.Prompt)
		}
		if q.live() && agree >= q.computed {
			branch = max(branch, agree)
		}
	}
	if branch <= length {
		branch = 0
	}
	if p.length != length || p.depth != depth || p.branch != branch || (p.donor != nil) != (length > 0) {
		return fmt.Errorf("%v begins at %d, is held up to %d and branches at %d; the tree says %+v", job.committed,
			length, depth, branch, p)
	}
	return nil
}

// TestWholeMinimum: with enough sequences, a token is computed again only if no request ended, parted from another one
// of its wave, or had its last prompt token there. A request whose prompt begins with the forced tokens of one that
// waits does not wait for it.
func TestWholeMinimum(t *testing.T) {
	var hits, gaps int
	blind := func() bool { return hits == 0 || gaps == 0 }
	prefixtest.CheckUntilSeen(t, blind, func(t *rapid.T) {
		live := rapid.IntRange(1, 6).Draw(t, "live")
		o := Options{Cells: 10_000, Sequences: 256, Live: live, Whole: true,
			Batch: live + rapid.IntRange(0, 20).Draw(t, "more rows")}
		s, e := mustNew(t, o), newFakeEngine(t, o)
		states, cells := map[string]bool{}, map[string]bool{}
		var earlier [][]step.Token
		waited := map[*Job]bool{}     // requests that began where another one of their wave had come to
		var most, least, requests int // prompt tokens to compute, at most and in a tree that can be cut
		for wave := range rapid.IntRange(1, 4).Draw(t, "waves") {
			var jobs []*Job
			for i := range rapid.IntRange(1, 8).Draw(t, "requests") {
				r := drawRequest(t, earlier, i)
				r.Order, r.Key, r.Sampling.Seed = Order{Debate: i}, Key{}, uint64(100*wave+i)
				jobs = append(jobs, s.Submit(r))
			}
			run(t, s, e)
			for i, job := range jobs {
				begins := beginning(job, jobs[:i], states, waited)
				most += len(job.Prompt) - begins
				if job.Forced != nil || slices.ContainsFunc(jobs[:i], job.twinOf) { // whose results may not say it
					job.Result.Cached = begins
				}
				least += newIn(cells, job.Prompt)
				requests++
			}
			for _, job := range jobs {
				text := append(slices.Clone(job.Prompt), tokensOf(job.Result.Tokens)...)
				newIn(cells, text[:len(text)-1])
				var ends []int
				if cached := job.Result.Cached; cached < len(job.Prompt) {
					ends = []int{cached, len(job.Prompt) - 1, len(text) - 1}
				} else if len(job.Result.Tokens) > 1 { // otherwise it drew its only token from another's row
					ends = []int{cached, len(text) - 1}
				}
				for _, end := range ends {
					states[string(prefixtest.Bytes(text[:end]))] = true
				}
				earlier = append(earlier, text)
			}
		}
		got := s.Stats()
		if got.PromptComputed > most || got.PromptComputed > least+got.Repeated+requests {
			t.Fatalf("computed %d prompt tokens, of which %d repeated: want at most %d; the tree has %d: %v\n%s",
				got.PromptComputed, got.Repeated, most, least, earlier, strings.Join(e.trace, "\n"))
		}
		hits += got.PromptAsked - got.PromptComputed
		gaps += got.Repeated
	})
	if blind() {
		t.Errorf("%d tokens taken from other sequences, %d repeated: the test saw nothing", hits, gaps)
	}
}

// beginning is how much of a prompt does not have to be computed. It notes a job that waits for another one.
func beginning(job *Job, before []*Job, states map[string]bool, waited map[*Job]bool) (length int) {
	for end := range len(job.Prompt) {
		if states[string(prefixtest.Bytes(job.Prompt[:end]))] {
			length = end
		}
	}
	for _, other := range before {
		if job.twinOf(other) {
			return len(job.Prompt)
		}
	}
	branch := slices.Max(append(branches(job, before, waited), length))
	waited[job] = branch > length
	return branch
}

// twinOf reports whether two jobs draw their first tokens from the same row.
func (job *Job) twinOf(other *Job) bool {
	return job != other && slices.Equal(other.Prompt, job.Prompt) && other.Forced == nil && job.Forced == nil
}

// branches are where a prompt parts from others, if these computed the tokens before.
func branches(job *Job, others []*Job, waited map[*Job]bool) (at []int) {
	for _, other := range others {
		known := other.Prompt
		if !waited[other] {
			known = slices.Concat(known, other.Forced[:max(0, len(other.Forced)-1)])
		}
		branch := min(prefix.Agreement(job.Prompt, known), len(job.Prompt)-1)
		if other.Result.Cached <= branch && other.Result.Cached < len(other.Prompt) {
			at = append(at, branch)
		}
	}
	return at
}

// newIn adds all prefixes of tokens to a set and returns how many were not there.
func newIn(set map[string]bool, tokens []step.Token) (n int) {
	for i := range tokens {
		if key := string(prefixtest.Bytes(tokens[:i+1])); !set[key] {
			set[key] = true
			n++
		}
	}
	return n
}
