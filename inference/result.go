package inference

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/scheduler"
)

// pending is a request on its way through the scheduler.
type pending struct {
	Generation
	model       *instance
	key         Key
	pieces      pieces
	submitted   time.Time
	unscored    int  // continuations that are not scored yet
	computed    bool // the score of some continuation was computed for this request
	reasons     bool // the reply may have reasoning
	opened      bool // the prompt ends within it
	bounded     bool // the reasoning has a bound of its own
	maxTokens   int  // of the answer then
	greedy      bool // its seed decides nothing
	confidences bool // see Request.Confidences
}

// continuation is one text of a request that has them scored.
type continuation struct {
	*pending
	index  int
	tokens int
}

// finishJob turns the scheduler's result into a reply and shows it to the observer, in the driver's order.
func (l *Local) finishJob(job *scheduler.Job) error {
	if c, ok := job.Tag.(continuation); ok {
		return l.enterScore(c, job)
	}
	p, result := job.Tag.(*pending), job.Result
	if known, ok := result.Known.(Reply); ok {
		return l.completeKnown(p, known, job)
	}
	p.Reply = Reply{
		Key: p.key.String(), Model: l.nameOf(p.model), Stop: StopLength, PromptTokens: len(job.Prompt),
		CachedTokens: result.Cached, Duration: time.Since(p.submitted), Err: result.Err,
	}
	if result.Err != nil {
		return nil
	}
	defer func() { p.pieces.end(p.Reply) }()
	text, put := make([]step.Token, 0, len(result.Tokens)), make([]bool, 0, len(result.Tokens))
	for _, s := range result.Tokens {
		if s.Put {
			p.Reply.PromptTokens++
		} else {
			p.Reply.Tokens++
		}
		if s.Stuck != 0 {
			p.Reply.Err = stuck(s.Stuck, p.model.model.Detokenize(text, false))
			return nil
		}
		p.Reply.LogProb += float64(s.LogProb)
		switch alternatives := p.Sampling.Alternatives; {
		case s.Put || alternatives == 0 && job.Forced == nil:
		case p.confidences && job.Forced == nil:
			p.Reply.Confidences = append(p.Reply.Confidences, confidenceAt(s, alternatives))
		default:
			p.Reply.Scores = append(p.Reply.Scores, score(s))
		}
		p.Reply.Generated = append(p.Reply.Generated, int32(s.Token))
		if s.End {
			p.Reply.Stop = StopEnd
		} else {
			text, put = append(text, s.Token), append(put, s.Put)
		}
	}
	if p.Sampling.IgnoreEnd {
		p.Reply.Stop = StopLength
	}
	if job.Forced != nil {
		p.Reply.Stop = StopScored
	}
	p.write(text, put)
	if job.Forced == nil {
		p.enterEnd(result.Tokens)
	}
	return l.record(p, result.Joined)
}

// ErrGrammar is wrapped by the error of a reply that its grammar ended before its end.
var ErrGrammar = errors.New("the reply cannot go on as the grammar wants")

// stuck is the error of a reply after which the grammar had nothing drawn.
func stuck(why step.Stuck, after string) error {
	if why == step.Costly {
		return fmt.Errorf("%w: it can go on in too many ways after %q; write it with fewer optional, repeated or "+
			"recursive parts that begin alike", ErrGrammar, after)
	}
	return fmt.Errorf("%w: the grammar allows none of the model's tokens after %q", ErrGrammar, after)
}

// record shows a generation to the observer, unless that has it: it was computed for another request with the same key,
// or is known from an earlier run. Greedy ones that differ in their seeds are computed once, and each has a record.
func (l *Local) record(p *pending, joined bool) error {
	if l.observe == nil {
		return nil
	}
	if p.greedy {
		if l.recorded[p.key] {
			return nil
		}
		l.recorded[p.key] = true
	} else if joined {
		return nil
	}
	p.Joined = joined
	return l.observe(p.Generation)
}

// completeKnown completes a request whose generation is known from an earlier run, or that of a greedy one which
// differs in its seed alone.
func (l *Local) completeKnown(p *pending, known Reply, job *scheduler.Job) error {
	if !job.Result.Joined {
		l.recorded[p.key] = true
		p.pieces.end(p.Reply)
		return nil
	}
	p.Reply = known
	p.Reply.Key, p.Reply.CachedTokens, p.Reply.Duration = p.key.String(), len(job.Prompt), time.Since(p.submitted)
	p.pieces.end(p.Reply)
	return l.record(p, true)
}

// enterScore records the log-probability of one continuation and completes the reply with the last of them.
func (l *Local) enterScore(c continuation, job *scheduler.Job) error {
	reply := &c.Reply
	for _, s := range job.Result.Tokens {
		reply.LogProbs[c.index] += float64(s.LogProb)
	}
	reply.Tokens += len(job.Result.Tokens)
	reply.PromptTokens, reply.CachedTokens = len(job.Prompt), max(reply.CachedTokens, job.Result.Cached)
	reply.Err = errors.Join(reply.Err, job.Result.Err)
	c.computed = c.computed || !job.Result.Joined
	if c.unscored--; c.unscored > 0 || reply.Err != nil {
		return nil
	}
	best := slices.Index(reply.LogProbs, slices.Max(reply.LogProbs))
	reply.Text, reply.LogProb = c.Continuations[best], reply.LogProbs[best]
	reply.Key, reply.Model, reply.Stop = c.key.String(), l.nameOf(c.model), StopScored
	reply.Duration = time.Since(c.submitted)
	c.pieces.end(*reply)
	if l.observe == nil || !c.computed {
		return nil
	}
	return l.observe(c.Generation)
}

// confidenceAt is the confidence of a token in DeepConf (Fu et al. 2025): the mean of -log P over the k tokens that
// were most probable there, the drawn one perhaps among them, to three decimals as in its program. It is high where one
// token stands out, since the others are improbable then. A token of probability 0 is none.
func confidenceAt(s step.Sampled, k int) float64 {
	likely := []float64{float64(s.LogProb)}
	for _, a := range s.Alternatives {
		likely = append(likely, float64(a.LogProb))
	}
	likely = slices.DeleteFunc(likely, func(p float64) bool { return math.IsInf(p, 0) || math.IsNaN(p) })
	slices.SortFunc(likely, func(a, b float64) int { return cmp.Compare(b, a) })
	likely = likely[:min(k, len(likely))]
	sum := 0.0
	for _, p := range likely {
		sum -= p
	}
	return math.Round(1000*sum/float64(max(1, len(likely)))) / 1000
}

func score(s step.Sampled) TokenScore {
	out := TokenScore{Token: int32(s.Token), LogProb: s.LogProb}
	for _, a := range s.Alternatives {
		out.Alternatives = append(out.Alternatives, TokenScore{Token: int32(a.Token), LogProb: a.LogProb})
	}
	return out
}
