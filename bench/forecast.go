package bench

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/dustin/go-humanize"
	gonum "gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"parley/bench/analysis"
	"parley/bench/stat"
	"parley/bench/wording"
	"parley/inference"
)

// Forecast is what a run will take.
type Forecast struct {
	Questions  int             `json:"questions"`
	Conditions int             `json:"conditions"`
	Calls      int             `json:"calls"`
	Failed     []string        `json:"failed,omitempty"` // debates that cannot be held
	Stats      inference.Stats `json:"scheduler"`        // what the scheduler will count
	Saved      Range           `json:"prompt_saved"`     // share of the prompt tokens that will not be computed
	// replies that are taken to be as long as they may be, as nothing like them was heard
	Guessed    int              `json:"guessed"`
	Memory     inference.Memory `json:"memory"`
	Disk       int64            `json:"journal_bytes"`
	Time       Range            `json:"time_ms"`
	Calibrated Calibrated       `json:"calibration"`
}

// Range is a number that is not known yet, between two others.
type Range struct {
	Least    float64 `json:"least"`
	Expected float64 `json:"expected"`
	Most     float64 `json:"most"`
}

// Calibrated is what was done for real.
type Calibrated struct {
	Questions    int     `json:"questions"`
	Generations  int     `json:"generations"`
	Milliseconds float64 `json:"engine_ms"`
}

// off is by how much the mean of all questions may differ from that of those that were asked, if these are drawn from
// all: half of the interval that has it within 95 % by Student's t. One alone says nothing.
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

// each is how much of its prompts was not computed, and how many tokens were generated, for each question that was
// asked; none if not even the first was asked to its end.
func (s *sample) each() (shares, tokens []float64) {
	if s.works == nil {
		return nil, nil
	}
	saved, asked, generated, counted := map[string]int{}, map[string]int{}, map[string]int{}, map[string]bool{}
	for _, e := range s.heard {
		question := s.asks[e.Case]
		saved[question] += e.CachedTokens
		asked[question] += e.PromptTokens
		if !counted[e.Reply.Key] {
			counted[e.Reply.Key] = true
			generated[question] += e.Tokens
		}
	}
	for _, question := range slices.Sorted(maps.Keys(asked)) {
		shares, tokens = append(shares, stat.Share(saved[question], asked[question])),
			append(tokens, float64(generated[question]))
	}
	return shares, tokens
}

// saved is the share of the prompt tokens that will not be computed, as far as that is known from some of the
// questions.
func (s *sample) saved(all inference.Stats, questions int) Range {
	shares, _ := s.each()
	expected, off := stat.Share(all.PromptSaved(), all.PromptAsked), off(shares, questions)
	return Range{max(0, expected-off), expected, min(1, expected+off)}
}

// time says in milliseconds how sure an expected time is. Questions differ, by as much at most as the whole time; and
// so does the machine: the pace is as far off as it was for any part of the calibration, or 10 %. What is not known is
// as much as the whole time again.
func (s *sample) time(pace inference.Pace, expected time.Duration, questions int) Range {
	wrong, differ := 0.1, 1.0
	if s.works == nil {
		wrong = 1
	}
	for _, w := range s.works {
		wrong = max(wrong, math.Abs(float64(pace.Time(w))/float64(max(1, w.PrefillDuration+w.DecodeDuration))-1))
	}
	if _, tokens := s.each(); tokens != nil {
		differ = min(1, off(tokens, questions)/max(1, gonum.Mean(tokens, nil)))
	}
	factor := 1 + wrong + differ
	return Range{wording.Milliseconds(expected) / factor, wording.Milliseconds(expected),
		wording.Milliseconds(expected) * factor}
}

// Write prints the forecast.
func (f Forecast) Write(w io.Writer) error {
	s := f.Stats
	_, err := fmt.Fprintf(w, `forecast       %d questions under %d conditions: %s calls; %s of %d questions run in %s of the engine, the others rehearsed with their replies
prompt tokens  %s asked, %s to compute: %.1f %% (%.1f to %.1f %%) saved by sharing prefixes and equal generations
generations    %s to compute, %s more requests will be given an equal one%s
tokens         %s to generate
batches        %s steps, %.1f of %d rows filled on average; at most %d generations at once, %s of %s KV cells
memory         %s
disk           %s of journals
time           about %s, %s to %s
`,
		f.Questions, f.Conditions, wording.Comma(f.Calls), wording.Comma(f.Calibrated.Questions), f.Questions,
		duration(f.Calibrated.Milliseconds),
		wording.Comma(s.PromptAsked), wording.Comma(s.PromptComputed), 100*f.Saved.Expected, 100*f.Saved.Least,
		100*f.Saved.Most,
		wording.Comma(s.Generations), wording.Comma(s.Joined), f.known(),
		wording.Comma(s.Decoded),
		wording.Comma(s.Steps), float64(s.Rows)/float64(max(1, s.Steps)), s.BatchCapacity, s.PeakSequences,
		wording.Comma(s.PeakCells),
		wording.Comma(s.Cells),
		f.memory(), humanize.IBytes(uint64(f.Disk)), duration(f.Time.Expected), duration(f.Time.Least),
		duration(f.Time.Most))
	if f.Guessed > 0 && err == nil {
		_, err = fmt.Fprintf(w, "%s replies are taken to be as long as they may be: nothing like them ended while "+
			"calibrating; raise --calibrate\n", wording.Comma(f.Guessed))
	}
	return errors.Join(err, analysis.WriteFailures(w, "would fail:", f.Failed))
}

func (f Forecast) known() string {
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
		text += fmt.Sprintf("; all of the process took %s, rehearsal included", humanize.IBytes(uint64(m.Peak)))
	}
	return text
}

// duration rounds to what can be meant.
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
