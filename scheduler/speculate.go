package scheduler

import (
	"math"
	"slices"

	"github.com/parley-debate/parley/inference/step"
)

// Speculation: a generation may get rows for tokens that it has not drawn yet, its draft. The draft is copied from
// earlier text: from the prompt, which contains the other agents' texts and its own earlier answers, from the reply so
// far, and from replies to the same prompt. Each such row is sampled as if the draft before it had been drawn. Apply
// keeps the samples up to the first drafted token that was not drawn, and cuts the cells after it. So a generation
// draws exactly what it would draw without drafts.

const (
	longestDraft = 16 // tokens
	longestMatch = 8  // tokens at the end of the text that are compared with an origin; 2 must match, more are better
	siblings     = 16 // the most recent replies to the same prompt, which are searched
)

// drafter finds drafts and remembers how good they were.
type drafter struct {
	replies map[drafted][]*origin     // a draft of another prompt's, whose hash is the same, would cost time alone
	judged  [longestMatch + 1]outcome // by length of the match
}

// drafted is a prompt whose replies are origins of each other's drafts.
type drafted struct {
	space int
	hash  uint64 // of the tokens
}

// origin is a reply that drafts for others with the same prompt are copied from.
type origin struct {
	prompt drafted
	end    []step.Token // the prompt's last tokens, longestMatch at most
	job    *Job         // that draws the reply, nil when it is done: jobs are not kept
	drawn  packed       // the reply, once it is done
}

// text returns the end of the prompt and what was drawn.
func (o *origin) text() []step.Token {
	if o.job != nil {
		return appendDrawn(o.end, o.job.Result.Tokens)
	}
	text := slices.Grow(slices.Clone(o.end), len(o.drawn)/leastPacked)
	for s := range o.drawn.all {
		text = append(text, s.Token)
	}
	return text
}

// outcome counts drafted tokens that were tested and accepted, and drafts passed over as worthless since the last
// trial.
type outcome struct{ tested, accepted, passed int }

// chance returns the estimated probability that a token drafted after such a match is drawn. Older tests count less.
func (o *outcome) chance() float64 { return float64(o.accepted+1) / float64(o.tested+2) }

func (o *outcome) learn(accepted, tested int) {
	if o.accepted, o.tested = o.accepted+accepted, o.tested+tested; o.tested > 64 {
		o.accepted, o.tested = o.accepted/2, o.tested/2
	}
}

// draft is what was drafted for one generation in a plan.
type draft struct {
	q      *sequence
	job    *Job
	before int // tokens that the job had drawn
	length int // of the draft, in tokens
	match  int // length of the match of origin and text, in tokens
}

// planDrafts adds rows for drafts where they pay. With n rows in the plan and a fixed cost of c rows, one more row
// makes the step dearer by 1 / (n + c); it pays if the chance that its token is drawn exceeds n / (n + c), the share of
// the step's cost that is spent on rows.
func (s *Scheduler) planDrafts(plan *Plan, decoding int) {
	if s.options.StepCost <= 0 || s.contended() {
		return
	}
	for _, d := range plan.targets[:decoding] {
		rows := float64(len(plan.Rows))
		least := rows / (rows + s.options.StepCost)
		if !s.drafter.mayReach(least) {
			return
		}
		job := d.job
		limit := min(longestDraft, job.MaxTokens-len(job.Result.Tokens)-1, s.width()-len(plan.Rows),
			job.reserved+s.room())
		if limit < 1 {
			continue
		}
		tokens, match := s.drafter.find(job, limit)
		if tokens = tokens[:s.drafter.worth(match, len(tokens), least)]; len(tokens) > 0 {
			s.planDraft(plan, job, tokens, match)
		}
	}
}

func (s *Scheduler) planDraft(plan *Plan, job *Job, tokens []step.Token, match int) {
	q, before := job.seq, len(job.Result.Tokens)
	if more := len(tokens) - job.reserved; more > 0 {
		job.reserved += more
		s.reserved += more
	}
	for i, token := range tokens {
		plan.sample(len(plan.Rows), step.NoSeq, job.resume(tokens[:i+1]), target{job, before + i + 1, token})
		plan.Rows = append(plan.Rows, step.Row{Token: token, Pos: int32(q.computed), Seq: q.id})
		s.compute(q, token)
	}
	plan.drafts = append(plan.drafts, draft{q, job, before, len(tokens), match})
	s.stats.Drafted += len(tokens)
}

// resume returns the sampler that a job continues with after its tokens so far and a draft.
func (job *Job) resume(draft []step.Token) *step.Start {
	start := &step.Start{Sampling: job.Sampling, Grammar: job.Grammar, Drawn: len(job.Result.Tokens) + len(draft)}
	switch prompt, reply := job.Sampling.Penalizes(); {
	case prompt:
		start.History = append(job.text(), draft...)
	case reply || job.Grammar != "":
		start.History = append(job.textFrom(len(job.Prompt)), draft...)
	}
	return start
}

// text returns the prompt and all that was drawn.
func (job *Job) text() []step.Token { return job.textFrom(0) }

// textFrom returns the text from a position of the prompt on.
func (job *Job) textFrom(start int) []step.Token {
	return appendDrawn(job.Prompt[start:], job.Result.Tokens)
}

// appendDrawn returns tokens and those that were drawn after them.
func appendDrawn(tokens []step.Token, drawn []step.Sampled) []step.Token {
	text := slices.Grow(slices.Clone(tokens), len(drawn))
	for _, s := range drawn {
		text = append(text, s.Token)
	}
	return text
}

// holds reports whether the whole draft before a sample was accepted.
func (d *target) holds() bool {
	drawn := d.job.Result.Tokens
	return d.drawn == 0 || len(drawn) == d.drawn && drawn[d.drawn-1].Token == d.drafted && !d.job.ended &&
		d.job.put == nil
}

// settle cuts the tokens of a draft that were not drawn from its sequence, and records how good the draft was.
func (s *Scheduler) settle(d draft) {
	accepted := max(0, len(d.job.Result.Tokens)-d.before-1) // none where others took the place of the first
	s.stats.Accepted += accepted
	s.drafter.judged[d.match].learn(accepted, min(accepted+1, d.length))
	if rest := d.length - accepted; rest > 0 {
		q := d.q
		q.computed -= rest
		q.private = q.private[:len(q.private)-rest]
		q.job.reserved += rest
		s.private -= rest
		s.reserved += rest
		s.deferred = append(s.deferred, step.MemoryOp{Kind: step.Remove, Dst: q.id, From: int32(q.computed), To: -1})
	}
}

// mayReach reports whether a draft of any match could be worth its row. If not, the search for one is not worth it.
func (d *drafter) mayReach(least float64) bool {
	for match := 2; match <= longestMatch; match++ {
		if o := &d.judged[match]; o.chance() > least || o.passed >= patience && cheap(least) {
			return true
		}
	}
	return false
}

// patience is how many drafts are passed over as worthless before one of their kind is tried again.
const patience = 32

// cheap reports whether rows cost so little that a worthless draft may be tried again.
func cheap(least float64) bool { return least < 0.5 }

// worth returns how many tokens of a draft to try: token i is drawn with a chance of about chance^i, and that has to
// exceed least.
func (d *drafter) worth(match, length int, least float64) int {
	o := &d.judged[match]
	if length == 0 {
		return 0
	}
	if n := int(math.Log(least) / math.Log(o.chance())); n > 0 {
		o.passed = 0
		return min(n, length)
	}
	if o.passed++; o.passed > patience && cheap(least) {
		o.passed = 0
		return 1
	}
	return 0
}

// find looks for the longest earlier occurrence of a job's last tokens, the latest among equals, and returns what
// followed it and how many tokens matched.
func (d *drafter) find(job *Job, limit int) (tokens []step.Token, match int) {
	text := job.text()
	match = 1
	look := func(corpus []step.Token) {
		for i := len(corpus) - 2; i >= 0; i-- {
			if n := common(corpus[:i+1], text); n > match {
				if tokens, match = corpus[i+1:min(len(corpus), i+1+limit)], n; n == longestMatch {
					return
				}
			}
		}
	}
	look(text)
	for _, other := range slices.Backward(d.replies[job.origin.prompt]) {
		if other != job.origin && match < longestMatch {
			look(other.text())
		}
	}
	return tokens, match
}

// common returns the length of the longest common suffix, longestMatch at most.
func common(a, b []step.Token) int {
	n := 0
	for n < min(len(a), len(b), longestMatch) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// remember makes a job's reply an origin of drafts for others with the same prompt.
func (d *drafter) remember(job *Job) {
	if d.replies == nil {
		d.replies = make(map[drafted][]*origin)
	}
	const prime = 1099511628211 // FNV-1a over token ids
	hash := uint64(14695981039346656037)
	for _, token := range job.Prompt {
		hash = (hash ^ uint64(token)) * prime
	}
	prompt := drafted{job.Space, hash}
	job.origin = &origin{prompt: prompt, end: slices.Clone(job.Prompt[max(0, len(job.Prompt)-longestMatch):]), job: job}
	list := append(d.replies[prompt], job.origin)
	d.replies[prompt] = list[max(0, len(list)-siblings):]
}

// finish keeps the reply of a job that is done and not the job, or forgets both.
func (d *drafter) finish(job *Job, reply packed, forget bool) {
	o := job.origin
	if o == nil {
		return
	}
	o.job, o.drawn, job.origin = nil, reply, nil
	if !forget {
		return
	}
	list := slices.DeleteFunc(d.replies[o.prompt], func(other *origin) bool { return other == o })
	if len(list) > 0 {
		d.replies[o.prompt] = list
	} else {
		delete(d.replies, o.prompt)
	}
}
