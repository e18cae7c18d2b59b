package scheduler

import "unsafe"

// Memory is what a scheduler keeps on the Go side, in bytes: about, since allocators round up.
type Memory struct {
	Prompts int64 // tokens of prompts, each slice counted once, whoever shares it
	Replies int64 // tokens drawn, with their probabilities, of running and finished generations
	Tree    int64 // nodes of the prefix tree; most of their tokens are those of prompts
	Jobs    int   // requests that run, wait, or are kept for their key
}

// Memory counts what is kept. It looks at every kept job, and is for reports, not for every step.
func (s *Scheduler) Memory() Memory {
	var m Memory
	jobs, prompts := map[*Job]bool{}, map[*Token]bool{}
	add := func(job *Job) {
		if job == nil || jobs[job] {
			return
		}
		jobs[job] = true
		m.Jobs++
		m.Replies += int64(unsafe.Sizeof(*job)) + int64(cap(job.Result.Tokens))*int64(unsafe.Sizeof(Sampled{}))
		if first := unsafe.SliceData(job.Prompt); !prompts[first] {
			prompts[first] = true
			m.Prompts += int64(len(job.Prompt)) * int64(unsafe.Sizeof(Token(0)))
		}
	}
	for _, job := range s.keyed {
		add(job)
	}
	for _, job := range s.queue {
		add(job)
	}
	for _, q := range s.sequences {
		add(q.job)
		m.Tree += int64(len(q.private)) * int64(unsafe.Sizeof(Token(0)))
	}
	s.tree.root.each(func(n *node) {
		m.Tree += int64(unsafe.Sizeof(*n)) + int64(len(n.children))*int64(unsafe.Sizeof(Token(0))+unsafe.Sizeof(n))
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
