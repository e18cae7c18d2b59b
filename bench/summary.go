package bench

import (
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

// result is what depends on the experiment alone, whether or not it was interrupted: all but what the engine did.
func (c Comparison) result() any {
	rows := make([]Row, len(c.Rows))
	for i, r := range c.Rows {
		r.Milliseconds = 0
		rows[i] = r
	}
	return struct {
		Task      string              `json:"task"`
		TaskHash  string              `json:"task_hash"`
		Questions int                 `json:"questions"`
		Guess     float64             `json:"constant_guess"`
		Model     inference.ModelInfo `json:"model"`
		Reference string              `json:"reference"`
		Rows      []Row               `json:"conditions"`
		Stopped   *Stopped            `json:"stopped,omitempty"`
		Failed    []string            `json:"failed,omitempty"`
	}{c.Task, c.TaskHash, c.Questions, c.Guess, c.Model, c.Reference, rows, c.Stopped, c.Failed}
}

// Times are the engine's, in milliseconds.
type Times struct {
	Prefill float64 `json:"prefill_ms"`
	Decode  float64 `json:"decode_ms"`
}

// Row is what one condition achieved and cost.
type Row struct {
	Condition string        `json:"condition"`
	Meaning   string        `json:"meaning"`
	Agents    int           `json:"agents"`
	Rounds    int           `json:"rounds"`
	N         int           `json:"n"` // debates: questions, times repeats
	Right     int           `json:"right"`
	Unparsed  int           `json:"unparsed"` // debates in which no answer could be read
	Accuracy  float64       `json:"accuracy"`
	Interval  stat.Interval `json:"interval"` // 95 %, Wilson's; with repeats, of the mean over questions, resampled

	Repeats *stat.Spread `json:"repeats,omitempty"` // of the accuracy over repeats, where there are several
	Paired  *Paired      `json:"paired,omitempty"`  // against the reference; nil in its own row
	Course  *Course      `json:"course,omitempty"`  // how its debates went; nil if there are none

	Cost
	UnparsedReplies int     `json:"unparsed_replies"`
	Milliseconds    float64 `json:"ms,omitempty"` // of the engine: its mean time per token times the tokens
}

func summarize(o Options, outcomes []Outcome, failed []error) Comparison {
	c := Comparison{
		Task: o.Task.Name, TaskHash: o.Task.Hash, Questions: len(o.Task.Questions), Guess: o.Task.Guess,
		Model: o.Engine.Model(), Stats: o.Engine.Stats(), Reference: o.Reference,
	}
	c.tabulate(o.Conditions, outcomes, o.Stop)
	c.Time = Times{milliseconds(c.Stats.PrefillDuration), milliseconds(c.Stats.DecodeDuration)}
	for _, err := range failed {
		if err != nil {
			c.Failed = append(c.Failed, err.Error())
		}
	}
	for i := range c.Rows {
		c.Rows[i].Milliseconds = milliseconds(c.EngineTime(c.Rows[i].Cost))
	}
	return c
}

// tabulate sums up each condition and pairs it with the reference, on the questions that both were asked. All of it is a function of the
// outcomes. Questions are those that were planned; where a run stopped before the last of them, they become those that were asked.
func (c *Comparison) tabulate(conditions []Condition, outcomes []Outcome, stop *Stopping) {
	byCondition := make(map[string][]Outcome)
	for _, o := range outcomes {
		byCondition[o.Condition] = append(byCondition[o.Condition], o)
	}
	c.Rows = nil
	for _, condition := range conditions {
		row := rowOf(condition, byCondition[condition.Name])
		if condition.Name != c.Reference {
			row.Paired = contrast(byCondition[condition.Name], byCondition[c.Reference])
		}
		c.Rows = append(c.Rows, row)
	}
	if stop != nil {
		c.stopped(*stop, byCondition, outcomes)
	}
	adjust(c.Rows)
}

func rowOf(condition Condition, outcomes []Outcome) Row {
	row := Row{Condition: condition.Name, Meaning: condition.Meaning, Agents: condition.Agents, Rounds: condition.Rounds}
	for _, o := range outcomes {
		row.add(o)
	}
	row.Accuracy, row.Interval, row.Repeats = share(row.Right, row.N), marksOf(outcomes).interval(), overRepeats(outcomes)
	if len(outcomes) > 0 {
		row.Course = CourseOf(condition, outcomes)
	}
	return row
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
	r.N++
	switch o.Score {
	case task.Right:
		r.Right++
	case task.Unparsed:
		r.Unparsed++
	}
	for call := range o.Transcript.Calls() {
		r.Cost.add(call)
	}
	for _, round := range o.Transcript.Rounds {
		for _, turn := range round {
			if !turn.Answer.Parsed {
				r.UnparsedReplies++
			}
		}
	}
}

// EngineTime is what calls took of the engine, by its mean times for a token: all prompts saved the same share. It is 0 where the times are not
// known, as of a run that was read.
func (c Comparison) EngineTime(cost Cost) time.Duration {
	per := func(d time.Duration, n, of int) time.Duration {
		return time.Duration(float64(d) * float64(n) / float64(max(1, of)))
	}
	return per(c.Stats.PrefillDuration, cost.PromptTokens, c.Stats.PromptAsked) + per(c.Stats.DecodeDuration, cost.Tokens, c.Stats.Decoded)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
