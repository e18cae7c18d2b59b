package chart

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"

	"github.com/parley-debate/parley/bench/table"
)

// Shares ticks every fifth of 1, or every tenth on a short axis. Sides ticks what is lost to the left of 0 and won to
// the right, without signs.
var (
	Shares = plot.TickerFunc(func(low, high float64) (ticks []plot.Tick) {
		step := 2
		if high-low < 0.45 {
			step = 1
		}
		for tenth := 0; tenth <= 10; tenth += step {
			if v := float64(tenth) / 10; v >= low-1e-9 && v <= high+1e-9 {
				ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprintf("%d %%", 10*tenth)})
			}
		}
		return ticks
	})
	Sides = plot.TickerFunc(func(low, high float64) (ticks []plot.Tick) {
		step := 0.01
		for _, larger := range []float64{0.02, 0.05, 0.1, 0.2, 0.25} {
			if high/step > 4 {
				step = larger
			}
		}
		for i := math.Ceil(low / step); i <= high/step; i++ {
			ticks = append(ticks, plot.Tick{Value: i * step, Label: fmt.Sprintf("%.0f %%", 100*math.Abs(i*step))})
		}
		return ticks
	})
)

// Numbers ticks numbers as they come.
var Numbers = plot.TickerFunc(func(low, high float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(low, high)
	for i := range ticks {
		ticks[i].Label = table.Minus(ticks[i].Label)
	}
	return ticks
})

// CeilTenth is where an axis of shares ends.
func CeilTenth(share float64) float64 { return math.Min(1, math.Ceil(share*10)/10) }

// Whole ticks the numbers from 0 to n-1.
func Whole(n int) plot.ConstantTicks {
	ticks := make(plot.ConstantTicks, n)
	for i := range n {
		ticks[i] = plot.Tick{Value: float64(i), Label: fmt.Sprint(i)}
	}
	return ticks
}

// Signed ticks effects, with their signs.
var Signed = plot.TickerFunc(func(low, high float64) []plot.Tick {
	ticks := Sides.Ticks(low, high)
	for i, t := range ticks {
		if share := math.Round(100 * t.Value); share != 0 {
			ticks[i].Label = table.Minus(fmt.Sprintf("%+.0f %%", share))
		}
	}
	return ticks
})
