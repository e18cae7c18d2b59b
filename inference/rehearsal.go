package inference

import (
	"context"
	"slices"

	"parley/inference/llamacpp"
	"parley/scheduler"
)

// Rehearsal returns an engine for a dry run: it has the vocabulary, template, plan and scheduler of l, and in the place
// of the model a function that writes every reply. Its Stats say what l would do. l may be in use meanwhile; closing l
// ends the rehearsal too.
//
// reply gets the generation, with the key of its reply, and returns the reply: its Generated tokens, or else its Text;
// an end token is added if there is none. For continuations it returns their LogProbs, or else the Text of the one to
// prefer. observe, which may be nil, gets each finished generation, as OnGeneration does. Both are called once for each
// generation, by one goroutine, in an order that depends on the work alone.
func (l *Local) Rehearsal(reply func(Generation) Reply, observe func(Generation) error) (Engine, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, scheduler.ErrClosed
	}
	r := &Local{
		model: l.model, template: l.template, info: l.info, known: l.known, observe: observe, plan: l.plan,
		schedule: l.schedule, decoder: &decoder{},
	}
	if err := r.start(&simulated{l.model, reply}); err != nil {
		return nil, err
	}
	l.rehearsals = append(l.rehearsals, r)
	return rehearsal{r}, nil
}

// rehearsal is a Local without a context that shares the model of another Local and leaves it open.
type rehearsal struct{ local *Local }

func (r rehearsal) Join(order int) Participant { return r.local.Join(order) }
func (r rehearsal) Model() ModelInfo           { return r.local.Model() }
func (r rehearsal) Stats() Stats               { return r.local.Stats() }

func (r rehearsal) Close() error {
	r.local.stop()
	return nil
}

// stop ends everybody's Generate and leaves the model open.
func (l *Local) stop() {
	l.driver.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}

// simulated is the engine that takes the place of the decoder: it draws the tokens of replies that a function writes.
type simulated struct {
	model *llamacpp.Model
	reply func(Generation) Reply
}

// simulatedReply is what the simulated engine draws for one generation: tokens, the last of which ends it, or the
// log-probabilities of continuations.
type simulatedReply struct {
	tokens []scheduler.Sampled
	scores []float64
}

// Step implements scheduler.Engine.
func (e *simulated) Step(ctx context.Context, plan *scheduler.Plan) ([]scheduler.Sampled, error) {
	sampled := make([]scheduler.Sampled, len(plan.Samples))
	for i := range plan.Samples {
		var err error
		if sampled[i], err = e.draw(plan, i); err != nil {
			return nil, err
		}
	}
	return sampled, ctx.Err()
}

func (e *simulated) draw(plan *scheduler.Plan, i int) (scheduler.Sampled, error) {
	tag, drawn := plan.Of(i)
	c, scored := tag.(continuation)
	if !scored {
		c.pending = tag.(*pending)
	}
	if err := e.learn(c.pending); err != nil {
		return scheduler.Sampled{}, err
	}
	if scored {
		logProb := float32(c.simulated.scores[c.index] / float64(c.tokens))
		return scheduler.Sampled{Token: *plan.Samples[i].Start.Forced, LogProb: logProb}, nil
	}
	tokens := c.simulated.tokens
	return tokens[min(drawn, len(tokens)-1)], nil
}

// learn asks for the reply to a generation, once.
func (e *simulated) learn(w *pending) (err error) {
	if w.simulated != nil {
		return nil
	}
	g := w.Generation
	g.Reply = Reply{Key: w.key.String()}
	reply := e.reply(g)
	w.simulated = &simulatedReply{scores: reply.LogProbs}
	if w.Continuations == nil {
		w.simulated.tokens, err = e.tokens(reply)
	} else if len(reply.LogProbs) != len(w.Continuations) {
		w.simulated.scores = preferred(w.Continuations, reply.Text)
	}
	return err
}

// tokens are those of a reply, ended by an end token. They share the reply's log-probability equally.
func (e *simulated) tokens(reply Reply) (list []scheduler.Sampled, err error) {
	text := make([]llamacpp.Token, len(reply.Generated))
	for i, t := range reply.Generated {
		text[i] = llamacpp.Token(t)
	}
	if len(text) == 0 {
		if text, err = e.model.Tokenize(reply.Text, false, false); err != nil {
			return nil, err
		}
	}
	if n := len(text); n == 0 || !e.model.IsEnd(text[n-1]) {
		text = append(text, max(0, e.model.EOS()))
	}
	for _, t := range text {
		list = append(list, scheduler.Sampled{Token: t,
			LogProb: float32(reply.LogProb / float64(len(text)))})
	}
	list[len(list)-1].End = true
	return list, nil
}

// preferred scores one text above the others.
func preferred(texts []string, best string) []float64 {
	scores := make([]float64, len(texts))
	if at := slices.Index(texts, best); at >= 0 {
		for i := range scores {
			scores[i] = -5
		}
		scores[at] = 0
	}
	return scores
}
