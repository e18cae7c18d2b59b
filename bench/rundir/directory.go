// Package rundir is the directory of a run: two journals, generations.jsonl.zst with every generation as it finishes
// and debates.jsonl.zst with every debate and its outcome; result.json at the end; engine.json with what the engine
// did; and a lock. docs/format.md describes them.
//
// Lifecycle: OpenDirectory or ForkDirectory locks and reads a directory. Begin says which run it is to hold, and
// refuses a different one (AnotherRun). Generation and Outcome journal while the run goes on, Finish writes the result,
// and Close frees the lock. An interrupted run resumes in its directory: Reply returns what it has already generated,
// and Outcome compares each debate with its record instead of journalling it again. ReadRun and ReadStatus read without
// the lock, also while the run is under way. RepairDirectory rewrites damaged journals.
//
// What holds: debates are journalled in an order that depends on the work alone, each after its generations, so the
// same command can compute again whatever a crash cuts off. The messages of a debate are in its generations, under the
// keys of its replies; an imported run has no generations, so its debates keep their messages. Records may come from a
// stranger and are validated before they are used (records.go).
package rundir

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/internal/platform"
)

// Directory is the open and locked directory of a run. Generation and Count may be called by several goroutines; all
// other methods are for one.
type Directory struct {
	Path string
	Torn int64 // bytes of torn last records that were cut off when the directory was opened
	// LeaveOut lets Begin accept a run that leaves out conditions, questions or repeats of the recorded one.
	LeaveOut bool
	Line     Line // the command that computes the run, for its sessions

	made              []string // what OpenDirectory made of the path, from the whole to the first part
	contents                   // what the journals held when the directory was opened
	lock              *os.File
	generations       *record.Journal
	debates           *record.Journal
	session           Session    // of this program
	observed          int        // outcomes of this run so far, recorded before or now
	imported          bool       // there are no generations, so debates keep their messages
	forkOf            string     // the directory whose generations Begin copies, "" if this is not a fork
	offered, unusable int        // intact generations and damaged parts of that directory
	counting          sync.Mutex // guards contents.count once the run has begun
}

// The journals of a run.
const (
	generationsFile = "generations.jsonl.zst"
	debatesFile     = "debates.jsonl.zst"
)

// resultFile has the table of a run.
const resultFile = "result.json"

// OpenDirectory makes the directory of a run, or opens one to resume its run. Only one process can have it open.
func OpenDirectory(path string) (*Directory, error) {
	made := missingDirectories(path)
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, fmt.Errorf("run directory: %w; name another one", err)
	}
	record.SyncDirectory(filepath.Dir(filepath.Clean(path)))
	// Journals that exist may be writable in a directory that is not; result.json would then fail after the whole run.
	if err := platform.Writable(path); err != nil {
		return nil, fmt.Errorf("run directory %q is not writable: %w; name another one", path, err)
	}
	if other := otherFile(path); other != "" && !IsRun(path) {
		return nil, fmt.Errorf("directory %q holds %s and no run; name another one", path, other)
	}
	d := &Directory{Path: path, made: made, contents: newContents()}
	if err := d.openLocked(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// ShardDirectory is the directory of a shard of the run that a directory is named for; that directory if it is nil.
func ShardDirectory(directory string, s *trial.Shard) string {
	if s == nil {
		return directory
	}
	return fmt.Sprintf("%s.shard-%d-of-%d", filepath.Clean(directory), s.Index, s.Of)
}

// ShardsOf lists the directories that ShardDirectory gives the shards of a run, by number.
func ShardsOf(directory string) (shards []string) {
	for _, s := range begunShards(directory) {
		shards = append(shards, ShardDirectory(directory, &s))
	}
	return shards
}

// AllShardsOf returns the directories of all shards of a run, also of those that have not begun. Of a run of which no
// shard has begun there are none.
func AllShardsOf(directory string) (shards []string) {
	divided := 0
	for _, s := range begunShards(directory) {
		for i := 1; s.Of > divided && i <= s.Of; i++ {
			shards = append(shards, ShardDirectory(directory, &trial.Shard{Index: i, Of: s.Of}))
		}
		divided = s.Of
	}
	return shards
}

// begunShards are the shards that have directories beside that of the run, in their order.
func begunShards(directory string) (begun []trial.Shard) {
	parent, base := filepath.Split(filepath.Clean(directory))
	entries, _ := os.ReadDir(filepath.Clean(parent))
	for _, e := range entries {
		var s trial.Shard
		n, _ := fmt.Sscanf(strings.TrimPrefix(e.Name(), base), ".shard-%d-of-%d", &s.Index, &s.Of)
		if n == 2 && s.Of <= trial.MostShards && e.IsDir() && ShardDirectory(base, &s) == e.Name() {
			begun = append(begun, s)
		}
	}
	slices.SortFunc(begun, func(a, b trial.Shard) int {
		return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.Index, b.Index))
	})
	return begun
}

// missingDirectories returns the directories that there are not yet on the way to a path: the path itself and those
// above it.
func missingDirectories(path string) (made []string) {
	for path = filepath.Clean(path); ; path = filepath.Dir(path) {
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			return made
		}
		made = append(made, path)
	}
}

// IsRun reports whether a directory is that of a run: one of its journals has an intact record, whatever else of it
// is damaged.
func IsRun(directory string) bool {
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

// otherFile returns the name of an entry that a directory does not have when a run has only just begun in it, or "".
func otherFile(directory string) string {
	files, _ := os.ReadDir(directory)
	for _, f := range files {
		if !f.Type().IsRegular() || !slices.Contains([]string{generationsFile, debatesFile, lockFile}, f.Name()) {
			return f.Name()
		}
	}
	return ""
}

// openLocked takes the lock first: nobody else may write while the journals are read and their torn ends cut off.
func (d *Directory) openLocked() (err error) {
	at := func(name string) string { return filepath.Join(d.Path, name) }
	if err := record.CheckPlace(at(lockFile), at(generationsFile), at(debatesFile)); err != nil {
		return err
	}
	// What is not ours is found before anything is computed.
	if err := cmp.Or(CheckJSON(d.Path, resultFile, "task"), CheckJSON(d.Path, sessionsFile, "scheduler")); err != nil {
		return err
	}
	if d.lock, err = takeLock(d.Path, IsRun(d.Path)); err != nil {
		return fmt.Errorf("run directory %q: %w", d.Path, err)
	}
	d.texts = make(texts)
	defer func() { d.texts = nil }()
	if d.generations, err = d.journal(generationsFile, d.readGeneration); err != nil {
		return err
	}
	d.debates, err = d.journal(debatesFile, d.readOutcome)
	return err
}

// journal opens a journal and reads it, or makes a new one.
func (d *Directory) journal(name string, read func(line []byte) error) (*record.Journal, error) {
	path := filepath.Join(d.Path, name)
	if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
		return record.Create(path)
	}
	journal, torn, err := record.Continue(path, read)
	d.Torn += torn
	return journal, err
}

// Close closes the journals and frees the lock. It returns what went wrong with the journals, if anything did.
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

// Discard closes a directory and removes it if nothing was recorded in it. A process that opens the directory in
// between loses its journals, and its first record fails with record.ErrGone.
func (d *Directory) Discard() error {
	if err := d.Close(); err != nil || !d.Empty() {
		return err
	}
	return d.Remove()
}

// Remove removes a directory in which nothing was recorded, so that nothing is left of a run that could not begin. Of
// the directories above it, those go that OpenDirectory made and that nobody has put anything into since.
func (d *Directory) Remove() error {
	for _, name := range []string{generationsFile, debatesFile, lockFile} {
		if err := os.Remove(filepath.Join(d.Path, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	if err := os.Remove(d.Path); err != nil {
		return err
	}
	for _, above := range d.made {
		if above != filepath.Clean(d.Path) && os.Remove(above) != nil {
			break
		}
	}
	return nil
}
