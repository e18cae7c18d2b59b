package roles

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/puzzle"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// asked is a debate on a puzzle, whose first request has these lines after it.
func asked(puzzle, rest string) trial.Outcome {
	o := puzzled(map[string][]debate.Turn{"proposal": solved("spy knave", "spy knave", "spy knave")},
		"Ann: spy, Bob: knave")
	o.Transcript.Rounds[0][0].Messages = []inference.Message{{Role: "user", Content: "The game:\n" + puzzle + rest}}
	return o
}

// oneHint has one hint, in the line of the manager's message as in the released files. Cid is the spy, since neither
// knight nor knave can say that.
var oneHint = strings.Replace(game[:strings.Index(game, "some hints")], "Cid\nPlayer statement: Ann", "Cid\nPlayer "+
	"statement: I", 1) + "a hint for you: Ann is a knight.\n"

// TestDepths is worked by hand. In both games, Ann is no knave and no spy, because a hint would be false, and Bob then
// is no spy, because a knight says that he is a knave. In the first game it is left to refute that Cid is a knave, in
// the second also that Cid is a knight.
func TestDepths(t *testing.T) {
	for text, want := range map[string]puzzle.Difficulty{game: {Depth: 1, Refuted: 4},
		oneHint: {Depth: 1, Refuted: 5}} {
		t.Run(text, func(t *testing.T) {
			for _, rest := range []string{"", "\nReply:\n1. in JSON\n2. at once\n"} {
				o := asked(text, rest)
				if d := DifficultyOf(columns(o)[0]); d == nil || *d != want {
					t.Errorf("%q: %v, want %v", text+rest, d, want)
				}
				s := Of(played(o, o))
				if len(s.Depths) != 1 || s.Depths[0].N != 2 || s.Depths[0].Refuted != float64(want.Refuted) ||
					s.Depths[0].Depth != want.Depth || s.Depths[0].Initial.Smooth != 1 {
					t.Errorf("2 games of one depth %v refute %d roles, and agree with the truth at first: got %+v",
						want.Depth, want.Refuted, s.Depths)
				}
			}
		})
	}
	two := strings.Replace(game, "\n 2. Ann is a knight.", "", 1)
	for _, text := range []string{"no game", two, strings.ReplaceAll(game, "Bob is a knave", "Bob is a knave or so")} {
		t.Run(fmt.Sprintf("%.60s", text), func(t *testing.T) {
			if o := asked(text, ""); DifficultyOf(columns(o)[0]) != nil || Of(played(o)).Depths != nil {
				t.Errorf("the difficulty of %q is known, want it unknown", text)
			}
		})
	}
}

// TestDepthsAscend: each depth is summed up for itself.
func TestDepthsAscend(t *testing.T) {
	of := func(depth, refuted int, smooth float64) *dynamics {
		return &dynamics{difficulty: &puzzle.Difficulty{Depth: depth, Refuted: refuted}, final: Round{Smooth: smooth}}
	}
	got := depths([]*dynamics{of(2, 5, 0.5), of(1, 3, 1), {}, of(2, 8, 0)})
	want := []Depth{{Depth: 1, N: 1, Refuted: 3, Final: Round{Smooth: 1}},
		{Depth: 2, N: 2, Refuted: 6.5, Final: Round{Smooth: 0.25}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("each depth is summed up for itself (-want +got):\n%s", diff)
	}
}
