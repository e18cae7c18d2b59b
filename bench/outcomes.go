package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"parley/bench/record"
	"parley/bench/stat"
	"parley/bench/task"
	"parley/debate"
	"parley/debate/answer"
	"parley/inference"
)

// Run is what a run directory holds under its last header.
type Run struct {
	Header     Header
	Outcomes   []Outcome // with their messages
	Comparison Comparison
	Finished   bool // the comparison is that of result.json; if not, it counts the debates that are there
}

// ReadRun reads a run directory, whether or not its run has ended.
func ReadRun(directory string) (r Run, err error) {
	if r.Header, r.Outcomes, err = readJournals(directory); err != nil {
		return r, err
	}
	text, err := os.ReadFile(filepath.Join(directory, "result.json"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return r, err
	}
	counted := r.count()
	if err == nil {
		if err := json.Unmarshal(text, &r.Comparison); err != nil {
			return r, fmt.Errorf("result.json: %w", err)
		}
		r.Finished = r.Comparison.covers(counted)
	}
	if !r.Finished {
		r.Comparison = counted
	}
	return r, nil
}

// Truth is the right answer to the question of a debate.
func (r Run) Truth(o Outcome) answer.Answer {
	if o.Truth.Parsed {
		return o.Truth
	}
	return task.TruthOf(r.Header.AnswerRule, o.Target) // of runs before it was recorded
}

// covers reports whether a result is that of the debates: it is not where a wider run has begun since.
func (c Comparison) covers(counted Comparison) bool {
	if len(c.Rows) != len(counted.Rows) {
		return false
	}
	for i, row := range c.Rows {
		is := counted.Rows[i]
		if row.Condition != is.Condition || row.N != is.N || row.Right != is.Right || row.Replies != is.Replies || row.Tokens != is.Tokens {
			return false
		}
	}
	return true
}

// count makes the table of the debates that are there. Conditions are compared on the questions that both have.
func (r Run) count() Comparison {
	c := Comparison{Task: r.Header.Task, TaskHash: r.Header.TaskHash, Questions: r.Header.Questions, Model: r.Header.Model}
	rows, targets := make(map[string]*Row), make(map[string]string)
	right := make(map[string]map[string]bool) // by condition and question
	for _, name := range r.Header.Conditions {
		rows[name], right[name] = &Row{Condition: name}, make(map[string]bool)
	}
	for _, o := range r.Outcomes {
		if row := rows[o.Condition]; row != nil {
			row.add(o)
			row.Rounds = max(row.Rounds, len(o.Transcript.Rounds))
			row.Agents = max(row.Agents, o.Transcript.Agents())
			right[o.Condition][o.Question], targets[o.Question] = o.Score == task.Right, o.Target
		}
	}
	for _, name := range r.Header.Conditions {
		row := rows[name]
		row.Accuracy, row.Interval = share(row.Right, row.N), stat.Wilson(row.Right, row.N, level)
		if right[Reference] != nil && name != Reference {
			paired := pair(right[name], right[Reference])
			row.Paired = &paired
		}
		c.Rows = append(c.Rows, *row)
	}
	c.Guess = mostFrequent(targets)
	return c
}

func pair(first, second map[string]bool) stat.Paired {
	var a, b []bool
	for question, right := range first {
		if other, both := second[question]; both {
			a, b = append(a, right), append(b, other)
		}
	}
	return stat.Compare(a, b, level)
}

// mostFrequent is the share of the most frequent target.
func mostFrequent(targets map[string]string) float64 {
	counts, most := make(map[string]int), 0
	for _, target := range targets {
		counts[target]++
		most = max(most, counts[target])
	}
	return share(most, len(targets))
}

// readJournals reads the last header and its debates, with the messages that their journal leaves to that of the generations.
func readJournals(directory string) (header Header, outcomes []Outcome, err error) {
	sent := make(map[string][]inference.Message) // by key
	_, err = record.Read(filepath.Join(directory, "generations.jsonl.zst"), func(line []byte) error {
		var g generation
		if err := json.Unmarshal(line, &g); err != nil {
			return fmt.Errorf("generations: %w", err)
		}
		if g.Kind == "generation" {
			sent[g.Reply.Key] = g.Messages
		}
		return nil
	})
	if err != nil {
		return header, nil, err
	}
	_, err = record.Read(filepath.Join(directory, "debates.jsonl.zst"), func(line []byte) error {
		var o outcome
		if err := json.Unmarshal(line, &o); err != nil {
			return fmt.Errorf("debates: %w", err)
		}
		switch o.Kind {
		case "header":
			header, outcomes = Header{}, nil
			return json.Unmarshal(line, &header)
		case "debate":
			restore(&o.Transcript, sent)
			outcomes = append(outcomes, o.Outcome)
		}
		return nil
	})
	return header, outcomes, err
}

// restore gives all turns of a debate what they were sent.
func restore(t *debate.Transcript, sent map[string][]inference.Message) {
	for _, turns := range slices.Concat(t.Rounds, t.Voting) {
		restoreTurns(turns, sent)
	}
}

func restoreTurns(turns []debate.Turn, sent map[string][]inference.Message) {
	for i := range turns {
		if turns[i].Messages == nil {
			turns[i].Messages = sent[turns[i].Reply.Key]
		}
		restoreTurns(turns[i].Before, sent)
		restoreTurns(turns[i].Probes, sent)
	}
}
