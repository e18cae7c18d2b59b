package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/inference"
)

// Journals beside a run's own: of what judges have said of its decisions, of any judge, and of what its debates have
// said in branches.
const (
	judgementsFile = "judge.jsonl.zst"
	branchesFile   = "branch.jsonl.zst"
)

// Beside are replies on a run that are not of it, each in a journal of theirs as soon as it is there. They keep the
// lock of the run's directory until Close.
type Beside struct {
	lock    *os.File
	journal *record.Journal
	replies map[string]inference.Reply // by key, those of the journal when it was opened
}

// OpenJudgements opens those of the judges of a run directory.
func OpenJudgements(directory string) (*Beside, error) { return openBeside(directory, judgementsFile) }

// OpenBranches opens those of the branches of a run directory.
func OpenBranches(directory string) (*Beside, error) { return openBeside(directory, branchesFile) }

func openBeside(directory, file string) (j *Beside, err error) {
	j = &Beside{replies: make(map[string]inference.Reply)}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("run directory %q: %w", directory, err), j.Close())
		}
	}()
	if j.lock, err = takeLock(directory, false); err != nil {
		return j, err
	}
	path := filepath.Join(directory, file)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		j.journal, err = record.Create(path)
		return j, err
	}
	if j.journal, _, err = record.Continue(path, j.read); err != nil {
		err = fmt.Errorf("%w; remove it to ask anew", err)
	}
	return j, err
}

// read enters a record of the journal.
func (j *Beside) read(line []byte) error {
	_, err := kindOf(line, kindGeneration)
	var g Generation
	if err == nil {
		err = json.Unmarshal(line, &g)
	}
	if err == nil {
		err = g.validate()
	}
	j.replies[g.Reply.Key] = g.Reply
	return err
}

// Generation journals a reply, as Directory.Generation does.
func (j *Beside) Generation(g inference.Generation) error {
	return j.journal.Append(recordOfGeneration(g))
}

// Reply returns a reply that was journalled before, by its key.
func (j *Beside) Reply(key string) (reply inference.Reply, known bool) {
	reply, known = j.replies[key]
	return reply, known
}

// Close closes the journal and frees the lock.
func (j *Beside) Close() (err error) {
	if j.journal != nil {
		err = j.journal.Close()
	}
	if j.lock != nil {
		j.lock.Close()
	}
	return err
}
