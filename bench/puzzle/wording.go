package puzzle

import (
	"fmt"
	"slices"
	"strings"
)

// numbers are the words for counts. A puzzle has no more players than there are words.
var numbers = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
	"twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"}

// manager speaks the hints: a number that is no player's.
const manager = -1

// Text is the game as an agent reads it, in the form of the released files (text_game).
func (p Puzzle) Text() string {
	var text strings.Builder
	for i, s := range p.Statements {
		fmt.Fprintf(&text, "---\nPlayer name: %s\nPlayer statement: %s\n", p.Players[i], p.say(i, s))
	}
	if len(p.Hints) == 0 {
		return text.String()
	}
	text.WriteString("---\nMessage from the game manager: I am the game manager and here ")
	if len(p.Hints) == 1 {
		fmt.Fprintf(&text, "is a hint for you: %s\n", p.say(manager, p.Hints[0]))
		return text.String()
	}
	text.WriteString("are some hints for you:")
	for i, s := range p.Hints {
		fmt.Fprintf(&text, "\n %d. %s", i+1, p.say(manager, s))
	}
	return text.String() + "\n"
}

// say words a statement of a player, who is "I" in it.
func (p Puzzle) say(speaker int, s Statement) string {
	switch s.Kind {
	case CountRole:
		if len(s.Set) == 1 && s.N == 1 {
			return p.subject(speaker, s.Set) + " a " + s.Role.String() + "."
		}
		if s.N == len(s.Set) {
			return p.all(speaker, s.Set) + plural(s.Role) + "."
		}
		if s.N == 1 {
			return p.among(speaker, s.Set) + "there is exactly one " + s.Role.String() + "."
		}
		return p.among(speaker, s.Set) + "there are exactly " + numbers[s.N] + " " + plural(s.Role) + "."
	case CountTruth:
		if len(s.Set) == 1 && s.N == 1 {
			return p.subject(speaker, s.Set) + " " + telling(s.Lying) + "."
		}
		if s.N == len(s.Set) {
			return p.all(speaker, s.Set) + telling(s.Lying) + "."
		}
		if s.N == 1 {
			return p.among(speaker, s.Set) + "exactly one person is " + telling(s.Lying) + "."
		}
		return p.among(speaker, s.Set) + "exactly " + numbers[s.N] + " people are " + telling(s.Lying) + "."
	case SameRole:
		if len(s.Set) == 2 {
			return p.list(speaker, s.Set) + " have the same role."
		}
		return p.list(speaker, s.Set) + " all have the same role."
	case Different:
		if len(s.Set) == 2 {
			return p.list(speaker, s.Set) + " have different roles."
		}
		return p.list(speaker, s.Set) + " do not all have the same role."
	case SameTruth:
		quantity := quantifier(len(s.Set))
		return fmt.Sprintf("%s are either %s telling truth or %s lying.", p.list(speaker, s.Set), quantity, quantity)
	case RoleParity:
		return p.among(speaker, s.Set) + "the number of " + plural(s.Role) + " is " + oddness(s.Odd) + "."
	case TruthParity:
		return p.among(speaker, s.Set) + "the number of people who are " + telling(s.Lying) + " is " + oddness(s.Odd) +
			"."
	default: // OneOfTwo
		return fmt.Sprintf("Among the following two statements, exactly one is true: \n (1). %s\n (2). %s",
			p.say(speaker, s.Parts[0]), p.say(speaker, s.Parts[1]))
	}
}

// subject is a player with the verb: "I am" or "Rachel is".
func (p Puzzle) subject(speaker int, set []int) string {
	if set[0] == speaker {
		return "I am"
	}
	return p.Players[set[0]] + " is"
}

// all begins a sentence about everybody in a set; only of two players, both in a game of two, "both" wins over "all".
func (p Puzzle) all(speaker int, set []int) string {
	if len(set) == len(p.Players) && len(set) != 2 {
		return "All are "
	}
	return p.list(speaker, set) + " are " + quantifier(len(set)) + " "
}

func (p Puzzle) among(speaker int, set []int) string {
	if len(set) == len(p.Players) {
		return "Among all players, "
	}
	return "Among " + p.list(speaker, set) + ", "
}

// list names players in their order, the speaker last.
func (p Puzzle) list(speaker int, set []int) string {
	var names []string
	for _, player := range set {
		if player != speaker {
			names = append(names, p.Players[player])
		}
	}
	if slices.Contains(set, speaker) {
		names = append(names, "I")
	}
	if last := len(names) - 1; last > 1 {
		return strings.Join(names[:last], ", ") + ", and " + names[last]
	}
	return strings.Join(names, " and ")
}

func quantifier(players int) string {
	if players == 2 {
		return "both"
	}
	return "all"
}

func plural(r Role) string {
	if r == Spy {
		return "spies"
	}
	return r.String() + "s"
}

func telling(lying bool) string {
	if lying {
		return "lying"
	}
	return "telling the truth"
}

func oddness(odd bool) string {
	if odd {
		return "odd"
	}
	return "even"
}
