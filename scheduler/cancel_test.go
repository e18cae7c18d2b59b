package scheduler

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/parley-debate/parley/inference/step"
)

// TestHeirsWaitTheirTurn: who inherits the place of a job that waits and is cancelled runs before those who have waited
// less long than the generation, and after those who have waited longer.
func TestHeirsWaitTheirTurn(t *testing.T) {
	for _, c := range []struct {
		name  string
		asked []int // parties in the order in which they ask, each a step after the other; the job of 9 is cancelled
		want  []int // parties in the order in which they are done; 8 has joined 9
	}{
		{"older and younger ones", []int{1, 2, 9, 3}, []int{1, 2, 8, 3}},
		{"older ones", []int{1, 2, 3, 9}, []int{1, 2, 3, 8}},
		{"younger ones", []int{1, 9, 2, 3}, []int{1, 8, 2, 3}},
		{"one that runs", []int{9, 1, 2, 3}, []int{8, 1, 2, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := mustNew(t, Options{Cells: 1 << 12, Sequences: 4, Live: 1, Batch: 64, Forget: true})
			order := 100 // the last first, so that only the time of asking can decide
			ask := func(party int, key byte) *Job {
				order--
				return s.Submit(Request{Party: party, Key: Key{key}, Order: Order{Debate: order},
					Prompt: []step.Token{step.Token(key), 1, 2}, MaxTokens: 40})
			}
			var done []int
			turn := func() {
				plan := s.Next()
				for _, job := range s.Apply(plan, make([]step.Sampled, len(plan.Samples))) {
					if job.Result.Err == nil {
						done = append(done, job.Party)
					}
				}
			}
			var doomed *Job
			for _, party := range c.asked {
				if job := ask(party, byte(party)); party == 9 {
					doomed = job
				}
				turn()
			}
			ask(8, 9)
			turn()
			s.Cancel(doomed)
			for range 400 {
				turn()
			}
			if !slices.Equal(done, c.want) {
				t.Errorf("%v ask and 8 inherits from 9: done in the order %v, want %v", c.asked, done, c.want)
			}
		})
	}
}

// TestHeirsHaveAll: of a generation that goes on for an heir nothing is lost: each field of a job is either inherited
// or the heir's own, and a new one has to say which.
func TestHeirsHaveAll(t *testing.T) {
	own := []string{"Request", "party", "submitted", "joined", "leader", "ended", "done"}
	s := mustNew(t, Options{Cells: 1 << 12, Sequences: 4, Live: 1, Batch: 64, Forget: true})
	job := &Job{committed: []step.Token{1}, firstDrawn: true, since: 3, parts: 4, reserved: 5,
		put: []step.Token{6}, origin: new(origin), seq: new(sequence), Result: Result{Cached: 7}}
	s.enter(job)
	was := *job
	heir := &Job{leader: job}
	s.inherit(job, []*Job{heir})
	inherited := 0
	fields := reflect.TypeFor[Job]()
	for i := range fields.NumField() {
		name := fields.Field(i).Name
		if slices.Contains(own, name) {
			continue
		}
		before := reflect.ValueOf(was).Field(i)
		got, want := fmt.Sprint(reflect.ValueOf(*heir).Field(i)), fmt.Sprint(before)
		if inherited++; got != want || before.IsZero() {
			t.Errorf("%s: the heir has %s, want what the job had, here %s, or a place in the list of its own", name,
				got, want)
		}
	}
	if inherited < 9 {
		t.Errorf("%d fields are inherited, want at least 9", inherited)
	}
}
