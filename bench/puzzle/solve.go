package puzzle

import "slices"

// start is the knowledge of somebody who has read nothing.
func (p Puzzle) start() (k knowledge) {
	for i := range p.Players {
		k.roles[i] = Any
	}
	return k
}

// with is the knowledge that results if a player's roles are narrowed.
func (k knowledge) with(player int, roles Roles) knowledge {
	k.roles[player] &= roles
	return k
}

// firstUndecided returns the first player whose role is not known, or -1.
func (p Puzzle) firstUndecided(k *knowledge) int {
	return slices.IndexFunc(k.roles[:len(p.Players)], func(r Roles) bool { return !r.single() })
}

// propagate narrows the roles in place until nothing more follows directly: no knave says what is true, no knight what
// is false. It returns false if somebody is left without a role or a hint is false: no solution has these roles. Where
// all roles are known and it returns true, they are a solution.
func (p Puzzle) propagate(k *knowledge) bool {
	for changed := true; changed; {
		changed = false
		for i, s := range p.Statements {
			said, excluded := k.value(s), Roles(0)
			switch said {
			case yes:
				excluded = Knave
			case no:
				excluded = Knight
			}
			if narrowed := k.roles[i] &^ excluded; narrowed != k.roles[i] {
				k.roles[i], changed = narrowed, true
			}
			switch {
			case k.roles[i] == 0:
				return false
			case said != unknown:
			case k.roles[i] == Knight:
				said = yes
			case k.roles[i] == Knave:
				said = no
			}
			if k.said[i] == unknown && said != unknown {
				k.said[i], changed = said, true
			}
		}
	}
	return !slices.ContainsFunc(p.Hints, func(s Statement) bool { return k.value(s) == no })
}

// Solve returns the solutions of a puzzle in a fixed order, at most limit of them.
func (p Puzzle) Solve(limit int) []Solution { return p.search(p.start(), nil, limit) }

// search appends the solutions that the knowledge allows, up to limit in all.
func (p Puzzle) search(k knowledge, found []Solution, limit int) []Solution {
	if len(found) >= limit || !p.propagate(&k) {
		return found
	}
	open := p.firstUndecided(&k)
	if open < 0 {
		return append(found, Solution(slices.Clone(k.roles[:len(p.Players)])))
	}
	for _, role := range []Role{Knight, Knave, Spy} {
		if k.roles[open]&role != 0 {
			found = p.search(k.with(open, role), found, limit)
		}
	}
	return found
}

// Difficulty says how a puzzle with one solution is solved without trying all assignments.
type Difficulty struct {
	// Depth is how many suppositions have to be held at once: 0 if each role follows directly from those before it, 1
	// if it is enough to suppose one role and find that this leads to a contradiction, 2 if a supposition has to be
	// made within another one, and so on.
	Depth int `json:"depth"`
	// Refuted is how many suppositions of this depth lead to a contradiction and are needed, in the order of players
	// and roles.
	Refuted int `json:"refuted"`
}

// Difficulty measures a puzzle that has one solution. Of others the result means nothing.
func (p Puzzle) Difficulty() (d Difficulty) {
	for ; d.Depth < len(p.Players); d.Depth++ {
		k := p.start()
		d.Refuted = 0
		if p.close(&k, d.Depth, &d.Refuted); p.firstUndecided(&k) < 0 {
			break
		}
	}
	return d
}

// close removes, in place, each role whose supposition is refuted with depth-1 further suppositions, until all roles
// are known. It counts what it refutes at this level, and returns false if the knowledge is contradictory.
func (p Puzzle) close(k *knowledge, depth int, refuted *int) bool {
	if !p.propagate(k) {
		return false
	}
	for changed := depth > 0; changed; {
		changed = false
		for i := range p.Players {
			for _, role := range []Role{Knight, Knave, Spy} {
				if k.roles[i].single() || k.roles[i]&role == 0 {
					continue
				}
				if supposed, inner := k.with(i, role), 0; p.close(&supposed, depth-1, &inner) {
					continue
				}
				k.roles[i] &^= role
				*refuted, changed = *refuted+1, true
				if !p.propagate(k) {
					return false
				}
			}
		}
	}
	return true
}
