// Package regression fits tables of numbers: least squares with three kinds of standard errors, ridge regression, and
// the trend of scores along a setting such as the number of agents.
//
// The tables come from users' data. What cannot be fitted, such as columns that determine each other, is an error that
// names the column; no result has a NaN or an infinite number. Nothing here draws random numbers.
package regression

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"
)

// Data has a row for each observation.
type Data struct {
	Names   []string    // of the predictors
	Rows    [][]float64 // the predictors of each observation, in the order of the names
	Outcome []float64   // of each observation
}

// Constant names the intercept among the coefficients.
const Constant = "const"

// largest is the size up to which squares and their sums stay finite.
const largest = 1e100

// columns checks the data and returns the predictors column by column.
func (d Data) columns() ([][]float64, error) {
	if len(d.Rows) != len(d.Outcome) {
		return nil, fmt.Errorf("%d rows of predictors for %d outcomes", len(d.Rows), len(d.Outcome))
	}
	columns := make([][]float64, len(d.Names))
	for j := range columns {
		columns[j] = make([]float64, len(d.Rows))
	}
	for i, row := range d.Rows {
		if len(row) != len(d.Names) {
			return nil, fmt.Errorf("row %d has %d predictors, %d are named", i+1, len(row), len(d.Names))
		}
		for j, x := range row {
			if columns[j][i] = x; !usable(x) {
				return nil, fmt.Errorf("row %d, column %s: %g is no number that can be fitted", i+1, d.Names[j], x)
			}
		}
	}
	for i, y := range d.Outcome {
		if !usable(y) {
			return nil, fmt.Errorf("row %d: the outcome %g is no number that can be fitted", i+1, y)
		}
	}
	return columns, nil
}

func usable(x float64) bool { return math.Abs(x) <= largest } // false of NaN

// collinear is how short a column of length 1 may become when what the columns before it explain is taken away.
const collinear = 1e-10

// factors are Q and R of a table X = QR, both by column: the columns of Q are orthonormal, column j of R has j+1
// entries that are not 0.
type factors struct{ q, r [][]float64 }

// factorize orthogonalizes the columns one after the other, each twice against those before it, which is accurate to
// rounding (Björck, Linear Algebra and its Applications 197, 1994, 297-316). An error names the first column that is a
// linear combination of those before it.
func factorize(columns [][]float64, names []string) (f factors, err error) {
	for j, column := range columns {
		length := floats.Norm(column, 2)
		q, r := make([]float64, len(column)), make([]float64, j+1)
		if length > 0 {
			floats.ScaleTo(q, 1/length, column)
		}
		for range 2 {
			for i, before := range f.q {
				shared := floats.Dot(before, q)
				floats.AddScaled(q, -shared, before)
				r[i] += shared
			}
		}
		rest := floats.Norm(q, 2)
		if rest < collinear {
			return factors{}, dependent(names, j)
		}
		floats.Scale(1/rest, q)
		r[j] = rest
		floats.Scale(length, r)
		f.q, f.r = append(f.q, q), append(f.r, r)
	}
	return f, nil
}

func dependent(names []string, j int) error {
	if j == 0 {
		return fmt.Errorf("column %s is 0 in every row: leave it out", names[j])
	}
	return fmt.Errorf("column %s follows from the columns before it (%s): leave one of them out", names[j],
		strings.Join(names[:j], ", "))
}

// inverse is the pseudoinverse of X, a row for each column of X: its product with the outcome is the least squares
// solution.
func (f factors) inverse() [][]float64 {
	rows := make([][]float64, len(f.q))
	for j := len(rows) - 1; j >= 0; j-- {
		rows[j] = append([]float64(nil), f.q[j]...)
		for i := j + 1; i < len(rows); i++ {
			floats.AddScaled(rows[j], -f.r[i][j], rows[i])
		}
		floats.Scale(1/f.r[j][j], rows[j])
	}
	return rows
}

// meanAndSquares are the mean of some numbers and the sum of squares of what they differ from it.
func meanAndSquares(x []float64) (mean, squares float64) {
	mean = floats.Sum(x) / float64(len(x))
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	return mean, squares
}

// flat is the share of a column's length below which its spread is rounding.
const flat = 1e-12

// varies reports whether numbers differ by more than rounding.
func varies(x []float64, squares float64) bool { return math.Sqrt(squares) > flat*floats.Norm(x, 2) }

var errFlatOutcome = errors.New("the outcome is the same in every row: there is nothing to explain")
