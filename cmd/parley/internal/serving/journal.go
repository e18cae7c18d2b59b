package serving

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/inference/serve"
	"github.com/parley-debate/parley/internal/platform"
)

// replies are the journal of a server: a directory with the journal itself, and a file that is locked while a process
// uses it. All of them are kept in memory.
type replies struct {
	lock    *os.File
	journal *record.Journal

	mu    sync.RWMutex // guards known
	known map[string]serve.Record
}

// keptReply is a record of the journal.
type keptReply struct {
	V    int    `json:"v"`
	Kind string `json:"kind"`
	serve.Record
}

// openReplies opens the journal in a directory, which is made if there is none.
func openReplies(directory string) (r *replies, err error) {
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return nil, err
	}
	r = &replies{known: make(map[string]serve.Record)}
	path, lock := filepath.Join(directory, "replies.jsonl.zst"), filepath.Join(directory, "parley.lock")
	if err := record.CheckPlace(lock, path); err != nil {
		return nil, err
	}
	r.lock, err = platform.OpenOwn(lock, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			r.lock.Close()
		}
	}()
	if err := platform.Lock(r.lock); err != nil {
		return nil, fmt.Errorf("%s is in use by another process: %w", directory, err)
	}
	r.journal, _, err = record.Continue(path, r.read)
	if errors.Is(err, fs.ErrNotExist) {
		r.journal, err = record.Create(path)
	}
	return r, err
}

// read takes one record of an earlier process. Of several replies with one key the last counts; a record of another
// version or kind is an error, so that no newer journal is misread.
func (r *replies) read(line []byte) error {
	var kept keptReply
	if err := json.Unmarshal(line, &kept); err != nil {
		return err
	}
	r.known[kept.Key] = kept.Record
	return record.Check(kept.V, kept.Kind, "reply")
}

// Known implements serve.Journal.
func (r *replies) Known(key string) (serve.Record, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	one, ok := r.known[key]
	return one, ok
}

// Keep implements serve.Journal: when it returns, the reply survives a loss of power.
func (r *replies) Keep(one serve.Record) error {
	r.mu.Lock()
	_, there := r.known[one.Key]
	r.known[one.Key] = one
	r.mu.Unlock()
	if there { // two equal requests at the same time
		return nil
	}
	return r.journal.Append(keptReply{record.Version, "reply", one})
}

// Close implements io.Closer.
func (r *replies) Close() error { return errors.Join(r.journal.Close(), r.lock.Close()) }
