package bench

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/bench/record"
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

// NewRun makes a run of debates that are there.
func NewRun(h Header, outcomes []Outcome) (r Run, err error) {
	r = Run{Header: h, Outcomes: outcomes, Finished: true}
	r.Comparison, err = r.count()
	return r, err
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
	counted, countErr := r.count()
	if countErr != nil {
		return r, countErr
	}
	if err == nil {
		if err := json.Unmarshal(text, &r.Comparison); err != nil {
			return r, fmt.Errorf("result.json: %w", err)
		}
		r.Comparison.Reference = counted.Reference // which is not in all records
		r.Finished = r.Comparison.covers(counted)
		r.Comparison.complete(counted)
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

// Exact reports whether answers are right if they are the target. Of translations, say, only the decision is scored, in another way.
func (r Run) Exact() bool {
	targets := false
	for _, o := range r.Outcomes {
		equal := func(a answer.Answer) task.Score { return task.ScoreOf(a, r.Truth(o)) }
		if targets = targets || o.Target != ""; o.Score == task.Right && equal(o.Transcript.Decision.Answer) != task.Right && best(o.Transcript, equal) != task.Right {
			return false
		}
	}
	return targets
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

// complete adds what a result of an older program lacks. If it is not that of the same debates, nothing is kept of it.
func (c *Comparison) complete(counted Comparison) {
	for i := range min(len(c.Rows), len(counted.Rows)) {
		if row := &c.Rows[i]; row.Course == nil {
			row.Paired, row.Course = counted.Rows[i].Paired, counted.Rows[i].Course
		}
	}
}

// count makes the table of the debates that are there. Conditions are compared on the questions that both have.
func (r Run) count() (Comparison, error) {
	c := Comparison{Task: r.Header.Task, TaskHash: r.Header.TaskHash, Questions: r.Header.Questions, Model: r.Header.Model, Reference: cmp.Or(r.Header.Reference, Reference)}
	conditions, err := r.Header.conditionsOf()
	if err != nil {
		return c, err
	}
	outcomes := slices.Clone(r.Outcomes)
	for i, o := range outcomes {
		outcomes[i].Truth = r.Truth(o)
	}
	c.Guess = guessOf(outcomes)
	c.tabulate(conditions, outcomes, r.Header.Stop)
	return c, nil
}

// guessOf is the accuracy of always giving the most frequent right answer.
func guessOf(outcomes []Outcome) float64 {
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
	return share(most, len(truths))
}

// readJournals reads the last header and its debates, with the messages that their journal leaves to that of the generations. What another
// process is just writing is left out.
func readJournals(directory string) (Header, []Outcome, error) {
	sent := make(map[string][]inference.Message) // by key
	err := readGenerations(directory, func(Header) {}, func(g generation) error {
		sent[g.Reply.Key] = g.Messages
		return nil
	})
	if err != nil {
		return Header{}, nil, err
	}
	reader := Directory{}
	if _, err := record.Read(filepath.Join(directory, "debates.jsonl.zst"), reader.readOutcome); err != nil {
		return Header{}, nil, notRun(directory, err)
	}
	if reader.header == nil {
		return Header{}, nil, fmt.Errorf("run directory %q: no run has begun in it", directory)
	}
	for i := range reader.outcomes {
		restore(&reader.outcomes[i].Transcript, sent)
	}
	return *reader.header, reader.outcomes, nil
}

// notRun says what a directory without journals is.
func notRun(directory string, err error) error {
	if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if runs := Within(directory); len(runs) > 0 {
		return fmt.Errorf("%q holds an experiment; name one of its runs: %s", directory, strings.Join(runs, ", "))
	}
	return fmt.Errorf("%q is no run directory: %w", directory, err)
}

// Within lists the run directories in the directory of an experiment.
func Within(directory string) (runs []string) {
	entries, err := os.ReadDir(directory)
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		path := filepath.Join(directory, entry.Name())
		if files, err := os.ReadDir(path); err == nil && holdsRun(files) {
			runs = append(runs, path)
		}
	}
	return runs
}

// readGenerations calls f with every generation of a run directory, and header with every header, as they were recorded.
func readGenerations(directory string, header func(Header), f func(generation) error) error {
	_, err := record.Read(filepath.Join(directory, "generations.jsonl.zst"), func(line []byte) error {
		var g generation
		if err := json.Unmarshal(line, &g); err != nil {
			return fmt.Errorf("generations: %w", err)
		}
		switch g.Kind {
		case "generation":
			return f(g)
		case "header":
			var h Header
			if err := json.Unmarshal(line, &h); err != nil {
				return fmt.Errorf("generations: %w", err)
			}
			header(h)
		}
		return nil
	})
	return notRun(directory, err)
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
