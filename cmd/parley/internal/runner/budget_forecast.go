package runner

import (
	"cmp"
	"fmt"
	"time"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/wording"
)

// budgeted is a forecast with the budget, as --json prints it.
type budgeted struct {
	bench.Forecast
	Budget *foreseen `json:"budget,omitempty"` // it is nil without a budget
}

// foreseen is a budget, and what all forecasts so far take of it.
type foreseen struct {
	spec.Budget
	Takes struct {
		Tokens int     `json:"tokens"`
		Time   float64 `json:"time_ms"` // expected
	} `json:"takes"`
	Enough bool `json:"enough"`
}

// String returns the line about the budget that stands below a forecast.
func (f foreseen) String() string {
	verdict := "enough"
	if !f.Enough {
		verdict = "not enough: the run will stop, and can be resumed"
	}
	return fmt.Sprintf("budget         %s, of which this takes about %s and %s: %s\n", f.Budget,
		wording.Count(f.Takes.Tokens, "token"), milliseconds(f.Takes.Time).Round(time.Second), verdict)
}

// milliseconds converts a number of milliseconds, as forecasts have it, to a duration.
func milliseconds(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }

// foresee adds the forecast of a run, and says whether the budget suffices for all runs so far. It returns nil without
// a budget. A dry run never starts the clock of the budget; foresee moves began forward from the epoch instead, so that
// the fields mean the time and tokens that were foreseen.
func (b *budget) foresee(f bench.Forecast) *foreseen {
	if b.forHeader() == nil {
		return nil
	}
	b.tokens += f.Stats.Decoded
	b.began = cmp.Or(b.began, time.Unix(0, 0))
	b.began = b.began.Add(milliseconds(f.Time.Expected))
	took := b.began.Sub(time.Unix(0, 0))
	said := &foreseen{Budget: b.limit, Enough: (b.limit.Tokens == 0 || b.tokens <= b.limit.Tokens) &&
		(b.limit.Time == 0 || took <= b.limit.Time)}
	said.Takes.Tokens, said.Takes.Time = b.tokens, float64(took)/float64(time.Millisecond)
	return said
}
