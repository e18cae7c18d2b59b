package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	gonum "gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Bootstrap says how intervals are resampled. What is drawn, with replacement, is a question with all its repeats, because
// repeats of one question are not independent of each other. The same three fields give the same intervals.
type Bootstrap struct {
	Resamples int     // at least 1; 2,000 is enough for two digits of a 95 % interval, 10,000 is better
	Level     float64 // confidence such as 0.95
	Seed      uint64
}

// Resampled is an estimate with two intervals, in the unit of the estimate. Percentile has the quantiles of the resampled
// estimates (Efron, Annals of Statistics 7, 1979, 1-26). BCa corrects them for bias and for a standard error that changes
// with the estimate (Efron, Journal of the American Statistical Association 82, 1987, 171-185) and is the one to report.
//
// With fewer than two questions both are unbounded. Where all questions are alike both have no width: a bootstrap cannot
// show what did not occur, and Wilson is the better interval of a share near 0 or 1.
type Resampled struct {
	Estimate   float64  `json:"estimate"`
	Percentile Interval `json:"percentile"`
	BCa        Interval `json:"bca"`
}

// Mean is the mean over questions of each question's mean over its repeats, so that every question weighs the same. With
// no questions it is 0; a question without repeats panics.
func (b Bootstrap) Mean(questions [][]float64) Resampled {
	means := make([]float64, len(questions))
	for i, repeats := range questions {
		means[i] = meanOf(repeats)
	}
	return b.Of(len(means), func(drawn []int) float64 {
		if len(drawn) == 0 {
			return 0
		}
		sum := 0.0
		for _, q := range drawn {
			sum += means[q]
		}
		return sum / float64(len(drawn))
	})
}

// Difference is the mean of first minus the mean of second on the same questions; the repeats of a question need not be
// equally many in both.
func (b Bootstrap) Difference(first, second [][]float64) Resampled {
	if len(first) != len(second) {
		panic(fmt.Sprintf("%d questions cannot be paired with %d", len(first), len(second)))
	}
	differences := make([][]float64, len(first))
	for i := range first {
		differences[i] = []float64{meanOf(first[i]) - meanOf(second[i])}
	}
	return b.Mean(differences)
}

// Of resamples any statistic of n questions. It is called with the numbers of the questions to use, which may repeat, and
// must not keep them.
func (b Bootstrap) Of(n int, statistic func(questions []int) float64) Resampled {
	return b.all(n, func(drawn []int) []float64 { return []float64{statistic(drawn)} })[0]
}

// all resamples several statistics together, so that their intervals come from the same draws.
func (b Bootstrap) all(n int, statistics func(questions []int) []float64) []Resampled {
	if b.Resamples < 1 {
		panic(fmt.Sprintf("%d resamples", b.Resamples))
	}
	quantile(b.Level) // panics if it is none
	every := make([]int, n)
	for i := range every {
		every[i] = i
	}
	estimates := statistics(every)
	results := make([]Resampled, len(estimates))
	if n < 2 {
		unknown := Interval{math.Inf(-1), math.Inf(1)}
		for i, e := range estimates {
			results[i] = Resampled{number(e), unknown, unknown}
		}
		return results
	}
	draws, left := transpose(b.draw(n, statistics)), transpose(jackknife(every, statistics))
	for i, e := range estimates {
		results[i] = b.intervals(number(e), draws[i], acceleration(left[i]))
	}
	return results
}

// draw has one row of statistics for each resample.
func (b Bootstrap) draw(n int, statistics func([]int) []float64) [][]float64 {
	random, drawn := rand.New(rand.NewPCG(b.Seed, 0)), make([]int, n)
	rows := make([][]float64, b.Resamples)
	for r := range rows {
		for i := range drawn {
			drawn[i] = random.IntN(n)
		}
		rows[r] = statistics(drawn)
	}
	return rows
}

// jackknife has one row of statistics for each question left out.
func jackknife(every []int, statistics func([]int) []float64) [][]float64 {
	rows := make([][]float64, len(every))
	for i := range every {
		rows[i] = statistics(slices.Concat(every[:i], every[i+1:]))
	}
	return rows
}

// acceleration is a sixth of the skewness of the jackknife values, 0 if they are all equal.
func acceleration(left []float64) float64 {
	mean := meanOf(left)
	var squares, cubes float64
	for _, x := range left {
		d := mean - x
		squares += d * d
		cubes += d * d * d
	}
	if squares == 0 {
		return 0
	}
	return cubes / (6 * math.Pow(squares, 1.5))
}

func (b Bootstrap) intervals(estimate float64, draws []float64, acceleration float64) Resampled {
	slices.Sort(draws)
	below, _ := slices.BinarySearch(draws, estimate)
	above, _ := slices.BinarySearch(draws, math.Nextafter(estimate, math.Inf(1)))
	n := float64(len(draws))
	share := float64(below+above) / 2 / n // equal ones count half
	bias := distuv.UnitNormal.Quantile(min(max(share, 0.5/n), 1-0.5/n))
	at := func(p float64) float64 { return gonum.Quantile(p, gonum.Empirical, draws, nil) }
	corrected := func(z float64) float64 {
		if scale := 1 - acceleration*(bias+z); scale > 0 {
			return at(distuv.UnitNormal.CDF(bias + (bias+z)/scale))
		}
		return at(math.Max(0, math.Copysign(1, bias+z))) // beyond the reach of the correction
	}
	z, tail := quantile(b.Level), (1-b.Level)/2
	return Resampled{estimate, Interval{at(tail), at(1 - tail)}, Interval{corrected(-z), corrected(z)}}
}

// transpose turns rows of statistics into one list for each statistic.
func transpose(rows [][]float64) [][]float64 {
	columns := make([][]float64, len(rows[0]))
	for i := range columns {
		columns[i] = make([]float64, len(rows))
		for r, row := range rows {
			columns[i][r] = number(row[i])
		}
	}
	return columns
}

// meanOf is the mean of at least one number.
func meanOf(x []float64) float64 {
	if len(x) == 0 {
		panic("the mean of nothing")
	}
	return number(floats.Sum(x) / float64(len(x)))
}

// number panics on what is none.
func number(x float64) float64 {
	if math.IsNaN(x) {
		panic("not a number")
	}
	return x
}
