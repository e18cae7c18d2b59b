package inference

import (
	"context"
	"slices"

	"parley/inference/llamacpp"
	"parley/scheduler"
)

// Rehearsal is an engine like l in all but the model's arithmetic: the same vocabulary, template, plan and scheduler,
// and a function that knows every reply beforehand. Its Stats say what l would do. l may be in use meanwhile; closing
// it ends the rehearsal.
//
// reply is told the generation, with the key of its reply, and gives the reply: its Generated tokens, or else its Text;
// a token that ends it is added. Of continuations it gives the LogProbs, or else the Text of the one to prefer. It is
// called for each generation once, by one goroutine, in an order that depends on the work alone, and so is observe,
// which may be nil, with what came of it.
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
	if err := r.start(&understudy{l.model, reply}); err != nil {
		return nil, err
	}
	l.rehearsals = append(l.rehearsals, r)
	return rehearsal{r}, nil
}

// rehearsal is a Local without a context, and with the model of another.
type rehearsal struct{ local *Local }

func (r rehearsal) Join(order int) Participant { return r.local.Join(order) }
func (r rehearsal) Model() ModelInfo           { return r.local.Model() }
func (r rehearsal) Stats() Stats               { return r.local.Stats() }

func (r rehearsal) Close() error {
	r.local.stop()
	return nil
}

// stop ends everybody's Generate, and leaves the model alone.
func (l *Local) stop() {
	l.driver.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}

// understudy takes the place of the decoder.
type understudy struct {
	model *llamacpp.Model
	reply func(Generation) Reply
}

// part is what an understudy says: tokens, the last of which ends it, or log-probabilities of continuations.
type part struct {
	tokens []scheduler.Sampled
	scores []float64
}

// Step implements scheduler.Engine.
func (u *understudy) Step(ctx context.Context, plan *scheduler.Plan) ([]scheduler.Sampled, error) {
	sampled := make([]scheduler.Sampled, len(plan.Samples))
	for i := range plan.Samples {
		var err error
		if sampled[i], err = u.draw(&plan.Samples[i]); err != nil {
			return nil, err
		}
	}
	return sampled, ctx.Err()
}

func (u *understudy) draw(s *scheduler.Sample) (scheduler.Sampled, error) {
	tag, drawn := s.Of()
	c, scored := tag.(continuation)
	if !scored {
		c.pending = tag.(*pending)
	}
	if err := u.learn(c.pending); err != nil {
		return scheduler.Sampled{}, err
	}
	if scored {
		return scheduler.Sampled{Token: *s.Start.Given, LogProb: float32(c.part.scores[c.index] / float64(c.tokens))},
			nil
	}
	tokens := c.part.tokens
	return tokens[min(drawn, len(tokens)-1)], nil
}

// learn asks for the part of a generation, once.
func (u *understudy) learn(w *pending) (err error) {
	if w.part != nil {
		return nil
	}
	g := w.Generation
	g.Reply = Reply{Key: w.key.String()}
	reply := u.reply(g)
	w.part = &part{scores: reply.LogProbs}
	if w.Continuations == nil {
		w.part.tokens, err = u.tokens(reply)
	} else if len(reply.LogProbs) != len(w.Continuations) {
		w.part.scores = preferred(w.Continuations, reply.Text)
	}
	return err
}

// tokens are those of a reply, with an end behind them if they have none. All are equally likely.
func (u *understudy) tokens(reply Reply) (list []scheduler.Sampled, err error) {
	text := make([]llamacpp.Token, len(reply.Generated))
	for i, t := range reply.Generated {
		text[i] = llamacpp.Token(t)
	}
	if len(text) == 0 {
		if text, err = u.model.Tokenize(reply.Text, false, false); err != nil {
			return nil, err
		}
	}
	if n := len(text); n == 0 || !u.model.IsEnd(text[n-1]) {
		text = append(text, max(0, u.model.EOS()))
	}
	for _, t := range text {
		list = append(list, scheduler.Sampled{Token: scheduler.Token(t),
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
