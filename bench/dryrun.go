package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/platform"
)

// DryRun forecasts what a run will take, and writes nothing. Some questions are asked for real on the engine of the
// options, which must be local. Then the whole run is held on a simulated engine, with every prompt as it will be sent;
// a reply that is not known is replaced by one to a question that was asked. Observe is not called.
func DryRun(ctx context.Context, o Options, c Calibration) (Forecast, error) {
	engine, ok := o.Engine.(*inference.Local)
	if !ok {
		return Forecast{}, errors.New("a dry run needs a local model")
	}
	if err := o.Complete(); err != nil {
		return Forecast{}, err
	}
	s, err := c.run(ctx, o, engine)
	if err != nil {
		return Forecast{}, err
	}
	c.says("simulating the run on %s", wording.Count(len(o.Task.Questions), "question"))
	calibrated := engine.Stats()
	var standIns map[string]string
	o.Task, standIns = s.standIn(o.Task)
	r, err := s.dryRun(ctx, o, engine, standIns)
	if err != nil {
		return Forecast{}, err
	}
	f := Forecast{
		Questions: len(o.Task.Questions), Conditions: len(o.Conditions), Calls: r.calls, Failed: r.failed,
		Stats: r.stats, Guessed: r.guessed, Memory: engine.Memory(),
		Disk: r.meter.Bytes(), Calibrated: Calibrated{len(s.questions), calibrated.Generations,
			wording.Milliseconds(calibrated.PrefillDuration + calibrated.DecodeDuration)},
	}
	f.Saved = s.savedRange(r.stats, len(o.Task.Questions))
	latencies := engine.Latencies()
	f.Time = s.time(latencies, latencies.Time(r.stats)+r.took, len(o.Task.Questions))
	f.Machines, err = c.machines(o, shardTime(latencies, r, c.Start), r.stats.PromptComputed,
		func(part Options) (took float64, computed int, err error) {
			r, err := s.dryRun(ctx, part, engine, standIns)
			return shardTime(latencies, r, c.Start), r.stats.PromptComputed, err
		})
	return f, err
}

// dryRun is what a run on a simulated engine took. It has no results: the replies are no replies to its questions.
type dryRun struct {
	stats   inference.Stats
	calls   int      // that were answered
	failed  []string // debates, with their reasons
	meter   *record.Meter
	guessed int           // requests that are like none that was heard
	took    time.Duration // for all but the model and the final tables: prompts, the scheduler's plans, records
	cpu     time.Duration // that processors took for it, however busy they are
}

// dryRun holds the run with the replies of the sample. standIns is as standIn returns it with the task.
func (s *sample) dryRun(ctx context.Context, o Options, engine *inference.Local,
	standIns map[string]string) (r dryRun, err error) {
	if r.meter, err = record.NewMeter(); err != nil {
		return r, err
	}
	journals := rundir.Measure{Meter: r.meter}
	o.Engine, err = engine.Simulated(func(g inference.Generation) inference.Reply {
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
	o.Observe = journals.Outcome
	began, cpu := time.Now(), platform.ProcessorTime()
	outcomes, err := o.outcomes(ctx)
	debates := outcome.NewTable(outcomes).Debates()
	r.took, r.cpu = time.Since(began), platform.ProcessorTime()-cpu
	r.stats, r.calls, r.failed = o.Engine.Stats(), outcome.CostOf(debates...).Replies, analysis.Failures(debates)
	return r, errors.Join(err, o.Engine.Close())
}

// endless is a reply that is longer than any usual bound on replies, and does not repeat itself.
var endless = func() string {
	var b strings.Builder
	for i := range 8192 {
		fmt.Fprint(&b, i, " ")
	}
	return b.String()
}()

// standIn replaces each question of a task that was not asked by one that was, in turn, except for its ID, its text
// and the options that this lists: letters in replies then score as they did for that question. standIns is, by ID, the
// question whose replies are used. Where there is a choice, neighbours have different ones: a question hears the
// replies to the next where arguments are shuffled or noise, and if these were its own, it would share prompts with
// debates that show those.
func (s *sample) standIn(t task.Task) (played task.Task, standIns map[string]string) {
	standIns = make(map[string]string)
	for _, q := range s.questions {
		standIns[q.ID] = q.ID
	}
	played = t
	played.Questions = make([]task.Question, len(t.Questions))
	for i, q := range t.Questions {
		if standIns[q.ID] == "" {
			near := []string{standIns[t.Questions[max(0, i-1)].ID],
				standIns[t.Questions[(i+1)%len(t.Questions)].ID]}
			other := s.questions[i%len(s.questions)]
			for k := range s.questions {
				if one := s.questions[(i+k)%len(s.questions)]; !slices.Contains(near, one.ID) {
					other = one
					break
				}
			}
			standIns[q.ID] = other.ID
			other.ID, other.Text, other.Options = q.ID, q.Text, q.Options
			q = other
		}
		played.Questions[i] = q
	}
	return played, standIns
}
