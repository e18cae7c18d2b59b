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

// judgementsFile is the journal of what judges have said of a run's decisions: generations, of any judge.
const judgementsFile = "judge.jsonl.zst"

// Judgements are the replies of judges of a run, each in the journal as soon as it is there. They keep the lock of the
// run's directory until Close.
type Judgements struct {
	lock    *os.File
	journal *record.Journal
	replies map[string]inference.Reply // by key, those of the journal when it was opened
}

// OpenJudgements opens those of a run directory.
func OpenJudgements(directory string) (j *Judgements, err error) {
	j = &Judgements{replies: make(map[string]inference.Reply)}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("run directory %q: %w", directory, err), j.Close())
		}
	}()
	if j.lock, err = takeLock(directory, false); err != nil {
		return j, err
	}
	path := filepath.Join(directory, judgementsFile)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		j.journal, err = record.Create(path)
		return j, err
	}
	if j.journal, _, err = record.Continue(path, j.read); err != nil {
		err = fmt.Errorf("%w; remove it to ask the judges anew", err)
	}
	return j, err
}

// read enters a record of the journal.
func (j *Judgements) read(line []byte) error {
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
func (j *Judgements) Generation(g inference.Generation) error {
	return j.journal.Append(recordOfGeneration(g))
}

// Reply returns a reply that was journalled before, by its key.
func (j *Judgements) Reply(key string) (reply inference.Reply, known bool) {
	reply, known = j.replies[key]
	return reply, known
}

// Close closes the journal and frees the lock.
func (j *Judgements) Close() (err error) {
	if j.journal != nil {
		err = j.journal.Close()
	}
	if j.lock != nil {
		j.lock.Close()
	}
	return err
}
