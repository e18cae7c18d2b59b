package bench

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/dustin/go-humanize"
	gonum "gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/inference"
)

// Forecast is what a run will take.
type Forecast struct {
	Questions  int             `json:"questions"`
	Conditions int             `json:"conditions"`
	Calls      int             `json:"calls"`
	Failed     []string        `json:"failed,omitempty"` // debates that would fail
	Stats      inference.Stats `json:"scheduler"`        // what the scheduler will count
	Saved      Range           `json:"prompt_saved"`     // share of the prompt tokens that will not be computed
	// replies that are assumed to have their maximum length, because no similar request was heard
	Guessed    int              `json:"guessed"`
	Memory     inference.Memory `json:"memory"`
	Disk       int64            `json:"journal_bytes"`
	Time       Range            `json:"time_ms"`
	Calibrated Calibrated       `json:"calibration"`
	Machines   []OnMachines     `json:"machines,omitempty"` // if asked for, by their number
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

// each has, for each question that was asked, the share of its prompt tokens that was not computed and the number of
// generated tokens. It has none if not even the first question was completed. Questions that were heard only as donors
// of reasoning were not drawn: their few requests, which are nearly all shared, say nothing of how questions differ.
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
	drawn := make(map[string]bool)
	for _, q := range s.questions {
		drawn[q.ID] = true
	}
	for _, question := range slices.Sorted(maps.Keys(asked)) {
		if !drawn[question] {
			continue
		}
		shares, tokens = append(shares, stat.Share(saved[question], asked[question])),
			append(tokens, float64(generated[question]))
	}
	return shares, tokens
}

// savedRange is the share of the prompt tokens that will not be computed. The bounds follow from how the sampled
// questions differ.
func (s *sample) savedRange(all inference.Stats, questions int) Range {
	shares, _ := s.each()
	expected, off := stat.Share(all.PromptSaved(), all.PromptAsked), off(shares, questions)
	return Range{max(0, expected-off), expected, min(1, expected+off)}
}

// time gives an expected time its bounds, in milliseconds. Two errors add up: questions differ in length, and the
// latency may be as wrong as it was for the worst part of the calibration, or by 10 %. An error that is not known
// counts as 100 %.
func (s *sample) time(latency inference.Latencies, expected time.Duration, questions int) Range {
	wrong, differ := 0.1, 1.0
	if s.works == nil {
		wrong = 1
	}
	for _, w := range s.works {
		wrong = max(wrong, math.Abs(float64(latency.Time(w))/float64(max(1, w.PrefillDuration+w.DecodeDuration))-1))
	}
	if _, tokens := s.each(); tokens != nil {
		differ = min(1, off(tokens, questions)/max(1, gonum.Mean(tokens, nil)))
	}
	factor := 1 + wrong + differ
	return Range{wording.Milliseconds(expected) / factor, wording.Milliseconds(expected),
		wording.Milliseconds(expected) * factor}
}

// Document is the forecast for people.
func (f Forecast) Document() table.Document {
	s := f.Stats
	text := fmt.Sprintf(`forecast       %s under %s: %s calls; %s of %s run in %s of engine time, the others simulated with their replies
prompt tokens  %s asked, %s to compute: %.1f %% (%.1f to %.1f %%) saved by sharing prefixes and equal generations%s
generations    %s to compute, %s more requests will share an equal one%s
tokens         %s to generate
batches        %s steps, %.1f of %d rows filled on average; at most %d generations at once, %s of %s KV cells
memory         %s
disk           %s of journals
time           about %s, %s to %s
`,
		wording.Count(f.Questions, "question"), wording.Count(f.Conditions, "condition"), wording.Comma(f.Calls),
		wording.Comma(f.Calibrated.Questions), wording.Count(f.Questions, "question"),
		duration(f.Calibrated.Milliseconds),
		wording.Comma(s.PromptAsked), wording.Comma(s.PromptComputed), 100*f.Saved.Expected, 100*f.Saved.Least,
		100*f.Saved.Most, analysis.Recurrence(s),
		wording.Comma(s.Generations), wording.Comma(s.Joined), f.recordedNote(),
		wording.Comma(s.Decoded),
		wording.Comma(s.Steps), float64(s.Rows)/float64(max(1, s.Steps)), s.BatchCapacity, s.PeakSequences,
		wording.Comma(s.PeakCells),
		wording.Comma(s.Cells),
		f.memory(), humanize.IBytes(uint64(f.Disk)), duration(f.Time.Expected), duration(f.Time.Least),
		duration(f.Time.Most))
	if f.Guessed > 0 {
		text += fmt.Sprintf("%s replies are assumed to have their maximum length: no similar one was seen while "+
			"calibrating; raise --calibrate\n", wording.Comma(f.Guessed))
	}
	return table.Document{table.Text(text + analysis.FailuresText("would fail:", f.Failed)), MachinesBlocks(f.Machines)}
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
		text += fmt.Sprintf("; the whole process took %s, including the simulation", humanize.IBytes(uint64(m.Peak)))
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
