package scheduler

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/scheduler/prefix"
)

// ErrTooLong is the error of a request that can never fit into the context. It fails alone.
var ErrTooLong = errors.New("longer than the context")

// ErrCancelled is the error of a request that was cancelled.
var ErrCancelled = errors.New("cancelled")

// MaxSequences bounds the sequences of an engine: llama.cpp's compiled-in limit (LLAMA_MAX_SEQ).
const MaxSequences = prefix.MaxSequences

// Options size a Scheduler.
type Options struct {
	Cells     int // KV cells of the engine, for prompts and generated tokens, running and kept; at least 2
	Sequences int // sequences of the engine, running and kept together; at most MaxSequences
	Live      int // most generations that run at once; at most Sequences
	Batch     int // most rows of one step; at least Live

	// StepCost is the fixed cost of a step, in rows. Above 0 it turns speculation on: drafts are added where they pay.
	StepCost float64

	// Whole says that sequences can be copied and emptied only as a whole, and that a row can be stored for one
	// sequence alone: for recurrent and hybrid models, see whole.go. It goes without StepCost, since drafts are cut.
	Whole bool

	// Slack is how many rows of a step one party may have more than another one wants, where there are several (see
	// share.go): about as many as a step costs besides its rows.
	Slack int

	// Width bounds the rows that a party has of a step while there are several, and for some time after: who comes
	// meanwhile does not wait for long. 0 is Batch.
	Width int

	// Forget drops finished jobs, which otherwise are kept for equal requests and as origins of drafts: for schedulers
	// that run for days. Finished sequences stay in the tree as ever.
	Forget bool
}

// validate returns an error that names the first option out of bounds.
func (o Options) validate() error {
	switch {
	case o.Sequences < 1 || o.Sequences > MaxSequences:
		return fmt.Errorf("%d sequences: must be between 1 and %d", o.Sequences, MaxSequences)
	case o.Live < 1 || o.Live > o.Sequences:
		return fmt.Errorf("%d generations at once: must be between 1 and the %d sequences", o.Live, o.Sequences)
	case o.Batch < o.Live:
		return fmt.Errorf("a batch of %d rows cannot advance %d generations: make it at least as large", o.Batch,
			o.Live)
	case o.Slack < 0:
		return fmt.Errorf("a slack of %d rows: it cannot be negative", o.Slack)
	case o.Width < 0 || o.Width > o.Batch:
		return fmt.Errorf("steps of at most %d rows: must be from 1 to the batch of %d, or 0 for that", o.Width,
			o.Batch)
	case o.StepCost < 0:
		return fmt.Errorf("a step that costs %g rows: it cannot be negative", o.StepCost)
	case o.StepCost > 0 && o.Whole:
		return errors.New("drafts for sequences that cannot be cut: there are none")
	case o.Cells < 2:
		return fmt.Errorf("%d KV cells: at least 2 are needed", o.Cells)
	}
	return nil
}

// Scheduler is the state machine that plans steps. See the package comment for the duties of its caller. It is not safe
// for concurrent use.
type Scheduler struct {
	options   Options
	tree      *prefix.Tree
	sequences []*sequence
	incoming  []*Job            // submitted since the last Next
	queue     []*Job            // waiting, in order
	live      []*sequence       // running, in order of admission
	private   int               // private cells in use
	reserved  int               // private cells that live generations may still come to need
	keyed     map[identity]*Job // the generation of each key that runs or waits
	results   map[identity]kept // of those that have finished; their jobs and prompts are not kept
	parties   map[int]*party    // those that have jobs
	turns     []*party          // those that wait, made for one plan
	narrow    int               // up to which step nobody has more rows than Options.Width
	cost      []int             // see wanted; computed at most once in a plan, nil before
	wants     []int             // how many waiting jobs would begin with each sequence, with Whole; made with cost
	deferred  []step.MemoryOp   // operations for the next plan, on cells that the last one used
	finished  []*Job            // since the last Apply
	submitted int
	drafter   drafter
	drawn     int // tokens of finished generations
	stats     Stats
}

// New returns a scheduler for an engine whose sequences are all empty. The error names the first option out of bounds.
func New(options Options) (*Scheduler, error) {
	if err := options.validate(); err != nil {
		return nil, err
	}
	s := &Scheduler{options: options, tree: prefix.New(), keyed: make(map[identity]*Job),
		results: make(map[identity]kept), parties: make(map[int]*party)}
	s.stats.Cells, s.stats.BatchCapacity = options.Cells, options.Batch
	for i := range options.Sequences {
		s.sequences = append(s.sequences, &sequence{id: step.SeqID(i), leaf: s.tree.Root()})
	}
	return s, nil
}

// Submit hands in a request, which the next Next takes up. The job's Result is complete when Apply returns the job;
// until then the caller may only compare the pointer, or Cancel it. A request that can never be served is returned by
// Apply with its error, as all others are.
func (s *Scheduler) Submit(r Request) *Job {
	job := &Job{Request: r, committed: r.Prompt, submitted: s.submitted}
	if n := len(r.Forced); n > 0 { // all its rows are known, the last token needs none
		job.MaxTokens, job.committed, job.firstDrawn = n, slices.Concat(r.Prompt, r.Forced[:n-1]), true
	}
	s.submitted++
	s.incoming = append(s.incoming, job)
	return job
}

// Idle reports whether nothing runs, nothing waits and no finished job is left to be returned by Apply.
func (s *Scheduler) Idle() bool {
	return len(s.live)+len(s.queue)+len(s.incoming)+len(s.finished) == 0
}

// Next plans one step. Waiting requests start as sequences and cells allow. Every running generation gets a row for its
// next token. The rest of the batch goes to prompts in the order of admission, and then to drafts. Where there are
// requests of several parties, they share places and rows (see share.go). The plan must
// be carried out and passed to Apply before Next is called again. It may be empty: Apply then returns jobs that needed
// no step.
func (s *Scheduler) Next() *Plan {
	plan := &Plan{Batch: step.Batch{Memory: s.deferred}}
	s.deferred, s.cost, s.wants = nil, nil, nil
	s.intake()
	if s.options.Whole {
		s.park(plan)
	}
	s.makeRoom(plan)
	s.giveWay(plan)
	s.admit(plan)
	s.divide()
	s.planDecode(plan)
	decoding := len(plan.Samples)
	s.planPrefill(plan)
	s.planDrafts(plan, decoding)
	s.observe(plan)
	return plan
}

// intake takes the requests submitted since the last plan, sorted by Order. It settles those that need no computation:
// requests that can never fit, and equals of generations that run or have finished.
func (s *Scheduler) intake() {
	slices.SortFunc(s.incoming, byOrder)
	s.incoming = slices.DeleteFunc(s.incoming, s.know)
	for _, job := range s.incoming {
		s.stats.PromptAsked += len(job.Prompt)
		if err := s.check(job); err != nil {
			job.Result.Err = err
			s.finish(job)
		} else if !s.join(job) {
			if job.Key != (Key{}) {
				s.keyed[job.identity()] = job
			}
			s.enter(job)
			s.enqueue(job)
			if s.options.StepCost > 0 {
				s.drafter.remember(job)
			}
		}
	}
	s.incoming = s.incoming[:0]
}

// know finishes a job whose generation is known, for equal ones to take the same.
func (s *Scheduler) know(job *Job) bool {
	if job.Known == nil {
		return false
	}
	job.Result.Known = job.Known
	_, finished := s.results[job.identity()]
	if _, runs := s.keyed[job.identity()]; !finished && !runs && !s.options.Forget && job.Key != (Key{}) {
		s.results[job.identity()] = kept{known: job.Known}
	}
	s.finish(job)
	return true
}

func (s *Scheduler) enqueue(job *Job) {
	job.since = s.stats.Steps
	at, _ := slices.BinarySearchFunc(s.queue, job, byOrder)
	s.queue = slices.Insert(s.queue, at, job)
}

func byOrder(a, b *Job) int {
	return cmp.Or(cmp.Compare(a.Order.Debate, b.Order.Debate), cmp.Compare(a.Order.Agent, b.Order.Agent),
		cmp.Compare(a.Order.Sample, b.Order.Sample), cmp.Compare(a.submitted, b.submitted))
}

func (s *Scheduler) check(job *Job) error {
	switch need := len(job.Prompt) + job.MaxTokens; {
	case len(job.Prompt) == 0:
		return errors.New("empty prompt: at least one token is needed")
	case job.MaxTokens < 1:
		return fmt.Errorf("asked for %d tokens: at least one is needed", job.MaxTokens)
	case need > s.options.Cells:
		return fmt.Errorf("%w: %d prompt tokens and up to %d new ones need %d cells, the context has %d; raise "+
			"--context or lower --max-tokens",
			ErrTooLong, len(job.Prompt), job.MaxTokens, need, s.options.Cells)
	}
	return nil
}

// show calls OnToken of a job and of those that joined it.
func (job *Job) show(token step.Sampled) {
	if job.OnToken != nil {
		job.OnToken(token, job.Result.Cached)
	}
	for _, other := range job.joined {
		other.show(token)
	}
}

// join gives job the generation of an equal one, if there is one.
func (s *Scheduler) join(job *Job) bool {
	kept, finished := s.results[job.identity()]
	same, runs := s.keyed[job.identity()]
	if !finished && !runs {
		return false
	}
	s.stats.Joined++
	result := Result{Tokens: slices.Collect(kept.tokens.all), Known: kept.known, Err: kept.err}
	if runs {
		same.joined, job.leader, result = append(same.joined, job), same, same.Result
	}
	job.Result.Cached = len(job.Prompt)
	for _, token := range result.Tokens { // those that come are shown to both
		if job.OnToken != nil {
			job.OnToken(token, job.Result.Cached)
		}
	}
	if finished {
		job.copyResult(result)
		s.finish(job)
	}
	return true
}

// copyResult gives a job the result of an equal one.
func (job *Job) copyResult(result Result) {
	job.Result = result
	job.Result.Joined, job.Result.Cached = true, len(job.Prompt)
}

// planDecode gives every generation in its decode state a row for the token it drew last.
func (s *Scheduler) planDecode(plan *Plan) {
	for _, q := range s.live {
		if q.state != decode || s.left(plan, q.job) == 0 {
			continue
		}
		s.take(q.job, 1)
		last := q.job.Result.Tokens[len(q.job.Result.Tokens)-1].Token
		var start *step.Start
		if s.options.StepCost > 0 { // a draft was sampled without the engine's own sampler, which may be behind
			start = q.job.resume(nil)
		}
		plan.sample(len(plan.Rows), q.id, start, target{job: q.job})
		plan.Rows = append(plan.Rows, step.Row{Token: last, Pos: int32(q.computed), Seq: q.id})
		s.compute(q, last)
	}
}

// ends reports whether a token, which was entered just now, is the last one.
func (job *Job) ends(last step.Sampled) bool {
	until := job.Until != nil && job.Until(last) // in any case, since it sees every token
	return until || last.End && !job.Sampling.IgnoreEnd && job.Forced == nil || len(job.Result.Tokens) == job.MaxTokens
}

// Apply enters the tokens that the engine drew for plan, the one that Next returned last, and returns the jobs that are
// done, in Order. sampled has one element for each of plan.Samples.
func (s *Scheduler) Apply(plan *Plan, sampled []step.Sampled) []*Job {
	for i, d := range plan.targets {
		if job := d.job; d.holds() {
			s.stats.Decoded++
			job.enter(sampled[i])
		}
	}
	for _, d := range plan.drafts {
		s.settle(d)
	}
	for _, d := range plan.targets {
		job := d.job
		s.put(job)
		switch {
		case job.done:
		case job.ended:
			if job.seq != nil {
				s.retire(job.seq)
			} else {
				s.queue = slices.DeleteFunc(s.queue, func(other *Job) bool { return other == job })
			}
			s.stats.Generations++
			s.drawn += len(job.Result.Tokens)
			s.finish(job)
		case job.seq == nil:
			job.committed = job.text()
		}
	}
	s.live = slices.DeleteFunc(s.live, func(q *sequence) bool { return !q.live() })
	done := s.finished
	s.finished = nil
	slices.SortStableFunc(done, byOrder)
	return done
}

// enter adds a token that was drawn, unless others take its place.
func (job *Job) enter(drawn step.Sampled) {
	if job.Instead != nil {
		if job.put = job.Instead(drawn); len(job.put) > 0 {
			return
		}
	}
	job.Result.Tokens = append(job.Result.Tokens, drawn)
	job.ended = job.ends(drawn)
	job.show(drawn)
	if job.Put != nil && !job.ended {
		job.put = job.Put(drawn)
	}
}

// put enters the tokens that are to go behind what a job has drawn, as many as it may have. A running sequence computes
// them like a prompt.
func (s *Scheduler) put(job *Job) {
	tokens := job.put
	if job.put = nil; len(tokens) == 0 {
		return
	}
	tokens = tokens[:min(len(tokens), job.MaxTokens-len(job.Result.Tokens))]
	for _, t := range tokens {
		put := step.Sampled{Token: t, Put: true}
		job.Result.Tokens = append(job.Result.Tokens, put)
		job.show(put)
	}
	job.ended = len(job.Result.Tokens) == job.MaxTokens
	job.committed, job.firstDrawn = job.text(), true
	s.stats.PromptAsked += len(tokens)
	if job.seq != nil && !job.ended {
		job.seq.state = prefill
		s.stats.PromptComputed += len(tokens)
	}
}

// finish completes a job and those that joined it.
func (s *Scheduler) finish(job *Job) {
	s.exit(job)
	job.done, job.seq = true, nil
	var tokens packed
	if !s.options.Forget {
		tokens = pack(job.Result.Tokens)
	}
	if s.keyed[job.identity()] == job {
		delete(s.keyed, job.identity())
		if !s.options.Forget {
			s.results[job.identity()] = kept{tokens, job.Result.Known, job.Result.Err}
		}
	}
	s.drafter.finish(job, tokens, s.options.Forget)
	s.finished = append(s.finished, job)
	for _, other := range job.joined {
		other.copyResult(job.Result)
		other.done = true
		s.finished = append(s.finished, other)
	}
	job.joined = nil
}
