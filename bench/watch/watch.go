// Package watch tells how far a run is while it goes on in another process, by what a rundir.Follower counts.
//
// Lifecycle: Open names a run directory or that of an experiment, and each Read of the Watched returns a Snapshot of
// its runs. Follow reads until the runs end.
package watch

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/internal/escape"
)

// Watched is a run directory, or the runs in an experiment's directory, with what was read of them before.
type Watched struct {
	directory string
	runs      map[string]*watchedRun // by path
}

type watchedRun struct {
	follower *rundir.Follower
	readings []reading // of the last rateWindow, oldest first
	first    reading   // since the process that has the lock is watched
}

// reading is what rates are computed from.
type reading struct {
	at     time.Time
	locked time.Time
	rundir.Count
}

// rateWindow is the time over which the tokens per second are averaged.
const rateWindow = 30 * time.Second

// Snapshot is how far the runs are at a moment.
type Snapshot struct {
	Directory string
	At        time.Time
	Runs      []Run // in the order of their names
}

// Run is how far one run is.
type Run struct {
	Name string // of the task's directory; "" if the directory is no experiment's
	rundir.Progress
	TokensPerSecond float64       // over the last rateWindow; below 0 if unknown
	Elapsed         time.Duration // since the process computes; of a run that is not under way, in all
	Left            time.Duration // estimate; below 0 if unknown
}

// Open names what is watched. It reads nothing yet.
func Open(directory string) *Watched {
	return &Watched{directory: directory, runs: make(map[string]*watchedRun)}
}

// Close frees what is held of the runs.
func (w *Watched) Close() {
	for _, r := range w.runs {
		r.follower.Close()
	}
}

// Read returns how far the runs are; now is the time. It takes no lock and changes nothing.
func (w *Watched) Read(now time.Time) (Snapshot, error) {
	s := Snapshot{Directory: w.directory, At: now}
	paths := rundir.Begun(w.directory)
	single := len(paths) == 0
	if single {
		paths = []string{w.directory}
	}
	for _, path := range paths {
		r := w.runs[path]
		if r == nil {
			r = &watchedRun{follower: rundir.Follow(path)}
			w.runs[path] = r
		}
		p, err := r.follower.Read()
		if err != nil {
			return s, err
		}
		run := r.run(p, now)
		if !single {
			run.Name = filepath.Base(path)
		}
		s.Runs = append(s.Runs, run)
	}
	return s, nil
}

// Running reports whether a process is writing one of the runs.
func (s Snapshot) Running() bool {
	return slices.ContainsFunc(s.Runs, func(r Run) bool { return r.State == rundir.StateRunning })
}

// run adds rates and times to what is recorded.
func (w *watchedRun) run(p rundir.Progress, now time.Time) Run {
	is := reading{now, p.Locked, p.Count}
	if len(w.readings) > 0 {
		if last := w.readings[len(w.readings)-1]; !last.locked.Equal(is.locked) || last.Debates > is.Debates ||
			last.Tokens > is.Tokens {
			w.readings = nil // another process, or another run: its pace is not that of the one before
		}
	}
	if len(w.readings) == 0 {
		w.first = is
	}
	w.readings = append(w.readings, is)
	for len(w.readings) > 2 && now.Sub(w.readings[1].at) >= rateWindow {
		w.readings = w.readings[1:]
	}
	r := Run{Progress: p, TokensPerSecond: -1, Left: -1}
	if p.State != rundir.StateRunning {
		if began, ok := began(p); ok {
			r.Elapsed = max(0, p.Written.Sub(began))
		}
		return r
	}
	since, own := computes(p)
	r.Elapsed = max(0, now.Sub(since))
	from := w.readings[0]
	if seconds := now.Sub(from.at).Seconds(); seconds >= 0.5 {
		r.TokensPerSecond = float64(is.Tokens-from.Tokens) / seconds
	}
	if own {
		r.Left = p.Count.Left(rundir.Count{}, r.Elapsed)
	} else { // what an earlier process recorded took no time now
		r.Left = p.Count.Left(w.first.Count, now.Sub(w.first.at))
	}
	return r
}

// computes is since when the process that has the lock computes: since it wrote the header if it began the run, which
// it does when its model is open; else, since it took the directory. own reports whether all that is recorded is its
// own.
func computes(p rundir.Progress) (since time.Time, own bool) {
	// The header has whole seconds. Processes of older versions do not say that they resume a run.
	if at, ok := began(p); ok && !p.Resumes && !at.Before(p.Locked.Truncate(time.Second)) {
		return at, true
	}
	return p.Locked, false
}

// began is when the run began.
func began(p rundir.Progress) (time.Time, bool) {
	if p.Header == nil {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339, p.Header.Time)
	return at, err == nil
}

// Line says in one line how far the run is.
func (r Run) Line() string {
	parts := []string{"nothing is recorded yet"}
	if r.Header != nil {
		parts = append([]string{r.Count.Done()}, r.Count.Work(r.TokensPerSecond)...)
	}
	parts = append(parts, r.times())
	name := ""
	if r.Name != "" {
		name = r.Name + ": "
	}
	return escape.Text(strings.Join(strings.Fields(name+r.State+", "+strings.Join(parts, ", ")), " "))
}

// times says how long the run has taken and will take.
func (r Run) times() string {
	text := r.Elapsed.Round(time.Second).String()
	if r.State != rundir.StateRunning {
		return text
	}
	if left := rundir.TimeLeft(r.Left, r.Header != nil && r.Header.Stop != nil); left != "" {
		text += ", " + left
	}
	return text
}
