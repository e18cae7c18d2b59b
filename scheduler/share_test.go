package scheduler

import (
	"fmt"
	"slices"
	"testing"

	"github.com/parley-debate/parley/inference/step"
)

// simulated is a server in rows: a step takes its rows and a fixed cost. Its model draws the same token for ever.
type simulated struct {
	*Scheduler
	now     int // in rows
	asked   map[*Job]int
	sampled []step.Sampled
	done    func(job *Job, took int)
}

const (
	fixedCost = 11 // rows, as of the embedded model
	simLive   = 64
)

func simulate(t *testing.T, done func(job *Job, took int)) *simulated {
	return &simulated{Scheduler: mustNew(t, Options{Cells: 1 << 20, Sequences: 256, Live: simLive, Batch: 512,
		Slack: fixedCost / 2, Width: 6 * fixedCost, Forget: true}), asked: make(map[*Job]int),
		sampled: make([]step.Sampled, 8192), done: done}
}

// ask submits a request that begins with a token of its own. The step under way counts for it.
func (s *simulated) ask(party, prompt, tokens int) {
	s.submitted++
	r := Request{Party: party, Space: party, Order: Order{Debate: s.submitted}, Prompt: make([]step.Token, prompt),
		MaxTokens: tokens}
	r.Prompt[0] = step.Token(s.submitted)
	s.asked[s.Submit(r)] = s.now
}

// step takes one step. meanwhile is called while the engine computes.
func (s *simulated) step(meanwhile func()) {
	plan := s.Next()
	meanwhile()
	s.now += fixedCost + len(plan.Rows)
	for _, job := range s.Apply(plan, s.sampled[:len(plan.Samples)]) {
		took := s.now - s.asked[job]
		delete(s.asked, job)
		s.done(job, took)
	}
}

// latency returns how long the requests of a client take that asks one after the other, the median and the longest, in
// rows, beside what others have asked and go on asking.
func latency(t *testing.T, client int, others func(*simulated)) (median, longest int) {
	t.Helper()
	var all []int
	under := false
	s := simulate(t, func(job *Job, took int) {
		if job.Party == client {
			all, under = append(all, took), false
		}
	})
	others(s)
	for range 20 { // until the others are in full swing
		s.step(func() {})
	}
	s.narrow = careful // as after the first request
	for steps := 0; len(all) < 30; steps++ {
		if steps > 100_000 {
			t.Fatalf("%d replies after %d steps, want at most 100_000", len(all), steps)
		}
		s.step(func() {
			if !under {
				under = true
				s.ask(client, 40, 10)
			}
		})
	}
	slices.Sort(all)
	return all[len(all)/2], all[len(all)-1]
}

// TestShares: one client that asks for much leaves another its share: with two of them no request takes more than twice
// what it takes alone, and one step in which it came. It does not matter in how many requests the
// other one asks.
func TestShares(t *testing.T) {
	const victim = 1
	alone, _ := latency(t, victim, func(*simulated) {})
	for name, others := range map[string]func(*simulated){
		"40 requests of 128 choices": func(s *simulated) {
			for range 40 * 128 {
				s.ask(2, 30, 1500)
			}
		},
		"700 requests": func(s *simulated) {
			for range 700 {
				s.ask(2, 300, 500)
			}
		},
		"long prompts": func(s *simulated) {
			for range 200 {
				s.ask(2, 4000, 100)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			median, longest := latency(t, victim, others)
			t.Logf("alone %d, beside: median %d, longest %d rows", alone, median, longest)
			if longest > 2*alone+7*fixedCost {
				t.Errorf("alone a request takes %d rows, beside another client %d, up to %d, want at most %d", alone,
					median, longest, 2*alone+7*fixedCost)
			}
		})
	}
}

// TestThousandClients: one of a thousand clients that ask one request after the other may ask for as much as it likes:
// each of the others gets as many replies as beside 999 clients like itself, but for a tenth.
func TestThousandClients(t *testing.T) {
	const clients, rows = 1000, 200_000
	replies := func(attack func(*simulated)) (least, all int) {
		count := make([]int, clients)
		var s *simulated
		s = simulate(t, func(job *Job, _ int) {
			if client := job.Party; client > 0 {
				count[client]++
				s.ask(job.Party, 40, 10)
			}
		})
		for client := range clients {
			s.ask(client, 40, 10)
		}
		attack(s)
		for s.now < rows {
			s.step(func() {})
		}
		for _, n := range count[1:] {
			all += n
		}
		return slices.Min(count[1:]), all
	}
	least, all := replies(func(*simulated) {})
	for name, attack := range map[string]func(*simulated){
		"choices": func(s *simulated) {
			for range 40 * 128 {
				s.ask(0, 30, 1500)
			}
		},
		"requests": func(s *simulated) {
			for range 700 {
				s.ask(0, 300, 500)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			l, a := replies(attack)
			t.Logf("before %d replies, at least %d for each; under attack %d and %d", all, least, a, l)
			if l < least-1 || 10*a < 9*all || least < 2 {
				t.Errorf("before %d replies, at least %d for each; under attack %d and %d, want nine tenths of all, "+
					"and one less for each at most", all, least, a, l)
			}
		})
	}
}

// contend has two parties ask for long replies where there is one place. It returns after how many rows each change of
// the place came.
func contend(t *testing.T, prompt, tokens int) (rows []int) {
	t.Helper()
	s := mustNew(t, Options{Cells: 1 << 20, Sequences: 8, Live: 1, Batch: 1024, Slack: 1024, Forget: true})
	for key := range 2 {
		r := Request{Party: key, Space: key, Prompt: make([]step.Token, prompt), MaxTokens: tokens}
		r.Prompt[0] = step.Token(key + 1)
		s.Submit(r)
	}
	sampled := make([]step.Sampled, 1024)
	had, last := 0, -1
	for done := 0; done < 2; {
		plan := s.Next()
		if key := s.live[0].job.Party; key != last && last >= 0 {
			rows, had = append(rows, had), 0
		}
		last = s.live[0].job.Party
		had += len(plan.Rows)
		done += len(s.Apply(plan, sampled[:len(plan.Samples)]))
	}
	return rows
}

// TestQuantum: of two parties that share one place, each has it for 128 rows, or as many as its text was long when it
// got it, and then the other, also where it goes on from cells.
func TestQuantum(t *testing.T) {
	for prompt, want := range map[int][]int{
		10:  {128, 128, 128, 128, 256, 256, 512, 512},
		300: {300, 300, 300, 300, 600, 600},
	} {
		t.Run(fmt.Sprint(prompt), func(t *testing.T) {
			got := contend(t, prompt, 1500)
			for i, rows := range want {
				if i >= len(got) || got[i] < rows || got[i] > rows+4 {
					t.Fatalf("the place changes after %d rows, want about %d", got, want)
				}
			}
		})
	}
}

// TestWaitsLongest: of parties with as many places, the one that waits longest gets a free one, whatever its order.
func TestWaitsLongest(t *testing.T) {
	var ended []int
	s := simulate(t, func(job *Job, _ int) { ended = append(ended, job.Party) })
	s.options.Live = 1
	ask := func(key int, tokens int) {
		s.asked[s.Submit(Request{Party: key, Space: key, Order: Order{Debate: -key},
			Prompt: []step.Token{step.Token(key)}, MaxTokens: tokens})] = s.now
	}
	ask(1, 50)
	for key := 2; key < 6; key++ { // each comes later, and before the others by its order
		s.step(func() {})
		ask(key, 3)
	}
	for len(ended) < 5 {
		s.step(func() {})
	}
	if want := []int{1, 2, 3, 4, 5}; !slices.Equal(ended, want) {
		t.Errorf("they end in the order %d, want %d", ended, want)
	}
}

// TestExpectedCells: the token that is drawn last needs no cell; when four have ended, their average counts, and one.
func TestExpectedCells(t *testing.T) {
	s := mustNew(t, Options{Cells: 100, Sequences: 4, Live: 4, Batch: 8})
	job := &Job{Request: Request{Prompt: make([]step.Token, 10), MaxTokens: 20}, committed: make([]step.Token, 10)}
	check := func(want int) {
		t.Helper()
		if got := s.expectedCells(job); got != want {
			t.Errorf("after %d replies of %d tokens %d cells, want %d", s.stats.Generations, s.drawn, got, want)
		}
	}
	check(19)
	s.stats.Generations, s.drawn = 3, 15
	check(19)
	s.stats.Generations, s.drawn = 4, 20
	check(6)
	job.committed = make([]step.Token, 27)
	check(2)
}
