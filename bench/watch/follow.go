package watch

import (
	"context"
	"time"

	"github.com/parley-debate/parley/internal/bug"
)

// quiet is how many readings in a row none of an experiment's runs is under way before Follow ends: between two tasks
// there is a moment in which the first has ended and the next has not begun.
const quiet = 4

// Follow passes on a snapshot at the first tick, then whenever so much time has passed, and one of the end, unless the
// one before was of that. It returns nil when the runs have ended, and the context's error if that ends first.
func Follow(ctx context.Context, w *Watched, every time.Duration, ticks <-chan time.Time,
	show func(Snapshot) error) error {
	var before string
	var shown time.Time
	for rest := 0; ; {
		var now time.Time
		select {
		case <-ctx.Done():
			return ctx.Err()
		case now = <-ticks:
		}
		s, err := w.Read(now)
		if err != nil {
			return err
		}
		if rest++; s.Running() {
			rest = 0
		}
		ended := rest >= quiet || rest > 0 && !s.experiment()
		if is := s.recordedText(); shown.IsZero() || now.Sub(shown) >= every || ended && is != before {
			before, shown = is, now
			if err := show(s); err != nil {
				return err
			}
		}
		if ended {
			return nil
		}
	}
}

// Ticks ticks at once, and then every second until the context ends.
func Ticks(ctx context.Context) <-chan time.Time {
	ticks := make(chan time.Time)
	go bug.Lone(func() {
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for now := time.Now(); ; {
			select {
			case ticks <- now:
			case <-ctx.Done():
				return
			}
			select {
			case now = <-ticker.C:
			case <-ctx.Done():
				return
			}
		}
	})()
	return ticks
}

func (s Snapshot) experiment() bool { return len(s.Runs) > 0 && s.Runs[0].Name != "" }

// recordedText is all of a snapshot that changes with the records alone, and not with time.
func (s Snapshot) recordedText() (text string) {
	for _, r := range s.Runs {
		r.Elapsed, r.Left, r.TokensPerSecond = 0, -1, -1
		text += r.Line() + "\n"
	}
	return text
}

// Current is the run that a single line is about: the first that is under way, else the last.
func (s Snapshot) Current() Run {
	for _, r := range s.Runs {
		if r.running() {
			return r
		}
	}
	return s.Runs[len(s.Runs)-1]
}

// running reports whether a process is writing the run.
func (r Run) running() bool { return r.Process != "" }
