package scheduler

import (
	"unsafe"

	"github.com/parley-debate/parley/inference/step"
)

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
		m.Replies += int64(unsafe.Sizeof(key) + unsafe.Sizeof(result))
		reply(result.Tokens)
	}
	for _, job := range s.queue {
		add(job)
	}
	for _, q := range s.sequences {
		add(q.job)
		m.Tree += int64(len(q.private)) * int64(unsafe.Sizeof(step.Token(0)))
	}
	s.tree.root.each(func(n *node) {
		m.Tree += int64(unsafe.Sizeof(*n)) + int64(len(n.children))*int64(unsafe.Sizeof(n.key)+unsafe.Sizeof(n))
	})
	return m
}

// each visits a node and all below it.
func (n *node) each(visit func(*node)) {
	visit(n)
	for _, child := range n.children {
		child.each(visit)
	}
}

// Occupied returns the number of cells that running generations hold, as opposed to those that are kept for their
// prefixes.
func (s *Scheduler) Occupied() int { return s.pinnedCells(nil, 0) + s.private }
