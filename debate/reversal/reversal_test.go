package reversal

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/debatetest"
	"github.com/parley-debate/parley/inference"
)

// poolOf is a debate of one round with so many right and wrong solutions, by turns.
func poolOf(n int) *debate.Transcript {
	var turns []debate.Turn
	for i := range 2 * n {
		text := fmt.Sprintf("%d (%s)", i, []string{"A", "B"}[i%2])
		turns = append(turns, debate.Turn{Agent: i, Messages: debate.Conversation("", "Q?"),
			Reply: inference.Reply{Text: text, Tokens: 7}, Answer: debatetest.Puzzle.Extract(text)})
	}
	return &debate.Transcript{Rounds: [][]debate.Turn{turns}}
}

// TestCentreSweep: at every step of a sweep the centre hears so many, at most half of them of a kind, and the next step
// adds one of them or, where right ones come first, has one more.
func TestCentreSweep(t *testing.T) {
	c := debatetest.Puzzle
	c.Prior = poolOf(9)
	for number, order := range []string{OrderCorrectFirst, OrderIncorrectFirst, orderAlternating} {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			var before []int
			for k := 1; k <= 16; k++ {
				speaker := &debatetest.Meter{Tokens: []int{1}}
				got, err := Reversal{Asking: debate.Asking{Seeds: debate.Seeds{Run: 1}}, Hears: k, MostSolutions: 16,
					Order:   order,
					Prompts: debatetest.Load(t, "reversal")}.Run(t.Context(), speaker, c)
				if err != nil {
					t.Fatal(err)
				}
				heard := got.Rounds[1][0].Heard
				kinds := [2]int{}
				for _, i := range heard {
					kinds[i%2]++
				}
				if len(heard) != k || kinds[0] > 8 || kinds[1] > 8 || !slices.Equal(heard[:k-1], before) {
					t.Errorf("%s: the centre hears %v of %v, want %d, at most 8 of a kind, and those before first",
						order, heard, before, k)
				}
				if slices.Contains(heard, 1) == (order == orderAlternating) && kinds[1] > 0 {
					t.Errorf("%s in the code's reading hears %v, want solution 1 if and only if not alternating", order,
						heard)
				}
				if r := speaker.Requests[0]; len(speaker.Requests) != 1 ||
					r.Sampling.Seed != (debate.Seeds{Run: 1}).Of(c.ID, 0, 1, 0) || len(r.Messages) != 3 ||
					r.Messages[1].Content != "1 (B)" {
					t.Errorf(`%s: the centre is asked once, in 3 messages with another's answer "1 (B)" and the `+
						`seed of its name: got %+v`, order, speaker.Requests)
				}
				before = heard
			}
		})
	}
}

// TestCentreRecalls: only in the source's orders, and in the code's reading, another question stands before the
// centre's own answer than the one that it was sampled by.
func TestCentreRecalls(t *testing.T) {
	c, set := debatetest.Puzzle, debatetest.Load(t, "reversal")
	c.Prior = poolOf(9)
	for _, order := range []string{OrderCorrectFirst, OrderIncorrectFirst, orderAlternating, "placed:1"} {
		t.Run(order, func(t *testing.T) {
			for _, reading := range []string{debate.ReadingCode, debate.ReadingPaper} {
				got, err := Reversal{Hears: 2, MostSolutions: 2, Order: order, Reading: reading,
					Prompts: set}.Run(t.Context(),
					&debatetest.Meter{Tokens: []int{1}}, c)
				if err != nil {
					t.Fatal(err)
				}
				want := "Q?" // of the pool
				if reading == debate.ReadingCode && order != "placed:1" {
					want = set.Recall(c.Question)
				}
				if m := got.Rounds[1][0].Messages; len(m) != 3 || m[0].Content != want {
					t.Errorf("%s, %s: %v, want %q", order, reading, m, want)
				}
			}
		})
	}
}

// TestCentreSquare: every holder is once at every place, tells a right solution of its own there, and has the same
// neighbours everywhere.
func TestCentreSquare(t *testing.T) {
	const n = 5
	c := debatetest.Puzzle
	c.Prior = poolOf(n + 1)
	for holder := range n {
		var first []int
		for place := range n {
			got, err := Reversal{Hears: n, Order: fmt.Sprintf("placed:%d", place), Holder: holder,
				Prompts: debatetest.Load(t, "reversal")}.Run(t.Context(), &debatetest.Meter{Tokens: []int{1}}, c)
			if err != nil {
				t.Fatal(err)
			}
			heard := got.Rounds[1][0].Heard
			if heard[place] != 2*holder || slices.Contains(heard, 1) {
				t.Errorf("holder %d at place %d: heard are %v, want solution %d there and never its own, 1", holder,
					place, heard, 2*holder)
			}
			for i, other := range heard {
				if i != place && other%2 == 0 {
					t.Errorf("holder %d at place %d: %v has another right solution", holder, place, heard)
				}
			}
			turned := slices.Concat(heard[place:], heard[:place])
			if first == nil {
				first = turned
			}
			if !slices.Equal(first, turned) {
				t.Errorf("holder %d at place %d: heard are %v, from the holder on %v, want %v", holder, place, heard,
					turned, first)
			}
		}
	}
}

// TestCentreRecords: the pool's reply is no call of the centre's, and a pool from a record cannot be built on.
func TestCentreRecords(t *testing.T) {
	c := debatetest.Puzzle
	c.Prior = poolOf(2)
	d := Reversal{Hears: 2, MostSolutions: 2, Prompts: debatetest.Load(t, "reversal")}
	got, err := d.Run(t.Context(), &debatetest.Meter{Tokens: []int{1}}, c)
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for range got.Calls() {
		calls++
	}
	if calls != 1 || got.Rounds[0][0].Kind != debate.KindGiven || !got.Decision.Answer.Parsed {
		t.Errorf("a given reply and the centre's took %d calls, want 1, and an answer: %+v", calls, got)
	}
	for i := range c.Prior.Rounds[0] {
		c.Prior.Rounds[0][i].Messages = nil
	}
	if _, err := d.Run(t.Context(), &debatetest.Meter{Tokens: []int{1}}, c); !errors.Is(err, debate.ErrPrior) ||
		!strings.Contains(err.Error(), "records of runs leave them out") {
		t.Errorf("what a record lacks is refused as a prior that records leave out: got %v", err)
	}
	c.Truth.Parsed = false
	if _, err := d.Run(t.Context(), &debatetest.Meter{Tokens: []int{1}}, c); err == nil ||
		errors.Is(err, debate.ErrPrior) ||
		!strings.Contains(err.Error(), "needs the right answer") {
		t.Errorf("a question without a right answer is refused for that and not as a prior: got %v", err)
	}
}
