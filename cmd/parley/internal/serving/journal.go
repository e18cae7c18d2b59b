package serving

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

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

// replies are the journal of a server. Where the latest are is in memory, and in an index beside it; one that is older
// is computed again when it is asked for.
//
// When one cannot be written, since the disk is full, the file is closed. It is opened again for the next one, cut to
// what was certainly on disk: what the system said it might have lost does not count, although it can be read.
//
// A start trusts the index for what is before its end. Each reply is checked when it is read: one that is not as it was
// written is computed again, and the index is given up, so that the next start reads all of the journal and says what
// is damaged.
type replies struct {
	path string
	lock *os.File
	warn func(error) // says what the server goes on without

	mu     sync.RWMutex // guards what follows
	places places
	index  *index // nil for none

	behind int      // records that the start read, since the index did not have them
	from   *os.File // the journal, for reading
	reader *record.PlaceReader

	writing sync.Mutex      // guards what follows; mu may be taken under it
	journal *record.Journal // nil after a failure
	end     record.Mark     // of what is on disk
	size    int64           // bytes of that
	failure error           // the last one, while journal is nil
}

// keptReply is a record of the journal.
type keptReply struct {
	V    int    `json:"v"`
	Kind string `json:"kind"`
	generation.Record
}

// openReplies opens the journal in a directory, which is made if there is none. It finds at most so many replies.
func openReplies(directory string, most int, warn func(error)) (*replies, error) {
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return nil, err
	}
	r := &replies{path: filepath.Join(directory, repliesFile), warn: warn, places: places{most: most}}
	if err := record.CheckPlace(filepath.Join(directory, lockFile), r.path); err != nil {
		return nil, err
	}
	var err error
	if r.lock, err = lockReplies(directory); err != nil {
		return nil, err
	}
	if err := r.open(filepath.Join(directory, indexFile)); err != nil {
		if r.journal != nil {
			_ = r.journal.Close() // to which nothing was written
		}
		_ = r.closeFiles()
		return nil, err
	}
	return r, nil
}

// open opens the files of the journal. An index that is not of this journal begins anew.
func (r *replies) open(indexPath string) (err error) {
	if r.index, err = openIndex(indexPath); err == nil {
		r.end, err = r.index.read(r.places.most, r.places.put)
	}
	r.checkIndex(err)
	r.journal, err = goOn(r.path, r.end, r.read)
	if r.end != (record.Mark{}) && (errors.Is(err, record.ErrMoved) || errors.Is(err, fs.ErrNotExist)) {
		r.end, r.places = record.Mark{}, places{most: r.places.most}
		r.clearIndex()
		r.journal, err = goOn(r.path, r.end, r.read)
	}
	if errors.Is(err, fs.ErrNotExist) {
		r.journal, err = record.Create(r.path)
	}
	if err == nil {
		r.size, err = size(r.path)
	}
	if err == nil {
		r.from, err = os.Open(r.path)
	}
	if err == nil {
		r.reader, err = record.NewPlaceReader(r.from)
	}
	return err
}

// goOn opens a journal for appending, and calls read with each of its records behind a mark. The error of a damaged one
// says what becomes of replies that a repair does not find, since no command makes them as that of a run does.
func goOn(path string, from record.Mark, read func([]byte, record.Mark) error) (*record.Journal, error) {
	journal, _, err := record.ContinueFrom(path, from, read)
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

// removeReplies removes a journal that is closed, and the directory if nothing else is in it.
func removeReplies(directory string) (err error) {
	for _, name := range []string{repliesFile, indexFile, lockFile} {
		if gone := os.Remove(filepath.Join(directory, name)); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	_ = os.Remove(directory)
	return err
}

func size(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// read takes one record that the index does not have. Of several replies with one key the last counts; a record of
// another version or kind is an error, so that no newer journal is misread.
func (r *replies) read(line []byte, at record.Mark) error {
	var kept keptReply
	if err := kept.readHead(line); err != nil {
		return err
	}
	r.behind++
	r.remember(kept.Key, at)
	return record.Check(kept.V, kept.Kind, "reply")
}

// readHead reads the fields of a record that come first, without the reply.
func (k *keptReply) readHead(line []byte) error {
	d := json.NewDecoder(bytes.NewReader(line))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() && k.Key == "" {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var value any = new(json.RawMessage)
		switch name {
		case "v":
			value = &k.V
		case "kind":
			value = &k.Kind
		case "key":
			value = &k.Key
		}
		if err := d.Decode(value); err != nil {
			return err
		}
	}
	return nil
}

// remember keeps where the last reply is. The caller holds writing, or is alone.
func (r *replies) remember(key string, at record.Mark) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end = at
	r.places.put(nameOf(key), at.Place)
	if r.index != nil {
		r.checkIndex(r.index.add(nameOf(key), at))
	}
}

// checkIndex goes on without the index after an error. The caller holds mu, or is alone.
func (r *replies) checkIndex(err error) {
	if err == nil {
		return
	}
	r.warn(fmt.Errorf("the index cannot be used, so that the next start reads what it lacks in the journal: %w", err))
	r.closeIndex()
}

func (r *replies) clearIndex() {
	if r.index != nil {
		r.checkIndex(r.index.clear())
	}
}

func (r *replies) closeIndex() {
	if r.index != nil {
		r.index.file.Close()
		r.index = nil
	}
}

// place returns where the reply of a key is, or one whose key has the same name.
func (r *replies) place(key string) (record.Place, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.places.get(nameOf(key))
}

// Known implements serve.Journal.
func (r *replies) Known(key string) (generation.Record, bool) {
	at, ok := r.place(key)
	if !ok {
		return generation.Record{}, false
	}
	var kept keptReply
	line, err := r.reader.Read(at)
	if err == nil {
		err = json.Unmarshal(line, &kept)
	}
	if err != nil {
		r.forget(key, at, err)
	}
	return kept.Record, err == nil && kept.Key == key
}

// forget is told that a reply is not as it was written. The index begins anew with the next start, which reads all.
func (r *replies) forget(key string, at record.Place, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now, ok := r.places.get(nameOf(key)); !ok || now != at {
		return // another request has seen it
	}
	r.places.remove(nameOf(key))
	r.warn(fmt.Errorf("a kept reply cannot be read, and is computed again; once the server has ended, parley repair "+
		"%q looks for others: %w", filepath.Dir(r.path), err))
	r.clearIndex()
	r.closeIndex()
}

// Keep implements serve.Journal: when it returns, the reply survives a loss of power. One that could not be written is
// not known, so that the request is computed again, as is one that is too large for a record, which is no error.
func (r *replies) Keep(one generation.Record) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	if _, there := r.place(one.Key); there { // two equal requests at the same time
		return nil
	}
	if err := r.reopen(); err != nil {
		return err
	}
	err := r.journal.Append(keptReply{record.Version, "reply", one})
	if errors.Is(err, record.ErrTooLarge) {
		r.warn(fmt.Errorf("a reply of %d tokens is not kept, and is computed again when it is asked for: %w",
			len(one.Tokens), err))
		return nil
	}
	if err == nil {
		r.size, err = size(r.path)
	}
	if err != nil {
		_ = r.journal.Close() // which returns what Append has returned
		r.journal, r.failure = nil, err
		return err
	}
	r.remember(one.Key, r.journal.Last())
	return nil
}

// reopen opens the journal after a failure. The caller holds writing.
func (r *replies) reopen() (err error) {
	if r.journal != nil {
		return nil
	}
	if err = os.Truncate(r.path, r.size); err == nil {
		r.journal, err = goOn(r.path, r.end, func([]byte, record.Mark) error { return nil })
	}
	if err != nil {
		r.failure = err
	}
	return err
}

// Close implements io.Closer.
func (r *replies) Close() error {
	r.writing.Lock()
	defer r.writing.Unlock()
	if r.journal == nil {
		return errors.Join(r.failure, r.closeFiles())
	}
	return errors.Join(r.journal.Close(), r.closeFiles())
}

// closeFiles closes what is open beside the journal that is written.
func (r *replies) closeFiles() error {
	r.closeIndex()
	if r.reader != nil {
		r.reader.Close()
	}
	if r.from != nil {
		r.from.Close()
	}
	return r.lock.Close()
}
