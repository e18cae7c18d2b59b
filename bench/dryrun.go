package bench

import (
	"context"
	"errors"
	"strings"
	"time"

	"parley/bench/analysis"
	"parley/bench/record"
	"parley/bench/rundir"
	"parley/bench/task"
	"parley/bench/wording"
	"parley/inference"
)

// DryRun says what a run will take, before it is done and without leaving anything behind. Some questions are asked
// for real, on the engine of the options, which must be local. Then the whole run is held on a rehearsal of the engine,
// with every prompt as it will be sent, and where a reply is not known yet, one of those to a question that stands in.
// Observe and Progress are not called.
func DryRun(ctx context.Context, o Options, c Calibration) (Forecast, error) {
	engine, ok := o.Engine.(*inference.Local)
	if !ok {
		return Forecast{}, errors.New("only a run on a local model can be rehearsed")
	}
	if err := o.Validate(); err != nil {
		return Forecast{}, err
	}
	s, err := c.run(ctx, o, engine)
	if err != nil {
		return Forecast{}, err
	}
	calibrated := engine.Stats()
	r, err := s.dryRun(ctx, o, engine)
	if err != nil {
		return Forecast{}, err
	}
	f := Forecast{
		Questions: len(o.Task.Questions), Conditions: len(o.Conditions), Failed: r.Failed, Stats: r.Stats,
		Guessed: r.guessed, Memory: engine.Memory(),
		Disk: r.meter.Bytes(), Calibrated: Calibrated{len(s.questions), calibrated.Generations,
			wording.Milliseconds(calibrated.PrefillDuration + calibrated.DecodeDuration)},
	}
	for _, row := range r.Rows {
		f.Calls += row.Replies
	}
	f.Saved = s.saved(r.Stats, len(o.Task.Questions))
	pace := engine.Pace()
	f.Time = s.time(pace, pace.Time(r.Stats)+r.took, len(o.Task.Questions))
	return f, nil
}

// dryRun is a run without a model.
type dryRun struct {
	analysis.Comparison
	meter   *record.Meter
	guessed int           // replies to requests of which nothing like them was heard
	took    time.Duration // all that is not computed by the model: prompts, the scheduler's plans, records
}

func (s *sample) dryRun(ctx context.Context, o Options, engine *inference.Local) (r dryRun, err error) {
	if r.meter, err = record.NewMeter(); err != nil {
		return r, err
	}
	journals := rundir.Measure{Meter: r.meter}
	var standIns map[string]string
	o.Task, standIns = s.standIn(o.Task)
	o.Engine, err = engine.Rehearsal(func(g inference.Generation) inference.Reply {
		reply, ok := s.reply(g, standIns[s.asks[g.Case]])
		if !ok {
			r.guessed++
			reply.Text = endless
		}
		return reply
	}, journals.Generation)
	if err != nil {
		return r, err
	}
	o.Observe, o.Progress = journals.Outcome, nil
	began := time.Now()
	r.Comparison, err = Compare(ctx, o)
	r.took = time.Since(began)
	return r, errors.Join(err, o.Engine.Close())
}

// endless is a reply that reaches any bound that is usual.
var endless = strings.Repeat("so ", 8192)

// standIn has each question of a task played by one that was asked, in turn: all of it but name and text, so that the
// replies mean to it what they meant to the other. It gives the names of who plays whom.
func (s *sample) standIn(t task.Task) (played task.Task, standIns map[string]string) {
	standIns = make(map[string]string)
	for _, q := range s.questions {
		standIns[q.ID] = q.ID
	}
	played = t
	played.Questions = make([]task.Question, len(t.Questions))
	for i, q := range t.Questions {
		if standIns[q.ID] == "" {
			other := s.questions[i%len(s.questions)]
			standIns[q.ID] = other.ID
			other.ID, other.Text = q.ID, q.Text
			q = other
		}
		played.Questions[i] = q
	}
	return played, standIns
}
