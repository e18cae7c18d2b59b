package regression

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/internal/datatest"
)

// reference is what statsmodels and scikit-learn computed (tools/fixtures/statistics.py).
type reference struct {
	OLS []struct {
		X                  [][]float64
		Y                  []float64
		Clusters           []int
		R2, Adjusted       float64
		Classic, Clustered expected
	}
	Ridge []struct {
		X      [][]float64
		Y      []float64
		Alphas []float64
		Fits   []struct {
			Weights   []float64
			Intercept float64
		}
		ByOne       float64   `json:"by_one"`
		ErrorsByOne []float64 `json:"errors_by_one"`
	}
	Trend []struct {
		At               []float64
		Scores           [][]float64
		Intercept, Slope float64
		SlopeWithDummies float64 `json:"slope_with_dummies"`
		InterceptError   float64 `json:"intercept_error"`
		SlopeError       float64 `json:"slope_error"`
	}
}

// expected are the coefficients of a regression.
type expected struct {
	Estimate, Error, T, P []float64
	Interval              [][2]float64
}

func references(t *testing.T) (r reference) {
	t.Helper()
	data := datatest.Read(t, "testdata/reference.json")
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// agree compares numbers up to a part in 1e9 of the larger one, or 1e-9 of those below 1.
func agree(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*math.Max(1, math.Abs(want))) {
		t.Errorf("%s: %.15g, want %.15g", what, got, want)
	}
}

// named has predictors called x0, x1 and so on.
func named(rows [][]float64, outcome []float64) Data {
	d := Data{Rows: rows, Outcome: outcome}
	for j := range rows[0] {
		d.Names = append(d.Names, fmt.Sprintf("x%d", j))
	}
	return d
}

func TestOLSAgreesWithStatsmodels(t *testing.T) {
	for i, c := range references(t).OLS {
		fit, err := OLS(named(c.X, c.Y))
		if err != nil {
			t.Fatal(err)
		}
		agree(t, "R²", fit.R2, c.R2)
		agree(t, "adjusted R²", fit.Adjusted, c.Adjusted)
		var clusters []string
		for _, g := range c.Clusters {
			clusters = append(clusters, fmt.Sprint(g))
		}
		for what, errors := range map[string]struct {
			of   func() ([]Coefficient, error)
			want expected
		}{
			"classic":   {fit.Classic, c.Classic},
			"clustered": {func() ([]Coefficient, error) { return fit.Clustered(clusters) }, c.Clustered},
		} {
			list, err := errors.of()
			if err != nil {
				t.Fatal(err)
			}
			for j, got := range list {
				what := fmt.Sprintf("%d: %s %s ", i, what, got.Name)
				agree(t, what+"estimate", got.Estimate, errors.want.Estimate[j])
				agree(t, what+"error", got.Error, errors.want.Error[j])
				agree(t, what+"t", got.T, errors.want.T[j])
				agree(t, what+"p", got.P, errors.want.P[j])
				agree(t, what+"low", got.Interval.Low, errors.want.Interval[j][0])
				agree(t, what+"high", got.Interval.High, errors.want.Interval[j][1])
			}
		}
	}
}

func TestRidgeAgreesWithScikitLearn(t *testing.T) {
	for _, c := range references(t).Ridge {
		d := named(c.X, c.Y)
		for i, want := range c.Fits {
			fit, err := RidgeLeaveOneOut(d, c.Alphas[i:i+1])
			if err != nil {
				t.Fatal(err)
			}
			agree(t, "intercept", fit.Intercept, want.Intercept)
			for j, w := range fit.Weights {
				agree(t, fmt.Sprintf("alpha %g: %s", c.Alphas[i], w.Name), w.Weight, want.Weights[j])
			}
		}
		one, err := RidgeLeaveOneOut(d, c.Alphas)
		if err != nil {
			t.Fatal(err)
		}
		agree(t, "alpha by leave-one-out", one.Alpha, c.ByOne)
		for i := range c.Alphas {
			agree(t, "leave-one-out error", one.Tried[i], c.ErrorsByOne[i])
		}
	}
}

func TestTrendAgreesWithStatsmodels(t *testing.T) {
	for _, c := range references(t).Trend {
		line, err := Trend(c.At, c.Scores, nil, stat.Bounds{Low: -10, High: 10})
		if err != nil {
			t.Fatal(err)
		}
		agree(t, "slope", line.Slope.Estimate, c.Slope)
		agree(t, "slope", line.Slope.Estimate, c.SlopeWithDummies)
		agree(t, "intercept", line.Intercept.Estimate, c.Intercept)
		w, err := lineWeights(c.At)
		if err != nil {
			t.Fatal(err)
		}
		var slopes, intercepts []float64
		for _, s := range c.Scores {
			slopes, intercepts = append(slopes, floats.Dot(w.slope, s)), append(intercepts, floats.Dot(w.intercept, s))
		}
		agree(t, "slope's error", stat.Seeds(slopes, 0.95).Error, c.SlopeError)
		agree(t, "intercept's error", stat.Seeds(intercepts, 0.95).Error, c.InterceptError)
	}
}
