// Package task reads the questions of benchmark files and scores answers to them.
//
// Lifecycle: Load reads the rows of a file, finds the Family that the first row belongs to, and makes a Question of
// each row; Generate makes puzzles instead. Nobody changes the resulting Task: bench asks its questions and calls Score
// with the decisions.
//
// What holds: a file is read completely or refused with its bad rows, and never in part. Files come from strangers:
// size, rows, values and nesting are bounded before room is made for them.
package task

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/parley-debate/parley/debate/answer"
)

// Question is one item of a task.
type Question struct {
	ID     string // task name and row, from 1
	Text   string
	Target string        // the right answer as it stands in the data
	Truth  answer.Answer // the right answer as the answer rule gives answers

	Options  []string         // of multiple choice, from (A); the text contains them too
	Stem     string           // of multiple choice: the text without them
	Accepted []string         // of a family with several right answers: all of them, as the answer rule gives answers
	Spans    []string         `json:"-"` // of the family own and of SQuAD: Accepted as the data has them
	Row      map[string]any   `json:"-"` // as the file has it; nil of generated puzzles
	Cluster  string           // of questions that may depend on each other, see Task.ClusterBy
	Group    string           // of questions whose results are told apart, see Task.GroupBy; "" if there are none
	Facts    string           // about the question, for protocols that show some; "" if the row has none
	Rejected string           // of a translation: the incorrect reference
	Extract  answer.Extractor // reads answers to this question; nil: the task's Extract does
}

// Task is a list of questions with the rule that reads answers and the measure that scores them.
type Task struct {
	Name      string
	Family    string // see Families; "" for generated puzzles
	Measure   string // name of the measure; "" is equality with the truth
	Source    string // file, or the generator with its parameters
	Replaces  string // the benchmark's file, by name or pattern, if questions of another file are asked in its place
	Rule      string // name of the answer rule, see reader.Rule
	Extract   answer.Extractor
	Columns   *Columns // of the family own, as the file was read; else nil
	Cluster   string   // field whose values are the questions' clusters; empty: each question is one
	Group     string   // field whose values are the questions' groups; empty: the family's groups, if it has any
	Guess     float64  // accuracy of the best constant answer on the whole file, of which this may be a part
	Questions []Question
	Hash      string // SHA-256 of the file or of the generator's parameters, hex
}

// Score is the outcome of one question.
type Score string

// Scores. An unparsed answer is never right and never dropped. Failed is the score of a debate that could not be held;
// it counts only as a failure.
const (
	Right    Score = "right"
	Wrong    Score = "wrong"
	Unparsed Score = "unparsed"
	Failed   Score = "failed"
)

// TruthOf returns a target as the answer rule gives answers, so that the two can be compared.
func TruthOf(rule, target string) answer.Answer {
	if rule == "math" {
		return answer.Of(answer.NormalizeMath(target))
	}
	return answer.Of(target)
}

// ScoreOf scores an answer by equality with the truth; Task.Score does so by the measure of the task.
func ScoreOf(given, truth answer.Answer) Score {
	switch {
	case !given.Parsed:
		return Unparsed
	case given.Equal(truth):
		return Right
	}
	return Wrong
}

// Subset keeps n questions, drawn without replacement, in their order; n <= 0, or n of at least all questions, keeps
// all. A larger subset of one seed contains every smaller one, so that a run can be widened.
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
	return out
}

// SampleSize returns how many questions of a population to draw so that an accuracy is known to within a margin at a
// level of confidence, such as 0.05 and 0.95. It is Cochran's formula for the worst case, an accuracy of one half, with
// the correction for a finite population. MALLM uses it; the sizes in its Table 3 follow to within one. If margin or
// level is not between 0 and 1, all questions are needed.
func SampleSize(population int, margin, level float64) int {
	if population <= 0 {
		return 0
	}
	if !(margin > 0 && margin < 1 && level > 0 && level < 1) {
		return population
	}
	z := distuv.UnitNormal.Quantile((1 + level) / 2)
	infinite := z * z / 4 / (margin * margin)
	return min(population, int(math.Ceil(infinite/(1+(infinite-1)/float64(population)))))
}

// Only is the task with some of its questions alone. Its source stays that of the whole.
func (t Task) Only(questions []Question) Task {
	t.Questions = questions
	return t
}

// Pick keeps the questions with these numbers, counted from 1 in the order of the file.
func (t Task) Pick(numbers []int) (Task, error) {
	out := t
	out.Source += ", questions " + spans(numbers)
	out.Questions = nil
	for _, n := range numbers {
		if n < 1 || n > len(t.Questions) {
			return Task{}, fmt.Errorf("task %s: no question %d; there are %d", t.Name, n, len(t.Questions))
		}
		out.Questions = append(out.Questions, t.Questions[n-1])
	}
	return out, nil
}

// spans writes numbers with their runs as ranges: "1..3, 7".
func spans(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); i++ {
		from := i
		for i+1 < len(numbers) && numbers[i+1] == numbers[i]+1 {
			i++
		}
		if i == from {
			parts = append(parts, strconv.Itoa(numbers[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d..%d", numbers[from], numbers[i]))
		}
	}
	return strings.Join(parts, ", ")
}
