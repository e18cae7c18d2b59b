package regression

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/parley-debate/parley/bench/stat"
)

// Coefficient is what one predictor adds to the outcome, all others held, in units of the outcome for each unit of the
// predictor.
type Coefficient struct {
	Name     string        `json:"name"`
	Estimate float64       `json:"estimate"`
	Error    float64       `json:"error"` // standard error
	T        float64       `json:"t"`     // estimate divided by its error
	P        float64       `json:"p"`     // two-sided, that the coefficient is 0
	Interval stat.Interval `json:"interval"`
}

// Stars mark p below 0.05, 0.01 and 0.001 by one, two and three stars.
func (c Coefficient) Stars() string {
	switch {
	case c.P < 0.001:
		return "***"
	case c.P < 0.01:
		return "**"
	case c.P < 0.05:
		return "*"
	}
	return ""
}

// Fit is a line that was fitted by least squares, with an intercept. Its standard errors come from Classic or
// Clustered.
type Fit struct {
	N, Columns   int     // observations; coefficients, the intercept included
	R2, Adjusted float64 // share of the outcome's variance that the line explains; the same, less what chance explains

	names     []string
	estimates []float64
	inverse   [][]float64 // row j: what each observation's outcome adds to coefficient j
	residuals []float64
}

// OLS fits the outcome by ordinary least squares to the predictors and an intercept, which is called const and comes
// first. It is what the tables 4 and 5 of a controlled study of debate need (Wu, Li and Li, arXiv 2511.07784). It fails
// where a column follows from others, where there are no more rows than coefficients, where the outcome is the same
// everywhere, and where the line fits exactly, so that there are no errors to learn from.
func OLS(d Data) (*Fit, error) {
	predictors, err := d.columns()
	if err != nil {
		return nil, err
	}
	n, k := len(d.Rows), len(d.Names)+1
	if n <= k {
		return nil, fmt.Errorf("%d rows are too few for %d coefficients with the intercept: at least %d are needed",
			n, k, k+1)
	}
	ones := make([]float64, n)
	floats.AddConst(1, ones)
	columns, names := append([][]float64{ones}, predictors...), append([]string{Constant}, d.Names...)
	f, err := factorize(columns, names)
	if err != nil {
		return nil, err
	}
	_, total := meanAndSquares(d.Outcome)
	if !varies(d.Outcome, total) {
		return nil, errFlatOutcome
	}
	fit := &Fit{N: n, Columns: k, names: names, inverse: f.inverse(), residuals: append([]float64(nil), d.Outcome...)}
	for _, q := range f.q {
		floats.AddScaled(fit.residuals, -floats.Dot(q, fit.residuals), q)
	}
	for _, row := range fit.inverse {
		fit.estimates = append(fit.estimates, floats.Dot(row, d.Outcome))
	}
	if floats.Norm(fit.residuals, 2) <= flat*floats.Norm(d.Outcome, 2) {
		return nil, fmt.Errorf("the columns %v determine the outcome exactly: there are no errors to learn from", names)
	}
	missed := floats.Dot(fit.residuals, fit.residuals) / total
	fit.R2 = 1 - missed
	fit.Adjusted = 1 - missed*float64(n-1)/float64(n-k)
	return fit, nil
}

// Classic has the standard errors that hold if errors are independent and spread alike, and p of t with N - Columns
// degrees of freedom.
func (f *Fit) Classic() ([]Coefficient, error) {
	degrees := float64(f.N - f.Columns)
	variance := floats.Dot(f.residuals, f.residuals) / degrees
	return f.coefficients(degrees, func(row []float64) float64 { return variance * floats.Dot(row, row) })
}

// Clustered has standard errors that hold if only errors of different clusters are independent, such as those of
// different questions (Liang and Zeger, Biometrika 73, 1986, 13-22; the correction for few clusters G/(G-1) ·
// (N-1)/(N-Columns) of Stata and statsmodels), and p of t with G - 1 degrees of freedom. clusters[i] is that of row i.
// With few clusters these errors are too small: of intervals from 30 whose predictor varies between them, 92 % hold.
func (f *Fit) Clustered(clusters []string) ([]Coefficient, error) {
	if len(clusters) != f.N {
		return nil, fmt.Errorf("%d clusters for %d rows", len(clusters), f.N)
	}
	number := make(map[string]int)
	for _, c := range clusters {
		if _, seen := number[c]; !seen {
			number[c] = len(number)
		}
	}
	g := len(number)
	if g < 2 {
		return nil, fmt.Errorf("all %d rows are of one cluster: standard errors by cluster need two", f.N)
	}
	correction := float64(g) / float64(g-1) * float64(f.N-1) / float64(f.N-f.Columns)
	return f.coefficients(float64(g-1), func(row []float64) float64 {
		sums := make([]float64, g)
		for i, r := range f.residuals {
			sums[number[clusters[i]]] += row[i] * r
		}
		return floats.Dot(sums, sums) * correction
	})
}

// level is the confidence of intervals.
const level = 0.95

// coefficients tests each estimate, given the variance of it from its row of the inverse.
func (f *Fit) coefficients(degrees float64, variance func(row []float64) float64) (list []Coefficient, err error) {
	t := distuv.StudentsT{Sigma: 1, Nu: degrees}
	reach := t.Quantile(1 - (1-level)/2)
	for j, estimate := range f.estimates {
		row := f.inverse[j]
		e := math.Sqrt(variance(row))
		if !(e > flat*floats.Norm(row, 2)*floats.Norm(f.residuals, 2)) || !usable(e) || !usable(estimate) {
			return nil, fmt.Errorf("column %s: no standard error can be computed for %g, as its errors cancel in each "+
				"cluster or its numbers are too large or small", f.names[j], estimate)
		}
		c := Coefficient{Name: f.names[j], Estimate: estimate, Error: e, T: estimate / e}
		c.P = 2 * t.Survival(math.Abs(c.T))
		c.Interval = stat.Interval{Low: estimate - reach*e, High: estimate + reach*e}
		list = append(list, c)
	}
	return list, nil
}
