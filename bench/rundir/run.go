package rundir

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// Run is what a run directory holds under its last header.
type Run struct {
	Header     Header
	Outcomes   []trial.Outcome // the debates, with the messages that their generations have
	Comparison analysis.Comparison
	Finished   bool      // result.json counts the same debates as Comparison, which is computed in any case
	Sessions   []Session // the programs that computed it
	Resume     string    // the command that goes on with it, "" for one that is under way, finished, or does not say it

	plan    plan
	table   *outcome.Table  // from which Comparison was computed
	tableOf []trial.Outcome // the Outcomes of table; once a caller replaces Outcomes, table no longer fits
}

// NewRun makes a finished run of given debates.
func NewRun(h Header, outcomes []trial.Outcome) (r Run, err error) {
	r = Run{Header: h, Outcomes: outcomes, Finished: true}
	err = r.count()
	return r, err
}

// ReadRun reads a run directory, whether or not its run has ended.
func ReadRun(directory string) (r Run, err error) {
	if r.Header, r.Outcomes, r.plan, err = readJournals(directory); err != nil {
		return r, err
	}
	if r.Sessions, err = Sessions(directory); err != nil {
		return r, err
	}
	if err = r.count(); err != nil {
		return r, err
	}
	defer func() { r.Resume = r.resume(directory) }()
	var result analysis.Comparison
	if err := record.ReadJSON(filepath.Join(directory, resultFile), &result); errors.Is(err, os.ErrNotExist) {
		return r, nil
	} else if err != nil {
		return r, err
	}
	if r.Finished = covers(result, r.Comparison); r.Finished && len(result.Failed) == len(r.Comparison.Failed) {
		r.Comparison.Failed = result.Failed // older debate records do not say why they failed
	}
	return r, nil
}

// resume returns the command that goes on with a run that is in a directory and ended early.
func (r Run) resume(directory string) string {
	if process, _, _ := lockHolder(directory); r.Finished || process != "" || len(r.Sessions) == 0 {
		return ""
	}
	return r.Sessions[len(r.Sessions)-1].Again(&r.Header, directory, "")
}

// Whole returns a debate of the run with what tells right answers, of which older records have the target alone.
func (r Run) Whole(o trial.Outcome) trial.Outcome {
	if !o.Truth.Parsed && o.Target != "" {
		o.Truth = task.TruthOf(r.Header.AnswerRule, o.Target)
	}
	if o.Key == nil && o.Target != "" {
		o.Key = task.BareKey(r.Header.Measure)
	}
	return o
}

// Marked reports whether it is known which answers of this run are right, so that replies can be scored as well as
// decisions.
func (r Run) Marked() bool {
	targets := false
	for _, o := range r.Outcomes {
		if targets = targets || o.Target != ""; !r.Whole(o).Marked() {
			return false
		}
	}
	return targets
}

// Table returns the outcomes as columns, each Whole; it may point into Outcomes, which must not be changed afterwards.
// It is the table from which Comparison was computed, unless Outcomes was replaced.
func (r Run) Table() *outcome.Table {
	if r.table != nil && sameSlice(r.tableOf, r.Outcomes) {
		return r.table
	}
	outcomes := r.Outcomes
	for i, o := range r.Outcomes {
		whole := r.Whole(o)
		if whole.Truth == o.Truth && whole.Key == o.Key {
			continue
		}
		if sameSlice(outcomes, r.Outcomes) {
			outcomes = slices.Clone(r.Outcomes) // as of older records; of a long run, a copy takes much memory
		}
		outcomes[i] = whole
	}
	return outcome.NewTable(outcomes)
}

// sameSlice reports whether two slices share their memory, not whether their elements are equal.
func sameSlice(a, b []trial.Outcome) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// count computes the comparison from the debates. Two conditions are compared on the questions that both have.
func (r *Run) count() error {
	h := r.Header
	r.table, r.tableOf = r.Table(), r.Outcomes
	r.Comparison = analysis.Comparison{Run: h.Run, Guess: h.Chance(r.table.Debates()), Model: h.Model}
	r.Comparison.Measure, r.Comparison.Reference = cmp.Or(h.Measure, "equal"), cmp.Or(h.Reference, trial.Reference)
	if h.Shard != nil {
		r.Comparison.Shard = h.Shard.String()
	}
	conditions, err := h.ConditionsOf()
	if err != nil {
		return err
	}
	if r.Comparison.Contrasts, err = h.ReadContrasts(); err != nil {
		return err
	}
	r.Comparison.Tabulate(conditions, r.table, h.Stop)
	return nil
}

// readJournals reads the last header and its debates, and restores their messages from the generations. A record that
// another process is just writing is omitted. The debates are read first: a debate is journalled after its generations,
// so whatever is recorded meanwhile, all generations of these debates are found.
func readJournals(directory string) (h Header, outcomes []trial.Outcome, p plan, err error) {
	debates := newContents()
	debates.texts = make(texts)
	if _, err := record.Read(filepath.Join(directory, debatesFile), debates.readOutcome); err != nil {
		return h, nil, p, notRun(directory, err)
	}
	r := restoring{debates.texts, make(map[string][]*debate.Turn), make(map[*debate.Turn]bool),
		make(map[*debate.Turn]bool)}
	for _, o := range debates.outcomes {
		eachTurn(o.Transcript, r.expect)
	}
	err = readGenerations(directory, visitor{header: debates.plan.take, generation: func(g Generation) error {
		r.generation(g)
		return nil
	}})
	if err != nil {
		return h, nil, p, err
	}
	if debates.header == nil {
		return h, nil, p, fmt.Errorf("run directory %q: no run has begun in it", directory)
	}
	for i := range debates.outcomes {
		if err := r.check(&debates.outcomes[i]); err != nil {
			return h, nil, p, fmt.Errorf("%w: %q: %w", record.ErrDamaged, directory, err)
		}
	}
	return *debates.header, debates.outcomes, debates.plan, nil
}

// notRun explains an error at a path where a run was to be: that there is none, where this is the reason. Other errors,
// and nil, stay as they are.
func notRun(path string, err error) error {
	const listed = "; parley runs lists the runs that there are"
	info, statErr := os.Stat(path)
	switch {
	case err == nil:
		return nil
	case errors.Is(statErr, fs.ErrNotExist):
		return noRun{fmt.Sprintf("there is no directory %q%s", path, listed), err}
	case statErr == nil && !info.IsDir():
		return noRun{fmt.Sprintf("%q is a file, and no run directory%s", path, listed), err}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if runs := Within(path); len(runs) > 0 {
		return noRun{fmt.Sprintf("%q holds an experiment; name one of its runs: %s", path, strings.Join(runs, ", ")),
			err}
	}
	return noRun{fmt.Sprintf("%q is not a run directory%s", path, listed), err}
}

// noRun is an error that is said in other words than that of its cause.
type noRun struct {
	text  string
	cause error
}

func (e noRun) Error() string { return e.text }
func (e noRun) Unwrap() error { return e.cause }

// Within lists the run directories in the directory of an experiment.
func Within(directory string) (runs []string) { return within(directory, IsRun) }

// Begun lists the run directories in the directory of an experiment, with that of a task that a process has opened and
// not recorded anything in yet.
func Begun(directory string) (runs []string) {
	return within(directory, func(path string) bool {
		process, _, err := lockHolder(path)
		return err == nil && process != "" || IsRun(path)
	})
}

// within lists the entries of a directory that satisfy a predicate, sorted by name. A directory that cannot be read
// has none.
func within(directory string, is func(path string) bool) (runs []string) {
	entries, err := os.ReadDir(directory)
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		if path := filepath.Join(directory, entry.Name()); is(path) {
			runs = append(runs, path)
		}
	}
	return runs
}

// readGenerations visits the generations of a run directory in the order in which they were recorded.
func readGenerations(directory string, v visitor) error {
	_, err := record.Read(filepath.Join(directory, generationsFile), v.visit)
	return notRun(directory, err)
}

// EachGeneration visits the generations of a run directory, each with the header under which it was recorded, and
// returns the last header.
func EachGeneration(directory string, visit func(Header, Generation)) (last Header, err error) {
	err = readGenerations(directory, visitor{header: func(h Header) { last = h }, generation: func(g Generation) error {
		visit(last, g)
		return nil
	}})
	return last, err
}

// ErrOtherReply means that a debate has another reply than the generation with its key. Both records are whole, so a
// repair keeps them: it cannot know which of the two is true.
var ErrOtherReply = errors.New("differs from the generation with its key")

// restoring gives turns the messages that they were sent, one generation after the other as they are read, so that no
// others are in memory.
type restoring struct {
	texts   texts
	turns   map[string][]*debate.Turn // of recorded debates, by the keys of their replies
	own     map[*debate.Turn]bool     // whose debates recorded their messages
	differs map[*debate.Turn]bool     // whose replies are not those of their keys: a journal was changed
}

// expect enters a turn whose generation is to come. A failed one may have none.
func (r restoring) expect(t *debate.Turn) {
	r.turns[t.Reply.Key] = append(r.turns[t.Reply.Key], t)
	if t.Messages != nil {
		r.own[t] = true
	}
}

// generation gives the turns of its key their messages, and compares their replies. The last of a key counts.
func (r restoring) generation(g Generation) {
	turns := r.turns[g.Reply.Key]
	if len(turns) > 0 {
		r.texts.shareMessages(g.Messages)
	}
	for _, t := range turns {
		if !r.own[t] {
			t.Messages = g.Messages
		}
		if delete(r.differs, t); t.Error == "" && !sameReply(g.Reply, t.Reply) {
			r.differs[t] = true
		}
	}
}

// check refuses a debate with a reply that differs from the generation of its key.
func (r restoring) check(o *trial.Outcome) (err error) {
	eachTurn(o.Transcript, func(t *debate.Turn) {
		if r.differs[t] && err == nil {
			err = fmt.Errorf("question %s, condition %s: the reply of agent %d in round %d %w %s", o.Case(),
				o.Condition, t.Agent, t.Round, ErrOtherReply, t.Reply.Key)
		}
	})
	return err
}

// eachTurn visits the turns of a transcript themselves, each before those that belong to it.
func eachTurn(t debate.Transcript, visit func(*debate.Turn)) {
	var all func(turns []debate.Turn)
	all = func(turns []debate.Turn) {
		for i := range turns {
			visit(&turns[i])
			all(turns[i].Before)
			all(turns[i].After)
			all(turns[i].Probes)
		}
	}
	for _, turns := range t.Stages() {
		all(turns)
	}
}

// sameReply reports whether the reply of a turn is that of a generation. Of texts that were scored, the generation has
// the most probable one, and the turn may have chosen another (likelihood.Likelihood).
func sameReply(generated, told inference.Reply) bool {
	if generated.LogProb != told.LogProb {
		return slices.Contains(generated.LogProbs, told.LogProb)
	}
	return generated.Whole() == told.Whole()
}

// covers reports whether a recorded result counts the same debates. It does not after a wider run has begun.
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
