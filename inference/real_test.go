package inference_test

import (
	"fmt"
	"testing"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/chat"
	"github.com/parley-debate/parley/models/modeltest"
)

// TestRealInvariance holds debates of real models on engines that are set up otherwise: how many generations run at
// once, in how many cells, with how many threads and which drafts. Texts and log-probabilities have the same bits.
func TestRealInvariance(t *testing.T) {
	plain, _ := chat.Named("plain")
	for file, template := range map[string]string{modeltest.SmolLM2: "", modeltest.Gemma3: plain} {
		t.Run(file, func(t *testing.T) {
			path := modeltest.Real(t, file)
			var sum inference.Stats
			for _, temperature := range []float32{0, 0.7} {
				w := workload{seed: 5, debates: 2, rounds: 2, agents: 2, samples: 1, longest: 24, scored: true,
					sampling: inference.Sampling{Temperature: temperature, Alternatives: 2}}
				hold := func(y way) map[string]inference.Reply {
					l := y.openModel(t, path, "f16", inference.ChatTemplate(template))
					defer l.Close()
					replies := w.hold(t, l)
					s := l.Stats()
					sum.Accepted, sum.Drafted = sum.Accepted+s.Accepted, sum.Drafted+s.Drafted
					return replies
				}
				want := hold(way{parallel: 1, context: 8192, threads: 1})
				for _, y := range []way{{16, 4096, 2, 0}, {3, longest(want, w.longest), 1, 1000}, {5, 8192, 2, 8}} {
					compare(t, fmt.Sprintf("temperature %g, %v", temperature, y), want, hold(y))
				}
			}
			t.Logf("%d of %d drafted tokens accepted", sum.Accepted, sum.Drafted)
			if sum.Accepted == 0 || sum.Accepted == sum.Drafted {
				t.Errorf("of %d drafts %d were accepted, want some but not all", sum.Drafted, sum.Accepted)
			}
		})
	}
}
