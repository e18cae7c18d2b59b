package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/outfile"
	"github.com/parley-debate/parley/internal/platform"
)

// AnotherRun is the error of a directory that holds a different run than the one that is to begin in it.
type AnotherRun struct {
	Path        string
	Differences []Difference
	Less        bool // they are all that it holds more
}

// Error has one line for each difference.
func (e AnotherRun) Error() string {
	what := "another run"
	if e.Less {
		what = "more than this run"
	}
	text := fmt.Sprintf("run directory %q holds %s:\n%s", e.Path, what, lines(e.Differences))
	if e.Less {
		return text + "to add to it, ask for what it has as well; to leave that out, add --leave-out: its replies " +
			"stay recorded, so that the command that asked for it brings it back; to keep both, name another " +
			"directory with --out, or add --fork NEW: this run then begins in the directory NEW with the recorded " +
			"generations"
	}
	return text + "to resume the recorded run, ask for what it was; to begin this one, name another directory with " +
		"--out, or add --fork NEW: it then begins in the directory NEW with the recorded generations that it shares"
}

// lines has one for each difference.
func lines(differences []Difference) (text string) {
	for _, d := range differences {
		text += fmt.Sprintf("  %s was %v and is %v\n", d.Name, d.First, d.Second)
	}
	return text
}

// Begin says what the run is. A directory that already holds this run resumes it. For a wider run (more questions,
// conditions or repeats, other tests), the journals get a new header, and its debates are recorded anew from the
// generations that are there. Begin refuses any other difference with AnotherRun, also a narrower run, unless LeaveOut
// is set.
func (d *Directory) Begin(h Header) error {
	h.Version, h.Kind, d.imported = record.Version, kindHeader, h.Imported != nil
	if d.header != nil {
		differences := d.header.Decides(h)
		if d.imported && d.header.Reference != h.Reference { // a new header would let its scores go without a question
			differences = append(differences, Difference{"reference", d.header.Reference, h.Reference})
		}
		if len(differences) > 0 {
			return AnotherRun{d.Path, differences, false}
		}
		if differences := d.leavesOut(h); len(differences) > 0 && !d.LeaveOut {
			return AnotherRun{d.Path, differences, true}
		}
		if d.header.sameExtent(h) {
			return d.sign(h)
		}
	}
	d.countAnew(h)
	if err := d.inherit(h); err != nil {
		return err
	}
	if !d.hasBegun(h) {
		if err := d.generations.Append(h); err != nil {
			return err
		}
	}
	return d.debates.Append(h)
}

// leavesOut lists what the directory holds and a run would not, by its header and by its questions.
func (d *Directory) leavesOut(h Header) []Difference {
	differences := d.header.leavesOut(h)
	if len(differences) > 0 || h.Asks == nil {
		return differences
	}
	asks := make(map[string]bool)
	for _, id := range h.Asks {
		asks[id] = true
	}
	for _, o := range d.outcomes {
		if !asks[o.Question] {
			return []Difference{{"question " + o.Question, "asked", "left out"}}
		}
	}
	return nil
}

// hasBegun reports whether the generations have the header already: an earlier attempt ended before the debates got it.
// Begin writes the header to the generations first and to the debates last, so the reverse cannot happen.
func (d *Directory) hasBegun(h Header) bool {
	return d.began != nil && len(d.began.differs(h)) == 0 && d.began.sameExtent(h) && d.signed(h)
}

// signed reports whether the last generations say that this machine computes them. Only shards say so.
func (d *Directory) signed(h Header) bool { return h.Shard == nil || h.Shard.Host == d.host }

// sign says which machine computes the generations that follow, if it is another one than that of the last ones: a job
// that goes on elsewhere.
func (d *Directory) sign(h Header) error {
	if d.signed(h) {
		return nil
	}
	return d.generations.Append(h)
}

// Generation journals one generation; it is an observer for inference.OnGeneration, which calls it from the engine's
// goroutine.
func (d *Directory) Generation(g inference.Generation) error {
	err := d.generations.Append(recordOfGeneration(g))
	if err == nil {
		d.counting.Lock()
		defer d.counting.Unlock()
		d.count.addGeneration(g.Reply, g.Joined)
	}
	return err
}

// Outcome journals one debate. The caller passes the debates of a run in the same order every time: as many as are
// recorded already are compared with their records, and the others are appended. From a debate on that had failed, and
// now was held or failed in another place, they are recorded anew.
func (d *Directory) Outcome(o trial.Outcome) error {
	if d.observed < len(d.outcomes) {
		before := d.outcomes[d.observed]
		err := d.repeats(before, o)
		if err == nil || !before.Failed() || before.Question != o.Question || before.Repeat != o.Repeat ||
			before.Condition != o.Condition {
			d.observed++
			return err
		}
		if err := d.recordAnew(); err != nil {
			return err
		}
	}
	err := d.debates.Append(d.recordOf(o))
	if err == nil {
		d.observed++
		d.counting.Lock()
		defer d.counting.Unlock()
		d.countOutcome(o)
	}
	return err
}

// recordOf returns the record of a debate. Without generations, it keeps its messages.
func (d *Directory) recordOf(o trial.Outcome) debateRecord {
	if d.imported {
		return debateRecord{record.Version, kindDebate, o}
	}
	return recordOfDebate(o)
}

// recordAnew records the debates that were observed under another header of the same run: what follows them is a debate
// that had failed and now went otherwise.
func (d *Directory) recordAnew() error {
	d.counting.Lock()
	defer d.counting.Unlock()
	kept, c := d.outcomes[:d.observed], copier{to: d.debates}
	err := c.addRecord(*d.header)
	d.countAnew(*d.header)
	for _, o := range kept {
		err = errors.Join(err, c.addRecord(d.recordOf(o)))
		d.countOutcome(o)
	}
	return errors.Join(err, c.flush())
}

// repeats refuses a debate that differs from its record. A resumed run repeats its recorded debates from their
// generations: a difference means that a file or the program changed, and that the rest would not belong to the same
// run.
func (d *Directory) repeats(before, o trial.Outcome) error {
	if before.Question != o.Question || before.Repeat != o.Repeat || before.Condition != o.Condition ||
		before.Score != o.Score {
		return fmt.Errorf("run directory %q: debate %d is recorded as %s, %s, %s, and is now %s, %s, %s: the run "+
			"does not repeat; name another directory with --out",
			d.Path, d.observed+1, before.Case(), before.Condition, before.Score, o.Case(), o.Condition, o.Score)
	}
	if !slices.Equal(keysOf(before.Transcript), keysOf(o.Transcript)) {
		return fmt.Errorf("run directory %q: debate %d (%s, %s) is recorded with other generations: the run does "+
			"not repeat, as when the wording in a file was changed, or an older version asked closing turns; name "+
			"another directory with --out",
			d.Path, d.observed+1, o.Case(), o.Condition)
	}
	return nil
}

// Count returns how much of the run is recorded.
func (d *Directory) Count() Count {
	d.counting.Lock()
	defer d.counting.Unlock()
	return d.count
}

// End ends the session that Start began: with what came of it, or with what failed, which End returns, and what the
// engine did until then.
func (d *Directory) End(c analysis.Comparison, did inference.Stats, failed error) error {
	if failed != nil {
		return errors.Join(failed, d.recordEnd(did, failed))
	}
	return d.Finish(c)
}

// Finish writes the result, which depends on the experiment alone, and adds a Session to what the engine did. A
// directory that was removed or replaced during the run gets no result, because nothing of the run is in it.
func (d *Directory) Finish(c analysis.Comparison) error {
	if err := d.checkPlace(); err != nil {
		return err
	}
	if err := d.Result(c); err != nil {
		return err
	}
	return d.recordEnd(c.Stats, nil)
}

// checkPlace returns an error if the directory was removed or replaced since it was opened.
func (d *Directory) checkPlace() error {
	return errors.Join(d.generations.Placed(), d.debates.Placed())
}

// Result writes the result alone: a run without an engine has no sessions.
func (d *Directory) Result(c analysis.Comparison) error {
	return WriteJSON(d.Path, resultFile, c.Result())
}

// CheckJSON refuses a file of a run directory that WriteJSON would replace and that no earlier program has written: its
// first field is another one, or it is a directory. A link is not a file of a run: WriteJSON replaces it.
func CheckJSON(directory, name, field string) error {
	f := outfile.File{Kind: outfile.Kind{Name: name + " of a run", Ours: outfile.Opening(`[\[{\s]*"` + field + `":`)},
		Path: filepath.Join(directory, name)}
	info, err := os.Lstat(f.Path)
	if err != nil || !info.Mode().IsRegular() && !info.IsDir() {
		return nil
	}
	if err := outfile.Check(f); info.IsDir() || errors.As(err, new(outfile.Foreign)) {
		return fmt.Errorf("%s exists and was not written by parley, so that it stays as it is: move it elsewhere",
			f.Path)
	} else if err != nil {
		return err
	}
	return nil
}

// firstField finds the first field of a file in JSON.
var firstField = regexp.MustCompile(`^[\[{\s]*"([^"]*)":`)

// WriteJSON writes a file of a run directory, whole or not at all, and replaces a link instead of following it. It
// refuses what CheckJSON refuses.
func WriteJSON(directory, name string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	if field := firstField.FindSubmatch(text); field != nil {
		if err := CheckJSON(directory, name, string(field[1])); err != nil {
			return err
		}
	}
	if err := platform.WriteFile(filepath.Join(directory, name), append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("%s: %w; the generations and debates are in their journals: remove the cause and give the "+
			"same command again", name, err)
	}
	return nil
}

// Measure journals generations and debates into a meter, as Directory does into files: it measures what a run would
// write.
type Measure struct{ Meter *record.Meter }

// Generation measures one generation.
func (m Measure) Generation(g inference.Generation) error {
	return m.Meter.Append(recordOfGeneration(g))
}

// Outcome measures one debate.
func (m Measure) Outcome(o trial.Outcome) error { return m.Meter.Append(recordOfDebate(o)) }
