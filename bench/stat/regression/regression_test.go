package regression

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-debate/parley/bench/stat"
)

// TestCannotBeFitted: what is wrong with a table is said with the name of the column or the number of the row.
func TestCannotBeFitted(t *testing.T) {
	good := Data{[]string{"agents", "rounds"}, [][]float64{{1, 2}, {2, 1}, {3, 5}, {4, 2}, {5, 9}},
		[]float64{1, 0, 1, 1, 0}}
	change := func(f func(d *Data)) Data {
		d := Data{append([]string(nil), good.Names...), nil, append([]float64(nil), good.Outcome...)}
		for _, row := range good.Rows {
			d.Rows = append(d.Rows, append([]float64(nil), row...))
		}
		f(&d)
		return d
	}
	column := func(value func(row []float64) float64) Data {
		return change(func(d *Data) {
			for _, row := range d.Rows {
				row[1] = value(row)
			}
		})
	}
	ols := func(d Data) error { _, err := OLS(d); return err }
	ridge := func(d Data) error { _, err := RidgeLeaveOneOut(d, []float64{1}); return err }
	alphas := func(list ...float64) func(Data) error {
		return func(d Data) error { _, err := RidgeLeaveOneOut(d, list); return err }
	}
	for want, c := range map[string]struct {
		fit func(Data) error
		of  Data
	}{
		"column rounds follows from the columns before it (const, agents)": {ols,
			column(func(row []float64) float64 { return 3*row[0] - 2 })},
		"column rounds follows from": {ols, column(func([]float64) float64 { return 7 })},
		"row 2, column rounds: NaN":  {ols, change(func(d *Data) { d.Rows[1][1] = math.NaN() })},
		"row 3, column agents: +Inf": {ridge, change(func(d *Data) { d.Rows[2][0] = math.Inf(1) })},
		"row 5: the outcome NaN":     {ols, change(func(d *Data) { d.Outcome[4] = math.NaN() })},
		"row 4 has 1 predictors":     {ols, change(func(d *Data) { d.Rows[3] = d.Rows[3][:1] })},
		"5 rows of predictors for 4": {ridge, change(func(d *Data) { d.Outcome = d.Outcome[:4] })},
		"3 rows are too few for 3 coefficients": {ols, change(func(d *Data) {
			d.Rows, d.Outcome = d.Rows[:3], d.Outcome[:3]
		})},
		"0 rows are too few": {ols, Data{}},
		"0 rows of 0":        {ridge, Data{}},
		"the outcome is the same": {ols, change(func(d *Data) {
			d.Outcome = []float64{0.1, 0.1, 0.1, 0.1, 0.1}
		})},
		"there is nothing to explain": {ridge, change(func(d *Data) { d.Outcome = make([]float64, 5) })},
		"determine the outcome exactly": {ols, change(func(d *Data) {
			for i, row := range d.Rows {
				d.Outcome[i] = 2*row[0] - row[1] + 0.3
			}
		})},
		"column rounds is the same in every row": {ridge, column(func([]float64) float64 { return 1e7 })},
		"alpha 0":                                {alphas(0), good},
		"alpha NaN":                              {alphas(math.NaN()), good},
		"alpha 1e-30":                            {alphas(1e-30), good},
		"no alpha":                               {alphas(), good},
		"one cluster": {func(d Data) error {
			fit, err := OLS(d)
			if err != nil {
				return err
			}
			_, err = fit.Clustered(make([]string, 5))
			return err
		}, good},
		"4 clusters for 5 rows": {func(d Data) error {
			fit, err := OLS(d)
			if err != nil {
				return err
			}
			_, err = fit.Clustered(make([]string, 4))
			return err
		}, good},
	} {
		t.Run(want, func(t *testing.T) {
			if err := c.fit(c.of); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("what cannot be fitted is refused with %q: got %v", want, err)
			}
		})
	}
	if err := ols(good); err != nil {
		t.Error(err)
	}
}

// TestResultsAreFinite: numbers that cannot be fitted are errors, and no result has a number that JSON cannot write.
func TestResultsAreFinite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(1, 12).Draw(t, "rows"), rapid.IntRange(1, 3).Draw(t, "columns")
		number := rapid.OneOf(rapid.Float64Range(-3, 3), rapid.Map(rapid.IntRange(-2, 2), func(i int) float64 {
			return float64(i)
		}), rapid.SampledFrom([]float64{1e99, -1e-200, 1e-9}))
		d := Data{Outcome: rapid.SliceOfN(number, n, n).Draw(t, "outcome")}
		var clusters []string
		for j := range k {
			d.Names = append(d.Names, fmt.Sprint("x", j))
		}
		for range n {
			d.Rows = append(d.Rows, rapid.SliceOfN(number, k, k).Draw(t, "row"))
			clusters = append(clusters, rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "cluster"))
		}
		results(t, d, clusters)
	})
}

// results has every number that can be computed, each of which JSON can write.
func results(t *rapid.T, d Data, clusters []string) {
	finite := func(value any, err error) {
		if err != nil {
			return
		}
		if _, err := json.Marshal(value); err != nil {
			t.Errorf("every result can be written as JSON: got %v of %+v", err, value)
		}
	}
	if fit, err := OLS(d); err == nil {
		list, err := fit.Classic()
		finite(list, err)
		list, err = fit.Clustered(clusters)
		finite(list, err)
		finite([]float64{fit.R2, fit.Adjusted}, nil)
	}
	ridge, err := RidgeLeaveOneOut(d, []float64{leastAlpha, 1, 1e3})
	finite(ridge, err)
}

// TestOLSOfShuffledAndScaledRows: rows may come in any order, and a predictor in another unit changes its own
// coefficient alone.
func TestOLSOfShuffledAndScaledRows(t *testing.T) {
	c := references(t).OLS[0]
	random := rand.New(rand.NewPCG(1, 2))
	first, err := OLS(named(c.X, c.Y))
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]float64
	var outcome []float64
	var clusters, shuffled []string
	for _, g := range c.Clusters {
		clusters = append(clusters, fmt.Sprint(g))
	}
	const inOtherUnits = 1e6
	for _, i := range random.Perm(len(c.X)) {
		row := append([]float64(nil), c.X[i]...)
		row[0] *= inOtherUnits
		rows, outcome, shuffled = append(rows, row), append(outcome, c.Y[i]), append(shuffled, clusters[i])
	}
	second, err := OLS(named(rows, outcome))
	if err != nil {
		t.Fatal(err)
	}
	want, err := first.Clustered(clusters)
	if err != nil {
		t.Fatal(err)
	}
	got, err := second.Clustered(shuffled)
	if err != nil {
		t.Fatal(err)
	}
	for j := range got {
		scale := 1.0
		if j == 1 {
			scale = inOtherUnits
		}
		agree(t, got[j].Name, got[j].Estimate*scale, want[j].Estimate)
		agree(t, got[j].Name, got[j].Error*scale, want[j].Error)
		agree(t, got[j].Name, got[j].P, want[j].P)
	}
}

// TestStars: a coefficient has three, two, one or no stars below 0.001, 0.01 and 0.05.
func TestStars(t *testing.T) {
	for p, want := range map[float64]string{0.0009: "***", 0.001: "**", 0.01: "*", 0.05: "", 1: ""} {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			if got := (Coefficient{P: p}).Stars(); got != want {
				t.Errorf("p %g: %q, want %q", p, got, want)
			}
		})
	}
}

// TestIntervalsHold: of data whose errors share a part in each cluster, 92 % of the intervals by cluster hold the true
// coefficient, as Clustered says, and far fewer of the classic ones; of trends of questions with lines of their own,
// 95 % or more.
func TestIntervalsHold(t *testing.T) {
	const samples = 2000
	random := rand.New(rand.NewPCG(7, 7))
	var clustered, classic, trends int
	holds := func(i stat.Interval, truth float64) int {
		if i.Low <= truth && truth <= i.High {
			return 1
		}
		return 0
	}
	for range samples {
		var d Data
		d.Names = []string{"x"}
		var clusters []string
		for g := range 30 {
			x, shared := random.NormFloat64(), random.NormFloat64()
			for range 5 {
				d.Rows = append(d.Rows, []float64{x + 0.1*random.NormFloat64()})
				d.Outcome = append(d.Outcome, 0.5*x+shared+random.NormFloat64())
				clusters = append(clusters, fmt.Sprint(g))
			}
		}
		fit, err := OLS(d)
		if err != nil {
			t.Fatal(err)
		}
		list, err := fit.Clustered(clusters)
		if err != nil {
			t.Fatal(err)
		}
		clustered += holds(list[1].Interval, 0.5)
		if list, err = fit.Classic(); err != nil {
			t.Fatal(err)
		}
		classic += holds(list[1].Interval, 0.5)

		scores := make([][]float64, 15)
		for i := range scores {
			level, slope := 0.3+0.2*random.Float64(), 0.02+0.04*random.Float64()
			for x := range 4 {
				scores[i] = append(scores[i], level+slope*float64(x)+0.1*(random.Float64()-0.5))
			}
		}
		line, err := Trend([]float64{0, 1, 2, 3}, scores, nil, stat.Bounds{Low: 0, High: 1})
		if err != nil {
			t.Fatal(err)
		}
		trends += holds(line.Slope.Interval, 0.04)
	}
	t.Logf("of %d: %d clustered, %d classic, %d trends", samples, clustered, classic, trends)
	// three times their spread of 0.6 % from 92.3 %
	if clustered < 1810 || clustered > 1882 || classic > 1650 || trends < 1880 {
		t.Errorf("of %d intervals 1810 to 1882 clustered hold the truth, at most 1650 classic and 1880 of trends "+
			"or more: got %d, %d and %d", samples, clustered, classic, trends)
	}
}

// TestSteadyTrend: where answers at one value are the same in all of 20 repeats of a question, at the other they are
// not, and both are right as often, the interval of the slope holds 0; that of t leaves it out in half of all samples.
func TestSteadyTrend(t *testing.T) {
	random, held, byT := rand.New(rand.NewPCG(8, 2)), 0, 0
	const samples, mean, repeats = 200, 0.95, 20
	for range samples {
		var slopes []float64
		scores := make([][]float64, 12)
		for i := range scores {
			steady, rough := 0.0, 0
			if random.Float64() < mean {
				steady = 1
			}
			for range repeats {
				if random.Float64() < mean {
					rough++
				}
			}
			scores[i] = []float64{steady, float64(rough) / repeats}
			slopes = append(slopes, scores[i][1]-steady)
		}
		line, err := Trend([]float64{1, 2}, scores, nil, stat.Bounds{Low: 0, High: 1})
		if err != nil {
			t.Fatal(err)
		}
		if i := line.Slope.Interval; i.Low <= 0 && 0 <= i.High {
			held++
		}
		if i := stat.Seeds(slopes, 0.95).Interval; i.Low <= 0 && 0 <= i.High {
			byT++
		}
	}
	if held < 185 || byT > 140 {
		t.Errorf("of %d, %d hold 0, and %d by t; want at least 185 and at most 140", samples, held, byT)
	}
}

// TestTrend: a trend is the mean of the slopes of questions, each of which has one score at every value.
func TestTrend(t *testing.T) {
	share := stat.Bounds{Low: 0, High: 1}
	line, err := Trend([]float64{2, 4}, [][]float64{{0.5, 0.6}, {0.5, 0.6}, {0.5, 0.6}}, nil, share)
	if err != nil {
		t.Fatal(err)
	}
	agree(t, "slope", line.Slope.Estimate, 0.05)
	agree(t, "intercept", line.Intercept.Estimate, 0.4)
	// questions that are all alike leave room for others, up to lines from 0 to 1 and from 1 to 0
	if i := line.Slope.Interval; i.Low >= 0 || i.Low < -0.5 || i.High <= 0.05 || i.High > 0.5 {
		t.Errorf("the trend's interval has 0 in it and is no wider than from -0.5 to 0.5: got %+v", line)
	}
	for want, c := range map[string]struct {
		at     []float64
		scores [][]float64
	}{
		"two values":         {[]float64{1}, [][]float64{{1}, {0}}},
		"all are at 3":       {[]float64{3, 3}, [][]float64{{1, 0}, {0, 1}}},
		"along NaN":          {[]float64{3, math.NaN()}, [][]float64{{1, 0}, {0, 1}}},
		"two are needed":     {[]float64{1, 2}, [][]float64{{1, 0}}},
		"question 2 has 1":   {[]float64{1, 2}, [][]float64{{1, 0}, {1}}},
		"the score 1.5 at 2": {[]float64{1, 2}, [][]float64{{1, 1.5}, {1, 0}}},
		"the score NaN":      {[]float64{1, 2}, [][]float64{{1, 0}, {math.NaN(), 0}}},
	} {
		t.Run(want, func(t *testing.T) {
			if _, err := Trend(c.at, c.scores, nil, share); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("a trend that cannot be is refused with %q: got %v", want, err)
			}
		})
	}
}
