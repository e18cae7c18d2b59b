package scheduler

import (
	"math"
	"slices"
)

// Speculation: a generation may be given rows for tokens that it has not drawn yet, drafted from what was written
// before: its prompt, where the other agents' texts and its own earlier answers stand, its reply so far, and replies to
// the same prompt. Each such row is sampled as if the draft before it had been drawn. Apply keeps samples as far as
// that is so and cuts the rest, so that a generation draws what it draws without.

const (
	longestDraft = 16 // tokens
	longestMatch = 8  // tokens that a draft's origin is asked to have in common with the end of the text; at least 2
	siblings     = 16 // most recent replies to the same prompt that are looked at
)

// drafter finds drafts and remembers how good they were.
type drafter struct {
	replies map[uint64][]*Job         // by prompt
	judged  [longestMatch + 1]outcome // by length of the match
}

// outcome counts drafted tokens that were put to the test.
type outcome struct{ tested, accepted, passed int }

// chance is the estimated probability that a token drafted after such a match is drawn. Old tests count less.
func (o *outcome) chance() float64 { return float64(o.accepted+1) / float64(o.tested+2) }

func (o *outcome) learn(accepted, tested int) {
	if o.accepted, o.tested = o.accepted+accepted, o.tested+tested; o.tested > 64 {
		o.accepted, o.tested = o.accepted/2, o.tested/2
	}
}

// draft is what one generation was given in a plan.
type draft struct {
	q      *sequence
	job    *Job
	before int // tokens that it had drawn
	length int
	match  int
}

// planDrafts adds rows for drafts where they pay. A row pays where the chance that its token is drawn exceeds the share
// of the step's cost that any row has: n of n rows and what a step costs without rows.
func (s *Scheduler) planDrafts(plan *Plan, decoding int) {
	if s.options.StepCost <= 0 {
		return
	}
	for _, d := range plan.targets[:decoding] {
		rows := float64(len(plan.Rows))
		least := rows / (rows + s.options.StepCost)
		if !s.drafter.mayReach(least) {
			return
		}
		job := d.job
		limit := min(longestDraft, job.MaxTokens-len(job.Result.Tokens)-1, s.options.Batch-len(plan.Rows),
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

func (s *Scheduler) planDraft(plan *Plan, job *Job, tokens []Token, match int) {
	q, before := job.seq, len(job.Result.Tokens)
	if more := len(tokens) - job.reserved; more > 0 {
		job.reserved += more
		s.reserved += more
	}
	for i, token := range tokens {
		plan.sample(len(plan.Rows), NoSeq, job.resume(tokens[:i+1]), target{job, before + i + 1, token})
		plan.Rows = append(plan.Rows, Row{Token: token, Pos: int32(q.computed), Seq: q.id})
		s.compute(q, token)
	}
	plan.drafts = append(plan.drafts, draft{q, job, before, len(tokens), match})
	s.stats.Drafted += len(tokens)
}

// resume is the sampler of a job that has drawn its tokens so far, and a draft.
func (job *Job) resume(draft []Token) *Start {
	start := &Start{Sampling: job.Sampling, Grammar: job.Grammar, Drawn: len(job.Result.Tokens) + len(draft)}
	switch s := job.Sampling; {
	case s.RepeatPenalty != 0 && s.RepeatPenalty != 1:
		start.History = append(job.text(), draft...)
	case job.Grammar != "":
		start.History = append(job.textFrom(len(job.Prompt)), draft...)
	}
	return start
}

// text is the prompt and all that was drawn.
func (job *Job) text() []Token { return job.textFrom(0) }

// textFrom is the text without the first so many tokens of the prompt.
func (job *Job) textFrom(start int) []Token {
	text := slices.Clone(job.Prompt[start:])
	for _, s := range job.Result.Tokens {
		text = append(text, s.Token)
	}
	return text
}

// holds reports whether the draft before a sample was accepted, all of it.
func (d *target) holds() bool {
	drawn := d.job.Result.Tokens
	return d.drawn == 0 || len(drawn) == d.drawn && drawn[d.drawn-1].Token == d.drafted && !d.job.ends(drawn[d.drawn-1])
}

// settle cuts what was not drawn from a sequence, and learns.
func (s *Scheduler) settle(d draft) {
	accepted := len(d.job.Result.Tokens) - d.before - 1
	s.stats.Accepted += accepted
	s.drafter.judged[d.match].learn(accepted, min(accepted+1, d.length))
	if rest := d.length - accepted; rest > 0 {
		q := d.q
		q.computed -= rest
		q.private = q.private[:len(q.private)-rest]
		q.job.reserved += rest
		s.private -= rest
		s.reserved += rest
		s.deferred = append(s.deferred, MemoryOp{Kind: Remove, Dst: q.id, From: int32(q.computed), To: -1})
	}
}

// mayReach reports whether any draft may be worth its row.
func (d *drafter) mayReach(least float64) bool {
	for match := 2; match <= longestMatch; match++ {
		if o := &d.judged[match]; o.chance() > least || o.passed >= patience && cheap(least) {
			return true
		}
	}
	return false
}

// patience is how many drafts are passed over as worthless before one is tried again.
const patience = 32

// cheap reports whether rows cost so little that a worthless draft may be tried again.
func cheap(least float64) bool { return least < 0.5 }

// worth is how many tokens of a draft to try: as many as are likely enough to be reached and drawn.
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

// find returns what followed the latest of the longest earlier occurrences of a job's last tokens, and their number.
func (d *drafter) find(job *Job, limit int) (tokens []Token, match int) {
	text := job.text()
	match = 1
	look := func(corpus []Token) {
		for i := len(corpus) - 2; i >= 0; i-- {
			if n := common(corpus[:i+1], text); n > match {
				if tokens, match = corpus[i+1:min(len(corpus), i+1+limit)], n; n == longestMatch {
					return
				}
			}
		}
	}
	look(text)
	for _, other := range slices.Backward(d.replies[job.group]) {
		if other != job && match < longestMatch && slices.Equal(other.Prompt, job.Prompt) {
			look(other.textFrom(max(0, len(other.Prompt)-longestMatch)))
		}
	}
	return tokens, match
}

// common is the length of the longest common suffix, longestMatch at most.
func common(a, b []Token) int {
	n := 0
	for n < min(len(a), len(b), longestMatch) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// remember keeps a reply as an origin of drafts.
func (d *drafter) remember(job *Job) {
	if d.replies == nil {
		d.replies = make(map[uint64][]*Job)
	}
	const prime = 1099511628211 // FNV-1a over token ids
	job.group = 14695981039346656037
	for _, token := range job.Prompt {
		job.group = (job.group ^ uint64(token)) * prime
	}
	list := append(d.replies[job.group], job)
	d.replies[job.group] = list[max(0, len(list)-siblings):]
}
