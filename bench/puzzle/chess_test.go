package puzzle

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/corentings/chess/v2"
	"github.com/google/go-cmp/cmp"
)

// TestChessRules counts all games of three half moves, of which there are 8,902, and asks for destinations that need
// castling, a capture in passing, a promotion and a pinned piece.
func TestChessRules(t *testing.T) {
	var games func(position *chess.Position, moves int) int
	games = func(position *chess.Position, moves int) (n int) {
		if moves == 0 {
			return 1
		}
		for _, m := range legal(position) {
			n += games(position.Update(&m), moves-1)
		}
		return n
	}
	if n := games(chess.StartingPosition(), 3); n != 8902 {
		t.Errorf("%d games of three half moves, want 8902", n)
	}
	for _, c := range []struct{ moves, from, to string }{
		{"", "g1", "f3 h3"},
		{"", "e7", ""}, // not Black's turn
		{"e2e4 e7e5 g1f3 b8c6 f1c4 f8c5", "e1", "e2 f1 g1"},
		{"e2e4 a7a6 e4e5 d7d5", "e5", "d6 e6"},
		{"e2e4 a7a6 e4e5 d7d5 a2a3 a6a5", "e5", "e6"}, // in passing only at once
		{"a2a4 b7b5 a4b5 a7a6 b5a6 h7h6 a6a7 h6h5", "a7", "b8"},
		{"e2e4 e7e5 d2d3 f8b4", "b1", "c3 d2"},
		{"e2e4 e7e5 d2d3 f8b4 b1c3 a7a6", "c3", ""},
	} {
		t.Run(fmt.Sprintf("%.60s %.60s", c.moves, c.from), func(t *testing.T) {
			got, err := destinationsAfter(strings.Fields(c.moves), c.from)
			if diff := cmp.Diff(c.to, strings.Join(got, " ")); diff != "" || err != nil {
				t.Errorf("after %s the piece on %s may move to: %v (-want +got):\n%s", c.moves, c.from, err, diff)
			}
		})
	}
	for _, moves := range []string{"e2e5", "e2e4 e2e4", "e2e4 e7e5 e1e3", "xx"} {
		t.Run(moves, func(t *testing.T) {
			if _, err := destinationsAfter(strings.Fields(moves), "e1"); err == nil {
				t.Errorf("%s was played, want an error: it is no legal move", moves)
			}
		})
	}
}

// TestGenerateChess: games are legal, of all lengths, and their pieces can move where they are said to; equal seeds
// give equal games.
func TestGenerateChess(t *testing.T) {
	draw := func() (games []Chess) {
		random := rand.New(rand.NewPCG(7, 0))
		for range 200 {
			games = append(games, GenerateChess(random))
		}
		return games
	}
	games, lengths := draw(), map[int]bool{}
	if diff := cmp.Diff(games, draw()); diff != "" {
		t.Errorf("equal seeds give equal games (-want +got):\n%s", diff)
	}
	for _, c := range games {
		to, err := destinationsAfter(c.Moves, c.From)
		if err != nil || len(to) == 0 || !slices.Equal(to, c.To) {
			t.Errorf("after %v the piece on %s may move to %v (want some): got %v", c.Moves, c.From, c.To, to)
		}
		lengths[len(c.Moves)] = true
	}
	if len(lengths) < 40 || lengths[leastMoves-1] || lengths[mostMoves+1] {
		t.Errorf("games have 40 lengths or more, from %d to %d moves: got %d, shorter %t, longer %t",
			leastMoves, mostMoves, len(lengths), lengths[leastMoves-1], lengths[mostMoves+1])
	}
}

// destinationsAfter returns where the piece on a square may go after these moves, sorted; none if no piece of the side
// to move is there. An error names the first move that the rules do not allow.
func destinationsAfter(moves []string, from string) ([]string, error) {
	position := chess.StartingPosition()
	for i, text := range moves {
		allowed := legal(position)
		at := slices.IndexFunc(allowed, func(m chess.Move) bool { return m.String() == text })
		if at < 0 {
			return nil, fmt.Errorf("move %d, %.10q, is not allowed", i+1, text)
		}
		position = position.Update(&allowed[at])
	}
	return destinations(position)[from], nil
}
