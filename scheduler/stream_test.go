package scheduler

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/inference/step"
)

// TestOnToken: every one of several equal requests is shown all tokens in order, whether it comes before the generation
// runs, while it runs, or after it.
func TestOnToken(t *testing.T) {
	s, engine := mustNew(t, small), newFakeEngine(t, small)
	var shown [4][]step.Sampled
	submit := func(i int) Request {
		r := Request{Order: Order{Agent: i}, Key: Key{1}, Prompt: []step.Token{1, 2, 3}, MaxTokens: 12,
			Sampling: step.Sampling{Seed: 7}, OnToken: func(t step.Sampled, _ int) { shown[i] = append(shown[i], t) }}
		s.Submit(r)
		return r
	}
	want := alone(submit(0))
	submit(1)
	for steps := 0; !s.Idle() || steps < 20; steps++ {
		if steps == 2 { // some tokens are drawn, and others are not
			if n := len(shown[0]); n == 0 || n == len(want) {
				t.Fatalf("%d of %d tokens are drawn", n, len(want))
			}
			submit(2)
		}
		if steps == 19 {
			submit(3)
		}
		plan := s.Next()
		sampled, err := engine.Step(t.Context(), plan)
		if err != nil {
			t.Fatal(err)
		}
		s.Apply(plan, sampled)
	}
	for i := range shown {
		if diff := cmp.Diff(want, shown[i]); diff != "" {
			t.Errorf("request %d shows each token as it is drawn (-want +got):\n%s", i, diff)
		}
	}
}
