// Package puzzle makes, reads and solves puzzles of knights, knaves and spies, and checks what is claimed about them.
//
// A knight's statement is true, a knave's is false, and a spy's may be either; the game manager's hints are true. The
// grammar of statements and their wording are those of the puzzles released with Wu, Li and Li, "Can LLM Agents Really
// Debate?" (arXiv 2511.07784; github.com/haolun-wu/ControlMAD, utils/generator.py): Parse reads all of them back, and
// Generate draws from the same grammar.
//
// Everything rests on one function, propagate: it removes the roles that a partial assignment excludes directly. Solve
// branches where it stops, Difficulty counts how many nested suppositions a solver without branches needs, and a
// Checker decides an agent's claims by what Solve has found.
//
// Beside them, GenerateDeduction makes puzzles of logical deduction, and GenerateChess beginnings of games of chess,
// after which a piece has to be moved.
package puzzle

import (
	"fmt"
	"math/bits"
	"strings"
)

// Puzzle is a game: a statement of each player and the manager's hints.
type Puzzle struct {
	Players    []string    // names, in the order of the game
	Statements []Statement // by player
	Hints      []Statement // true; the first of a generated puzzle gives the number of spies
}

// Role is one of three; as a bit, so that Roles can be a set of them.
type Role = Roles

// Roles is a set of roles, such as those that a player can still have.
type Roles uint8

// The roles, and the set of all.
const (
	Knight Role = 1 << iota
	Knave
	Spy
	Any = Knight | Knave | Spy
)

// single reports whether one role is left.
func (r Roles) single() bool { return bits.OnesCount8(uint8(r)) == 1 }

// String names the roles in their order, such as "knight or spy".
func (r Roles) String() string {
	var names []string
	for i, name := range []string{"knight", "knave", "spy"} {
		if r&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// Solution is the role of each player, in the order of the game.
type Solution []Role

// Sentences writes a solution as the released files do: a line such as "Rachel is a knight." for each player.
func (s Solution) Sentences(players []string) string {
	var text strings.Builder
	for i, role := range s {
		fmt.Fprintf(&text, "%s is a %s.\n", players[i], role)
	}
	return text.String()
}
