package puzzle

// Kind is what a statement is about. In the comments below, S is its set of players.
type Kind int

// The kinds of statements, with the numbers of the released grammar (raw_schema).
const (
	CountRole   Kind = iota // 1 to 3: exactly N of S are of a role
	CountTruth              // 4, 5: exactly N of S tell the truth, or lie
	SameRole                // 6, 7: all of S have the same role
	SameTruth               // 8, 9: all of S tell the truth, or all of S lie
	Different               // 10: S do not all have the same role
	RoleParity              // 11, 12: the number of a role in S is odd, or even
	TruthParity             // 13, 14: the number of those in S who tell the truth, or lie, is odd, or even
	OneOfTwo                // 15: exactly one of two statements is true
)

// Statement is what a player or the game manager says. Whether somebody tells the truth is a matter of what they say,
// also of a spy; to avoid circles, players speak of the truth of earlier players' statements only.
type Statement struct {
	Kind  Kind
	Set   []int // players
	N     int   // for CountRole and CountTruth
	Role  Role  // for CountRole and RoleParity
	Lying bool  // for CountTruth and TruthParity: of liars instead of those who tell the truth
	Odd   bool  // for RoleParity and TruthParity
	Parts []Statement
}

// aboutTruth reports whether the truth of statements decides, not roles alone.
func (k Kind) aboutTruth() bool { return k == CountTruth || k == SameTruth || k == TruthParity }

// truth is the value of a statement as far as it is known.
type truth int8

const (
	unknown truth = iota
	yes
	no
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// not leaves unknown as it is.
func (t truth) not() truth {
	switch t {
	case yes:
		return no
	case no:
		return yes
	default:
		return unknown
	}
}

// maxPlayers bounds a game, so that knowledge is a value without pointers: searches copy much of it.
const maxPlayers = 16

// knowledge is what is known of a game: the roles that each player can have, and the truth of what each one said.
type knowledge struct {
	roles [maxPlayers]Roles
	said  [maxPlayers]truth
}

// value is the truth of a statement. It is unknown only where the knowledge leaves it open or where that would take
// more than counting: of two players who can be knight or knave, "they have the same role" is unknown.
func (k *knowledge) value(s Statement) truth {
	switch s.Kind {
	case CountRole:
		return exactly(s.N, k.countRole(s))
	case CountTruth:
		return exactly(s.N, k.countTruth(s))
	case RoleParity:
		return parity(s.Odd, k.countRole(s))
	case TruthParity:
		return parity(s.Odd, k.countTruth(s))
	case SameRole:
		return k.sameRole(s.Set)
	case Different:
		return k.sameRole(s.Set).not()
	case SameTruth:
		return k.sameTruth(s.Set)
	default: // OneOfTwo
		a, b := k.value(s.Parts[0]), k.value(s.Parts[1])
		if a == unknown || b == unknown {
			return unknown
		}
		return truthOf(a != b)
	}
}

// between has the bounds of a count.
type between struct{ least, most int }

func (k *knowledge) countRole(s Statement) (b between) {
	for _, player := range s.Set {
		if k.roles[player] == s.Role {
			b.least++
		}
		if k.roles[player]&s.Role != 0 {
			b.most++
		}
	}
	return b
}

func (k *knowledge) countTruth(s Statement) (b between) {
	wanted := truthOf(!s.Lying)
	for _, player := range s.Set {
		if k.said[player] == wanted {
			b.least++
		}
		if k.said[player] != wanted.not() {
			b.most++
		}
	}
	return b
}

func exactly(n int, b between) truth {
	switch {
	case n < b.least || n > b.most:
		return no
	case b.least == b.most:
		return yes
	default:
		return unknown
	}
}

func parity(odd bool, b between) truth {
	if b.least != b.most {
		return unknown
	}
	return truthOf(odd == (b.least%2 == 1))
}

func (k *knowledge) sameRole(set []int) truth {
	common, certain := Any, true
	for _, player := range set {
		common &= k.roles[player]
		certain = certain && k.roles[player].single()
	}
	switch {
	case common == 0:
		return no
	case certain:
		return yes
	default:
		return unknown
	}
}

func (k *knowledge) sameTruth(set []int) truth {
	var seen [3]bool
	for _, player := range set {
		seen[k.said[player]] = true
	}
	switch {
	case seen[yes] && seen[no]:
		return no
	case seen[unknown]:
		return unknown
	default:
		return yes
	}
}
