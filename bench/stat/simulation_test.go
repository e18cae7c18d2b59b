package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/parley-debate/parley/internal/soak"
)

// spreads are correlations of two answers to one question: all questions alike, beta distributions of their chances
// that are peaked, flat and of two heaps, and questions that are always right or always wrong.
var spreads = []float64{0, 0.02, 0.1, 0.3, 0.6, 0.9, 1}

// crowd draws outcomes of questions whose chances have a mean and a spread.
type crowd struct {
	random     *rand.Rand
	posteriors map[int]*posterior
}

func newCrowd(seeds ...int) *crowd {
	seed := uint64(1)
	for _, s := range seeds {
		seed = seed*1_000_003 + uint64(s)
	}
	return &crowd{rand.New(rand.NewPCG(seed, 13)), make(map[int]*posterior)}
}

func (c *crowd) chance(mean, spread float64) float64 {
	switch size := 1/spread - 1; {
	case spread == 0:
		return mean
	case spread == 1 && c.random.Float64() < mean:
		return 1
	case spread == 1:
		return 0
	default:
		return distuv.Beta{Alpha: max(1e-9, mean*size), Beta: max(1e-9, (1-mean)*size), Src: c.random}.Rand()
	}
}

func (c *crowd) ask(chance float64, times int) Asked {
	q := Asked{Times: times}
	for range times {
		if c.random.Float64() < chance {
			q.Right++
		}
	}
	return q
}

// posterior is one for each number of answers: what it has computed of one sample serves the next.
func (c *crowd) posterior(answers int) *posterior {
	if c.posteriors[answers] == nil {
		c.posteriors[answers] = newPosterior(answers)
	}
	return c.posteriors[answers]
}

// sample is one of questions with a mean and a spread; a single question has the mean for its chance, since its
// interval is about it alone.
func (c *crowd) sample(mean, spread float64, questions, repeats int) []Asked {
	asked := make([]Asked, questions)
	for i := range asked {
		chance := mean
		if questions > 1 {
			chance = c.chance(mean, spread)
		}
		asked[i] = c.ask(chance, repeats)
	}
	return asked
}

// held is how often intervals of accuracies hold the mean.
func (c *crowd) held(questions, repeats int, spread float64, samples int, mean func() float64) float64 {
	held := 0
	for range samples {
		m := mean()
		if _, i := accuracy(c.sample(m, spread, questions, repeats), 0.95, c.posterior); i.Low <= m && m <= i.High {
			held++
		}
	}
	return float64(held) / float64(samples)
}

// heldDifference is how often intervals of differences hold the true one. Of this share of the questions both
// conditions have the same chances, of the others they have chances of their own.
func (c *crowd) heldDifference(questions, repeats int, spread, same float64, samples int) float64 {
	held := 0
	for range samples {
		one, other := c.random.Float64(), c.random.Float64()
		first, second := make([]Asked, questions), make([]Asked, questions)
		for i := range first {
			chance := c.chance(one, spread)
			first[i] = c.ask(chance, repeats)
			if c.random.Float64() >= same {
				chance = c.chance(other, spread)
			}
			second[i] = c.ask(chance, repeats)
		}
		truth := (1 - same) * (one - other)
		if _, i := differenceOf(first, second, 0.95, c.posterior); i.Low <= truth && truth <= i.High {
			held++
		}
	}
	return float64(held) / float64(samples)
}

// found is how often a paired test of two conditions that are right equally often finds a difference: of one question
// McNemar of its repeats, of more that of CompareRepeated. The two have spreads of their own.
func (c *crowd) found(questions, repeats int, spreads [2]float64, samples int, mean func() float64) float64 {
	found := 0
	for range samples {
		mean := mean()
		p := 1.0
		if questions == 1 {
			first, second := 0, 0
			for range repeats {
				switch a, b := c.random.Float64() < mean, c.random.Float64() < mean; {
				case a && !b:
					first++
				case b && !a:
					second++
				}
			}
			p = McNemar(first, second)
		} else {
			first, second := c.sample(mean, spreads[0], questions, repeats), c.sample(mean, spreads[1], questions,
				repeats)
			p = compareRepeated(first, second, 0.95, 200, c.random.Uint64(), c.posterior).P
		}
		if p <= 0.05 {
			found++
		}
	}
	return float64(found) / float64(samples)
}

// simulated are the designs and how many samples there are of each: when soaking all designs, as many as there is time
// for.
type simulated struct {
	questions, repeats []int
	samples            int
}

func simulation(t *testing.T, samples int) simulated {
	t.Helper()
	s := simulated{[]int{1, 2, 3, 5, 10, 19, 20, 30, 50}, []int{1, 2, 5, 10, 20, 50}, samples}
	if !soak.On() {
		return s
	}
	rounds, limit := soak.Budget(t)
	s.questions, s.repeats = nil, nil
	for i := 1; i <= 50; i++ {
		s.questions, s.repeats = append(s.questions, i), append(s.repeats, i)
	}
	// a minute has about as many as the short test, over 46 times the designs
	s.samples = max(40, rounds, samples*int(limit/time.Minute)/100)
	return s
}

// designs runs a test of every design at the same time.
func (s simulated) designs(t *testing.T, test func(t *testing.T, c *crowd, questions, repeats int)) {
	for _, n := range s.questions {
		t.Run(fmt.Sprintf("%d questions", n), func(t *testing.T) {
			t.Parallel()
			for _, m := range s.repeats {
				test(t, newCrowd(n, m), n, m)
			}
		})
	}
}

// tooFew reports whether chance brings so few of some samples less than once in ten million tries, if this is their
// share; tooMany, whether so many.
func tooFew(seen float64, samples int, share float64) bool {
	return distuv.Binomial{N: float64(samples), P: share}.CDF(math.Round(seen*float64(samples))) < 1e-7
}

func tooMany(seen float64, samples int, share float64) bool { return tooFew(1-seen, samples, 1-share) }

// TestAccuracyCoverage: over means that are uniform, intervals of 95 % of 1 to 50 questions, asked 1 to 50 times, hold
// the mean in 93 to 98 % of samples, all spreads alike; of each spread by itself in 92 to 99 %. The most they hold is
// of questions that are exactly alike, the least of 20 and more questions asked 20 times and more, with spreads in the
// middle.
func TestAccuracyCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	s := simulation(t, 300)
	s.designs(t, func(t *testing.T, c *crowd, n, m int) {
		all := 0.0
		for _, spread := range spreads {
			held := c.held(n, m, spread, s.samples, c.random.Float64)
			all += held / float64(len(spreads))
			if tooFew(held, s.samples, 0.92) || tooMany(held, s.samples, 0.99) {
				t.Errorf("%d repeats, spread %g: 0.92 to 0.99 of intervals hold the mean: got %.3f", m, spread, held)
			}
		}
		t.Logf("%2d questions, %2d repeats: %.3f", n, m, all)
		if of := s.samples * len(spreads); tooFew(all, of, 0.93) || tooMany(all, of, 0.98) {
			t.Errorf("%d repeats: 0.93 to 0.98 of all intervals hold the mean: got %.3f", m, all)
		}
	})
}

// TestAccuracyFloor: at no single mean do intervals hold it in fewer than 75 %. Few questions that are nearly all right
// or nearly all wrong are the worst, as they are for Wilson's interval.
func TestAccuracyFloor(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	const samples = 100
	least := 1.0
	for _, mean := range []float64{0.02, 0.1, 0.3, 0.5, 0.8, 0.9, 0.99} {
		t.Run(fmt.Sprint(mean), func(t *testing.T) {
			for _, n := range []int{1, 2, 5, 15, 20, 50} {
				for _, m := range []int{2, 10, 50} {
					c := newCrowd(n, m, int(100*mean))
					for _, spread := range spreads {
						held := c.held(n, m, spread, samples, func() float64 { return mean })
						least = min(least, held)
						if tooFew(held, samples, 0.75) {
							t.Errorf("mean %g, %d questions, %d repeats, spread %g: 0.75 or more of intervals "+
								"hold the mean: got %.3f", mean, n, m, spread, held)
						}
					}
				}
			}
		})
	}
	t.Logf("at least %.3f", least)
}

// TestDifferenceCoverage: intervals of differences hold the true one in at least 90 % of samples, and in 93 to 99.5 %
// over all designs.
func TestDifferenceCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	const samples = 60
	all, designs, least := 0.0, 0.0, 1.0
	for _, n := range []int{1, 2, 3, 5, 10, 19, 20, 50} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			for _, m := range []int{1, 2, 10, 50} {
				c := newCrowd(n, m, 7)
				for _, same := range []float64{0, 0.5, 0.9, 1} {
					for _, spread := range spreads {
						if n == 1 && (same > 0 || spread > 0) {
							continue
						}
						held := c.heldDifference(n, m, spread, same, samples)
						all, designs, least = all+held, designs+1, min(least, held)
						if tooFew(held, samples, 0.9) {
							t.Errorf("%d questions, %d repeats, spread %g, %g of them alike: 0.9 or more of "+
								"intervals hold the difference: got %.3f", n, m, spread, same, held)
						}
					}
				}
			}
		})
	}
	t.Logf("%.3f of all, at least %.3f", all/designs, least)
	if all /= designs; all < 0.93 || all > 0.995 {
		t.Errorf("%.3f of all hold the difference, want at least 0.93 and at most 0.995", all)
	}
}

// TestPairedFalsePositives: of conditions that are right equally often, at most 5 % are called different at p 0.05.
func TestPairedFalsePositives(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	s := simulation(t, 100)
	s.designs(t, func(t *testing.T, c *crowd, n, m int) {
		all := 0.0
		for _, spread := range spreads {
			found := c.found(n, m, [2]float64{spread, spread}, s.samples, c.random.Float64)
			all += found / float64(len(spreads))
			if tooMany(found, s.samples, 0.05) {
				t.Errorf("%d repeats, spread %g: 0.05 or fewer of equal conditions are called different: got %.3f",
					m, spread, found)
			}
		}
		if tooMany(all, s.samples*len(spreads), 0.05) {
			t.Errorf("%d repeats: 0.05 or fewer of all equal conditions are called different: got %.3f", m, all)
		}
	})
}

// TestUnequalFalsePositives is the same where one condition is steadier than the other, as a vote is than one answer:
// in the extreme, it is right in all repeats of a question or in none. The signs of the differences alone find one in
// up to half of all runs.
func TestUnequalFalsePositives(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	s := simulation(t, 100)
	s.designs(t, func(t *testing.T, c *crowd, n, m int) {
		if n == 1 {
			return // there is one chance, and no spread
		}
		all, designs := 0.0, 0
		for _, mean := range []float64{0.5, 0.85, 0.95} {
			for _, unequal := range [][2]float64{{1, 0}, {1, 0.1}, {0.05, 0.5}} {
				found := c.found(n, m, unequal, s.samples, func() float64 { return mean })
				all, designs = all+found, designs+1
				if tooMany(found, s.samples, 0.06) {
					t.Errorf("%d repeats, mean %g, spreads %v: 0.06 or fewer of equal conditions are called "+
						"different: got %.3f", m, mean, unequal, found)
				}
			}
		}
		t.Logf("%2d questions, %2d repeats: %.3f", n, m, all/float64(designs))
		if all /= float64(designs); tooMany(all, s.samples*designs, 0.05) {
			t.Errorf("%d repeats: 0.05 or fewer of all equal conditions are called different: got %.3f", m, all)
		}
	})
}
