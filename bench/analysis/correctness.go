package analysis

import (
	"parley/bench/stat"
	"parley/bench/task"
)

// Level is the confidence of all intervals, alpha the largest p that is called a difference, and power the chance to
// find a difference that is there, where a run is planned.
const (
	Level = 0.95
	alpha = 0.05
	power = 0.8
)

// Repeats of a question are not independent of each other: what is drawn, and whose signs are flipped, are questions
// with all their repeats. Of one question there is nothing to draw but its repeats. The seed is fixed, so that p-values
// are a function of the outcomes.
const (
	flips    = 10_000
	statSeed = 1
)

// correctness has, for each question, whether it was answered right each time that it was asked.
type correctness struct {
	questions []string // in the order in which they were first asked
	of        map[string][]answered
}

// answered is whether a question was answered right, one of the times that it was asked.
type answered struct {
	repeat int
	right  bool
}

func (m *correctness) add(question string, repeat int, right bool) {
	if m.of == nil {
		m.of = make(map[string][]answered)
	}
	if m.of[question] == nil {
		m.questions = append(m.questions, question)
	}
	m.of[question] = append(m.of[question], answered{repeat, right})
}

// asked counts each question, in their order.
func (m correctness) asked() (list []stat.Asked) {
	for _, q := range m.questions {
		list = append(list, tally(m.of[q]))
	}
	return list
}

// accuracy is the mean over questions, with its interval.
func (m correctness) accuracy() (accuracy float64, interval stat.Interval) {
	return stat.Accuracy(m.asked(), Level)
}

// common are the answers to the questions that both have, in the order of the first.
func (m correctness) common(other correctness) (first, second [][]answered) {
	for _, q := range m.questions {
		if marks := other.of[q]; marks != nil {
			first, second = append(first, m.of[q]), append(second, marks)
		}
	}
	return first, second
}

func tally(marks []answered) (q stat.Asked) {
	for _, m := range marks {
		if q.Times++; m.right {
			q.Right++
		}
	}
	return q
}

func tallies(questions [][]answered) (list []stat.Asked) {
	for _, marks := range questions {
		list = append(list, tally(marks))
	}
	return list
}

// shares are those of right answers, of each question.
func shares(questions []stat.Asked) (list []float64) {
	for _, q := range questions {
		list = append(list, stat.Share(q.Right, q.Times))
	}
	return list
}

// Accuracy is that of one side.
type Accuracy struct {
	Right    int           `json:"right"`
	Unparsed int           `json:"unparsed"`
	Accuracy float64       `json:"accuracy"`
	Interval stat.Interval `json:"interval"`
}

// Accuracy sums up the debates of a part.
func (p *Part) Accuracy() Accuracy {
	var a Accuracy
	for i, o := range p.outcomes {
		switch {
		case p.failed[i]:
		case p.right[i]:
			a.Right++
		case o.Score == task.Unparsed:
			a.Unparsed++
		}
	}
	a.Accuracy, a.Interval = p.correct.accuracy()
	return a
}
