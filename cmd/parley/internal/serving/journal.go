package serving

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/inference/serve/generation"
	"github.com/parley-debate/parley/internal/platform"
)

// The files of a server's journal: replies, and what is locked while a process uses them.
const (
	repliesFile = "replies.jsonl.zst"
	lockFile    = "parley.lock"
)

// IsJournal reports whether a directory has the journal of a server.
func IsJournal(directory string) bool {
	_, err := os.Lstat(filepath.Join(directory, repliesFile))
	return err == nil
}

// knownBytes is how much of the journal is in memory, as the file has it. What replies take there is some three times
// as much.
const knownBytes = 64 << 20

// replies are the journal of a server. The latest are kept in memory; one that is older is computed again when it is
// asked for.
//
// When one cannot be written, since the disk is full, the file is closed. It is opened again for a later one, cut to
// what was certainly on disk: what the system said it might have lost does not count, although it can be read.
type replies struct {
	path string
	lock *os.File
	wait time.Duration // after a failure until it is tried again

	mu    sync.RWMutex // guards what follows
	known map[string]generation.Record
	order []sized // of what is known, the oldest first; a reply that was replaced is there twice
	most  int     // bytes that are known
	bytes int

	writing sync.Mutex      // guards what follows; mu may be taken under it
	journal *record.Journal // nil after a failure
	size    int64           // bytes of the file that are on disk
	failure error           // the last one, while journal is nil
	again   time.Time       // when the journal is opened again
}

// keptReply is a record of the journal.
type keptReply struct {
	V    int    `json:"v"`
	Kind string `json:"kind"`
	generation.Record
}

// openReplies opens the journal in a directory, which is made if there is none.
func openReplies(directory string) (*replies, error) {
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return nil, err
	}
	r := &replies{path: filepath.Join(directory, repliesFile), wait: time.Second,
		known: make(map[string]generation.Record), most: knownBytes}
	if err := record.CheckPlace(filepath.Join(directory, lockFile), r.path); err != nil {
		return nil, err
	}
	var err error
	if r.lock, err = lockReplies(directory); err != nil {
		return nil, err
	}
	r.journal, err = goOn(r.path, r.read)
	if errors.Is(err, fs.ErrNotExist) {
		r.journal, err = record.Create(r.path)
	}
	if err == nil {
		r.size, err = size(r.path)
	}
	if err != nil {
		r.lock.Close()
		return nil, err
	}
	return r, nil
}

// goOn opens a journal for appending, and calls read with each of its records. The error of a damaged one says what
// becomes of replies that a repair does not find, since no command makes them as that of a run does.
func goOn(path string, read func([]byte) error) (*record.Journal, error) {
	journal, _, err := record.Continue(path, read)
	if damage := (record.Damage{}); errors.As(err, &damage) {
		damage.Then = "a reply that is missing then is computed again when it is asked for"
		return nil, damage
	}
	return journal, err
}

// lockReplies takes the journal in a directory for this process, until the file that it returns is closed.
func lockReplies(directory string) (*os.File, error) {
	lock, err := platform.OpenOwn(filepath.Join(directory, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := platform.Lock(lock); err != nil {
		lock.Close()
		return nil, fmt.Errorf("%s is in use by another process; end that, or name another directory: %w", directory,
			err)
	}
	return lock, nil
}

func size(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// read takes one record of an earlier process. Of several replies with one key the last counts; a record of another
// version or kind is an error, so that no newer journal is misread.
func (r *replies) read(line []byte) error {
	var kept keptReply
	if err := json.Unmarshal(line, &kept); err != nil {
		return err
	}
	r.remember(kept.Record, len(line))
	return record.Check(kept.V, kept.Kind, "reply")
}

// sized is a reply in memory, and the bytes of its record.
type sized struct {
	key   string
	bytes int
}

// remember keeps a reply in memory, and lets the oldest go that are too many then.
func (r *replies) remember(one generation.Record, bytes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known[one.Key] = one
	r.order = append(r.order, sized{one.Key, bytes})
	for r.bytes += bytes; r.bytes > r.most; r.order = r.order[1:] {
		r.bytes -= r.order[0].bytes
		delete(r.known, r.order[0].key)
	}
}

// Known implements serve.Journal.
func (r *replies) Known(key string) (generation.Record, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	one, ok := r.known[key]
	return one, ok
}

// Keep implements serve.Journal: when it returns, the reply survives a loss of power. One that could not be written is
// not known, so that the request is computed again.
func (r *replies) Keep(one generation.Record) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	if _, there := r.Known(one.Key); there { // two equal requests at the same time
		return nil
	}
	if err := r.reopen(); err != nil {
		return err
	}
	kept := keptReply{record.Version, "reply", one}
	err := r.journal.Append(kept)
	if err == nil {
		r.size, err = size(r.path)
	}
	if err != nil {
		_ = r.journal.Close() // which returns what Append has returned
		r.journal, r.failure, r.again = nil, err, time.Now().Add(r.wait)
		return err
	}
	line, err := json.Marshal(kept)
	r.remember(one, len(line))
	return err
}

// reopen opens the journal after a failure, at most once in a while, since all of it is read. The caller holds writing.
func (r *replies) reopen() (err error) {
	if r.journal != nil {
		return nil
	}
	if time.Now().Before(r.again) {
		return r.failure
	}
	if err = os.Truncate(r.path, r.size); err == nil {
		r.journal, err = goOn(r.path, func([]byte) error { return nil })
	}
	if err != nil {
		r.failure, r.again = err, time.Now().Add(r.wait)
	}
	return err
}

// Close implements io.Closer.
func (r *replies) Close() error {
	r.writing.Lock()
	defer r.writing.Unlock()
	if r.journal == nil {
		return errors.Join(r.failure, r.lock.Close())
	}
	return errors.Join(r.journal.Close(), r.lock.Close())
}
