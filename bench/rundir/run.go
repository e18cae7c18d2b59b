package rundir

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/bench/analysis"
	"parley/bench/record"
	"parley/bench/task"
	"parley/bench/trial"
	"parley/debate"
	"parley/debate/answer"
)

// Run is what a run directory holds under its last header.
type Run struct {
	Header     Header
	Outcomes   []trial.Outcome // with their messages
	Comparison analysis.Comparison
	Finished   bool // result.json is that of the debates; the comparison counts them in any case

	table  *analysis.Table // from which the comparison was computed
	tabled []trial.Outcome // of which the table is: a run with other Outcomes has another one
}

// NewRun makes a run of debates that are there.
func NewRun(h Header, outcomes []trial.Outcome) (r Run, err error) {
	r = Run{Header: h, Outcomes: outcomes, Finished: true}
	err = r.count()
	return r, err
}

// ReadRun reads a run directory, whether or not its run has ended.
func ReadRun(directory string) (r Run, err error) {
	if r.Header, r.Outcomes, err = readJournals(directory); err != nil {
		return r, err
	}
	if err = r.count(); err != nil {
		return r, err
	}
	var result analysis.Comparison
	if err := record.ReadJSON(filepath.Join(directory, "result.json"), &result); errors.Is(err, os.ErrNotExist) {
		return r, nil
	} else if err != nil {
		return r, err
	}
	if r.Finished = covers(result, r.Comparison); r.Finished && len(result.Failed) == len(r.Comparison.Failed) {
		r.Comparison.Failed = result.Failed // an older record does not say why
	}
	return r, nil
}

// Truth is the right answer to the question of a debate.
func (r Run) Truth(o trial.Outcome) answer.Answer {
	if o.Truth.Parsed {
		return o.Truth
	}
	return task.TruthOf(r.Header.AnswerRule, o.Target) // of runs before it was recorded
}

// Exact reports whether answers are right if they are the target. Of translations, say, only the decision is scored, in
// another way.
func (r Run) Exact() bool {
	targets := false
	for _, o := range r.Outcomes {
		equal := func(a answer.Answer) task.Score { return task.ScoreOf(a, r.Truth(o)) }
		if targets = targets || o.Target != ""; o.Score == task.Right &&
			equal(o.Transcript.Decision.Answer) != task.Right && trial.BestScore(o.Transcript, equal) != task.Right {
			return false
		}
	}
	return targets
}

// Table is the outcomes as columns: those from which the comparison was computed, with the right answer to each
// question also where an old record lacks it.
func (r Run) Table() *analysis.Table {
	if r.table != nil && sameSlice(r.tabled, r.Outcomes) {
		return r.table
	}
	outcomes := slices.Clone(r.Outcomes)
	for i, o := range outcomes {
		outcomes[i].Truth = r.Truth(o)
	}
	return analysis.NewTable(outcomes)
}

// sameSlice reports whether two slices are one, not whether what they hold is equal.
func sameSlice(a, b []trial.Outcome) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// count makes the comparison of the debates that are there. Conditions are compared on the questions that both have.
func (r *Run) count() error {
	h := r.Header
	r.table, r.tabled = r.Table(), r.Outcomes
	r.Comparison = analysis.Comparison{Task: h.Task, TaskHash: h.TaskHash, Measure: cmp.Or(h.Measure, "equal"),
		Questions: h.Questions, Guess: analysis.ConstantGuess(r.table.Outcomes), Model: h.Model,
		Reference: cmp.Or(h.Reference, trial.Reference)}
	conditions, err := h.ConditionsOf()
	if err == nil {
		r.Comparison.Tabulate(conditions, r.table, h.Stop)
	}
	return err
}

// readJournals reads the last header and its debates, with the messages that their journal leaves to that of the
// generations. What another process is just writing is left out.
func readJournals(directory string) (Header, []trial.Outcome, error) {
	said := make(map[string]Generation) // by key
	err := readGenerations(directory, visitor{generation: func(g Generation) error {
		said[g.Reply.Key] = Generation{Messages: g.Messages, Reply: g.Reply}
		return nil
	}})
	if err != nil {
		return Header{}, nil, err
	}
	reader := Directory{}
	if _, err := record.Read(filepath.Join(directory, debatesFile), reader.readOutcome); err != nil {
		return Header{}, nil, notRun(directory, err)
	}
	if reader.header == nil {
		return Header{}, nil, fmt.Errorf("run directory %q: no run has begun in it", directory)
	}
	for i := range reader.outcomes {
		o := &reader.outcomes[i]
		if err := restore(&o.Transcript, said); err != nil {
			return Header{}, nil, fmt.Errorf("%w: %q: question %s, condition %s: %w", record.ErrDamaged, directory,
				o.Case(), o.Condition, err)
		}
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
		if path := filepath.Join(directory, entry.Name()); holdsRun(path) {
			runs = append(runs, path)
		}
	}
	return runs
}

// readGenerations visits the generations of a run directory as they were recorded.
func readGenerations(directory string, v visitor) error {
	_, err := record.Read(filepath.Join(directory, generationsFile), v.visit)
	return notRun(directory, err)
}

// EachGeneration visits the generations of a run directory with the headers that they stand under, and says which
// header is the last.
func EachGeneration(directory string, visit func(Header, Generation)) (last Header, err error) {
	err = readGenerations(directory, visitor{header: func(h Header) { last = h }, generation: func(g Generation) error {
		visit(last, g)
		return nil
	}})
	return last, err
}

// restore gives all turns of a debate what they were sent. A reply that is not the one that was generated is an error.
func restore(t *debate.Transcript, said map[string]Generation) error {
	for _, turns := range slices.Concat(t.Rounds, t.Voting) {
		if err := restoreTurns(turns, said); err != nil {
			return err
		}
	}
	return nil
}

func restoreTurns(turns []debate.Turn, said map[string]Generation) error {
	for i := range turns {
		turn := &turns[i]
		g, known := said[turn.Reply.Key]
		if known && turn.Error == "" && (g.Reply.Text != turn.Reply.Text || g.Reply.LogProb != turn.Reply.LogProb) {
			return fmt.Errorf("the reply of agent %d in round %d is not the generation of its key %s", turn.Agent,
				turn.Round, turn.Reply.Key)
		}
		if turn.Messages == nil {
			turn.Messages = g.Messages
		}
		if err := errors.Join(restoreTurns(turn.Before, said), restoreTurns(turn.Probes, said)); err != nil {
			return err
		}
	}
	return nil
}

// covers reports whether a result is that of the debates: it is not where a wider run has begun since.
func covers(c, counted analysis.Comparison) bool {
	if len(c.Rows) != len(counted.Rows) {
		return false
	}
	for i, row := range c.Rows {
		is := counted.Rows[i]
		if row.Condition != is.Condition || row.N+row.Failed != is.N+is.Failed || row.Right != is.Right ||
			row.Replies != is.Replies || row.Tokens != is.Tokens {
			return false
		}
	}
	return true
}
