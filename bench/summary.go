package bench

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"parley/bench/stat"
	"parley/bench/task"
	"parley/inference"
)

// Comparison is the result of Compare: one row a condition.
type Comparison struct {
	Task      string              `json:"task"`
	TaskHash  string              `json:"task_hash"`
	Measure   string              `json:"measure,omitempty"` // when an answer is right, see task.Family
	Questions int                 `json:"questions"`
	Guess     float64             `json:"constant_guess"` // accuracy of always answering the most frequent target
	Model     inference.ModelInfo `json:"model"`
	Reference string              `json:"reference"` // the condition that the others are compared with
	Rows      []Row               `json:"conditions"`
	Stopped   *Stopped            `json:"stopped,omitempty"` // of a run that might stop early
	Stats     inference.Stats     `json:"scheduler"`
	Failed    []string            `json:"failed,omitempty"` // debates that could not be held
	Time      Times               `json:"time"`
}

// result is what depends on the experiment alone, whether or not it was interrupted: all but what the engine did. Its
// own Stats and Time stand before those of the Comparison, and nil leaves them out of the JSON.
func (c Comparison) result() any {
	c.Rows = slices.Clone(c.Rows)
	for i := range c.Rows {
		c.Rows[i].Milliseconds = 0
	}
	c.Stats, c.Time = inference.Stats{}, Times{}
	return struct {
		Comparison
		Stats *inference.Stats `json:"scheduler,omitempty"`
		Time  *Times           `json:"time,omitempty"`
	}{Comparison: c}
}

// Times are the engine's, in milliseconds.
type Times struct {
	Prefill float64 `json:"prefill_ms"`
	Decode  float64 `json:"decode_ms"`
}

// Row is what one condition achieved and cost.
type Row struct {
	Condition string `json:"condition"`
	Meaning   string `json:"meaning"`
	Agents    int    `json:"agents"`
	Rounds    int    `json:"rounds"`
	N         int    `json:"n"`         // debates that were held: questions, times repeats
	Questions int    `json:"questions"` // on which they were
	// debates that could not be held; of other numbers replies and tokens count them
	Failed   int           `json:"failed"`
	Right    int           `json:"right"`
	Unparsed int           `json:"unparsed"` // debates in which no answer could be read
	Accuracy float64       `json:"accuracy"` // mean over questions of their shares of right answers
	Interval stat.Interval `json:"interval"` // 95 %, see stat.Accuracy

	Partial *Partial     `json:"partial,omitempty"` // how right in part, where the task's measure has degrees
	Repeats *stat.Spread `json:"repeats,omitempty"` // of the accuracy over repeats, where there are several
	Paired  *Paired      `json:"paired,omitempty"`  // against the reference; nil in its own row
	Course  *Course      `json:"course,omitempty"`  // how its debates went; nil if there are none

	Cost
	UnparsedReplies int     `json:"unparsed_replies"`
	Milliseconds    float64 `json:"ms,omitempty"` // of the engine: its mean time per token times the tokens
}

func summarize(o Options, outcomes []Outcome) Comparison {
	c := Comparison{
		Task: o.Task.Name, TaskHash: o.Task.Hash, Measure: cmp.Or(o.Task.Measure, "equal"),
		Questions: len(o.Task.Questions), Guess: o.Task.Guess,
		Model: o.Engine.Model(), Stats: o.Engine.Stats(), Reference: o.Reference,
	}
	c.tabulate(o.Conditions, outcomes, o.Stop)
	c.Time = Times{milliseconds(c.Stats.PrefillDuration), milliseconds(c.Stats.DecodeDuration)}
	for i := range c.Rows {
		c.Rows[i].Milliseconds = milliseconds(c.EngineTime(c.Rows[i].Cost))
	}
	return c
}

// tabulate sums up each condition and pairs it with the reference, on the questions that both were asked. All of it is
// a function of the outcomes. Questions are those that were planned; where a run stopped before the last of them, they
// become those that were asked.
func (c *Comparison) tabulate(conditions []Condition, outcomes []Outcome, stop *Stopping) {
	byCondition := make(map[string][]Outcome)
	for _, o := range outcomes {
		byCondition[o.Condition] = append(byCondition[o.Condition], o)
	}
	c.Rows, c.Failed = nil, failures(outcomes)
	for _, condition := range conditions {
		row := rowOf(condition, byCondition[condition.Name])
		row.Partial = partialIn(c.degree(), byCondition[condition.Name])
		if against := referenceOf(condition.Name, c.Reference, namesOf(conditions)); against != condition.Name {
			if row.Paired = contrast(byCondition[condition.Name], byCondition[against]); row.Paired != nil {
				row.Paired.Against = against
			}
		}
		c.Rows = append(c.Rows, row)
	}
	if stop != nil {
		c.stopped(*stop, byCondition, outcomes)
	}
	adjust(c.Rows)
}

// failures says of each debate that could not be held which it is, and why.
func failures(outcomes []Outcome) (list []string) {
	for _, o := range outcomes {
		if o.Failed() {
			list = append(list, fmt.Sprintf("question %s, condition %s: %s", o.Case(), o.Condition, cmp.Or(o.Error,
				"the record does not say why")))
		}
	}
	return list
}

func rowOf(condition Condition, outcomes []Outcome) Row {
	row := Row{Condition: condition.Name, Meaning: condition.Meaning, Agents: condition.Agents,
		Rounds: condition.Rounds}
	for _, o := range outcomes {
		row.add(o)
	}
	held, marks := couldHold(outcomes), marksOf(outcomes)
	row.Questions, row.Repeats = len(marks.questions), overRepeats(held)
	row.Accuracy, row.Interval = marks.accuracy()
	if len(held) > 0 {
		row.Course = CourseOf(condition, held)
	}
	return row
}

// couldHold leaves out debates that could not be held.
func couldHold(outcomes []Outcome) []Outcome {
	return slices.DeleteFunc(slices.Clone(outcomes), Outcome.Failed)
}

// overRepeats is how the accuracy differs between repeats, nil if there is only one.
func overRepeats(outcomes []Outcome) *stat.Spread {
	repeats := make(map[int][]float64)
	for _, o := range outcomes {
		mark := 0.0
		if o.Score == task.Right {
			mark = 1
		}
		repeats[o.Repeat] = append(repeats[o.Repeat], mark)
	}
	if len(repeats) < 2 {
		return nil
	}
	var accuracies []float64
	for _, repeat := range slices.Sorted(maps.Keys(repeats)) {
		accuracies = append(accuracies, mean(repeats[repeat]))
	}
	spread := stat.Seeds(accuracies, level)
	return &spread
}

// paired are the outcomes on questions that are in both, each repeat with the same one, in the order of the first.
func paired(first, second []Outcome) (a, b []Outcome) {
	at := make(map[string]Outcome)
	for _, o := range second {
		at[o.Case()] = o
	}
	for _, o := range first {
		if other, ok := at[o.Case()]; ok {
			a, b = append(a, o), append(b, other)
		}
	}
	return a, b
}

func (r *Row) add(o Outcome) {
	switch {
	case o.Failed():
		r.Failed++
	case o.Score == task.Right:
		r.Right++
	case o.Score == task.Unparsed:
		r.Unparsed++
	}
	if !o.Failed() {
		r.N++
	}
	for call := range o.Transcript.Calls() {
		r.Cost.add(call)
	}
	for _, round := range o.Transcript.Rounds {
		for _, turn := range round {
			if !turn.Answer.Parsed && turn.Error == "" {
				r.UnparsedReplies++
			}
		}
	}
}

// EngineTime is what calls took of the engine, by its mean times for a token: all prompts saved the same share. It is 0
// where the times are not known, as of a run that was read.
func (c Comparison) EngineTime(cost Cost) time.Duration {
	per := func(d time.Duration, n, of int) time.Duration {
		return time.Duration(float64(d) * float64(n) / float64(max(1, of)))
	}
	return per(c.Stats.PrefillDuration, cost.PromptTokens, c.Stats.PromptAsked) +
		per(c.Stats.DecodeDuration, cost.Tokens, c.Stats.Decoded)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
