package agreement

import (
	"fmt"
	"math"
	"testing"
)

// votes makes answers: so many of 0, of 1, of 2 and so on.
func votes(counts ...int) (answers []int) {
	for label, n := range counts {
		for range n {
			answers = append(answers, label)
		}
	}
	return answers
}

// TestWorkedExamples has the two numbers of the worked examples in the appendix of Zhang et al. (arXiv 2511.11040): a
// log-likelihood of -0.152, which is that of 9 right answers of 10, and an entropy of 0.9219, that of 8, 1 and 1 of 10.
// Both readings give them, for one question and one round.
func TestWorkedExamples(t *testing.T) {
	for _, r := range []Reading{ByPaper, ByCode} {
		t.Run(fmt.Sprint(r), func(t *testing.T) {
			if got := LogLikelihood([]Debate{{[][]int{votes(9, 1)}, Key{0}}}, r); !near(got, -0.152, 5e-4) {
				t.Errorf("the log-likelihood of 9 votes to 1 is -0.152: got %g", got)
			}
			if got := MeanEntropy([]Debate{{[][]int{votes(8, 1, 1)}, Key{0}}}, r); !near(got, 0.9219, 5e-5) {
				t.Errorf("entropy of eight, one and one of ten answers: %g, want 0.9219", got)
			}
		})
	}
}

// TestReadings is worked by hand: two debates of two rounds, with unparsed answers and one last round without a right
// one.
func TestReadings(t *testing.T) {
	spoiled := Debate{[][]int{{1, 1, 0, 0}, {0, 0, Unparsed, 0}}, Key{1}}
	mended := Debate{[][]int{{1, 0, 0, 0}, {1, 1, Unparsed, Unparsed}}, Key{1}}
	for _, c := range []struct {
		debates               []Debate
		reading               Reading
		likelihood, entropies float64
	}{
		{[]Debate{mended}, ByCode, -2 + 0, 0.811278},
		{[]Debate{mended}, ByPaper, -1, 1},
		{[]Debate{spoiled, mended}, ByCode, -1 + 0 - 2 + 0, (1 + 0 + 0.811278 + 0) / 2},
		{[]Debate{spoiled, mended}, ByPaper, math.Inf(-1), (0.811278 + 1) / 2},
		{[]Debate{{Key: Key{1}}}, ByPaper, 0, 0},
		{nil, ByCode, 0, 0},
	} {
		t.Run(fmt.Sprintf("%v %v", c.likelihood, c.entropies), func(t *testing.T) {
			if got := LogLikelihood(c.debates, c.reading); got != c.likelihood && !near(got, c.likelihood, 1e-12) {
				t.Errorf("%+v: log-likelihood %g, want %g", c, got, c.likelihood)
			}
			if got := MeanEntropy(c.debates, c.reading); !near(got, c.entropies, 1e-6) {
				t.Errorf("%+v: entropy %g, want %g", c, got, c.entropies)
			}
		})
	}
}

// TestCounted: metrics are of nothing where nobody is right, or where nothing was read in the rounds that count.
func TestCounted(t *testing.T) {
	for _, c := range []struct {
		rounds              [][]int
		reading             Reading
		wantRead, wantRight bool
	}{
		{nil, ByCode, false, false},
		{[][]int{{Unparsed, Unparsed}}, ByPaper, false, false},
		{[][]int{{1, 0}, {Unparsed, Unparsed}}, ByPaper, false, false},
		{[][]int{{1, 0}, {Unparsed, Unparsed}}, ByCode, true, true},
		{[][]int{{0, Unparsed}}, ByCode, true, false},
		{[][]int{{0, 0}, {0, 1}}, ByPaper, true, true},
	} {
		t.Run(fmt.Sprint(c.rounds), func(t *testing.T) {
			read, right := c.reading.Counted([]Debate{{Rounds: c.rounds, Key: Key{1}}, {Key: Key{1}}})
			if read != c.wantRead || right != c.wantRight {
				t.Errorf("%+v: read %t, right %t; want %v and %v", c, read, right, c.wantRead, c.wantRight)
			}
		})
	}
}

// TestEntropy has a fair coin, a fair die of eight sides, and certainty (Shannon, Bell System Technical Journal 27,
// 1948).
func TestEntropy(t *testing.T) {
	for _, c := range []struct {
		counts []int
		want   float64
	}{{[]int{5, 5}, 1}, {[]int{1, 1, 1, 1, 1, 1, 1, 1}, 3}, {[]int{7, 0}, 0}, {nil, 0}, {[]int{4, 2, 1, 1}, 1.75}} {
		t.Run(fmt.Sprint(c.counts), func(t *testing.T) {
			if got := entropy(c.counts); !near(got, c.want, 1e-12) {
				t.Errorf("%v: %g, want %g", c.counts, got, c.want)
			}
		})
	}
}
