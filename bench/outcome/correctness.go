package outcome

import "github.com/parley-debate/parley/bench/stat"

// Correctness says of each question, for each time that it was asked, whether it was answered right. Debates that
// failed are never added.
type Correctness struct {
	Questions []string // the keys of Of, in the order in which they were first asked: maps have none
	Of        map[string][]Once
}

// Once says whether a question was answered right in one repeat.
type Once struct {
	Repeat int
	Right  bool
}

// Value is 1 of a right answer, else 0.
func (o Once) Value() float64 {
	if o.Right {
		return 1
	}
	return 0
}

// Add enters one repeat of a question.
func (c *Correctness) Add(question string, repeat int, right bool) {
	if c.Of == nil {
		c.Of = make(map[string][]Once)
	}
	if c.Of[question] == nil {
		c.Questions = append(c.Questions, question)
	}
	c.Of[question] = append(c.Of[question], Once{repeat, right})
}

// Counts has the counts of each question, in the order of the questions.
func (c Correctness) Counts() (list []stat.Asked) {
	for _, q := range c.Questions {
		list = append(list, Tally(c.Of[q]))
	}
	return list
}

// Common returns what came of the questions that both have, in the order of the first. first[i] and second[i] are about
// the same question, but need not have the same number of repeats.
func (c Correctness) Common(other Correctness) (first, second [][]Once) {
	for _, q := range c.Questions {
		if theirs := other.Of[q]; theirs != nil {
			first, second = append(first, c.Of[q]), append(second, theirs)
		}
	}
	return first, second
}

// Tally counts the repeats of one question.
func Tally(repeats []Once) (q stat.Asked) {
	for _, o := range repeats {
		q = q.With(o.Right)
	}
	return q
}
