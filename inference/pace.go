package inference

import "time"

// Pace is the time that each part of the work takes on a machine, in nanoseconds: the fixed cost of a step, a row of a
// prompt, a row that draws a token, and a cell that a row sees.
type Pace [parts]float64

const parts = 4

// work counts the parts of Pace, in its order.
func work(steps, prefill, rows, attended int) [parts]float64 {
	return [parts]float64{float64(steps), float64(prefill), float64(rows - prefill), float64(attended)}
}

// Time is how long steps with the work in s take.
func (p Pace) Time(s Stats) time.Duration {
	nanoseconds := 0.0
	for i, n := range work(s.Steps, s.PromptComputed, s.Rows, s.Attended) {
		nanoseconds += n * p[i]
	}
	return time.Duration(nanoseconds)
}

// Pace is fitted to all steps since Open, and scaled so that it gives the time of all of them together.
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

// fit is a least-squares problem in the form of its normal equations. A step is weighted by one over its rows, since
// the time of larger steps varies more.
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

// solve finds the best Pace without negative times by coordinate descent: it improves one part at a time while the
// others stay. That converges even if the steps do not tell all parts apart.
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
