// Package watch shows a run while it goes on in another process: as lines, or as a live view in a terminal. Both
// show what a rundir.Follower counts.
//
// Lifecycle: Open names a run directory or that of an experiment, and each Read of the Watched returns a Snapshot of
// its runs. Follow prints lines until the runs end; NewModel makes the view, a model of charm.land/bubbletea.
package watch

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/wording"
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
	at              time.Time
	locked          time.Time
	debates, tokens int
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
	Elapsed         time.Duration // since the process took the directory; of a run that is not under way since it began
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
	is := reading{now, p.Locked, p.Debates, p.Tokens}
	if len(w.readings) > 0 {
		if last := w.readings[len(w.readings)-1]; !last.locked.Equal(is.locked) || last.debates > is.debates ||
			last.tokens > is.tokens {
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
	r.Elapsed = max(0, now.Sub(p.Locked))
	from := w.readings[0]
	if seconds := now.Sub(from.at).Seconds(); seconds >= 0.5 {
		r.TokensPerSecond = float64(is.tokens-from.tokens) / seconds
	}
	r.Left = w.left(p, is)
	return r
}

// began is when the run began.
func began(p rundir.Progress) (time.Time, bool) {
	if p.Header == nil {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339, p.Header.Time)
	return at, err == nil
}

// left estimates how long the debates that are not recorded will take, from those that were since the process took the
// directory. If the directory has records of an earlier process, which took no time now, it is from those that were
// recorded since the run is watched.
func (w *watchedRun) left(p rundir.Progress, is reading) time.Duration {
	debates, took := is.debates-w.first.debates, is.at.Sub(w.first.at)
	// the header has whole seconds, and is written after the lock is taken
	if at, ok := began(p); ok && !at.Before(p.Locked.Truncate(time.Second)) {
		debates, took = is.debates, is.at.Sub(p.Locked)
	}
	if debates <= 0 || took <= 0 || p.Expected < p.Debates {
		return -1
	}
	return time.Duration(float64(took) / float64(debates) * float64(p.Expected-p.Debates))
}

// Line says in one line how far the run is.
func (r Run) Line() string {
	var parts []string
	if r.Header == nil {
		parts = append(parts, "nothing is recorded yet")
	} else {
		debates := fmt.Sprintf("%s of %s debates", wording.Comma(r.Debates), wording.Comma(r.Expected))
		if r.Failed > 0 {
			debates += fmt.Sprintf(" (%s failed)", wording.Comma(r.Failed))
		}
		parts = append(parts, debates, wording.Count(r.Generations, "generation"), r.work())
	}
	parts = append(parts, r.times())
	name := ""
	if r.Name != "" {
		name = r.Name + ": "
	}
	return escape.Text(strings.Join(strings.Fields(name+r.State+", "+strings.Join(parts, ", ")), " "))
}

// work says what was generated, how fast, and what was saved.
func (r Run) work() string {
	text := wording.Comma(r.Tokens) + " tokens"
	if r.TokensPerSecond >= 0 {
		text += fmt.Sprintf(" (%s/s)", wording.Comma(int(r.TokensPerSecond)))
	}
	if r.PromptTokens > 0 {
		text += fmt.Sprintf(", %d %% of prompt tokens saved", 100*r.CachedTokens/r.PromptTokens)
	}
	return text
}

// times says how long the run has taken and will take.
func (r Run) times() string {
	text := duration(r.Elapsed)
	switch {
	case r.State != rundir.StateRunning:
	case r.Left >= 0 && r.Header != nil && r.Header.Stop != nil:
		text += ", at most about " + duration(r.Left) + " left"
	case r.Left >= 0:
		text += ", about " + duration(r.Left) + " left"
	}
	return text
}

// duration is a time to the second, such as 1h2m3s.
func duration(d time.Duration) string { return d.Round(time.Second).String() }
