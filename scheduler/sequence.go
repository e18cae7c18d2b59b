package scheduler

import (
	"slices"

	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/scheduler/prefix"
)

// sequence is one of the engine's sequence ids and what it holds.
//
//	[0, shared)        cells in the tree, perhaps shared with other sequences
//	[shared, computed) private cells: tokens generated here, or the last prompt token computed once more for its logits
//
// While a prompt is being computed, computed < shared: the tree already has the cells that are about to be filled, and
// one row fills a cell for all sequences that hold it.
type sequence struct {
	id       step.SeqID
	state    state
	leaf     *prefix.Node // where the path in the tree ends; leaf.End() == shared
	computed int
	private  []step.Token
	job      *Job // the generation running here, nil when there is none
	space    int  // of the generation that runs or ran here
	rows     int  // that were computed for job since it began here
	lastUsed int  // step in which the generation finished; the oldest idle sequence is evicted first
	parked   bool // an idle one that is kept for its state and ran nothing, see Options.Whole
}

type state int

const (
	empty   state = iota // holds nothing
	idle                 // holds a finished generation that others may start from
	prefill              // its prompt is being computed
	decode               // its next token is being decoded
)

func (q *sequence) shared() int { return q.leaf.End() }

// continues reports whether q is idle and ends at a length, so that a job can take it over without losing a cell.
func (q *sequence) continues(length int) bool { return q.state == idle && q.computed == length }
func (q *sequence) live() bool                { return q.state == prefill || q.state == decode }

// Job is a submitted request on its way to a result. Callers compare pointers and read nothing else.
type Job struct {
	Request
	Result Result

	// committed are the prompt and the tokens that were drawn before the job got its sequence. The sequence must hold
	// all of them before the next token is drawn.
	committed []step.Token
	// firstDrawn says that the first token was drawn before the job got its sequence, from a row of an equal prompt or
	// before it was preempted, or before tokens were put behind it, or that its tokens are forced.
	firstDrawn bool
	since      int     // the step in which it began to wait, for the first time or again
	party      *party  // see enter; nil of a job that joined another one
	submitted  int     // breaks ties of Order
	parts      int     // where its prompt parts from cells that were held, if it computes some of them again; else 0
	reserved   int     // private cells it may still come to need
	joined     []*Job  // later requests with the same Key
	leader     *Job    // the one that this job joined
	origin     *origin // of drafts, see drafter
	seq        *sequence
	put        []step.Token // that go behind the token that was drawn last, see Request.Put and Request.Instead
	ended      bool         // its last token was drawn
	done       bool
}

// samePrompt reports whether a row that is computed for one job can draw the first token of the other.
func (job *Job) samePrompt(other *Job) bool {
	return job.Space == other.Space && slices.Equal(job.Prompt, other.Prompt)
}

// compute records that a row of this plan stores token in the cell after q's last one.
func (s *Scheduler) compute(q *sequence, token step.Token) {
	if q.computed >= q.shared() {
		q.private = append(q.private, token)
		s.private++
		if q.job.reserved > 0 {
			q.job.reserved--
			s.reserved--
		}
	}
	q.computed++
	q.rows++
}
