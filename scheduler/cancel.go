package scheduler

import "slices"

// Cancel gives up a job, between an Apply and the following Next: the next Apply returns it with ErrCancelled. A
// generation that others have joined goes on for them. Cancelling a finished job does nothing.
func (s *Scheduler) Cancel(job *Job) {
	if job.done {
		return
	}
	heirs := job.joined
	job.joined = nil
	switch {
	case job.leader != nil:
		job.leader.joined = slices.DeleteFunc(job.leader.joined, func(other *Job) bool { return other == job })
	case len(heirs) > 0:
		s.inherit(job, heirs)
	case job.seq != nil:
		s.live = slices.DeleteFunc(s.live, func(q *sequence) bool { return q == job.seq })
		s.retire(job.seq)
	default:
		same := func(other *Job) bool { return other == job }
		s.queue, s.incoming = slices.DeleteFunc(s.queue, same), slices.DeleteFunc(s.incoming, same)
	}
	if s.keyed[job.identity()] == job {
		delete(s.keyed, job.identity())
	}
	job.Result = Result{Err: ErrCancelled}
	s.finish(job)
}

// inherit puts the first of those who joined a job into its place, in its sequence or in the queue, where it has waited
// for as long.
func (s *Scheduler) inherit(job *Job, heirs []*Job) {
	heir := heirs[0]
	heir.leader, heir.joined = nil, heirs[1:]
	for _, other := range heir.joined {
		other.leader = heir
	}
	heir.seq, heir.reserved, heir.Result = job.seq, job.reserved, job.Result
	heir.committed, heir.firstDrawn = job.committed, job.firstDrawn
	heir.Until, heir.Put, heir.Instead = job.Until, job.Put, job.Instead // which have seen the tokens so far
	heir.put, heir.since, heir.parts = job.put, job.since, job.parts
	if heir.origin, job.origin = job.origin, nil; heir.origin != nil {
		heir.origin.job = heir
	}
	if job.seq != nil {
		job.seq.job = heir
	} else {
		s.queue[slices.Index(s.queue, job)] = heir
		slices.SortFunc(s.queue, byOrder)
	}
	s.keyed[heir.identity()] = heir
	s.enter(heir)
	if job.seq != nil {
		job.party.running--
		heir.party.running++
	}
}
