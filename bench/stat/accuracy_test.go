package stat

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestAccuracy: what one question, questions asked once, and many repeats come to.
func TestAccuracy(t *testing.T) {
	twenty := make([]Asked, 20)
	for i := range twenty {
		twenty[i] = Asked{10 * (i % 2), 10} // ten times right, or ten times wrong
	}
	for name, c := range map[string]struct {
		questions []Asked
		estimate  float64
		want      Interval
	}{
		"none":                              {nil, 0, Interval{0, 1}},
		"one question is about its repeats": {[]Asked{{28, 40}}, 0.7, Wilson(28, 40, 0.95)},
		"asked once":                        {[]Asked{{1, 1}, {1, 1}, {0, 1}}, 2.0 / 3, Wilson(2, 3, 0.95)},
		"repeats that add nothing":          {slices.Repeat([]Asked{{5, 5}}, 30), 1, Wilson(30, 30, 0.95)},
		"repeats that all agree":            {twenty, 0.5, Wilson(10, 20, 0.95)},
		"repeats as good as questions":      {slices.Repeat([]Asked{{1, 2}}, 30), 0.5, Wilson(30, 60, 0.95)},
	} {
		t.Run(name, func(t *testing.T) {
			estimate, got := Accuracy(c.questions, 0.95)
			if !near(estimate, c.estimate, 1e-12) || !near(got.Low, c.want.Low, 1e-9) || !near(got.High, c.want.High,
				1e-9) {
				t.Errorf("%s: %g in %+v, want %+v", name, estimate, got, c.want)
			}
		})
	}
}

// questions draws what came of questions, with repeats of their own.
func questions(t *rapid.T, n int, label string) []Asked {
	most := rapid.SampledFrom([]int{1, 2, 12}).Draw(t, "repeats")
	list := make([]Asked, n)
	for i := range list {
		list[i].Times = rapid.IntRange(1, most).Draw(t, label)
		list[i].Right = rapid.SampledFrom([]int{0, list[i].Times, rapid.IntRange(0, list[i].Times).Draw(t,
			"right")}).Draw(t, "or all or none")
	}
	return list
}

// TestAccuracyProperties: an interval holds its estimate, has a width, stays within its bounds, is mirrored where right
// is wrong, and knows no order of the questions.
func TestAccuracyProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "n")
		first, second := questions(t, n, "first"), questions(t, n, "second")
		estimate, i := Accuracy(first, 0.95)
		if i.Low < 0 || i.High > 1 || i.High-i.Low < 0.01 || i.Low > estimate || i.High < estimate {
			t.Fatalf("the interval has the estimate %g in it, a width, and stays in 0 to 1: got %+v", estimate, i)
		}
		mirrored := make([]Asked, n)
		for j, q := range first {
			mirrored[j] = Asked{q.Times - q.Right, q.Times}
		}
		if other, m := Accuracy(mirrored, 0.95); !near(other, 1-estimate, 1e-9) || !near(m.Low, 1-i.High, 1e-9) ||
			!near(m.High, 1-i.Low, 1e-9) {
			t.Fatalf("wrong for right mirrors the interval: got %g in %+v, mirrored %g in %+v", estimate, i, other, m)
		}
		d, between := Difference(first, second, 0.95)
		if !(between.Low >= -1 && between.High <= 1 && between.High-between.Low >= 0.01 && between.Low <= d+1e-12 &&
			between.High >= d-1e-12) {
			t.Fatalf("the interval has the difference %g in it, a width, and stays in -1 to 1: got %+v", d, between)
		}
		order := rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "order"))).Perm(n)
		shuffledFirst, shuffledSecond := make([]Asked, n), make([]Asked, n)
		for to, from := range order {
			shuffledFirst[to], shuffledSecond[to] = first[from], second[from]
		}
		if e, b := Difference(shuffledFirst, shuffledSecond, 0.95); !near(e, d, 1e-9) || !near(b.Low, between.Low,
			1e-9) || !near(b.High, between.High, 1e-9) {
			t.Fatalf("a difference is the same in any order of questions: got %g in %+v, and in another %g in %+v",
				d, between, e, b)
		}
	})
}
