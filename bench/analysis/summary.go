package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"parley/bench/stat"
	"parley/bench/task"
	"parley/bench/trial"
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

// Result is what depends on the experiment alone, whether or not it was interrupted: all but what the engine did. Its
// own Stats and Time stand before those of the Comparison, and nil leaves them out of the JSON.
func (c Comparison) Result() any {
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

	Partial  *Partial     `json:"partial,omitempty"` // how right in part, where the task's measure has degrees
	Repeats  *stat.Spread `json:"repeats,omitempty"` // of the accuracy over repeats, where there are several
	Paired   *Paired      `json:"paired,omitempty"`  // against the reference; nil in its own row
	Dynamics *Dynamics    `json:"course,omitempty"`  // how its debates went; nil if there are none

	Cost
	UnparsedReplies int     `json:"unparsed_replies"`
	Milliseconds    float64 `json:"ms,omitempty"` // of the engine: its mean time per token times the tokens
}

// Tabulate sums up each condition and pairs it with the reference, on the questions that both were asked. All of it is
// a function of the outcomes. Questions are those that were planned; where a run stopped before the last of them, they
// become those that were asked.
func (c *Comparison) Tabulate(conditions []trial.Condition, t *Table, stop *Stopping) {
	c.Rows, c.Failed = nil, failures(t.Outcomes)
	for _, condition := range conditions {
		part := t.Under(condition.Name)
		row := rowOf(condition, part)
		row.Partial = partialIn(c.degree(), part.outcomes)
		against := trial.ReferenceOf(condition.Name, c.Reference, trial.Names(conditions))
		if against != condition.Name {
			if row.Paired = PairedTest(part, t.Under(against)); row.Paired != nil {
				row.Paired.Against = against
			}
		}
		c.Rows = append(c.Rows, row)
	}
	if stop != nil {
		c.stopped(*stop, t)
	}
	adjust(c.Rows)
}

// failures says of each debate that could not be held which it is, and why.
func failures(outcomes []trial.Outcome) (list []string) {
	for _, o := range outcomes {
		if o.Failed() {
			list = append(list, fmt.Sprintf("question %s, condition %s: %s", o.Case(), o.Condition, cmp.Or(o.Error,
				"the record does not say why")))
		}
	}
	return list
}

func rowOf(condition trial.Condition, p *Part) Row {
	row := Row{Condition: condition.Name, Meaning: condition.Meaning, Agents: condition.Agents,
		Rounds: condition.Rounds}
	for _, o := range p.outcomes {
		row.add(o)
	}
	row.Questions, row.Repeats = len(p.correct.questions), overRepeats(p.correct)
	row.Accuracy, row.Interval = p.correct.accuracy()
	if row.N > 0 {
		row.Dynamics = DynamicsOf(condition, p)
	}
	return row
}

// overRepeats is how the accuracy differs between repeats, nil if there is only one.
func overRepeats(c correctness) *stat.Spread {
	repeats := make(map[int][]float64)
	for _, q := range c.questions {
		for _, a := range c.of[q] {
			mark := 0.0
			if a.right {
				mark = 1
			}
			repeats[a.repeat] = append(repeats[a.repeat], mark)
		}
	}
	if len(repeats) < 2 {
		return nil
	}
	var accuracies []float64
	for _, repeat := range slices.Sorted(maps.Keys(repeats)) {
		accuracies = append(accuracies, stat.Mean(repeats[repeat]))
	}
	spread := stat.Seeds(accuracies, Level)
	return &spread
}

func (r *Row) add(o trial.Outcome) {
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

// ConstantGuess is the accuracy of always giving the most frequent right answer.
func ConstantGuess(outcomes []trial.Outcome) float64 {
	truths := make(map[string]string) // by question
	for _, o := range outcomes {
		if o.Target != "" { // of a log that does not say what is right
			truths[o.Question] = o.Truth.Text
		}
	}
	counts, most := make(map[string]int), 0
	for _, truth := range truths {
		counts[truth]++
		most = max(most, counts[truth])
	}
	return stat.Share(most, len(truths))
}
