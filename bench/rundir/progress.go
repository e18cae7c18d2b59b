package rundir

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/parley-debate/parley/bench/record"
)

// Progress is how far a run is.
type Progress struct {
	Status
	Count   Count
	Locked  time.Time // since when a process has the lock; zero if none has
	Resumes bool      // that process found a run in the directory
}

// Follower reads a run directory again and again while another process writes it: each Read takes only what was added
// since the one before. It never takes the lock, needs no directory that is complete, and keeps no transcripts. Close
// it after use.
type Follower struct {
	directory            string
	debates, generations *record.Tail

	found contents        // without replies and outcomes
	keys  map[string]bool // of the generations
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
	f.found, f.keys = newContents(), make(map[string]bool)
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
	process, resumes, err := lockHolder(f.directory)
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
	p.Resumes = resumes
	if info, err := os.Stat(filepath.Join(f.directory, lockFile)); err == nil && process != "" {
		p.Locked = info.ModTime()
	}
	s.Header, s.Repairs, p.Count = f.found.header, f.found.repairs, f.found.count
	s.Debates, s.Failed, s.Expected = p.Count.Debates, p.Count.Failed, p.Count.Expected
	s.Generations = p.Count.Generations
	s.State = s.state(resultDebates(f.directory))
	s.readSession(f.directory)
	p.Status = s
	return p, nil
}

// readOutcome counts a debate, and starts over at a header.
func (f *Follower) readOutcome(line []byte) error {
	err := f.found.readOutcome(line)
	f.found.outcomes = f.found.outcomes[:0] // what was seen stays in found.seen
	return err
}

// readGeneration counts a generation.
func (f *Follower) readGeneration(line []byte) error {
	return visitor{
		generation: func(g Generation) error {
			if !f.keys[g.Reply.Key] {
				f.keys[g.Reply.Key] = true
				f.found.count.addGeneration(g.Reply, g.Joined)
			}
			return nil
		},
		repair: func(r Repair) { f.found.repairs = append(f.found.repairs, r) },
	}.visit(line)
}

// expected returns how many debates the run has when it is finished, at most.
func (h Header) expected() int { return cmp.Or(h.Debates, h.Questions*len(h.Conditions)) }
