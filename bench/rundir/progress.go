package rundir

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/rundir/lock"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// Progress is how far a run is, with what it has found so far.
type Progress struct {
	Status
	Conditions []ConditionProgress // in the order of the header
	Count      Count
	Last       []Finished // the last debates that ended, oldest first, at most LastKept
	Locked     time.Time  // since when a process has the lock; zero if none has
	Resumes    bool       // that process found a run in the directory
}

// ConditionProgress is how far one condition is.
type ConditionProgress struct {
	Name     string
	Expected int // debates when the run is finished; an upper bound, as in Status
	N        int // debates that did not fail
	Failed   int
	Right    int
	Accuracy float64       // of the debates so far
	Interval stat.Interval // 95 %, see stat.Accuracy
}

// Finished is one debate that has ended.
type Finished struct {
	Case      string // question and repeat, see trial.CaseID
	Asked     string // the beginning of what its first agent was asked; "" if that is not recorded
	Condition string
	Decision  string // "" if nothing was decided
	Score     task.Score
	Error     string // why it failed

	keys []string // of its replies, until what was asked is known
}

// LastKept is the number of debates in Progress.Last, and askedBytes the most of Finished.Asked.
const (
	LastKept   = 20
	askedBytes = 300
)

// Follower reads a run directory again and again while another process writes it: each Read takes only what was added
// since the one before. It never takes the lock, needs no directory that is complete, and keeps no transcripts. Close
// it after use.
type Follower struct {
	directory            string
	debates, generations *record.Tail

	found    contents // replies and outcomes without their texts
	tallies  map[string]*analysis.Tally
	progress Progress          // what is counted; Read fills in the rest
	asked    map[string]string // beginnings of first messages, by the key of the reply
	texts    map[string]string // the values of asked, each of which many requests share
}

// Follow returns the follower of a run directory.
func Follow(directory string) *Follower {
	f := &Follower{directory: directory}
	f.restart()
	return f
}

// Close frees what the follower holds.
func (f *Follower) Close() {
	f.debates.Close()
	f.generations.Close()
}

// restart forgets all that was read.
func (f *Follower) restart() {
	if f.debates != nil {
		f.Close()
	}
	f.debates = record.NewTail(filepath.Join(f.directory, debatesFile))
	f.generations = record.NewTail(filepath.Join(f.directory, generationsFile))
	f.found, f.progress = newContents(), Progress{}
	f.tallies, f.asked, f.texts = nil, make(map[string]string), make(map[string]string)
}

// Read returns how far the run is. A directory that a repair or another run replaced is read anew.
func (f *Follower) Read() (p Progress, err error) {
	if p, err = f.read(); errors.Is(err, record.ErrReplaced) {
		f.restart()
		p, err = f.read()
	}
	return p, err
}

// read reads what has come since the last call. It returns record.ErrReplaced where a journal is another file than
// before.
func (f *Follower) read() (p Progress, err error) {
	if _, err := os.Stat(f.directory); err != nil {
		return p, notRun(f.directory, err)
	}
	process, resumes, err := lock.Holder(f.directory)
	if err != nil {
		return p, notRun(f.directory, fmt.Errorf("run directory %q: %w", f.directory, err))
	}
	if process == "" && !IsRun(f.directory) && (otherFile(f.directory) != "" || !begins(f.directory)) {
		return p, notRun(f.directory, fs.ErrNotExist)
	}
	s := Status{Process: process}
	// The debates are read first: a debate is journalled after its generations, so that these are always found.
	if err := s.read(f.debates, f.readOutcome); err != nil {
		return p, err
	}
	if err := s.read(f.generations, f.readGeneration); err != nil {
		return p, err
	}
	p = f.progress
	p.Resumes = resumes
	if info, err := os.Stat(filepath.Join(f.directory, lock.File)); err == nil && process != "" {
		p.Locked = info.ModTime()
	}
	s.Header, s.Repairs, p.Count, p.Conditions = f.found.header, f.found.repairs, f.found.count, f.conditions()
	s.Debates, s.Failed, s.Expected = p.Count.Debates, p.Count.Failed, p.Count.Expected
	s.Generations = p.Count.Generations
	s.State = s.state(resultDebates(f.directory))
	s.readSession(f.directory)
	p.Status, p.Last = s, make([]Finished, len(f.progress.Last))
	for i, d := range f.progress.Last {
		d.Asked, d.keys = cmp.Or(d.Asked, f.askedFirst(d.keys)), nil
		p.Last[i] = d
	}
	return p, nil
}

// readOutcome counts a debate, and starts over at a header.
func (f *Follower) readOutcome(line []byte) error {
	before := f.found.header
	if err := f.found.readOutcome(line); err != nil {
		return err
	}
	if f.found.header != before {
		f.tallies, f.progress.Last = make(map[string]*analysis.Tally), nil
	}
	if len(f.found.outcomes) == 0 {
		return nil
	}
	o := f.found.outcomes[0]
	f.found.outcomes = f.found.outcomes[:0] // what was seen stays in found.seen
	t := f.tallies[o.Condition]
	if t == nil {
		t = new(analysis.Tally)
		f.tallies[o.Condition] = t
	}
	t.Add(o)
	f.progress.Last = append(f.progress.Last, shortOutcome(o))
	f.progress.Last = f.progress.Last[max(0, len(f.progress.Last)-LastKept):]
	return nil
}

// shortOutcome shortens an outcome to what a live view shows. Keys are kept, because what was asked stands in the
// generations, which are read after the debates.
func shortOutcome(o trial.Outcome) Finished {
	d := Finished{Case: o.Case(), Condition: o.Condition, Score: o.Score, Error: o.Error}
	if a := o.Transcript.Decision.Answer; a.Parsed {
		d.Decision = a.Text
	}
	trial.EachTurn(o.Transcript, func(t debate.Turn, _ string) {
		d.Asked, d.keys = cmp.Or(d.Asked, beginning(t.Messages)), append(d.keys, t.Reply.Key)
	})
	return d
}

// askedFirst is what was asked in the first of some replies whose generation is recorded: replies that a control gives
// an agent have none.
func (f *Follower) askedFirst(keys []string) string {
	for _, key := range keys {
		if text := f.asked[key]; text != "" {
			return text
		}
	}
	return ""
}

// readGeneration counts a generation.
func (f *Follower) readGeneration(line []byte) error {
	return visitor{
		generation: func(g Generation) error {
			if !f.found.addReply(g) {
				return nil
			}
			f.found.replies[g.Reply.Key] = inference.Reply{} // its text is not kept
			text := beginning(g.Messages)
			if known, ok := f.texts[text]; ok {
				text = known
			}
			f.texts[text], f.asked[g.Reply.Key] = text, text
			return nil
		},
		repair: func(r Repair) { f.found.repairs = append(f.found.repairs, r) },
	}.visit(line)
}

// beginning is the beginning of the first message to an agent, in one line.
func beginning(messages []inference.Message) string {
	for _, m := range messages {
		if m.Role == "user" {
			text := strings.Join(strings.Fields(m.Content[:min(len(m.Content), 2*askedBytes)]), " ")
			return strings.ToValidUTF8(text[:min(len(text), askedBytes)], "")
		}
	}
	return ""
}

// conditions sums up the conditions of the header.
func (f *Follower) conditions() (list []ConditionProgress) {
	h := f.found.header
	if h == nil {
		return nil
	}
	expected := h.debatesByCondition()
	for i, name := range h.Conditions {
		c := ConditionProgress{Name: name, Expected: expected[i], Interval: stat.Interval{High: 1}}
		if t := f.tallies[name]; t != nil {
			c.N, c.Failed, c.Right = t.N, t.Failed, t.Right
			c.Accuracy, c.Interval = t.Accuracy(h.Cluster != "")
		}
		list = append(list, c)
	}
	return list
}

// expected returns how many debates the run has when it is finished, at most.
func (h Header) expected() int { return cmp.Or(h.Debates, h.Questions*len(h.Conditions)) }

// debatesByCondition returns the largest numbers of debates of the conditions. The header does not say which are held
// only once, whatever the number of repeats; conditions that this program does not know count as repeated.
func (h Header) debatesByCondition() (debates []int) {
	known, err := h.ConditionsOf()
	for i := range h.Conditions {
		times := max(1, h.Repeats)
		if err == nil {
			times = known[i].Times(times)
		}
		debates = append(debates, h.Questions*times)
	}
	return debates
}
