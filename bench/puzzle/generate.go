package puzzle

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/parley-debate/parley/internal/bounds"
)

// What the numbers of a puzzle can be. Fewer than three players leave some kinds of statements nothing to be about;
// the time to prove that a puzzle has one solution grows with their number.
var (
	PlayersRange = bounds.From(3, maxPlayers)
	SpiesRange   = bounds.From(0, maxPlayers)
	HintsRange   = bounds.From(0, 8)
)

// Form is what puzzles are alike in.
type Form struct {
	Players int
	Spies   int // 0 to Players; the game manager says how many
	Hints   int // further statements of the manager
}

// Check refuses forms that no puzzle has.
func (f Form) Check() error {
	if err := cmp.Or(bounds.Check("players", f.Players, PlayersRange), bounds.Check("spies", f.Spies, SpiesRange),
		bounds.Check("hints", f.Hints, HintsRange)); err != nil {
		return err
	}
	if f.Spies > f.Players {
		return fmt.Errorf("spies: %d among %d players", f.Spies, f.Players)
	}
	return nil
}

var names = []string{"Alice", "Bob", "Charlie", "David", "Eve", "Frank", "Grace", "Hank", "Ivy", "Jack", "Kate", "Liam",
	"Mia", "Noah", "Olivia", "Peter", "Quinn", "Rachel", "Sam", "Tina", "Uma", "Violet", "Wendy", "Xavier", "Yara",
	"Zane"}

// Generate draws puzzles until one has exactly one solution, which it proves by searching all assignments, and returns
// it with this solution. The statements' types are drawn as the released generator draws them: uniformly from 1 to 15,
// where several numbers mean the same kind, so that counts of a role are three times as frequent as "different roles".
// The form must pass Check.
func Generate(random *rand.Rand, f Form) (Puzzle, Solution) {
	for {
		p := draw(random, f)
		if solutions := p.Solve(2); len(solutions) == 1 {
			return p, solutions[0]
		}
	}
}

// draw makes a puzzle with any number of solutions.
func draw(random *rand.Rand, f Form) Puzzle {
	order := random.Perm(len(names))[:f.Players]
	everybody := make([]int, f.Players)
	p := Puzzle{}
	for i, name := range order {
		p.Players = append(p.Players, names[name])
		everybody[i] = i
	}
	d := drawing{random, f}
	for i := range f.Players {
		p.Statements = append(p.Statements, d.statement(i, 15))
	}
	p.Hints = append(p.Hints, Statement{Kind: CountRole, Set: everybody, N: f.Spies, Role: Spy})
	for len(p.Hints) <= f.Hints {
		s := d.statement(f.Players, 10)
		if s.Kind == CountRole && s.Role == Spy && len(s.Set) == f.Players {
			continue // how many spies there are is said already
		}
		p.Hints = append(p.Hints, s)
	}
	return p
}

// drawing draws statements of a form.
type drawing struct {
	random *rand.Rand
	form   Form
}

// kinds has the kind of each number of the released grammar, from 1.
var kinds = [15]Kind{CountRole, CountRole, CountRole, CountTruth, CountTruth, SameRole, SameRole, SameTruth, SameTruth,
	Different, RoleParity, RoleParity, TruthParity, TruthParity, OneOfTwo}

// statement draws one of the first so many types of statements for a player, or for the manager, whose number is that
// of players. Only players before can be said to tell the truth.
func (d drawing) statement(speaker, types int) (s Statement) {
	least := map[Kind]int{CountTruth: 1, SameTruth: 2, TruthParity: 3}
	for {
		s.Kind = kinds[d.random.IntN(types)]
		if least[s.Kind] <= speaker {
			break
		}
	}
	n := d.form.Players
	switch s.Kind {
	case CountRole:
		s.Set, s.Role = d.set(n, 1, n), d.role()
		s.N = 1 + d.random.IntN(len(s.Set))
		if s.Role == Spy {
			s.N = 1 + d.random.IntN(max(1, min(d.form.Spies, len(s.Set))))
		}
	case CountTruth:
		s.Set, s.Lying = d.set(speaker, 1, speaker), d.coin()
		s.N = 1 + d.random.IntN(len(s.Set))
	case SameRole:
		s.Set = d.set(n, 2, n-1)
	case SameTruth:
		s.Set = d.set(speaker, 2, speaker)
	case Different:
		s.Set = d.set(n, 2, n)
	case RoleParity:
		s.Set, s.Role, s.Odd = d.set(n, 3, n), d.role(), d.coin()
	case TruthParity:
		s.Set, s.Lying, s.Odd = d.set(speaker, 3, speaker), d.coin(), d.coin()
	case OneOfTwo:
		s.Parts = []Statement{d.statement(speaker, types-1), d.statement(speaker, types-1)}
	}
	return s
}

// set draws least to most of the first players, in a random order.
func (d drawing) set(players, least, most int) []int {
	return slices.Clone(d.random.Perm(players)[:least+d.random.IntN(most-least+1)])
}

func (d drawing) role() Role { return [...]Role{Knight, Knave, Spy}[d.random.IntN(3)] }

func (d drawing) coin() bool { return d.random.IntN(2) == 0 }
