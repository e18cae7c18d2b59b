package bench

import (
	"math"
	"slices"

	"parley/bench/stat"
	"parley/bench/task"
)

// level is that of all intervals, alpha the largest p that is called a difference, and power the chance to call it so, where one is planned.
const (
	level = 0.95
	alpha = 0.05
	power = 0.8
)

// Repeats of a question are not independent of each other: what is resampled, and whose signs are flipped, are questions with all their
// repeats. The seed is fixed, so that intervals and p-values are a function of the outcomes.
const (
	resamples = 2_000
	flips     = 10_000
	statSeed  = 1
)

var bootstrap = stat.Bootstrap{Resamples: resamples, Level: level, Seed: statSeed}

// marks say how often answers to questions were right: of each question a 1 or a 0 for every time it was asked.
type marks struct {
	questions []string // in the order in which they were first asked
	of        map[string][]float64
}

func marksOf(outcomes []Outcome) (m marks) {
	for _, o := range outcomes {
		m.add(o.Question, o.Score == task.Right)
	}
	return m
}

func (m *marks) add(question string, right bool) {
	if m.of == nil {
		m.of = make(map[string][]float64)
	}
	if m.of[question] == nil {
		m.questions = append(m.questions, question)
	}
	mark := 0.0
	if right {
		mark = 1
	}
	m.of[question] = append(m.of[question], mark)
}

// common are the marks of the questions that both have, in the order of the first.
func (m marks) common(other marks) (first, second [][]float64) {
	for _, q := range m.questions {
		if marks := other.of[q]; marks != nil {
			first, second = append(first, m.of[q]), append(second, marks)
		}
	}
	return first, second
}

// repeated reports whether a question was asked more than once.
func repeated(questions [][]float64) bool {
	return slices.ContainsFunc(questions, func(marks []float64) bool { return len(marks) > 1 })
}

// interval is that of the share of right answers: Wilson's where every question was asked once, and resampled where not. A bootstrap cannot
// show what did not occur: where all questions are alike it is Wilson's of as many questions.
func (m marks) interval() stat.Interval {
	all, _ := m.common(m)
	means := means(all)
	if n := len(all); !repeated(all) || n < 2 || slices.Min(means) == slices.Max(means) {
		return stat.Wilson(int(math.Round(sum(means))), n, level)
	}
	return bootstrap.Mean(all).BCa
}

// means are those over the repeats of each question.
func means(questions [][]float64) []float64 {
	list := make([]float64, len(questions))
	for i, marks := range questions {
		list[i] = mean(marks)
	}
	return list
}

// mean is 0 of nothing.
func mean(list []float64) float64 { return sum(list) / float64(max(1, len(list))) }

func sum(list []float64) (sum float64) {
	for _, x := range list {
		sum += x
	}
	return sum
}
