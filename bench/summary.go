package bench

import (
	"cmp"
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
		Failed    []string            `json:"failed,omitempty"`
	}{c.Task, c.TaskHash, c.Questions, c.Guess, c.Model, c.Reference, rows, c.Failed}
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
	N         int           `json:"n"`
	Right     int           `json:"right"`
	Unparsed  int           `json:"unparsed"` // questions on which no answer could be read
	Accuracy  float64       `json:"accuracy"`
	Interval  stat.Interval `json:"interval"` // Wilson, 95 %

	// Against the reference, on the same questions; nil in its own row.
	Paired *stat.Paired `json:"paired,omitempty"`

	Replies         int     `json:"replies"`
	UnparsedReplies int     `json:"unparsed_replies"`
	PromptTokens    int     `json:"prompt_tokens"` // asked, if nothing were shared
	Tokens          int     `json:"tokens"`        // generated, if nothing were shared
	Milliseconds    float64 `json:"ms,omitempty"`  // of the engine: its mean time per token times the tokens above
}

func summarize(o Options, outcomes []Outcome, failed []error) Comparison {
	c := Comparison{
		Task: o.Task.Name, TaskHash: o.Task.Hash, Questions: len(o.Task.Questions), Guess: o.Task.Guess,
		Model: o.Engine.Model(), Stats: o.Engine.Stats(), Reference: cmp.Or(o.Reference, Reference),
	}
	c.Time = Times{milliseconds(c.Stats.PrefillDuration), milliseconds(c.Stats.DecodeDuration)}
	for _, err := range failed {
		if err != nil {
			c.Failed = append(c.Failed, err.Error())
		}
	}
	c.Rows = tabulate(o.Conditions, c.Reference, outcomes)
	for i := range c.Rows {
		c.Rows[i].Milliseconds = milliseconds(engineTime(c.Stats, c.Rows[i].PromptTokens, c.Rows[i].Tokens))
	}
	return c
}

// tabulate sums up each condition and pairs it with the reference, on the questions that both were asked.
func tabulate(conditions []Condition, reference string, outcomes []Outcome) []Row {
	byCondition := make(map[string][]Outcome)
	for _, o := range outcomes {
		byCondition[o.Condition] = append(byCondition[o.Condition], o)
	}
	var rows []Row
	for _, condition := range conditions {
		row := Row{Condition: condition.Name, Meaning: condition.Meaning, Agents: condition.Agents, Rounds: condition.Rounds}
		for _, o := range byCondition[condition.Name] {
			row.add(o)
		}
		row.Accuracy = share(row.Right, row.N)
		row.Interval = stat.Wilson(row.Right, row.N, level)
		if theirs := byCondition[reference]; condition.Name != reference && theirs != nil {
			first, second := paired(byCondition[condition.Name], theirs)
			p := stat.Compare(right(first), right(second), level)
			row.Paired = &p
		}
		rows = append(rows, row)
	}
	return rows
}

// paired are the outcomes on questions that are in both, each repeat with the same one, in the order of the first.
func paired(first, second []Outcome) (a, b []Outcome) {
	at := make(map[string]Outcome)
	for _, o := range second {
		at[caseID(o.Question, o.Repeat)] = o
	}
	for _, o := range first {
		if other, ok := at[caseID(o.Question, o.Repeat)]; ok {
			a, b = append(a, o), append(b, other)
		}
	}
	return a, b
}

// right says which outcomes are. An unparsed one is not.
func right(outcomes []Outcome) []bool {
	list := make([]bool, len(outcomes))
	for i, o := range outcomes {
		list[i] = o.Score == task.Right
	}
	return list
}

// level is that of all intervals.
const level = 0.95

func (r *Row) add(o Outcome) {
	r.N++
	switch o.Score {
	case task.Right:
		r.Right++
	case task.Unparsed:
		r.Unparsed++
	}
	for call := range o.Transcript.Calls() {
		r.Replies++
		r.PromptTokens += call.Reply.PromptTokens
		r.Tokens += call.Reply.Tokens
	}
	for _, round := range o.Transcript.Rounds {
		for _, turn := range round {
			if !turn.Answer.Parsed {
				r.UnparsedReplies++
			}
		}
	}
}

// engineTime shares the engine's time out by tokens: all conditions' prompts saved the same share.
func engineTime(s inference.Stats, promptTokens, tokens int) time.Duration {
	per := func(d time.Duration, n, of int) time.Duration {
		return time.Duration(float64(d) * float64(n) / float64(max(1, of)))
	}
	return per(s.PrefillDuration, promptTokens, s.PromptAsked) + per(s.DecodeDuration, tokens, s.Decoded)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
