package inference

import "time"

// Pace is what the parts of the work take on a machine, in nanoseconds: a step whatever is in it, a row of a prompt, a
// row that draws a token, and a cell that a row sees.
type Pace [parts]float64

const parts = 4

// work counts those parts.
func work(steps, prefill, rows, attended int) [parts]float64 {
	return [parts]float64{float64(steps), float64(prefill), float64(rows - prefill), float64(attended)}
}

// Time is what steps with so much work take.
func (p Pace) Time(s Stats) time.Duration {
	nanoseconds := 0.0
	for i, n := range work(s.Steps, s.PromptComputed, s.Rows, s.Attended) {
		nanoseconds += n * p[i]
	}
	return time.Duration(nanoseconds)
}

// Pace is fitted to all steps since Open, and gives the time of all of them together.
func (l *Local) Pace() Pace {
	l.decoder.mu.Lock()
	p := l.decoder.pace.solve()
	l.decoder.mu.Unlock()
	s := l.Stats()
	if fitted := p.Time(s); fitted > 0 {
		for i := range p {
			p[i] *= float64(s.PrefillDuration+s.DecodeDuration) / float64(fitted)
		}
	}
	return p
}

// fit is a problem of least squares as its normal equations. Large steps vary more: they weigh less, by their rows.
type fit struct {
	products [parts][parts]float64
	times    [parts]float64
}

func (f *fit) add(work [parts]float64, took time.Duration) {
	weight := 1 / (work[1] + work[2])
	for i := range work {
		for j := range work {
			f.products[i][j] += weight * work[i] * work[j]
		}
		f.times[i] += weight * work[i] * float64(took)
	}
}

// solve finds the best Pace in which nothing takes less than no time, one part after the other while the rest stand
// still. That settles where parts cannot be told apart, too.
func (f *fit) solve() (p Pace) {
	for range 10_000 {
		for i := range p {
			if f.products[i][i] == 0 {
				continue
			}
			left := f.times[i]
			for j := range p {
				if j != i {
					left -= f.products[i][j] * p[j]
				}
			}
			p[i] = max(0, left/f.products[i][i])
		}
	}
	return p
}
