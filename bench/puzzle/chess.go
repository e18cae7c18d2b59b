package puzzle

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/corentings/chess/v2"
)

// A game of Chess has from leastMoves to mostMoves half moves, as those of BIG-bench's chess_state_tracking,
// synthetic_short, have.
const (
	leastMoves = 2
	mostMoves  = 50
)

// Chess is the beginning of a game of chess and the place of a piece that may move next. Moves are written as there: a
// square, the square that the piece goes to and, of a promotion, the letter of the new piece.
type Chess struct {
	Moves []string
	From  string
	To    []string // where the piece may go, sorted
}

// GenerateChess plays a game of moves drawn from all legal ones, and chooses one of the pieces that may move next, and
// no pawn, by its kind: all as in BIG-bench. A game that ends on the way is drawn again.
func GenerateChess(random *rand.Rand) Chess {
	for {
		c, position := Chess{}, chess.StartingPosition()
		for range leastMoves + random.IntN(mostMoves-leastMoves+1) {
			moves := legal(position)
			if len(moves) == 0 {
				break
			}
			m := moves[random.IntN(len(moves))]
			c.Moves, position = append(c.Moves, m.String()), position.Update(&m)
		}
		kinds, to := map[chess.PieceType][]string{}, destinations(position)
		for from, piece := range position.Board().SquareMap() {
			if kind := piece.Type(); kind != chess.Pawn && len(to[from.String()]) > 0 {
				kinds[kind] = append(kinds[kind], from.String())
			}
		}
		if len(kinds) == 0 {
			continue
		}
		kind := kinds[slices.Sorted(maps.Keys(kinds))[random.IntN(len(kinds))]]
		slices.Sort(kind)
		c.From = kind[random.IntN(len(kind))]
		c.To = to[c.From]
		return c
	}
}

// legal lists the moves that the rules allow, by their squares: the order in which the library has them does not
// matter.
func legal(position *chess.Position) []chess.Move {
	moves := position.ValidMoves()
	slices.SortFunc(moves, func(a, b chess.Move) int {
		return cmp.Or(cmp.Compare(a.S1(), b.S1()), cmp.Compare(a.S2(), b.S2()), cmp.Compare(a.Promo(), b.Promo()))
	})
	return moves
}

// destinations are the squares to which pieces may go, by the squares where they are. Promotions of a pawn to several
// pieces are one destination.
func destinations(position *chess.Position) map[string][]string {
	to := map[string][]string{}
	for _, m := range legal(position) {
		from := m.S1().String()
		to[from] = append(to[from], m.S2().String())
	}
	for from, squares := range to {
		slices.Sort(squares)
		to[from] = slices.Compact(squares)
	}
	return to
}
