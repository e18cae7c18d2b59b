// Package task has the questions of a run and scores answers to them.
//
// Lifecycle: Load reads the rows of a benchmark file, finds the family that the first row belongs to, and has it make a
// Question of each row; Generate makes puzzles instead. The Task that results is not changed any more: bench asks its
// questions and calls Score with what was decided.
package task

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"parley/debate/answer"
)

// Question is one item of a task.
type Question struct {
	ID     string // task name and row, from 1
	Text   string
	Target string // as it stands in the data
	Truth  answer.Answer

	Options  []string         // of multiple choice, from (A); they stand in the text too
	Accepted []string         // all right answers, as Extract gives them, where there may be several
	Rejected string           // the translation of who misunderstood
	Extract  answer.Extractor // reads answers to this question; nil: the task's rule does
}

// Task is a list of questions with one way to read answers.
type Task struct {
	Name      string
	Family    string // see Families; empty for generated puzzles
	Measure   string // when an answer is right, by name; empty: when it equals the truth
	Source    string // file, or the generator with its parameters
	Rule      string // name of the answer rule, see answer.Named
	Extract   answer.Extractor
	Guess     float64 // accuracy of always giving the most frequent target
	Questions []Question
	Hash      string // SHA-256 of the file or of the generator's parameters, hex
}

// Score is the outcome of one question.
type Score string

// Scores. Unparsed is an outcome of its own: never right, never dropped. Failed is a debate that could not be held, and
// counts nowhere but as a failure.
const (
	Right    Score = "right"
	Wrong    Score = "wrong"
	Unparsed Score = "unparsed"
	Failed   Score = "failed"
)

// TruthOf is the right answer of a target as it stands in the data, in the form in which an answer rule gives answers.
func TruthOf(rule, target string) answer.Answer {
	if rule == "math" {
		return answer.Of(answer.NormalizeMath(target))
	}
	return answer.Of(target)
}

// ScoreOf compares an answer with the truth, as tasks do whose measure is that both are equal; see Task.Score for all
// of them.
func ScoreOf(given, truth answer.Answer) Score {
	switch {
	case !given.Parsed:
		return Unparsed
	case given.Equal(truth):
		return Right
	}
	return Wrong
}

// Subset keeps n questions, drawn without replacement and kept in their order; n <= 0 or a larger n keeps all. The
// first questions of a draw do not depend on n, so that a larger subset contains a smaller one.
func (t Task) Subset(n int, seed uint64) Task {
	if n <= 0 || n >= len(t.Questions) {
		return t
	}
	chosen := rand.New(rand.NewPCG(seed, 0)).Perm(len(t.Questions))[:n]
	slices.Sort(chosen)
	out := t
	out.Source += fmt.Sprintf(", %d of %d questions drawn with seed %d", n, len(t.Questions), seed)
	out.Questions = make([]Question, n)
	for i, at := range chosen {
		out.Questions[i] = t.Questions[at]
	}
	out.Guess = guess(out.Questions)
	return out
}

// Pick keeps the questions with these numbers, from 1, as the file counts them.
func (t Task) Pick(numbers []int) (Task, error) {
	out := t
	out.Source += fmt.Sprintf(", questions %v", numbers)
	out.Questions = nil
	for _, n := range numbers {
		if n < 1 || n > len(t.Questions) {
			return Task{}, fmt.Errorf("task %s: no question %d; there are %d", t.Name, n, len(t.Questions))
		}
		out.Questions = append(out.Questions, t.Questions[n-1])
	}
	out.Guess = guess(out.Questions)
	return out, nil
}

// guess is the share of the most frequent target, or of its most frequent place among options that are known by name.
func guess(questions []Question) float64 {
	count, most := map[string]int{}, 0
	for _, q := range questions {
		keys := []string{q.Truth.Text}
		if i := slices.Index(q.Options, q.Truth.Text); i >= 0 {
			keys = append(keys, letter(i))
		}
		for _, key := range keys {
			count[key]++
			most = max(most, count[key])
		}
	}
	return float64(most) / float64(max(1, len(questions)))
}
