package inference

import "time"

// Latency is a linear model of how long a step takes on a machine: nanoseconds for the step itself, for a row of a
// prompt, for a row that draws a token, and for a cell that a row sees.
type Latency [terms]float64

const terms = 4

// work counts what each term of Latency is multiplied with, in its order.
func work(steps, prefill, rows, attended int) [terms]float64 {
	return [terms]float64{float64(steps), float64(prefill), float64(rows - prefill), float64(attended)}
}

// Time returns how long steps with the work in s take.
func (l Latency) Time(s Stats) time.Duration {
	nanoseconds := 0.0
	for i, n := range work(s.Steps, s.PromptComputed, s.Rows, s.Attended) {
		nanoseconds += n * l[i]
	}
	return time.Duration(nanoseconds)
}

// Latencies are those of the models of an engine, the first one's first.
type Latencies []Latency

// Time returns how long steps with the work in s take, whose counts are those of an engine with these models.
func (l Latencies) Time(s Stats) (all time.Duration) {
	if len(l) == 1 {
		return l[0].Time(s)
	}
	for i, latency := range l {
		all += latency.Time(s.Models[i])
	}
	return all
}

// Latencies are fitted to all steps since Open.
func (l *Local) Latencies() (all Latencies) {
	for i, m := range l.models {
		all = append(all, m.latency(m.stats(l.driver.Stats(i))))
	}
	return all
}

// latency is fitted to all steps, whose counts are s, and scaled so that it gives the time of all of them together.
func (m *instance) latency(s Stats) Latency {
	m.decoder.mu.Lock()
	latency := m.decoder.latency.solve()
	m.decoder.mu.Unlock()
	if fitted := latency.Time(s); fitted > 0 {
		for i := range latency {
			latency[i] *= float64(s.PrefillDuration+s.DecodeDuration) / float64(fitted)
		}
	}
	return latency
}

// fit is a least-squares problem in the form of its normal equations. A step is weighted by one over its rows, since
// the time of larger steps varies more.
type fit struct {
	products [terms][terms]float64
	times    [terms]float64
}

func (f *fit) add(work [terms]float64, took time.Duration) {
	weight := 1 / (work[1] + work[2])
	for i := range work {
		for j := range work {
			f.products[i][j] += weight * work[i] * work[j]
		}
		f.times[i] += weight * work[i] * float64(took)
	}
}

// solve finds the best Latency without negative times by coordinate descent: it improves one term at a time while the
// others stay. That converges even if the steps do not tell all terms apart.
func (f *fit) solve() (latency Latency) {
	for range 10_000 {
		for i := range latency {
			if f.products[i][i] == 0 {
				continue
			}
			left := f.times[i]
			for j := range latency {
				if j != i {
					left -= f.products[i][j] * latency[j]
				}
			}
			latency[i] = max(0, left/f.products[i][i])
		}
	}
	return latency
}
