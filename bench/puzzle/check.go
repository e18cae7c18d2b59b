package puzzle

import "slices"

// Fact is something about one player that is so or not.
type Fact struct {
	Player int
	Roles  Roles // the player has one of these
	Said   Said  // if set, what counts is the truth of the player's statement, not the role
}

// Said is what a fact says of a player's statement.
type Said int8

// A fact is about a role, or about a statement being true or false.
const (
	Nothing Said = iota
	SaysTrue
	SaysFalse
)

// Claim is a sentence of an agent: from the suppositions follow the facts, or, if there are none, a contradiction.
// Without suppositions the facts are claimed outright.
type Claim struct {
	If, Then []Fact
	Text     string // the sentence
}

// Verdict is what a program can say of a claim.
type Verdict int

// The verdicts. A supposition that no solution allows has everything as its consequence, so that nothing can be said of
// a claim that draws facts from it; that it leads to a contradiction is then true.
const (
	Fails   Verdict = iota // it does not follow from the puzzle
	Follows                // it holds in all solutions that the suppositions allow
	Vacuous                // no solution allows the suppositions
)

// String names the verdict.
func (v Verdict) String() string { return [...]string{"fails", "follows", "vacuous"}[v] }

// maxSolutions bounds the search for a claim in a puzzle with many solutions. A claim that holds in so many of them
// passes for one that follows.
const maxSolutions = 10_000

// Checker reads and decides claims about one puzzle, which it has solved once.
type Checker struct {
	reader
	solutions []knowledge // in which all roles, and the truth of all statements, are known
}

// NewChecker solves the puzzle.
func NewChecker(p Puzzle) *Checker {
	c := &Checker{reader: newReader(p.Players)}
	for _, s := range p.Solve(maxSolutions) {
		k := p.start()
		copy(k.roles[:], s)
		p.propagate(&k)
		c.solutions = append(c.solutions, k)
	}
	return c
}

// Check decides a claim by all solutions of the puzzle that its suppositions allow.
func (p *Checker) Check(c Claim) Verdict {
	var solutions []knowledge
	for _, k := range p.solutions {
		if k.allHold(c.If) {
			solutions = append(solutions, k)
		}
	}
	switch {
	case len(c.Then) == 0 && len(solutions) == 0:
		return Follows
	case len(c.Then) == 0:
		return Fails
	case len(solutions) == 0:
		return Vacuous
	case slices.ContainsFunc(solutions, func(k knowledge) bool { return !k.allHold(c.Then) }):
		return Fails
	default:
		return Follows
	}
}

// allHold reports whether all facts hold where everything is known.
func (k *knowledge) allHold(facts []Fact) bool {
	for _, f := range facts {
		switch {
		case f.Said == SaysTrue && k.said[f.Player] != yes, f.Said == SaysFalse && k.said[f.Player] != no,
			f.Said == Nothing && k.roles[f.Player]&f.Roles == 0:
			return false
		}
	}
	return true
}
