package relation_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
)

// believing is a debate of one agent on A and B, of which A is right, with its probability of A before and behind each
// of its messages.
func believing(question int, inA ...float64) trial.Outcome {
	logs := func(p float64) []float64 { return []float64{math.Log(p), math.Log(1 - p)} }
	t := debate.Transcript{Beliefs: &debate.Beliefs{Answers: []string{"A", "B"}}}
	for r := range len(inA) / 2 {
		t.Rounds = append(t.Rounds, []debate.Turn{{Round: r, Answer: answer.Of("B"),
			Held: &debate.Held{Before: logs(inA[2*r]), After: logs(inA[2*r+1])}}})
	}
	return trial.Outcome{Question: fmt.Sprint(question), Truth: answer.Of("A"), Transcript: t}
}

// TestBeliefMeasures: the measures by hand; reading and writing add up to the drift.
func TestBeliefMeasures(t *testing.T) {
	d := outcome.NewTable([]trial.Outcome{believing(1, 0.25, 0.5, 0.75, 0.625)}).Debates()[0]
	for name, want := range map[string]float64{
		"belief-before": 0.25, "belief-first": 0.5, "belief-last": 0.625, "belief-drift": 0.125, "belief-read": 0.25,
		"belief-wrote": -0.125, "brier": 2 * 0.375 * 0.375, "log-score": -math.Log(0.625),
		"belief-entropy": -0.625*math.Log2(0.625) - 0.375*math.Log2(0.375), "belief-otherwise": 0.5, "belief-told": 1,
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := relation.MeasureOf(name)
			if got, known := m.Number(d); !known || math.Abs(got-want) > 1e-12 {
				t.Errorf("a measure of beliefs is %v, worked by hand: got %v, known %t", want, got, known)
			}
		})
	}
}

// TestBeliefsOfNothing: a model that would write something else than an answer has no beliefs, but the share that says
// so. Results of debates without beliefs do not name them.
func TestBeliefsOfNothing(t *testing.T) {
	o := believing(1, 0.5, 0.5)
	for _, logs := range [][]float64{o.Transcript.Rounds[0][0].Held.Before, o.Transcript.Rounds[0][0].Held.After} {
		for i := range logs {
			logs[i] -= 20
		}
	}
	values := relation.ValuesOf(relation.Rows(outcome.NewTable([]trial.Outcome{o}).Debates()), "", 0.95)
	if last, named := values["belief-last"]; named {
		t.Errorf("where nothing was told there is no belief: got %+v", last)
	}
	if told, known := values.Number("belief-told"); !known || told > 1e-8 {
		t.Errorf("told %g, %t, want hardly anything", told, known)
	}
	without := relation.ValuesOf(relation.Rows(outcome.NewTable([]trial.Outcome{{Question: "q",
		Truth: answer.Of("A")}}).Debates()), "", 0.95)
	if _, named := without["belief-told"]; named {
		t.Error("a debate without beliefs has a measure of them, belief-told: want none")
	}
}

// TestMartingale: where beliefs are a martingale, p of the drift is 0.05 at most in 5 of 100 studies, by three standard
// deviations of a count of 400; where they drift by 0.03 a message, in nearly all.
func TestMartingale(t *testing.T) {
	r := rand.New(rand.NewPCG(2508, 17536))
	m, _ := relation.MeasureOf("belief-drift")
	refuted := func(studies int, drift float64) (n int) {
		for range studies {
			var outcomes []trial.Outcome
			for q := range 60 {
				p := []float64{0.2 + 0.6*r.Float64()}
				for k := 1; k < 8; k++ {
					step := 0.04 // up or down alike
					if r.IntN(2) == 0 {
						step = -0.04
					}
					p = append(p, min(0.99, max(0.01, p[k-1]+step+stat.One[float64](k%2 == 1)*drift)))
				}
				outcomes = append(outcomes, believing(q, p...))
			}
			v := m.Over(relation.Rows(outcome.NewTable(outcomes).Debates()), 0.95)
			n += stat.One[int](*v.P <= 0.05)
		}
		return n
	}
	if n := refuted(400, 0); n < 7 || n > 33 {
		t.Errorf("without a drift, %d of 400 studies refute the martingale, want 7 to 33", n)
	}
	if n := refuted(40, 0.03); n < 38 {
		t.Errorf("with a drift, %d of 40 studies refute the martingale, want 38 at least", n)
	}
}
