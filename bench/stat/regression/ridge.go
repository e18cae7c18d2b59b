package regression

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Weight is the share of a predictor in a ridge regression: what one standard deviation of it adds to the outcome.
type Weight struct {
	Name   string  `json:"name"`
	Weight float64 `json:"weight"`
}

// RidgeFit is a ridge regression on standardized predictors.
type RidgeFit struct {
	Alpha     float64  `json:"alpha"`
	Intercept float64  `json:"intercept"` // the mean outcome, since standardized predictors have mean 0
	Weights   []Weight `json:"weights"`   // in the order of the predictors

	// Tried has the mean squared error of each alpha that there was to choose from.
	Tried []float64 `json:"tried,omitempty"`
}

// RidgeLeaveOneOut finds the weights w and the intercept b that minimize |y - b - Zw|² + alpha·|w|² (Hoerl and Kennard,
// Technometrics 12, 1970, 55-67), as figure 5 of a controlled study of debate does (Wu, Li and Li, arXiv 2511.07784). Z
// are the predictors less their means, divided by their standard deviations (of n, not n-1). The sum of squares is not
// divided by the number of rows and the intercept is not penalized, so that alpha means what it does in scikit-learn's
// Ridge after its StandardScaler. A predictor that is the same everywhere is an error.
//
// Of the alphas it takes the one of least mean squared error if each row in turn is predicted from all others
// (scikit-learn's RidgeCV without cv; the formula is that of Allen's PRESS, Technometrics 16, 1974, 125-127, not the
// approximation of Golub, Heath and Wahba). Means and deviations of predictors are of all rows. Of alphas that do
// equally well the first is taken.
func RidgeLeaveOneOut(d Data, alphas []float64) (RidgeFit, error) {
	t, err := standardize(d, alphas)
	if err != nil {
		return RidgeFit{}, err
	}
	best, tried := 0, make([]float64, len(alphas))
	for i, alpha := range alphas {
		tried[i] = t.leaveOneOut(alpha)
		if math.IsNaN(tried[i]) || math.IsInf(tried[i], 0) {
			return RidgeFit{}, fmt.Errorf("alpha %g predicts no row from the others: it is too small for %d rows of "+
				"%d predictors, or the outcomes are too large", alpha, len(t.outcome), len(t.columns))
		}
		if tried[i] < tried[best] {
			best = i
		}
	}
	fit := t.fit(alphas[best])
	fit.Tried = tried
	return fit, nil
}

// leastAlpha still tells columns apart that follow from each other.
const leastAlpha = 1e-9

// standard is data with standardized predictors.
type standard struct {
	names   []string
	columns [][]float64
	outcome []float64
}

// standardize checks the data and the alphas.
func standardize(d Data, alphas []float64) (standard, error) {
	columns, err := d.columns()
	switch {
	case err != nil:
		return standard{}, err
	case len(d.Rows) < 2 || len(columns) == 0:
		return standard{}, fmt.Errorf("%d rows of %d predictors: a ridge regression needs two rows and a predictor",
			len(d.Rows), len(columns))
	case len(alphas) == 0:
		return standard{}, errors.New("no alpha to choose from")
	}
	for _, a := range alphas {
		if !(a >= leastAlpha) || !usable(a) {
			return standard{}, fmt.Errorf("alpha %g: it must be at least %g", a, leastAlpha)
		}
	}
	for j, column := range columns {
		mean, squares := meanAndSquares(column)
		if !varies(column, squares) {
			return standard{}, fmt.Errorf("column %s is the same in every row: leave it out", d.Names[j])
		}
		floats.AddConst(-mean, column)
		floats.Scale(1/math.Sqrt(squares/float64(len(column))), column)
	}
	if _, squares := meanAndSquares(d.Outcome); !varies(d.Outcome, squares) {
		return standard{}, errFlatOutcome
	}
	return standard{d.Names, columns, d.Outcome}, nil
}

func (t standard) fit(alpha float64) RidgeFit {
	solution := t.solve(alpha)
	fit := RidgeFit{Alpha: alpha, Intercept: solution.intercept}
	for j, w := range solution.weights {
		fit.Weights = append(fit.Weights, Weight{t.names[j], w})
	}
	return fit
}

// solution is a ridge regression of some rows. Leverage says how far each outcome moves its own prediction.
type solution struct {
	intercept         float64
	weights, leverage []float64
}

// solve is ordinary least squares, once predictors and outcome are centred and a row that has √alpha for one predictor
// and 0 for the others is added for each predictor. Then no column follows from others.
func (t standard) solve(alpha float64) solution {
	n, k := len(t.outcome), len(t.columns)
	centred, means := make([][]float64, k), make([]float64, k)
	for j, column := range t.columns {
		means[j], _ = meanAndSquares(column)
		centred[j] = append(append([]float64(nil), column...), make([]float64, k)...)
		floats.AddConst(-means[j], centred[j][:n])
		centred[j][n+j] = math.Sqrt(alpha)
	}
	f, err := factorize(centred, t.names)
	if err != nil {
		panic("ridge regression: " + err.Error())
	}
	s := solution{leverage: make([]float64, n)}
	s.intercept, _ = meanAndSquares(t.outcome)
	outcome := append([]float64(nil), t.outcome...)
	floats.AddConst(-s.intercept, outcome)
	for _, row := range f.inverse() {
		s.weights = append(s.weights, floats.Dot(row[:n], outcome))
	}
	s.intercept -= floats.Dot(s.weights, means)
	for i := range s.leverage {
		s.leverage[i] = 1 / float64(n)
		for _, q := range f.q {
			s.leverage[i] += q[i] * q[i]
		}
	}
	return s
}

// predict is what the solution makes of row i of a table.
func (s solution) predict(t standard, i int) float64 {
	sum := s.intercept
	for j, w := range s.weights {
		sum += w * t.columns[j][i]
	}
	return sum
}

// leaveOneOut is the mean squared error of rows that were predicted from all others.
func (t standard) leaveOneOut(alpha float64) float64 {
	s, sum := t.solve(alpha), 0.0
	for i, y := range t.outcome {
		missed := (y - s.predict(t, i)) / (1 - s.leverage[i])
		sum += missed * missed
	}
	return sum / float64(len(t.outcome))
}
