package pairs

import (
	"errors"
	"fmt"
	"math"

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
	P         float64       `json:"p"` // two-sided
	Tasks     int           `json:"tasks"`
	Questions int           `json:"questions"` // in all tasks

	at func(level float64) stat.Interval // its interval at any level
}

// Equivalence tests whether a difference that CompareGroups found lies between two bounds, with its interval alone:
// each p is that at which the interval's end is the bound.
func (d GroupDifference) Equivalence(bounds stat.Bounds) Equivalence {
	checkBounds(bounds)
	return Equivalence{Bounds: bounds, Interval: d.at(1 - 2*equivalenceAlpha)}.Bounded(d.at)
}

// Task has what came of one task.
type Task struct {
	Differences []float64 // by question: the mean score of the first group minus that of the second
	// the interval of their mean at any level, which need not lie in its middle: that of stat.DifferenceAt, or of
	// stat.ClustersAt
	At       func(level float64) stat.Interval
	Clusters []string // by question: those that may depend on each other; nil: each is one of its own
}

// CompareGroups averages paired differences over tasks.
//
// The interval is that of a weighted sum of estimates with intervals of their own: the squares of the distances from
// estimate to end are added, each with the square of its weight (Zou and Donner, Statistics in Medicine 27, 2008,
// 1693-1702). So it is as skewed as those of the tasks are, and has a width where they have one. It speaks of other
// questions of these tasks, not of other tasks.
//
// P is the larger of two, as that of stat.CompareRepeated: the permutation test of stat.Flip, in which each question of
// each task, or each cluster of them, may change sides and counts as much as in the estimate, and the least p at which
// the interval leaves out zero.
//
// A task needs two questions, and differences lie within reach, from -1 to 1 for shares. The result is a function of
// input and seed.
func CompareGroups(tasks []Task, reach stat.Bounds, w Weighting, resamples int, seed uint64,
	level float64) (GroupDifference, error) {
	d := GroupDifference{Tasks: len(tasks)}
	if d.Tasks == 0 {
		return d, errors.New("there is no task to compare groups on")
	}
	for t, task := range tasks {
		if n := len(task.Differences); n < 2 {
			return d, fmt.Errorf("task %d has %d questions: it takes two to see how they differ", t+1, n)
		}
		for q, x := range task.Differences {
			if !(x >= reach.Low && x <= reach.High) {
				return d, fmt.Errorf("task %d, question %d: a difference of %g is not within %g to %g", t+1, q+1, x,
					reach.Low, reach.High)
			}
		}
		d.Questions += len(task.Differences)
	}
	parts := make([]float64, len(tasks)) // of the estimate, by task
	var added []float64                  // to the estimate, by question
	var units []string                   // what changes sides as a whole, by question
	for t, task := range tasks {
		parts[t] = 1 / float64(len(tasks))
		if w == EqualQuestions {
			parts[t] = float64(len(task.Differences)) / float64(d.Questions)
		}
		d.Estimate += parts[t] * stat.Mean(task.Differences)
		for q, x := range task.Differences {
			added = append(added, parts[t]*x/float64(len(task.Differences)))
			unit := fmt.Sprint(t, " ", q)
			if task.Clusters != nil {
				unit = fmt.Sprint(t, " of ", task.Clusters[q])
			}
			units = append(units, unit)
		}
	}
	d.at = func(level float64) stat.Interval { return sumOf(tasks, parts, d.Estimate, reach, level) }
	d.Interval = d.at(level)
	d.P = stat.LeavingOutZero(d.at, level, stat.FlipClusters(added, units, resamples, seed))
	return d, nil
}

// sumOf is the interval of CompareGroups.
func sumOf(tasks []Task, parts []float64, estimate float64, reach stat.Bounds, level float64) stat.Interval {
	below, above := 0.0, 0.0
	for t, task := range tasks {
		mean, i := stat.Mean(task.Differences), task.At(level)
		below = math.Hypot(below, parts[t]*(mean-i.Low))
		above = math.Hypot(above, parts[t]*(i.High-mean))
	}
	return stat.Interval{Low: math.Max(reach.Low, estimate-below), High: math.Min(reach.High, estimate+above)}
}
