package runner

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/internal/escape"
)

// quiet is how many readings in a row none of an experiment's runs is under way before Watch ends: between two tasks
// there is a moment in which the first has ended and the next has not begun.
const quiet = 4

// Watch reads how far a run or an experiment is, now and at each tick. It shows the run that a single line is about
// now, then whenever so much time has passed, and at the end, unless what was shown before was of that. It returns nil
// when the runs have ended, and the context's error if that ends first.
func Watch(ctx context.Context, directory string, every time.Duration, now time.Time, ticks <-chan time.Time,
	show func(Watched) error) error {
	paces := make(map[string]*pace)
	defer func() {
		for _, p := range paces {
			p.follower.Close()
		}
	}()
	var before string
	var shown time.Time
	for rest := 0; ; {
		runs, err := watched(directory, paces, now)
		if err != nil {
			return err
		}
		if rest++; slices.ContainsFunc(runs, Watched.running) {
			rest = 0
		}
		single := runs[0].name == ""
		ended := rest >= quiet || rest > 0 && single
		if is := recordedText(runs); shown.IsZero() || now.Sub(shown) >= every || ended && is != before {
			before, shown = is, now
			if err := show(current(runs)); err != nil {
				return err
			}
		}
		if ended {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case now = <-ticks:
		}
	}
}

// recordedText is all that changes with the records alone, and not with time.
func recordedText(runs []Watched) (text string) {
	for _, r := range runs {
		r.elapsed, r.left, r.tokensPerSecond = 0, -1, -1
		text += r.Line() + "\n"
	}
	return text
}

// current is the run that a single line is about: the first that is under way, else the last.
func current(runs []Watched) Watched {
	if at := slices.IndexFunc(runs, Watched.running); at >= 0 {
		return runs[at]
	}
	return runs[len(runs)-1]
}

// pace is what rates of a run are computed from.
type pace struct {
	follower *rundir.Follower
	readings []reading // of the last rateWindow, oldest first
	first    reading   // since the process that has the lock is watched
}

type reading struct {
	at     time.Time
	locked time.Time
	rundir.Count
}

// rateWindow is the time over which the tokens per second are averaged.
const rateWindow = 30 * time.Second

// Watched is how far one run is while it goes on in another process.
type Watched struct {
	name string // of the task's directory; "" if the directory is no experiment's
	rundir.Progress
	tokensPerSecond float64       // over the last rateWindow; below 0 if unknown
	elapsed         time.Duration // since the process computes; of a run that is not under way, in all
	left            time.Duration // estimate; below 0 if unknown
}

func (r Watched) running() bool { return r.State == rundir.StateRunning }

// watched returns how far a run is, or the runs in an experiment's directory in the order of their names. paces has, by
// path, what was read of them before. It takes no lock and changes nothing.
func watched(directory string, paces map[string]*pace, now time.Time) (runs []Watched, err error) {
	paths := rundir.Begun(directory)
	single := len(paths) == 0
	if single {
		paths = []string{directory}
	}
	for _, path := range paths {
		r := paces[path]
		if r == nil {
			r = &pace{follower: rundir.Follow(path)}
			paces[path] = r
		}
		p, err := r.follower.Read()
		if err != nil {
			return nil, err
		}
		run := r.watched(p, now)
		if !single {
			run.name = filepath.Base(path)
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// watched adds rates and times to what is recorded.
func (w *pace) watched(p rundir.Progress, now time.Time) Watched {
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
	r := Watched{Progress: p, tokensPerSecond: -1, left: -1}
	if !r.running() {
		if began, ok := began(p); ok {
			r.elapsed = max(0, p.Written.Sub(began))
		}
		return r
	}
	since, own := computes(p)
	r.elapsed = max(0, now.Sub(since))
	from := w.readings[0]
	if seconds := now.Sub(from.at).Seconds(); seconds >= 0.5 {
		r.tokensPerSecond = float64(is.Tokens-from.Tokens) / seconds
	}
	if own {
		r.left = p.Count.Left(rundir.Count{}, r.elapsed)
	} else { // what an earlier process recorded took no time now
		r.left = p.Count.Left(w.first.Count, now.Sub(w.first.at))
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
func (r Watched) Line() string {
	parts := []string{"nothing is recorded yet"}
	if r.Header != nil {
		parts = append([]string{r.Count.Done()}, r.Count.Work(r.tokensPerSecond)...)
	}
	parts = append(parts, r.times())
	name := ""
	if r.name != "" {
		name = r.name + ": "
	}
	return escape.Text(strings.Join(strings.Fields(name+r.State+", "+strings.Join(parts, ", ")), " "))
}

// times says how long the run has taken and will take.
func (r Watched) times() string {
	text := r.elapsed.Round(time.Second).String()
	if !r.running() {
		return text
	}
	if left := rundir.TimeLeft(r.left, r.Header != nil && r.Header.Stop != nil); left != "" {
		text += ", " + left
	}
	return text
}
