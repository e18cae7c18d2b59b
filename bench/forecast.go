package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"gonum.org/v1/gonum/floats"
	gonum "gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/inference"
)

// Forecast is what a run will take, at most if it may stop early.
type Forecast struct {
	Questions  int             `json:"questions"`
	Conditions int             `json:"conditions"`
	Calls      int             `json:"calls"`
	Failed     []string        `json:"failed,omitempty"`   // debates that failed while calibrating
	Stats      inference.Stats `json:"scheduler"`          // what is left to compute
	Saved      Range           `json:"prompt_saved"`       // share of the prompt tokens that will not be computed
	MayStop    bool            `json:"may_stop,omitempty"` // the run may end earlier: see spec.Stopping
	// no question was completed while calibrating: calls, tokens and time are the most that there can be
	AtMost     bool             `json:"at_most,omitempty"`
	Memory     inference.Memory `json:"memory"`
	Disk       int64            `json:"journal_bytes"`
	Time       Range            `json:"time_ms"`
	Calibrated Calibrated       `json:"calibration"`
}

// Range is an expected number with bounds.
type Range struct {
	Least    float64 `json:"least"`
	Expected float64 `json:"expected"`
	Most     float64 `json:"most"`
}

// Calibrated says what was computed for real.
type Calibrated struct {
	Questions    int     `json:"questions"`
	Generations  int     `json:"generations"`
	Milliseconds float64 `json:"engine_ms"`
}

// DryRun estimates what a run will take, and writes nothing. Some questions are asked for real on the engine of the
// options, which must be local; the run is then rehearsed, with their replies to others. Observe is not called.
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
	f := Forecast{Questions: len(o.Task.Questions), Conditions: len(o.Conditions), Failed: s.failed,
		MayStop: o.Run.Stop != nil, Memory: engine.Memory()}
	computed := engine.Stats()
	f.Calibrated = Calibrated{len(s.asked), computed.Generations,
		wording.Milliseconds(computed.PrefillDuration + computed.DecodeDuration)}
	if len(s.asked) > 0 {
		ok, err := s.extrapolate(ctx, &f, o.Task.Questions, engine, c.Recorded)
		if ok || err != nil {
			return f, err
		}
	}
	return f, f.atMost(c)
}

// atMost enters the most that there can be.
func (f *Forecast) atMost(c Calibration) error {
	if c.Foreseen.Replies == 0 {
		return errors.New("there was no time for any question, and it is not known how many replies there can be: " +
			"raise --calibrate")
	}
	left := c.Foreseen.Without(c.Recorded)
	f.AtMost, f.Calls = true, c.Foreseen.Calls
	f.Stats = inference.Stats{Restored: c.Recorded, Generations: left.Replies,
		Joined: max(0, c.Foreseen.Calls-c.Foreseen.Replies), PromptAsked: left.Prompt,
		PromptComputed: left.Prompt, Decoded: left.Tokens}
	f.Saved, f.Time = Range{0, 0, 1}, Range{0, wording.Milliseconds(left.Most), wording.Milliseconds(left.Most)}
	return nil
}

// extrapolate takes the questions that were not asked to be like those that were, but for their texts. It reports false
// if all that was asked is recorded, and other replies are not: it is not known what those take.
func (s *sample) extrapolate(ctx context.Context, f *Forecast, all []task.Question, engine *inference.Local,
	recorded int) (ok bool, err error) {
	grown := float64(len(all)) / float64(len(s.asked))
	some := s.some(all)
	whole, err := engine.Rehearse(ctx, s.rehearsal(some))
	if err != nil {
		return false, err
	}
	left, reused, ok := s.left(grown, recorded)
	whole = whole.Add(left*float64(len(all))/float64(len(some))-1, whole)
	whole.Restored = reused
	f.Calls = int(math.Round(grown * sum(s.asked, asked.calls)))
	f.Stats, f.Disk = whole, int64(grown*float64(s.last().journals))
	f.Saved = s.saved(whole, len(all))
	f.Time = s.time(engine, whole, len(all))
	return ok, nil
}

// rehearsed is how many calls of the engine are rehearsed, or more: others take time, and tell little.
const rehearsed = 4096

// some are questions evenly from a task, as many as have so many calls.
func (s *sample) some(all []task.Question) (some []task.Question) {
	n := min(len(all), int(math.Ceil(rehearsed/max(1, mean(s.asked, asked.calls)))))
	for i := range n {
		some = append(some, all[i*len(all)/n])
	}
	return some
}

// rehearsal has the debates on questions, in the order of a run, as they were on those that were asked, each of which
// stands for as many of the others.
func (s *sample) rehearsal(questions []task.Question) (debates [][][]inference.Exchange) {
	for stage := range len(asked{}.debates) {
		others := 0
		for _, q := range questions {
			at := slices.IndexFunc(s.asked, func(a asked) bool { return a.question.ID == q.ID })
			if at < 0 {
				at = others % len(s.asked)
				others++
			}
			like := s.asked[at]
			for _, d := range like.debates[stage] {
				debates = append(debates, d.about(like.question, q))
			}
		}
	}
	return debates
}

// about returns the calls of a debate as they would be on another question. A request that does not have the text of
// its question says something else all the same; one about a question of which another one borrows stays.
func (h heard) about(was, is task.Question) (calls [][]inference.Exchange) {
	if was.ID == is.ID {
		return h.calls
	}
	for _, call := range h.calls {
		call = slices.Clone(call)
		for i := range call {
			if r := &call[i].Request; r.Case == h.id {
				r.Messages = reword(r.Messages, was.Text, is.Text, is.ID)
			}
		}
		calls = append(calls, call)
	}
	return calls
}

// reword replaces a text in messages, or else puts a name before the last one.
func reword(messages []inference.Message, was, is, name string) []inference.Message {
	messages = slices.Clone(messages)
	has := false
	for i, m := range messages {
		messages[i].Content = strings.ReplaceAll(m.Content, was, is)
		has = has || strings.Contains(m.Content, was)
	}
	if last := len(messages) - 1; !has && last >= 0 {
		messages[last].Content = name + " " + messages[last].Content
	}
	return messages
}

// left returns how much of the work is left, where 1 is as much as if recorded replies were as frequent among all
// questions as in the sample, and how many replies are reused. ok is false if others than those of the sample are left.
func (s *sample) left(grown float64, recorded int) (factor float64, reused int, ok bool) {
	distinct, known := 0, 0
	for _, a := range s.asked {
		distinct += len(a.known)
		for _, recorded := range a.known {
			if recorded {
				known++
			}
		}
	}
	all := grown * float64(distinct)
	switch {
	case known == 0: // what is recorded is of other work
		return 1, 0, true
	case grown == 1:
		return 1, known, true
	}
	reused = min(recorded, int(all))
	factor = (all - float64(reused)) / (grown * float64(max(1, distinct-known)))
	return factor, reused, known < distinct || factor == 0
}

// calls, generated and share are numbers of a question.
func (a asked) calls() float64     { return float64(a.cost.Replies) }
func (a asked) generated() float64 { return float64(a.tokens) }
func (a asked) share() float64     { return stat.Share(a.cached, a.cost.PromptTokens) }

// each has a number for each question.
func each(of []asked, number func(asked) float64) (list []float64) {
	for _, a := range of {
		list = append(list, number(a))
	}
	return list
}

func sum(of []asked, number func(asked) float64) float64  { return floats.Sum(each(of, number)) }
func mean(of []asked, number func(asked) float64) float64 { return gonum.Mean(each(of, number), nil) }

// off is by how much the mean over all questions may differ from the mean over a random sample of them: half the width
// of the 95 % t interval, with the correction for a finite population. It is infinite for a sample of one.
func off(values []float64, questions int) float64 {
	n := float64(len(values))
	switch {
	case len(values) == questions:
		return 0
	case n < 2:
		return math.Inf(1)
	}
	unknown := 1 - n/float64(questions)
	return distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975) * gonum.StdDev(values,
		nil) / math.Sqrt(n) * math.Sqrt(unknown)
}

// saved is the share of the prompt tokens that will not be computed. The bounds follow from how questions differ.
func (s *sample) saved(whole inference.Stats, questions int) Range {
	expected := stat.Share(whole.PromptSaved(), whole.PromptAsked)
	off := off(each(s.asked, asked.share), questions)
	return Range{max(0, expected-off), expected, min(1, expected+off)}
}

// time is how long the work takes, in milliseconds: as long as that of the calibration, by what its steps cost. Two
// errors add up: questions differ in length, and steps may take as much more or less as they did in the worst part of
// the calibration, or 10 %. An error that is not known counts as 100 %.
func (s *sample) time(engine *inference.Local, whole inference.Stats, questions int) Range {
	wrong, before, last := 0.1, block{stats: s.last().stats.Add(-1, s.last().stats)}, s.last()
	speed := last.took.Seconds() / max(1, engine.Weigh(last.stats))
	for _, b := range s.blocks {
		if weight := engine.Weigh(b.stats.Add(-1, before.stats)); weight > 0 && speed > 0 {
			wrong = max(wrong, math.Abs((b.took-before.took).Seconds()/weight/speed-1))
		}
		before = b
	}
	differ := min(1, off(each(s.asked, asked.generated), questions)/max(1, mean(s.asked, asked.generated)))
	expected := 1000 * speed * engine.Weigh(whole)
	return Range{expected / (1 + wrong + differ), expected, expected * (1 + wrong + differ)}
}

// Document is the forecast for people.
func (f Forecast) Document() table.Document {
	s := f.Stats
	text := fmt.Sprintf(`forecast       %s under %s: %s calls; %s of %s run in %s of engine time, the others taken to be like them
prompt tokens  %s asked, %s to compute: %.1f %% (%.1f to %.1f %%) saved by sharing prefixes and equal generations%s
generations    %s to compute, %s more requests will share an equal one%s
tokens         %s to generate
memory         %s
disk           %s of journals
time           %s
`,
		wording.Count(f.Questions, "question"), wording.Count(f.Conditions, "condition"), wording.Comma(f.Calls),
		wording.Comma(f.Calibrated.Questions), wording.Count(f.Questions, "question"),
		duration(f.Calibrated.Milliseconds),
		wording.Comma(s.PromptAsked), wording.Comma(s.PromptComputed), 100*f.Saved.Expected, 100*f.Saved.Least,
		100*f.Saved.Most, analysis.Recurrence(s),
		wording.Comma(s.Generations), wording.Comma(s.Joined), f.recordedNote(),
		wording.Comma(s.Decoded),
		f.memory(), humanize.IBytes(uint64(f.Disk)), f.takes())
	if f.AtMost {
		text += "there was no time for a question that is not recorded: calls, tokens and time are the most that " +
			"there can be; raise --calibrate\n"
	}
	if f.MayStop {
		text += "it takes less if it stops early (--stop-when)\n"
	}
	return table.Document{table.Text(text + analysis.FailuresText("failed while calibrating:", f.Failed))}
}

func (f Forecast) takes() string {
	if f.AtMost && f.Time.Most == 0 {
		return "unknown"
	}
	return fmt.Sprintf("about %s, %s to %s", duration(f.Time.Expected), duration(f.Time.Least), duration(f.Time.Most))
}

func (f Forecast) recordedNote() string {
	if f.Stats.Restored == 0 {
		return ""
	}
	return fmt.Sprintf(", %s are recorded", wording.Comma(f.Stats.Restored))
}

func (f Forecast) memory() string {
	m := f.Memory
	text := fmt.Sprintf("weights %s, cells %s", humanize.IBytes(uint64(m.Weights)), humanize.IBytes(uint64(m.Cells)))
	if m.Free > 0 {
		text += fmt.Sprintf(" of %s free", humanize.IBytes(uint64(m.Free)))
	}
	if m.Peak > 0 {
		text += fmt.Sprintf("; the whole process took %s", humanize.IBytes(uint64(m.Peak)))
	}
	return text
}

// duration rounds to a precision that a forecast can have.
func duration(milliseconds float64) string {
	d := time.Duration(milliseconds * float64(time.Millisecond))
	switch {
	case d < 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d < 10*time.Minute:
		return d.Round(time.Second).String()
	}
	return d.Round(time.Minute).String()
}
