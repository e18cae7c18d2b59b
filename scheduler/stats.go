package scheduler

import (
	"unsafe"

	"github.com/parley-debate/parley/inference/step"
)

// Stats counts what was asked, done and saved. Everything is counted from plans, nothing is estimated.
type Stats struct {
	PromptAsked    int // prompt tokens of all requests
	PromptComputed int // prompt tokens decoded
	Repeated       int // of these, tokens whose cells are there, but not the state after them (see Options.Whole)
	Decoded        int // tokens sampled
	Generations    int // generations that ran to their end
	Joined         int // requests that got the result of an equal generation
	Preempted      int // times that a generation was put back into the queue for lack of cells
	Drafted        int // tokens that were decoded before they were drawn
	Accepted       int // drafted tokens that were then drawn
	Attended       int // cells seen, summed over all rows
	Steps          int // plans with rows
	Rows           int // rows of all plans
	BatchCapacity  int // most rows of one plan
	PeakSequences  int // most generations that ran at once
	PeakCells      int // most cells in use, counting prompts that are being computed in full
	Cells          int
}

// Stats returns the counts since New.
func (s *Scheduler) Stats() Stats { return s.stats }

func (s *Scheduler) observe(plan *Plan) {
	if len(plan.Rows) > 0 {
		s.stats.Steps++
	}
	s.stats.Rows += len(plan.Rows)
	for _, row := range plan.Rows {
		s.stats.Attended += int(row.Pos) + 1
	}
	s.stats.PromptComputed += plan.Prefill
	s.stats.PeakSequences = max(s.stats.PeakSequences, len(s.live))
	s.stats.PeakCells = max(s.stats.PeakCells, s.tree.Cells()+s.private)
}

// Memory is what a scheduler keeps in Go, in bytes. The numbers are approximate, since allocators round up.
type Memory struct {
	Prompts int64 // tokens of prompts; a slice that several requests share is counted once
	Replies int64 // tokens drawn, with their probabilities, of running and finished generations
	Tree    int64 // nodes of the prefix tree; most of their tokens are those of prompts
	Jobs    int   // requests that run or wait
	Kept    int   // results that are kept for their key
}

// Memory counts what is kept. It visits every job and result: it is for reports, not for every step.
func (s *Scheduler) Memory() Memory {
	var m Memory
	jobs, prompts := map[*Job]bool{}, map[*step.Token]bool{}
	reply := func(tokens []step.Sampled) { m.Replies += int64(cap(tokens)) * int64(unsafe.Sizeof(step.Sampled{})) }
	add := func(job *Job) {
		if job == nil || jobs[job] {
			return
		}
		jobs[job] = true
		m.Jobs++
		m.Replies += int64(unsafe.Sizeof(*job))
		reply(job.Result.Tokens)
		if first := unsafe.SliceData(job.Prompt); !prompts[first] {
			prompts[first] = true
			m.Prompts += int64(len(job.Prompt)) * int64(unsafe.Sizeof(step.Token(0)))
		}
	}
	m.Kept = len(s.results)
	for key, result := range s.results {
		m.Replies += int64(unsafe.Sizeof(key)+unsafe.Sizeof(result)) + int64(cap(result.tokens))
	}
	for _, job := range s.queue {
		add(job)
	}
	for _, q := range s.sequences {
		add(q.job)
		m.Tree += int64(len(q.private)) * int64(unsafe.Sizeof(step.Token(0)))
	}
	m.Tree += s.tree.Bytes()
	return m
}

// occupied returns the number of cells that running generations hold, as opposed to those that are kept for their
// prefixes.
func (s *Scheduler) occupied() int { return s.pinnedCells(nil, 0) + s.private }
