package throughput

import (
	"slices"
	"sync"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/parley-debate/parley/inference"
)

// Percentiles are of times in a run.
type Percentiles struct {
	Median time.Duration `json:"p50_ns"`
	High   time.Duration `json:"p99_ns"`
}

// latencies are how long tokens were waited for, in seconds.
type latencies struct {
	mu             sync.Mutex
	first, between []float64
}

// watch begins to wait for the replies to n requests that are handed in now. It returns what is called with the pieces
// of each of them.
func (l *latencies) watch(n int) func(i int) func(inference.Piece) {
	last := make([]time.Time, n) // token of each reply; each is seen by the engine's goroutine alone
	began := time.Now()
	return func(i int) func(inference.Piece) {
		return func(p inference.Piece) {
			if p.Drawn == nil {
				return
			}
			now := time.Now()
			l.mu.Lock()
			defer l.mu.Unlock()
			if last[i].IsZero() {
				l.first = append(l.first, now.Sub(began).Seconds())
			} else {
				l.between = append(l.between, now.Sub(last[i]).Seconds())
			}
			last[i] = now
		}
	}
}

// percentiles are nil of no times.
func percentiles(seconds []float64) *Percentiles {
	if len(seconds) == 0 {
		return nil
	}
	slices.Sort(seconds)
	at := func(p float64) time.Duration {
		return time.Duration(stat.Quantile(p, stat.Empirical, seconds, nil) * float64(time.Second))
	}
	return &Percentiles{at(0.5), at(0.99)}
}
