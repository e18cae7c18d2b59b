package scheduler

import (
	"cmp"
	"slices"
)

// The policy of Request.Party. While requests of several parties are there, none of them waits for another's to end:
//
//   - Places. A free one goes to who has the fewest, and then to who waits longest. Who has at least two more than one
//     that waits gives up one; who has one more does as soon as the generation there has had its quantum. A generation
//     that gives way is preempted: it returns to the queue and goes on from its cells.
//   - Rows. In a step nobody gets more rows than anybody else wants, and Options.Slack beyond that. A step whose fixed
//     cost is Slack takes n parties no longer than n of the steps that one of them would have alone. Within a party,
//     generations that came first are advanced first. There are no drafts, and nobody has more than Options.Width.
//
// None of this changes what a generation draws.

// quantum is how many rows a generation gets, or as many as its text was long when it got its place, before it gives
// way to one of who has fewer places.
const quantum = 128

// party is what the scheduler knows of a party that has requests.
type party struct {
	jobs    int    // that run or wait, and have not joined others
	running int    // those that run
	line    []*Job // those that wait, in order; made for one plan (see lines)
	rows    int    // that it wants of a plan, and then how many are left to get
	ran     int    // the step in which it last had one
	rank    int    // breaks ties
}

// contended reports whether requests of several parties are there.
func (s *Scheduler) contended() bool { return len(s.parties) > 1 }

// enter counts a job that runs or waits on its own account.
func (s *Scheduler) enter(job *Job) {
	p := s.parties[job.Party]
	if p == nil {
		p = new(party)
		s.parties[job.Party] = p
	}
	p.jobs++
	job.party = p
}

// exit is the end of enter.
func (s *Scheduler) exit(job *Job) {
	p := job.party
	if p == nil {
		return
	}
	job.party = nil
	if p.jobs--; p.jobs == 0 {
		delete(s.parties, job.Party)
	}
}

// lines divides the queue by parties.
func (s *Scheduler) lines() {
	s.turns = s.turns[:0]
	for _, job := range s.queue[:s.admissible()] {
		job.party.line = job.party.line[:0]
	}
	for _, job := range s.queue[:s.admissible()] {
		p := job.party
		if len(p.line) == 0 {
			s.turns = append(s.turns, p)
		}
		p.line = append(p.line, job)
	}
}

// next takes the job whose turn it is out of its line; the result is nil if nobody waits.
func (s *Scheduler) next() *Job {
	var best *party
	for _, p := range s.turns {
		if len(p.line) > 0 && (best == nil || p.before(best)) {
			best = p
		}
	}
	if best == nil {
		return nil
	}
	job := best.line[0]
	best.line = best.line[1:]
	return job
}

func (p *party) before(other *party) bool {
	a, b := p.line[0], other.line[0]
	return cmp.Or(cmp.Compare(p.running, other.running), cmp.Compare(a.since, b.since), byOrder(a, b)) < 0
}

// inTurn yields the waiting jobs in the order in which they get places.
func (s *Scheduler) inTurn(yield func(*Job) bool) {
	if !s.contended() {
		for _, job := range s.queue[:s.admissible()] {
			if !yield(job) {
				return
			}
		}
		return
	}
	if len(s.live) == s.options.Live {
		return // before anything is counted
	}
	s.lines()
	for job := s.next(); job != nil && yield(job); {
		job = s.next()
	}
}

// giveWay preempts generations of those who have too many places, for those who wait and have fewer.
func (s *Scheduler) giveWay(plan *Plan) {
	if !s.contended() || len(s.queue) == 0 {
		return
	}
	s.lines()
	free := s.options.Live - len(s.live)
	var given []*party
	for job := s.next(); job != nil; job = s.next() {
		for free == 0 || given == nil && !s.fits(job) {
			q := s.surplus(job.party)
			if q == nil {
				break
			}
			s.preempt(q)
			free++
		}
		if free == 0 {
			break
		}
		free--
		job.party.running++ // as if it had it, for the next one
		given = append(given, job.party)
	}
	for _, p := range given {
		p.running--
	}
	plan.Memory, s.deferred = append(plan.Memory, s.deferred...), nil
}

// fits reports whether there are cells for a waiting job.
func (s *Scheduler) fits(job *Job) bool {
	source, length, _ := s.source(job)
	return s.hasCells(job, source, length)
}

// surplus returns the generation that gives way to a party that waits: the youngest of the party that has the most
// places. It is nil if nobody has more than that party.
func (s *Scheduler) surplus(to *party) (most *sequence) {
	for _, q := range slices.Backward(s.live) {
		p := q.job.party
		more := p.running - to.running
		if more < 1 || more == 1 && q.rows < max(quantum, len(q.job.committed)) {
			continue
		}
		if most == nil || p.running > most.job.party.running {
			most = q
		}
	}
	return most
}

// width returns the most rows that a party has in a plan: few while there are several, and for some time after, since
// who comes back waits for the step under way.
func (s *Scheduler) width() int {
	if s.options.Width > 0 && s.stats.Steps < s.narrow {
		return s.options.Width
	}
	return s.options.Batch
}

// careful is for how many steps plans stay narrow.
const careful = 10_000

// left returns how many rows a job may still have in a plan.
func (s *Scheduler) left(plan *Plan, job *Job) int {
	if s.contended() {
		return min(s.options.Batch-len(plan.Rows), job.party.rows)
	}
	return s.width() - len(plan.Rows)
}

// take counts rows that a job gets.
func (s *Scheduler) take(job *Job, rows int) {
	if s.contended() {
		job.party.rows -= rows
		job.party.ran = s.stats.Steps
	}
}

// divide says how many rows each party may have in this plan.
func (s *Scheduler) divide() {
	if !s.contended() {
		return
	}
	s.narrow = s.stats.Steps + careful
	for _, q := range s.live {
		q.job.party.rows = 0
	}
	var all []*party
	for i, q := range s.live {
		p, rows := q.job.party, 1
		if q.state == prefill {
			rows = len(q.job.committed) - q.computed
		}
		if p.rows == 0 {
			all, p.rank = append(all, p), i
		}
		p.rows = min(p.rows+rows, s.width())
	}
	s.split(all)
}

// split replaces what each wants by what it gets of a batch: all the same, but for those who want less, and nobody more
// than Slack beyond what another one wants, which is a row if that waits for a place. Where there are fewer rows than
// parties, those get one that had none for longest.
func (s *Scheduler) split(all []*party) {
	byTurn := func(a, b *party) int { return cmp.Or(cmp.Compare(a.ran, b.ran), cmp.Compare(a.rank, b.rank)) }
	byRows := func(a, b *party) int { return cmp.Or(cmp.Compare(a.rows, b.rows), byTurn(a, b)) }
	slices.SortFunc(all, byRows)
	first, second := all[0].rows, all[min(1, len(all)-1)].rows
	for i, p := range all {
		switch {
		case len(all) < len(s.parties):
			p.rows = min(p.rows, 1+s.options.Slack)
		case i == 0:
			p.rows = min(p.rows, second+s.options.Slack)
		default:
			p.rows = min(p.rows, first+s.options.Slack)
		}
	}
	rows := s.options.Batch
	if len(all) > rows {
		slices.SortFunc(all, byTurn)
		for i, p := range all {
			p.rows = min(1, max(0, rows-i))
		}
		return
	}
	slices.SortFunc(all, byRows)
	for i, p := range all {
		p.rows = min(p.rows, rows/(len(all)-i))
		rows -= p.rows
	}
}
