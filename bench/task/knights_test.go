package task

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/puzzle"
)

// TestGenerateKnights: 1,800 puzzles as the source released them, in number: 300 of each size from 4 to 9.
func TestGenerateKnights(t *testing.T) {
	made := 0
	for players := 4; players <= 9; players++ {
		many, err := GenerateKnights(puzzle.Form{Players: players, Spies: 1}, 300, 5)
		if err != nil {
			t.Fatal(err)
		}
		for i, q := range many.Questions {
			p, err := puzzle.Parse(q.Text)
			if err != nil {
				t.Fatalf("a puzzle that was made is read: got %v, want no error\n%s", err, q.Text)
			}
			solutions := p.Solve(2)
			if len(solutions) != 1 {
				t.Fatalf("a puzzle that was made has one solution: got %d of\n%s", len(solutions), q.Text)
			}
			made++
			if i%10 > 0 {
				continue // each reading compiles patterns for its players, which is most of this test's time
			}
			reply := solutions[0].Sentences(p.Players)
			if got := many.Score(q, q.Extract(reply)); got != Right {
				t.Fatalf("%s is %s, the truth is %s; want %v", reply, got, q.Truth.Text, Right)
			}
			wrong := strings.Replace(reply, "spy", "knave", 1)
			if got := many.Score(q, q.Extract(wrong)); got != Wrong {
				t.Fatalf("%s is %s, want %v", wrong, got, Wrong)
			}
			if part := many.Partial(q, q.Extract(wrong)); part == nil || *part != float64(players-1)/float64(players) {
				t.Fatalf("one of %d players is wrong, which is right in part: got %v of %s", players, part, wrong)
			}
		}
		few, err := GenerateKnights(puzzle.Form{Players: players, Spies: 1}, 20, 5)
		if err != nil {
			t.Fatal(err)
		}
		for i, q := range few.Questions {
			if q.Text != many.Questions[i].Text || q.ID != many.Questions[i].ID || few.Hash != many.Hash {
				t.Fatalf("puzzle %d does not depend on how many are asked for (-few +many):\n%s",
					i+1, cmp.Diff(q.Text, many.Questions[i].Text))
			}
		}
	}
	if made != 1800 {
		t.Errorf("%d puzzles, want 1800", made)
	}
	for _, f := range []puzzle.Form{{}, {Players: 30}, {Players: 4, Spies: 5}} {
		t.Run(fmt.Sprintf("%+v", f), func(t *testing.T) {
			if _, err := GenerateKnights(f, 1, 1); err == nil {
				t.Errorf("%+v was accepted, want an error", f)
			}
		})
	}
	if _, err := GenerateKnights(puzzle.Form{Players: 4}, 0, 1); err == nil {
		t.Error("a request for 0 puzzles was taken, want an error")
	}
}
