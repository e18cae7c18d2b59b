package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"syscall"

	"github.com/google/renameio/v2"

	"parley/bench/analysis"
	"parley/bench/record"
	"parley/bench/task"
	"parley/bench/trial"
	"parley/bench/wording"
	"parley/debate"
	"parley/inference"
)

// Directory holds what a run leaves behind: generations.jsonl.zst with every generation as it finishes,
// debates.jsonl.zst with every debate and its outcome, result.json at the end, and engine.json with what the engine
// did. docs/format.md describes them. A run that ended early goes on in its directory: what it has generated is not
// generated again.
type Directory struct {
	Path string
	Torn int64 // bytes that a crash left of last records, and that were cut away

	generations, debates *record.Journal
	lock                 *os.File
	header               *Header                    // the last one, nil in a new directory
	from                 string                     // the directory that this one is forked from, "" if from none
	offered              int                        // generations that are there
	damaged              int                        // parts of it that are not
	replies              map[string]inference.Reply // by key
	outcomes             []trial.Outcome            // recorded under the last header
	held                 map[heldAt]bool            // which these are
	repairs              []Repair                   // of both journals
	observed             int                        // outcomes of this run so far
	imported             bool                       // there are no generations, so that debates keep their messages
	added                atomic.Int64               // generations since the directory was opened
}

// The journals of a run.
const (
	generationsFile = "generations.jsonl.zst"
	debatesFile     = "debates.jsonl.zst"
)

// generation and outcome are the other records.
type Generation struct {
	Version       int                 `json:"v"`
	Kind          string              `json:"kind"` // "generation"
	Name          string              `json:"name"`
	Participant   int                 `json:"participant"`
	Agent         int                 `json:"agent"`
	Sample        int                 `json:"sample"`
	Sampling      inference.Sampling  `json:"sampling"`
	Grammar       string              `json:"grammar,omitempty"`
	Messages      []inference.Message `json:"messages"`
	Continuations []string            `json:"continuations,omitempty"`
	Reply         inference.Reply     `json:"reply"`
	Milliseconds  float64             `json:"ms"` // from submission to completion
}

type outcome struct {
	Version int    `json:"v"`
	Kind    string `json:"kind"` // "debate"
	trial.Outcome
}

// OpenDirectory makes the directory of a run, or opens one to go on with its run. Only one process can have it open.
func OpenDirectory(path string) (*Directory, error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, fmt.Errorf("run directory: %w; name one that can be made with --out", err)
	}
	// to write: what is there already may be writable, and result.json would then fail at the end
	if err := syscall.Access(path, 2); err != nil {
		return nil, fmt.Errorf("run directory %q cannot be written in: %w; name another one with --out", path, err)
	}
	if other := stranger(path); other != "" && !holdsRun(path) {
		return nil, fmt.Errorf("directory %q holds %s and no run; name another one with --out", path, other)
	}
	d := &Directory{Path: path, replies: make(map[string]inference.Reply)}
	if err := d.open(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// holdsRun reports whether a directory is that of a run: a journal of it has a record, whatever of it is damaged.
func holdsRun(directory string) bool {
	for _, name := range []string{generationsFile, debatesFile} {
		var is kind
		line, err := record.First(filepath.Join(directory, name))
		if errors.Is(err, record.ErrVersion) || err == nil && json.Unmarshal(line, &is) == nil &&
			slices.Contains(kinds, is.Kind) {
			return true
		}
	}
	return false
}

// stranger is the name of a file in a directory that a run which has only just begun does not have, "" if there is
// none.
func stranger(directory string) string {
	files, _ := os.ReadDir(directory)
	for _, f := range files {
		if !f.Type().IsRegular() || !slices.Contains([]string{generationsFile, debatesFile, lockFile}, f.Name()) {
			return f.Name()
		}
	}
	return ""
}

// Remove removes a directory in which nothing was recorded, so that nothing is left of a run that could not begin.
func (d *Directory) Remove() error {
	for _, name := range []string{generationsFile, debatesFile, lockFile} {
		if err := os.Remove(filepath.Join(d.Path, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return os.Remove(d.Path)
}

// Discard closes a directory, and removes it if nothing was recorded in it.
func (d *Directory) Discard() error {
	if err := d.Close(); err != nil || !d.Empty() {
		return err
	}
	return d.Remove()
}

func (d *Directory) open() (err error) {
	if d.lock, err = lock(filepath.Join(d.Path, lockFile)); err != nil {
		return fmt.Errorf("run directory %q: %w", d.Path, err)
	}
	if d.generations, err = d.journal(generationsFile, d.readGeneration); err != nil {
		return err
	}
	d.debates, err = d.journal(debatesFile, d.readOutcome)
	return err
}

// journal opens a journal, or makes it.
func (d *Directory) journal(name string, read func(line []byte) error) (*record.Journal, error) {
	path := filepath.Join(d.Path, name)
	if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
		return record.Create(path)
	}
	journal, torn, err := record.Continue(path, read)
	d.Torn += torn
	return journal, err
}

func (d *Directory) readGeneration(line []byte) error {
	return visitor{
		generation: func(g Generation) error {
			d.replies[g.Reply.Key] = g.Reply
			return nil
		},
		repair: func(r Repair) { d.repairs = append(d.repairs, r) },
	}.visit(line)
}

func (d *Directory) readOutcome(line []byte) error {
	is, err := kindOf(line, kindHeader, kindDebate, kindRepair)
	switch {
	case err != nil:
	case is == kindHeader:
		d.outcomes, d.held = nil, make(map[heldAt]bool)
		d.header, err = readHeader(line)
	case is == kindDebate:
		var o outcome
		if err = json.Unmarshal(line, &o); err == nil {
			err = d.takeOutcome(o.Outcome)
		}
	case is == kindRepair:
		var r Repair
		err = json.Unmarshal(line, &r)
		d.repairs = append(d.repairs, r)
	}
	return invalid("debates", err)
}

// heldAt is which debate of a run.
type heldAt struct {
	question, condition string
	repeat              int
}

// takeOutcome enters a debate that was recorded, if it can be one of the run.
func (d *Directory) takeOutcome(o trial.Outcome) error {
	at := heldAt{o.Question, o.Condition, o.Repeat}
	switch {
	case d.header == nil:
		return errors.New("a debate stands before any header")
	case !slices.Contains(d.header.Conditions, o.Condition):
		return fmt.Errorf("question %s: condition %q is none of the run", o.Question, o.Condition)
	case d.held[at]:
		return fmt.Errorf("question %s, condition %s: the debate is there twice", o.Case(), o.Condition)
	}
	if err := o.Validate(); err != nil {
		return fmt.Errorf("question %s, condition %s: %w", o.Case(), o.Condition, err)
	}
	if o.Failed() {
		o.Score = task.Failed
	}
	d.held[at] = true
	d.outcomes = append(d.outcomes, o)
	return nil
}

// Reply is one that the run has generated already, by its key.
func (d *Directory) Reply(key string) (inference.Reply, bool) {
	r, ok := d.replies[key]
	return r, ok
}

// Recorded gives the replies that a run directory holds, also of a run that is under way, and leaves it as it is. A
// directory that is not there holds none.
func Recorded(path string) (known func(key string) (inference.Reply, bool), err error) {
	d := &Directory{replies: make(map[string]inference.Reply)}
	if _, err := record.Read(filepath.Join(path, generationsFile), d.readGeneration); err != nil &&
		!errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return d.Reply, nil
}

// Recorded is how many generations and debates of the run are recorded.
func (d *Directory) Recorded() (generations, debates int) {
	return len(d.replies) + int(d.added.Load()), max(len(d.outcomes), d.observed)
}

// AnotherRun is the error of a directory that holds another run than the one that would begin in it.
type AnotherRun struct {
	Path        string
	Differences []Difference
}

// Error has one line for each difference.
func (e AnotherRun) Error() string {
	text := fmt.Sprintf("run directory %q holds another run:\n", e.Path)
	for _, d := range e.Differences {
		text += fmt.Sprintf("  %s was %v and is %v\n", d.Name, d.First, d.Second)
	}
	return text + "ask for what it was to go on with it, or name another directory with --out, or fork it: with " +
		"--fork NEW as well this run begins in the directory NEW, with the recorded generations that it asks for too"
}

// Begin says what the run is. A directory in which it has begun goes on with it; one of a wider or narrower run (other
// numbers of questions, agents and rounds, other conditions) gets a new header, and its debates are recorded anew from
// generations that are there. Anything else is refused with AnotherRun.
func (d *Directory) Begin(h Header) error {
	h.Version, h.Kind, d.imported = record.Version, kindHeader, h.Imported != nil
	if d.header != nil {
		if differences := d.header.differs(h); len(differences) > 0 {
			return AnotherRun{d.Path, differences}
		}
		if d.header.same(h) {
			return nil
		}
		d.outcomes = nil
	}
	if err := d.inherit(h); err != nil {
		return err
	}
	return errors.Join(d.generations.Append(h), d.debates.Append(h))
}

// Generation journals one generation; it is an observer for inference.OnGeneration.
func (d *Directory) Generation(g inference.Generation) error {
	err := d.generations.Append(recordOf(g))
	if err == nil {
		d.added.Add(1)
	}
	return err
}

func recordOf(g inference.Generation) Generation {
	return Generation{
		Version: record.Version, Kind: kindGeneration, Name: g.Name, Participant: g.Participant, Agent: g.Agent,
		Sample:   g.Sample,
		Sampling: g.Sampling, Grammar: g.Grammar, Messages: g.Messages, Continuations: g.Continuations, Reply: g.Reply,
		Milliseconds: wording.Milliseconds(g.Reply.Duration),
	}
}

// Outcome journals one debate, unless it is there already. Its messages are in the generations, under the keys of its
// replies.
func (d *Directory) Outcome(o trial.Outcome) error {
	if d.observed >= len(d.outcomes) {
		kept := recordOfDebate(o)
		if d.imported { // whose journal of generations is empty
			kept = outcome{record.Version, kindDebate, o}
		}
		err := d.debates.Append(kept)
		if err == nil {
			d.observed++
		}
		return err
	}
	before := d.outcomes[d.observed]
	d.observed++
	if before.Question != o.Question || before.Repeat != o.Repeat || before.Condition != o.Condition ||
		before.Score != o.Score {
		return fmt.Errorf("run directory %q: debate %d is recorded as %s, %s, %s, and is now %s, %s, %s: the run "+
			"does not repeat; name another one with --out",
			d.Path, d.observed, before.Case(), before.Condition, before.Score, o.Case(), o.Condition, o.Score)
	}
	if !slices.Equal(keysOf(before.Transcript), keysOf(o.Transcript)) {
		return fmt.Errorf("run directory %q: debate %d (%s, %s) is recorded with other generations: the run does "+
			"not repeat, as when the wording of a file was changed; name another one with --out",
			d.Path, d.observed, o.Case(), o.Condition)
	}
	return nil
}

// recordOfDebate is an outcome without messages, which are in the generations.
func recordOfDebate(o trial.Outcome) outcome {
	o.Transcript = trial.WithoutMessages(o.Transcript)
	return outcome{record.Version, kindDebate, o}
}

// keysOf lists the generations of a debate.
func keysOf(t debate.Transcript) (keys []string) {
	trial.EachTurn(t, func(turn debate.Turn, _ string) { keys = append(keys, turn.Reply.Key) })
	return keys
}

// Finish writes the result, which depends on the experiment alone, and adds to what the engine did. A directory that
// was removed or replaced while the run went on gets no result: nothing of the run is in it.
func (d *Directory) Finish(c analysis.Comparison) error {
	if err := errors.Join(d.generations.Placed(), d.debates.Placed()); err != nil {
		return err
	}
	if err := d.Result(c); err != nil {
		return err
	}
	var sessions []json.RawMessage
	if err := record.ReadJSON(filepath.Join(d.Path, "engine.json"), &sessions); err != nil &&
		!errors.Is(err, os.ErrNotExist) {
		return err
	}
	session, err := json.Marshal(Session{c.Stats, c.Time})
	if err != nil {
		return err
	}
	return WriteJSON(d.Path, "engine.json", append(sessions, session))
}

// Result writes the result alone, of a run without an engine.
func (d *Directory) Result(c analysis.Comparison) error {
	return WriteJSON(d.Path, "result.json", c.Result())
}

// Session is what the engine did from the start of a program to the end of its run.
type Session struct {
	Stats inference.Stats `json:"scheduler"`
	Time  analysis.Times  `json:"time"`
}

// WriteJSON writes a file of a run directory, whole or not at all.
func WriteJSON(directory, name string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	if err := renameio.WriteFile(filepath.Join(directory, name), append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("%s: %w; generations and debates are in their journals: mend that, and give the same "+
			"command again", name, err)
	}
	return nil
}

// Close closes the journals, and lets others have the directory. It says what went wrong with them, if anything has.
func (d *Directory) Close() (err error) {
	for _, j := range []*record.Journal{d.generations, d.debates} {
		if j != nil {
			err = errors.Join(err, j.Close())
		}
	}
	if d.lock != nil {
		d.lock.Close()
	}
	return err
}

// Empty reports whether the journals hold nothing.
func (d *Directory) Empty() bool {
	for _, name := range []string{generationsFile, debatesFile} {
		if info, err := os.Stat(filepath.Join(d.Path, name)); err != nil || info.Size() > 0 {
			return false
		}
	}
	return true
}

// Measure journals generations and debates into a meter, as Generation and Outcome do into a directory: what a run
// would write.
type Measure struct{ Meter *record.Meter }

// Generation measures one.
func (m Measure) Generation(g inference.Generation) error { return m.Meter.Append(recordOf(g)) }

// Outcome measures one.
func (m Measure) Outcome(o trial.Outcome) error { return m.Meter.Append(recordOfDebate(o)) }
