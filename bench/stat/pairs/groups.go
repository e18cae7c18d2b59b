package pairs

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/parley-debate/parley/bench/stat"
)

// Weighting says what the average over several tasks gives equal weight to.
type Weighting int

// Weightings of tasks.
const (
	EqualTasks     Weighting = iota // each task counts the same, however many questions it has
	EqualQuestions                  // each question counts the same
)

// GroupDifference is by how much one group of conditions is better than another over several tasks.
type GroupDifference struct {
	Estimate  float64       `json:"estimate"`
	Interval  stat.Interval `json:"interval"`
	P         float64       `json:"p"` // two-sided, that no task has a difference
	Tasks     int           `json:"tasks"`
	Questions int           `json:"questions"` // in all tasks
}

// CompareGroups averages paired differences over tasks. tasks[t][q] is, for question q of task t, the mean score of the
// conditions of the first group minus that of the second, from -1 to 1.
//
// P is the permutation test of stat.Flip, in which each question of each task may change sides and counts as much as in
// the estimate. The interval is the bootstrap of questions within their tasks (Efron, Annals of Statistics 7, 1979,
// 1-26). It speaks of other questions of these tasks, not of other tasks. As the bootstrap is too narrow for few
// questions, each task's deviations are multiplied by √(n/(n-1)), and the percentiles are those of t (Hesterberg, The
// American Statistician 69, 2015, 371-386). If no task's differences vary, it is widened like that of stat.Bounded.
//
// A task needs two questions. Both tests are functions of their input and the seed.
func CompareGroups(tasks [][]float64, w Weighting, resamples int, seed uint64, level float64) (GroupDifference, error) {
	d := GroupDifference{Tasks: len(tasks)}
	if d.Tasks == 0 {
		return d, errors.New("there is no task to compare groups on")
	}
	for t, differences := range tasks {
		if len(differences) < 2 {
			return d, fmt.Errorf("task %d has %d questions: it takes two to see how they differ", t+1, len(differences))
		}
		for q, x := range differences {
			if !(x >= -1 && x <= 1) {
				return d, fmt.Errorf("task %d, question %d: a difference of %g is not within -1 to 1", t+1, q+1, x)
			}
		}
		d.Questions += len(differences)
	}
	parts := make([]float64, len(tasks)) // of the estimate, by task
	var added []float64                  // to the estimate, by question
	for t, differences := range tasks {
		parts[t] = 1 / float64(len(tasks))
		if w == EqualQuestions {
			parts[t] = float64(len(differences)) / float64(d.Questions)
		}
		d.Estimate += parts[t] * stat.Mean(differences)
		for _, x := range differences {
			added = append(added, parts[t]*x/float64(len(differences)))
		}
	}
	d.P = stat.Flip(added, make([]float64, len(added)), resamples, seed)
	d.Interval = bootstrap(tasks, parts, d, resamples, seed, level)
	return d, nil
}

// bootstrap is the interval of CompareGroups.
func bootstrap(tasks [][]float64, parts []float64, d GroupDifference, resamples int, seed uint64,
	level float64) stat.Interval {
	random, estimates := rand.New(rand.NewPCG(seed, 1)), make([]float64, resamples)
	for t, differences := range tasks {
		n := float64(len(differences))
		scale, mean := parts[t]*math.Sqrt(n/(n-1)), stat.Mean(differences)
		for i := range estimates {
			sum := 0.0
			for range differences {
				sum += differences[random.IntN(len(differences))] - mean
			}
			estimates[i] += scale * sum / n
		}
	}
	slices.Sort(estimates)
	if estimates[resamples-1]-estimates[0] < 1e-12 {
		missed := stat.Wilson(0, d.Questions, level).High
		return stat.Interval{Low: d.Estimate + missed*(-1-d.Estimate), High: d.Estimate + missed*(1-d.Estimate)}
	}
	t := distuv.StudentsT{Sigma: 1, Nu: float64(d.Questions - d.Tasks)}.Quantile((1 - level) / 2)
	cut := int(math.Round(distuv.UnitNormal.CDF(t) * float64(resamples)))
	cut = min(cut, (resamples-1)/2)
	return stat.Interval{Low: math.Max(-1, d.Estimate+estimates[cut]),
		High: math.Min(1, d.Estimate+estimates[resamples-1-cut])}
}
