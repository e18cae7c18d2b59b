package regression

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/parley-debate/parley/bench/stat"
)

// LogisticFit is a logistic regression with an intercept, by maximum likelihood.
type LogisticFit struct {
	N            int
	Coefficients []Coefficient // the intercept first; T is z, and p and interval are of the normal distribution
}

// Logistic fits the log-odds that the outcome, 0 or 1 in each row, is 1. Standard errors hold if only errors of
// different clusters are independent (the sandwich of Liang and Zeger, with the correction G/(G-1) · (N-1)/(N-Columns)
// of statsmodels); clusters[i] is that of row i. It fails where a column follows from others, and where the columns
// separate the outcomes, so that no coefficients are the likeliest.
func Logistic(d Data, clusters []string) (LogisticFit, error) {
	m, err := newLogistic(d)
	if err != nil {
		return LogisticFit{}, err
	}
	estimate, err := m.fit()
	if err != nil {
		return LogisticFit{}, err
	}
	return m.clusteredFit(estimate, clusters)
}

// logistic is a regression whose predictors are standardized, so that it is well conditioned.
type logistic struct {
	names        []string    // the intercept first
	rows         [][]float64 // with a 1 first
	outcome      []float64
	means, sizes []float64 // of each predictor: its mean and standard deviation
}

func newLogistic(d Data) (*logistic, error) {
	columns, err := d.columns()
	if err != nil {
		return nil, err
	}
	n := len(d.Rows)
	if slices.ContainsFunc(d.Outcome, func(y float64) bool { return y != 0 && y != 1 }) {
		return nil, errors.New("the outcome of a logistic regression is 0 or 1")
	}
	if events := floats.Sum(d.Outcome); n == 0 || events == 0 || events == float64(n) {
		return nil, errFlatOutcome
	}
	if n <= len(d.Names)+1 {
		return nil, fmt.Errorf("%d rows are too few for %d coefficients with the intercept", n, len(d.Names)+1)
	}
	m := &logistic{names: append([]string{Constant}, d.Names...), outcome: d.Outcome, rows: make([][]float64, n)}
	ones := make([]float64, n)
	floats.AddConst(1, ones)
	if _, err := factorize(append([][]float64{ones}, columns...), m.names); err != nil {
		return nil, err
	}
	for i := range m.rows {
		m.rows[i] = []float64{1}
	}
	for _, column := range columns {
		mean, squares := meanAndSquares(column)
		size := math.Sqrt(squares / float64(n))
		m.means, m.sizes = append(m.means, mean), append(m.sizes, size)
		for i, x := range column {
			m.rows[i] = append(m.rows[i], (x-mean)/size)
		}
	}
	return m, nil
}

// chance is the chance of a 1 at these log-odds.
func chance(odds float64) float64 { return 1 / (1 + math.Exp(-odds)) }

// loss is the negative log-likelihood of a row, mean over rows.
func (m *logistic) loss(beta []float64) float64 {
	sum := 0.0
	for i, row := range m.rows {
		odds := floats.Dot(row, beta)
		// log(1 + e^odds) - y odds, without overflow
		sum += math.Max(odds, 0) + math.Log1p(math.Exp(-math.Abs(odds))) - m.outcome[i]*odds
	}
	return sum / float64(len(m.rows))
}

func (m *logistic) gradient(grad, beta []float64) {
	for j := range grad {
		grad[j] = 0
	}
	for i, row := range m.rows {
		floats.AddScaled(grad, (chance(floats.Dot(row, beta))-m.outcome[i])/float64(len(m.rows)), row)
	}
}

func (m *logistic) hessian(hess *mat.SymDense, beta []float64) {
	hess.Zero()
	for _, row := range m.rows {
		p := chance(floats.Dot(row, beta))
		hess.SymRankOne(hess, p*(1-p)/float64(len(m.rows)), mat.NewVecDense(len(row), row))
	}
}

// settled is how long the last step of a fit may be. Where the columns separate the outcomes, the loss has no minimum,
// and each step adds about 1 to some log-odds.
const settled = 1e-6

// fit minimizes the loss by Newton's method. Its line search cannot see differences of the loss below rounding, so that
// the last digits come from steps of full length, which are certain so near to the minimum.
func (m *logistic) fit() ([]float64, error) {
	r, err := optimize.Minimize(optimize.Problem{Func: m.loss, Grad: m.gradient, Hess: m.hessian},
		make([]float64, len(m.names)), &optimize.Settings{GradientThreshold: 1e-7, MajorIterations: 100,
			Converger: optimize.NeverTerminate{}}, &optimize.Newton{})
	if err != nil || r.Status != optimize.GradientThreshold {
		return nil, fmt.Errorf("logistic regression on %v did not converge: %w", m.names[1:], cmp.Or(err, errLimit))
	}
	k := len(r.X)
	grad, hess, step := make([]float64, k), mat.NewSymDense(k, nil), mat.NewVecDense(k, nil)
	for range 3 {
		m.gradient(grad, r.X)
		m.hessian(hess, r.X)
		var chol mat.Cholesky
		if !chol.Factorize(hess) {
			return nil, fmt.Errorf("the columns %v leave the likelihood flat", m.names[1:])
		}
		if err := chol.SolveVecTo(step, mat.NewVecDense(k, grad)); err != nil {
			return nil, fmt.Errorf("logistic regression on %v: %w", m.names[1:], err)
		}
		floats.Sub(r.X, step.RawVector().Data)
	}
	if floats.Norm(step.RawVector().Data, math.Inf(1)) > settled {
		return nil, fmt.Errorf("the columns %v separate the outcomes: no coefficients are the likeliest", m.names[1:])
	}
	return r.X, nil
}

var errLimit = errors.New("100 steps did not suffice")

// clusteredFit has the coefficients of the predictors as they are given, with errors by cluster.
func (m *logistic) clusteredFit(beta []float64, clusters []string) (f LogisticFit, err error) {
	n, k := len(m.rows), len(beta)
	if len(clusters) != n {
		return f, fmt.Errorf("%d clusters for %d rows", len(clusters), n)
	}
	hess := mat.NewSymDense(k, nil)
	m.hessian(hess, beta)
	var chol mat.Cholesky
	if !chol.Factorize(hess) {
		return f, fmt.Errorf("the columns %v leave the likelihood flat", m.names[1:])
	}
	var inverse mat.SymDense
	if err := chol.InverseTo(&inverse); err != nil {
		return f, err
	}
	scores := make(map[string][]float64)
	var order []string // sums depend on it in their last bits
	for i, row := range m.rows {
		if scores[clusters[i]] == nil {
			scores[clusters[i]] = make([]float64, k)
			order = append(order, clusters[i])
		}
		floats.AddScaled(scores[clusters[i]], (m.outcome[i]-chance(floats.Dot(row, beta)))/float64(n), row)
	}
	g := len(order)
	if g < 2 {
		return f, fmt.Errorf("all %d rows are of one cluster: standard errors by cluster need two", n)
	}
	middle := mat.NewSymDense(k, nil)
	for _, c := range order {
		middle.SymRankOne(middle, float64(g)/float64(g-1)*float64(n-1)/float64(n-k), mat.NewVecDense(k, scores[c]))
	}
	var half, covariance mat.Dense
	half.Mul(&inverse, middle)
	covariance.Mul(&half, &inverse)
	return m.inUnits(beta, &covariance)
}

// inUnits returns to the units of the predictors.
func (m *logistic) inUnits(beta []float64, covariance *mat.Dense) (LogisticFit, error) {
	k := len(beta)
	back := mat.NewDense(k, k, nil) // from standardized coefficients to those of the data
	back.Set(0, 0, 1)
	for j, size := range m.sizes {
		back.Set(j+1, j+1, 1/size)
		back.Set(0, j+1, -m.means[j]/size)
	}
	var estimates mat.VecDense
	var half, all mat.Dense
	estimates.MulVec(back, mat.NewVecDense(k, beta))
	half.Mul(back, covariance)
	all.Mul(&half, back.T())
	f := LogisticFit{N: len(m.rows)}
	reach := distuv.UnitNormal.Quantile(1 - (1-level)/2)
	for j, name := range m.names {
		c := Coefficient{Name: name, Estimate: estimates.AtVec(j), Error: math.Sqrt(all.At(j, j))}
		if !(c.Error > 0) || !usable(c.Error) {
			return f, fmt.Errorf("the error of %s cannot be told from rounding", name)
		}
		c.T = c.Estimate / c.Error
		c.P = 2 * distuv.UnitNormal.Survival(math.Abs(c.T))
		c.Interval = stat.Interval{Low: c.Estimate - reach*c.Error, High: c.Estimate + reach*c.Error}
		f.Coefficients = append(f.Coefficients, c)
	}
	return f, nil
}
