package reversal

import (
	"slices"
	"testing"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/debatetest"
)

// TestSortedBySeveral: of a pool, all right answers are right, whichever of them the data lists first.
func TestSortedBySeveral(t *testing.T) {
	for _, truth := range []string{"A", "B"} {
		c := debate.Case{Truth: answer.Of(truth),
			Right: func(a answer.Answer) bool { return a.Text == "A" || a.Text == "B" }}
		right, wrong, other := sortPool(debatetest.TurnsOf("BCABCD"), c)
		if !slices.Equal(right, []int{0, 2, 3}) || !slices.Equal(wrong, []int{1, 4}) || !slices.Equal(other, []int{5}) {
			t.Errorf("right by %s: want right [0 2 3], wrong [1 4], other [5]; got %d, %d, %d", truth, right, wrong,
				other)
		}
	}
}

// TestPoolWithoutTexts: an answer of a closing turn, whose reply says nothing, is no solution that could be shown.
func TestPoolWithoutTexts(t *testing.T) {
	pool := debatetest.TurnsOf("AABB")
	pool[0].Reply.Text, pool[3].Reply.Text = "", "\u200b\n"
	right, wrong, _ := sortPool(pool, debate.Case{Truth: answer.Of("A")})
	if !slices.Equal(right, []int{1}) || !slices.Equal(wrong, []int{2}) {
		t.Errorf("of a pool without texts agent 1 is right and agent 2 wrong: got %d, %d", right, wrong)
	}
}
