package inference

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/scheduler"
)

// Simulated returns an engine for a dry run. It has the vocabularies, templates, plans and schedulers of l, but no
// models: the function reply writes every reply. Its Stats say what l would do. l may be in use meanwhile; closing l
// ends the simulated engine too.
//
// reply gets the generation, with the key and the model of its reply, and returns the reply: its Generated tokens, or
// else its Text; an end token is added if there is none. For continuations it returns their LogProbs, or else the Text
// of the one to prefer. observe, which may be nil, gets each finished generation, as OnGeneration does. Both are called
// once for each generation, by one goroutine, in an order that depends on the work alone.
func (l *Local) Simulated(reply func(Generation) Reply, observe func(Generation) error) (Engine, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, step.ErrClosed
	}
	s := &Local{named: make(map[string]*instance), known: l.known, observe: observe, recorded: make(map[Key]bool)}
	var engines []scheduler.Engine
	for _, m := range l.models {
		s.models = append(s.models, &instance{index: m.index, info: m.info, identity: m.identity, options: m.options,
			model: m.model, template: m.template, templateText: m.templateText, marks: m.marks,
			thinking: m.thinking, markTokens: m.markTokens,
			segments: m.segments, plan: m.plan,
			decoder: &decoder{}, schedule: m.schedule})
		engines = append(engines, &simulator{s, m.model, reply})
	}
	for name, m := range l.named {
		s.named[name] = s.models[m.index]
	}
	if err := s.start(engines); err != nil {
		return nil, err
	}
	l.simulated = append(l.simulated, s)
	return simulated{s}, nil
}

// simulated is a Local without contexts that shares the models of another Local and leaves them open.
type simulated struct{ local *Local }

func (s simulated) Join(order int) Participant { return s.local.Join(order) }
func (s simulated) Model() ModelInfo           { return s.local.Model() }
func (s simulated) Stats() Stats               { return s.local.Stats() }

func (s simulated) Close() error {
	s.local.stop()
	return nil
}

// stop ends everybody's Generate and leaves the models open.
func (l *Local) stop() {
	l.driver.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}

// simulator takes the place of a model's decoder: it draws the tokens of replies that a function writes.
type simulator struct {
	local *Local
	model *llamacpp.Model
	reply func(Generation) Reply
}

// simulatedReply is what the simulator draws for one generation: tokens, the last of which ends it, or the
// log-probabilities of continuations.
type simulatedReply struct {
	tokens []step.Sampled
	scores []float64
}

// Step implements scheduler.Engine.
func (e *simulator) Step(ctx context.Context, plan *scheduler.Plan) ([]step.Sampled, error) {
	sampled := make([]step.Sampled, len(plan.Samples))
	for i := range plan.Samples {
		var err error
		if sampled[i], err = e.draw(plan, i); err != nil {
			return nil, err
		}
	}
	return sampled, ctx.Err()
}

func (e *simulator) draw(plan *scheduler.Plan, i int) (step.Sampled, error) {
	tag, drawn := plan.Of(i)
	c, scored := tag.(continuation)
	if !scored {
		c.pending = tag.(*pending)
	}
	if err := e.learn(c.pending); err != nil {
		return step.Sampled{}, err
	}
	if scored {
		logProb := float32(c.simulated.scores[c.index] / float64(c.tokens))
		return step.Sampled{Token: *plan.Samples[i].Start.Forced, LogProb: logProb}, nil
	}
	if start := plan.Samples[i].Start; start != nil && start.Forced != nil {
		return step.Sampled{}, errors.New("a simulated engine scores no forced tokens")
	}
	tokens := c.simulated.tokens
	return tokens[min(drawn, len(tokens)-1)], nil
}

// learn asks for the reply to a generation, once.
func (e *simulator) learn(w *pending) (err error) {
	if w.simulated != nil {
		return nil
	}
	g := w.Generation
	g.Reply = Reply{Key: w.key.String(), Model: e.local.nameOf(w.model)}
	reply := e.reply(g)
	w.simulated = &simulatedReply{scores: reply.LogProbs}
	if len(w.Continuations) == 0 {
		w.simulated.tokens, err = e.tokens(reply)
	} else if len(reply.LogProbs) != len(w.Continuations) {
		w.simulated.scores = preferText(w.Continuations, reply.Text)
	}
	return err
}

// tokens returns the tokens of a reply, ended by an end token. They share the reply's log-probability equally.
func (e *simulator) tokens(reply Reply) (list []step.Sampled, err error) {
	text := make([]step.Token, len(reply.Generated))
	for i, t := range reply.Generated {
		text[i] = step.Token(t)
	}
	if len(text) == 0 {
		if text, err = e.model.Tokenize(reply.Whole(), false, reply.Raw != ""); err != nil {
			return nil, err
		}
	}
	if n := len(text); n == 0 || !e.model.IsEnd(text[n-1]) {
		text = append(text, max(0, e.model.EOS()))
	}
	for _, t := range text {
		list = append(list, step.Sampled{Token: t,
			LogProb: float32(reply.LogProb / float64(len(text)))})
	}
	list[len(list)-1].End = true
	return list, nil
}

// preferText scores one text above the others.
func preferText(texts []string, best string) []float64 {
	scores := make([]float64, len(texts))
	if at := slices.Index(texts, best); at >= 0 {
		for i := range scores {
			scores[i] = -5
		}
		scores[at] = 0
	}
	return scores
}

// Latency is a linear model of how long a step takes on a machine: nanoseconds for the step itself, for a row of a
// prompt, for a row that draws a token, and for a cell that a row sees.
type Latency [terms]float64

const terms = 4

// work counts what each term of Latency is multiplied with, in its order.
func work(steps, prefill, rows, attended int) [terms]float64 {
	return [terms]float64{float64(steps), float64(prefill), float64(rows - prefill), float64(attended)}
}

// Time returns how long steps with the work in s take.
func (l Latency) Time(s Stats) time.Duration {
	nanoseconds := 0.0
	for i, n := range work(s.Steps, s.PromptComputed, s.Rows, s.Attended) {
		nanoseconds += n * l[i]
	}
	return time.Duration(nanoseconds)
}

// Latencies are those of the models of an engine, the first one's first.
type Latencies []Latency

// Time returns how long steps with the work in s take, whose counts are those of an engine with these models.
func (l Latencies) Time(s Stats) (all time.Duration) {
	if len(l) == 1 {
		return l[0].Time(s)
	}
	for i, latency := range l {
		all += latency.Time(s.Models[i])
	}
	return all
}

// Latencies are fitted to all steps since Open.
func (l *Local) Latencies() (all Latencies) {
	for i, m := range l.models {
		all = append(all, m.latency(m.stats(l.driver.Stats(i))))
	}
	return all
}

// latency is fitted to all steps, whose counts are s, and scaled so that it gives the time of all of them together.
func (m *instance) latency(s Stats) Latency {
	m.decoder.mu.Lock()
	latency := m.decoder.latency.solve()
	m.decoder.mu.Unlock()
	if fitted := latency.Time(s); fitted > 0 {
		for i := range latency {
			latency[i] *= float64(s.PrefillDuration+s.DecodeDuration) / float64(fitted)
		}
	}
	return latency
}

// fit is a least-squares problem in the form of its normal equations. A step is weighted by one over its rows, since
// the time of larger steps varies more.
type fit struct {
	products [terms][terms]float64
	times    [terms]float64
}

func (f *fit) add(work [terms]float64, took time.Duration) {
	weight := 1 / (work[1] + work[2])
	for i := range work {
		for j := range work {
			f.products[i][j] += weight * work[i] * work[j]
		}
		f.times[i] += weight * work[i] * float64(took)
	}
}

// solve finds the best Latency without negative times by coordinate descent: it improves one term at a time while the
// others stay. That converges even if the steps do not tell all terms apart.
func (f *fit) solve() (latency Latency) {
	for range 10_000 {
		for i := range latency {
			if f.products[i][i] == 0 {
				continue
			}
			left := f.times[i]
			for j := range latency {
				if j != i {
					left -= f.products[i][j] * latency[j]
				}
			}
			latency[i] = max(0, left/f.products[i][i])
		}
	}
	return latency
}
