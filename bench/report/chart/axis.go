package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/parley-debate/parley/bench/table"
)

// Ticks are the ticks of an axis between its ends.
type Ticks func(low, high float64) []Tick

// Tick is a place on an axis, and what stands there.
type Tick struct {
	At    float64
	Label string
}

// complete sets the ends of an axis that are still open.
func (a *Axis) complete(values []float64) {
	if a.Names != nil {
		a.Low, a.High = -0.5, float64(len(a.Names))-0.5
	} else if a.Low == a.High && len(values) > 0 {
		a.Low, a.High = slices.Min(values), slices.Max(values)
	}
	if a.Log = a.Log && a.Low > 0; a.Low == a.High {
		a.Low, a.High, a.Log = a.Low-0.5, a.High+0.5, false
	}
}

// part is how far a value is on the way from the low end of the axis to its high one.
func (a Axis) part(value float64) float64 {
	if a.Log {
		return math.Log(value/a.Low) / math.Log(a.High/a.Low)
	}
	return (value - a.Low) / (a.High - a.Low)
}

// ticks are those of the axis, or its names.
func (a Axis) ticks() (ticks []Tick) {
	switch {
	case a.Names != nil:
		for i, name := range a.Names {
			ticks = append(ticks, Tick{float64(i), name})
		}
		return ticks
	case a.Ticks != nil:
		return a.Ticks(a.Low, a.High)
	case a.Log:
		return powers(a.Low, a.High)
	}
	return numbers(a.Low, a.High)
}

// step is the least of 1, 2 and 5, times a power of ten, of which at most so many reach over a length.
func step(length float64, most int) float64 {
	power := math.Pow(10, math.Floor(math.Log10(length/float64(most))))
	for _, s := range []float64{1, 2, 5} {
		if length/(s*power) <= float64(most)+1e-9 {
			return s * power
		}
	}
	return 10 * power
}

// multiples are those of a step from low to high.
func multiples(step, low, high float64) (values []float64) {
	for i := math.Ceil(low/step - 1e-9); i <= high/step+1e-9; i++ {
		values = append(values, i*step)
	}
	return values
}

// numbers ticks numbers as they come.
func numbers(low, high float64) (ticks []Tick) {
	s := step(high-low, 6)
	for _, v := range multiples(s, low, high) {
		ticks = append(ticks, Tick{v, number(v, s)})
	}
	return ticks
}

// powers ticks 1, 2 and 5 times powers of ten; an axis that is too short for two of these has numbers as they come.
func powers(low, high float64) (ticks []Tick) {
	for power := math.Pow(10, math.Floor(math.Log10(low))); power <= high; power *= 10 {
		for _, s := range []float64{1, 2, 5} {
			if v := s * power; v >= low*(1-1e-9) && v <= high*(1+1e-9) {
				ticks = append(ticks, Tick{v, number(v, power)})
			}
		}
	}
	if len(ticks) < 2 {
		return numbers(low, high)
	}
	return ticks
}

// number writes a multiple of a step.
func number(v, step float64) string {
	switch decimals := -int(math.Floor(math.Log10(step) + 1e-9)); {
	case decimals > 6 || math.Abs(v) >= 1e15:
		return table.Minus(table.Number("%.3g", v))
	case decimals > 0:
		return table.Minus(table.Number(fmt.Sprintf("%%.%df", decimals), v))
	}
	return table.Minus(humanize.Comma(int64(math.Round(v))))
}

// percent ticks shares at the multiples of a step.
func percent(step, low, high float64, format string) (ticks []Tick) {
	for _, v := range multiples(step, low, high) {
		ticks = append(ticks, Tick{v, table.Minus(table.Number(format, 100*v))})
	}
	return ticks
}

// Shares ticks every fifth of 1, or every tenth on a short axis.
func Shares(low, high float64) []Tick {
	if high-low < 0.45 {
		return percent(0.1, max(0, low), min(1, high), "%.0f %%")
	}
	return percent(0.2, max(0, low), min(1, high), "%.0f %%")
}

// Signed ticks effects, with their signs.
func Signed(low, high float64) []Tick {
	ticks := percent(step(high, 4), low, high, "%+.0f %%")
	for i := range ticks {
		if math.Abs(ticks[i].At) < 1e-9 {
			ticks[i].Label = "0 %"
		}
	}
	return ticks
}

// Sides ticks what is lost to the left of 0 and won to the right, without signs.
func Sides(low, high float64) []Tick {
	ticks := Signed(low, high)
	for i := range ticks {
		ticks[i].Label = strings.TrimLeft(ticks[i].Label, "+−")
	}
	return ticks
}

// Whole ticks the numbers from a first one to a last one.
func Whole(first, last int) Ticks {
	return func(float64, float64) (ticks []Tick) {
		for i := first; i <= last; i++ {
			ticks = append(ticks, Tick{float64(i), fmt.Sprint(i)})
		}
		return ticks
	}
}

// CeilTenth is where an axis of shares ends.
func CeilTenth(share float64) float64 { return math.Min(1, math.Ceil(share*10)/10) }
