package branch

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bounds"
	"github.com/parley-debate/parley/internal/bug"
)

// Drawing says how branches are drawn.
type Drawing struct {
	Samples     int      // branches from each place
	Seed        uint64   // of the branches
	Temperature *float32 // of what is drawn anew; nil: as recorded
	// Instead are texts that stand in the place of a sentence, by its number from 1; "" drops it.
	Instead map[int]string
}

// SamplesRange are the branches from one place, and atOnce how many debates are held at once: the prompts of all wait
// in memory.
var SamplesRange = bounds.From(1, 10_000)

const atOnce = 1024

// Hold holds the debate of a message once more, as bench.Options.Again returns it.
type Hold func(context.Context, debate.Speaker) (trial.Outcome, error)

// drawn is a branch that was held.
type drawn struct {
	said     string // the message
	own      answer.Answer
	decision answer.Answer
	right    bool
	failed   error
}

// place is where branches of a message begin.
type place struct {
	begins string // of its text, without its reasoning
	whole  bool   // nothing of it is drawn anew: it is kept as it is
}

// All holds the branches of messages of a run, whose settings the options have, on their engine.
func (d Drawing) All(ctx context.Context, run rundir.Run, messages []Message, options bench.Options,
	engine inference.Engine) (Results, error) {
	all := Results{Version: Version, Model: engine.Model()}
	for _, m := range messages {
		hold, err := options.Again(m.Outcome, run.Outcomes)
		if err != nil {
			return Results{}, err
		}
		of, err := d.Draw(ctx, m, hold, engine)
		if err != nil {
			return Results{}, fmt.Errorf("%s: %w", m.name(), err)
		}
		all.Messages = append(all.Messages, of)
	}
	did := engine.Stats()
	all.Work = Work{Asked: did.PromptAsked, Computed: did.PromptComputed, Drawn: did.Decoded}
	return all, nil
}

// Draw holds the branches of a message, whose debate hold holds again, on an engine.
func (d Drawing) Draw(ctx context.Context, m Message, hold Hold, engine inference.Engine) (Result, error) {
	sentences := Sentences(m.Turn.Reply.Text)
	for n := range d.Instead {
		if n < 1 || n > len(sentences) {
			return Result{}, fmt.Errorf("there is no sentence %d, the message has %d", n, len(sentences))
		}
	}
	places, at := d.places(sentences)
	all, err := d.hold(ctx, m, places, hold, engine)
	if err != nil {
		return Result{}, err
	}
	r := Result{Question: m.Question, Repeat: m.Repeat, Condition: m.Condition, Round: m.Turn.Round,
		Agent: m.Turn.Agent, Role: m.Transcript.Role(m.Turn.Agent), Samples: d.Samples, Seed: d.Seed,
		Temperature: d.Temperature, Answer: m.Turn.Answer, Decision: m.Transcript.Decision.Answer, Target: m.Target}
	from := 0
	for i, text := range sentences {
		other := func(b drawn) bool { return differs(firstOf(b.said[min(from, len(b.said)):]), text) }
		s := Sentence{Text: text, Kept: tell(all[i+1], nil), Anew: tell(all[i], nil), Without: tell(all[i], other)}
		if k, told := at[i]; told {
			s.Instead = &Instead{Text: d.Instead[i+1], Told: tell(all[k], nil)}
		}
		from += len(text)
		r.Sentences = append(r.Sentences, s)
	}
	said := func(b drawn) bool { return differs(b.said, m.Turn.Reply.Text) }
	r.Whole = Sentence{Text: m.Turn.Reply.Text, Kept: tell(all[len(sentences)], nil), Anew: tell(all[0], nil),
		Without: tell(all[0], said)}
	r.measure()
	return r, nil
}

// places are where branches of a message begin: before each of its sentences, behind all of them, and behind those
// that are to stand in the place of a sentence, whose places are returned by its index.
func (d Drawing) places(sentences []string) (all []place, instead map[int]int) {
	instead = make(map[int]int)
	for i := range len(sentences) + 1 {
		all = append(all, place{begins: strings.Join(sentences[:i], ""), whole: i == len(sentences)})
	}
	for i, text := range sentences {
		if other, told := d.Instead[i+1]; told {
			space := text[:len(text)-len(strings.TrimLeft(text, " \t\r\n"))]
			if other != "" {
				other = space + strings.TrimSpace(other)
			}
			instead[i] = len(all)
			all = append(all, place{begins: all[i].begins + other})
		}
	}
	return all, instead
}

// hold holds all branches: of each place, in the order of their numbers.
func (d Drawing) hold(ctx context.Context, m Message, places []place, hold Hold, engine inference.Engine) ([][]drawn,
	error) {
	all := make([][]drawn, len(places))
	for i := range all {
		all[i] = make([]drawn, d.Samples)
	}
	n := len(places) * d.Samples
	for from := 0; from < n; from += atOnce {
		to := min(n, from+atOnce)
		participants := make([]inference.Participant, to-from)
		for i := range participants {
			participants[i] = engine.Join(from + i) // all before the first speaks: batches are a function of the work
		}
		group, ctx := errgroup.WithContext(ctx)
		for i, p := range participants {
			of, sample := (from+i)/d.Samples, (from+i)%d.Samples
			group.Go(func() (err error) {
				defer p.Leave()
				defer bug.Catch(&err)
				s := &speaker{Speaker: p, at: m, place: places[of], sample: sample, draw: d}
				all[of][sample], err = s.held(ctx, hold)
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// held holds the branch.
func (s *speaker) held(ctx context.Context, hold Hold) (drawn, error) {
	o, err := hold(ctx, s)
	switch {
	case err != nil:
		return drawn{}, err
	case !s.taken:
		return drawn{}, errors.New("the debate does not come to this message again: what holds it differs from what " +
			"held it then")
	case o.Failed():
		return drawn{said: s.said, failed: errors.New(o.Error)}, nil
	}
	b := drawn{said: s.said, decision: o.Transcript.Decision.Answer, right: o.Score == task.Right}
	for _, round := range o.Transcript.Rounds {
		for _, t := range round {
			if t.Agent == s.at.Turn.Agent && t.Round == s.at.Turn.Round && t.Sample == s.at.Turn.Sample {
				b.own = t.Answer
			}
		}
	}
	return b, nil
}

// tell counts the branches of a place, or some of them.
func tell(branches []drawn, some func(drawn) bool) (t Told) {
	for _, b := range branches {
		switch {
		case b.failed != nil:
			t.Failed++
			continue
		case some != nil && !some(b):
			continue
		}
		t.N++
		t.Right += stat.One[int](b.right)
		t.Decisions, t.Answers = counted(t.Decisions, b.decision), counted(t.Answers, b.own)
	}
	return t
}

// firstOf is the first sentence of a text.
func firstOf(text string) string {
	if all := Sentences(text); len(all) > 0 {
		return all[0]
	}
	return ""
}

// differs reports whether two sentences have other words, by answer.NormalizeWords.
func differs(one, other string) bool {
	return answer.NormalizeWords(one) != answer.NormalizeWords(other)
}
