package regression

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// TestLogisticAgreesWithStatsmodels: coefficients, errors by cluster, predictions of held-out clusters, and areas, all
// of which another program computed (tools/fixtures/statistics.py).
func TestLogisticAgreesWithStatsmodels(t *testing.T) {
	var reference struct {
		Fits []struct {
			X          [][]float64
			Y          []float64
			Clusters   []int
			Folds      int
			Fit        expected
			Odds       []float64
			AUC        float64
			AUCRounded float64 `json:"auc_rounded"`
			Rounded    []float64
		}
	}
	data, err := os.ReadFile("testdata/logistic.json")
	if err == nil {
		err = json.Unmarshal(data, &reference)
	}
	if err != nil || len(reference.Fits) == 0 {
		t.Fatalf("the fits of statsmodels are read: got %d, %v", len(reference.Fits), err)
	}
	for i, c := range reference.Fits {
		var clusters []string
		for _, g := range c.Clusters {
			clusters = append(clusters, fmt.Sprint(g))
		}
		fit, err := Logistic(named(c.X, c.Y), clusters)
		if err != nil {
			t.Fatal(err)
		}
		for j, got := range fit.Coefficients {
			what := fmt.Sprintf("%d: %s ", i, got.Name)
			agree(t, what+"estimate", got.Estimate, c.Fit.Estimate[j])
			agree(t, what+"error", got.Error, c.Fit.Error[j])
			agree(t, what+"z", got.T, c.Fit.T[j])
			agree(t, what+"p", got.P, c.Fit.P[j])
			agree(t, what+"low", got.Interval.Low, c.Fit.Interval[j][0])
			agree(t, what+"high", got.Interval.High, c.Fit.Interval[j][1])
		}
		odds, err := LogisticFolds(named(c.X, c.Y), clusters, c.Folds)
		if err != nil {
			t.Fatal(err)
		}
		for j, got := range odds {
			agree(t, fmt.Sprintf("%d: odds of row %d", i, j), got, c.Odds[j])
		}
		area, _ := AUC(odds, c.Y)
		agree(t, "area", area, c.AUC)
		area, _ = AUC(c.Rounded, c.Y) // many of these are equal
		agree(t, "area of rounded odds", area, c.AUCRounded)
	}
}

// TestLogisticRefuses: what has no likeliest coefficients is an error that says why.
func TestLogisticRefuses(t *testing.T) {
	rows := [][]float64{{0, 1}, {1, 0}, {2, 1}, {3, 0}, {4, 1}, {5, 1}, {6, 0}, {7, 1}}
	clusters := strings.Split("a a b b c c d d", " ")
	for name, c := range map[string]struct {
		rows     [][]float64
		outcome  []float64
		clusters []string
		says     string
	}{
		"separated":   {rows, []float64{0, 0, 0, 0, 1, 1, 1, 1}, clusters, "separate the outcomes"},
		"one column":  {rows, []float64{0, 1, 0, 1, 0, 0, 1, 0}, clusters, "separate the outcomes"},
		"flat":        {rows, make([]float64, 8), clusters, "the same in every row"},
		"no outcome":  {rows, []float64{0, 0.5, 1, 0, 1, 0, 1, 0}, clusters, "0 or 1"},
		"few":         {rows[:3], []float64{0, 1, 0}, clusters[:3], "too few"},
		"one cluster": {rows, []float64{0, 1, 0, 0, 1, 0, 1, 1}, strings.Split("a a a a a a a a", " "), "two"},
		"clusters":    {rows, []float64{0, 1, 0, 0, 1, 0, 1, 1}, clusters[:3], "3 clusters for 8 rows"},
		"NaN": {[][]float64{{math.NaN(), 1}, {1, 0}, {2, 1}, {3, 0}}, []float64{0, 1, 0, 1}, clusters[:4],
			"no number"},
		"column": {[][]float64{{1, 2}, {2, 4}, {3, 6}, {4, 8}}, []float64{0, 1, 0, 1}, clusters[:4], "follows from"},
	} {
		t.Run(name, func(t *testing.T) {
			if fit, err := Logistic(named(c.rows, c.outcome), c.clusters); err == nil || !strings.Contains(err.Error(),
				c.says) {
				t.Errorf("%s: %v, %+v, want an error with %v", name, err, fit, c.says)
			}
		})
	}
	if _, err := LogisticFolds(named(rows, make([]float64, 8)), clusters, 5); err == nil {
		t.Error("four clusters in five folds")
	}
}

// TestAUC is worked by hand: of four pairs, the outcome 1 has the higher score in three and an equal one in one.
func TestAUC(t *testing.T) {
	if area, known := AUC([]float64{1, 2, 2, 3}, []float64{0, 1, 0, 1}); !known || area != 3.5/4 {
		t.Errorf("a pair of equal values counts half: want an area of 3.5/4, got %g, known %v", area, known)
	}
	if _, known := AUC([]float64{1, 2}, []float64{1, 1}); known {
		t.Error("of one outcome")
	}
}

// TestIndependent: a constant column and one that follows from others go, the rest stays in its order.
func TestIndependent(t *testing.T) {
	d := named([][]float64{{1, 5, 2, 1, 0}, {2, 5, 4, 0, 1}, {3, 5, 6, 1, 0}, {4, 5, 8, 1, 1}}, []float64{0, 1, 0, 1})
	kept, leftOut, err := d.Independent()
	if err != nil || strings.Join(kept.Names, " ") != "x0 x3 x4" || strings.Join(leftOut, " ") != "x1 x2" ||
		len(kept.Rows[0]) != 3 || kept.Rows[3][0] != 4 {
		t.Errorf("%v, %v without %v", err, kept, leftOut)
	}
}

// TestLogisticRarelySeparated: where a rare predictor is never beside a 1, its coefficient has no bound, however small
// its share of the spread.
func TestLogisticRarelySeparated(t *testing.T) {
	d := Data{Names: []string{"x", "rare"}}
	var clusters []string
	for i := range 300 {
		rare := 0.0
		if i%100 == 0 {
			rare = 1
		}
		d.Rows = append(d.Rows, []float64{float64(i % 7), rare})
		d.Outcome = append(d.Outcome, float64(i%2)*(1-rare))
		clusters = append(clusters, fmt.Sprint(i/3))
	}
	if fit, err := Logistic(d, clusters); err == nil || !strings.Contains(err.Error(), "separate the outcomes") {
		t.Errorf(`%v, %+v, want an error with "separate the outcomes"`, err, fit)
	}
	d.Outcome[0] = 1
	if fit, err := Logistic(d, clusters); err != nil || math.Abs(fit.Coefficients[2].Estimate) > 2 {
		t.Errorf("what is almost separated has a coefficient within 2 of 0: got %+v, %v", fit, err)
	}
}
