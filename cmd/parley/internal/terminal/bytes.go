package terminal

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
)

// ShowBytes shows how much of a file is there: a bar on a terminal, elsewhere a line per minute. The caller calls the
// function that it returns with what is done and what there is in all, less than nothing where that is not known; less
// than no bytes done end it.
func ShowBytes(out io.Writer, name string) func(done, total int64) {
	now := time.Now()
	b := &bytesShown{out: out, name: name, start: now, printed: now}
	return b.update
}

// AddBytes shows how much of a total is done, as ShowBytes does, to callers that count what comes in addition. end ends
// it.
func AddBytes(out io.Writer, doing string, total int64) (add func(bytes int64), end func()) {
	show, done := ShowBytes(out, doing), int64(0)
	return func(bytes int64) {
		done += bytes
		show(done, total)
	}, func() { show(-1, -1) }
}

// bytesShown is a count of bytes that is shown. done and total are what update was last told.
type bytesShown struct {
	out   io.Writer
	name  string
	start time.Time

	mu          sync.Mutex // guards what follows
	done, total int64
	stop        func()    // ends the line on the terminal; nil before it is drawn, and off one
	printed     time.Time // of the last line off a terminal
}

// update takes how many bytes are done of how many: fewer than 0 in all are not known, fewer than 0 done are the end.
func (b *bytesShown) update(done, total int64) {
	stop := b.set(done, total)
	if done < 0 && stop != nil {
		stop() // not under the lock, for which the line may wait
	}
}

// set takes the figures, and shows them for the first time. It returns what ends the line on the terminal.
func (b *bytesShown) set(done, total int64) (stop func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if done < 0 {
		return b.stop
	}
	b.done, b.total = done, total
	if drawn := Of(b.out); drawn != nil {
		if b.stop == nil {
			b.stop = ShowBar(drawn, 0, func() Progress { return b.progress(time.Now()) })
		}
	} else if now := time.Now(); now.Sub(b.printed) >= time.Minute {
		b.printed = now
		fmt.Fprintf(b.out, "%s: %s%s\n", b.name, humanize.IBytes(uint64(done)), b.of())
	}
	return b.stop
}

// of says how much there is in all, if that is known. The caller has the lock.
func (b *bytesShown) of() string {
	if b.total < 0 {
		return ""
	}
	return " of " + humanize.IBytes(uint64(b.total))
}

// progress is what the bar on a terminal shows.
func (b *bytesShown) progress(now time.Time) Progress {
	b.mu.Lock()
	defer b.mu.Unlock()
	share := -1.0
	if b.total > 0 {
		share = float64(b.done) / float64(b.total)
	}
	took := now.Sub(b.start)
	parts := []string{humanize.IBytes(uint64(float64(b.done)/max(took.Seconds(), 1))) + "/s"}
	if left := b.total - b.done; left > 0 && b.done > 0 {
		parts = append(parts, "about "+time.Duration(float64(took)*float64(left)/float64(b.done)).
			Round(time.Second).String()+" left")
	}
	return Progress{share, b.name + ": " + humanize.IBytes(uint64(b.done)) + b.of(), parts}
}
