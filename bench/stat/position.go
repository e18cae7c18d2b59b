package stat

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Placed is an outcome with an agent at a place, such as 1 for a right answer and 0 for a wrong one.
type Placed struct {
	Agent, Place int // from 0
	Outcome      float64
}

// Effects split the outcomes of agents at places into what the place does and what its holder does, in the unit of the
// outcome. Every effect is against the mean over all agents or places, so that each list sums to 0.
type Effects struct {
	Mean   Estimated   `json:"mean"`   // of an average agent at an average place
	Agents []Estimated `json:"agents"` // effect of the holder
	Places []Estimated `json:"places"` // effect of the place
}

// Estimated is a number with its interval.
type Estimated struct {
	Estimate float64  `json:"estimate"`
	Interval Interval `json:"interval"`
}

// Position fits outcome = mean + agent + place by least squares, to all outcomes of all questions (Yates, Journal of
// the American Statistical Association 29, 1934, 51-66). Where every agent was equally often at every place, as in a
// Latin square, the effects are differences of two-way means. Outcomes are from 0 to 1. Intervals are those of Bounded
// for the jackknife's pseudo-values of the questions (Tukey, Annals of Mathematical Statistics 29, 1958, 614).
//
// If no outcome connects some agents and places, their effects are not determined; the smallest that fit are taken.
// With no outcomes all are 0. An agent or place outside of the table panics.
func Position(questions [][]Placed, agents, places int, level float64) Effects {
	for _, q := range questions {
		for _, p := range q {
			if p.Agent < 0 || p.Agent >= agents || p.Place < 0 || p.Place >= places {
				panic(fmt.Sprintf("agent %d at place %d in a table of %d by %d", p.Agent, p.Place, agents, places))
			}
			number(p.Outcome)
		}
	}
	estimates := fit(questions, agents, places)
	added := jackknife(estimates, len(questions), func(i int) []float64 {
		return fit(slices.Concat(questions[:i], questions[i+1:]), agents, places)
	})
	results := make([]Estimated, len(estimates))
	for i, e := range estimates {
		low := -1.0
		if i == 0 {
			low = 0 // the mean is a share, an effect the difference of two
		}
		results[i] = Estimated{e, Bounded(added[i], low, 1, level).holding(e)}
	}
	return Effects{results[0], results[1 : 1+agents], results[1+agents:]}
}

// jackknife has, for each of several estimates, the pseudo-value of each of n questions, from the estimates without
// that question.
func jackknife(estimates []float64, n int, without func(question int) []float64) (added [][]float64) {
	added = make([][]float64, len(estimates))
	for q := range n {
		for i, e := range without(q) {
			added[i] = append(added[i], float64(n)*estimates[i]-float64(n-1)*e)
		}
	}
	return added
}

// tiny is added to the diagonal of the normal equations, and picks the smallest effects where the table leaves them
// open.
const tiny = 1e-9

// fit solves the normal equations. Unknowns are the mean, the agents and the places, in this order.
func fit(questions [][]Placed, agents, places int) []float64 {
	n := 1 + agents + places
	normal, right := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for _, q := range questions {
		for _, p := range q {
			at := [3]int{0, 1 + p.Agent, 1 + agents + p.Place}
			for i, row := range at {
				right.SetVec(row, right.AtVec(row)+p.Outcome)
				for _, column := range at[i:] {
					normal.SetSym(row, column, normal.At(row, column)+1)
				}
			}
		}
	}
	sumToZero(normal, 1, 1+agents)
	sumToZero(normal, 1+agents, n)
	for i := range n {
		normal.SetSym(i, i, normal.At(i, i)+tiny)
	}
	var factors mat.Cholesky
	if !factors.Factorize(normal) {
		panic("least squares: the table has no solution")
	}
	solution := mat.NewVecDense(n, nil)
	if err := factors.SolveVecTo(solution, right); err != nil {
		if _, rough := err.(mat.Condition); !rough {
			panic(err)
		}
	}
	return solution.RawVector().Data
}

// sumToZero asks the unknowns [from, to) to sum to 0.
func sumToZero(normal *mat.SymDense, from, to int) {
	for i := from; i < to; i++ {
		for j := i; j < to; j++ {
			normal.SetSym(i, j, normal.At(i, j)+1)
		}
	}
}
