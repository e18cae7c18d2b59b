// Package unknown says that there is nothing of a name, and which name was probably meant.
package unknown

import (
	"errors"
	"fmt"
	"strings"
)

// most is how many names an error lists if it can guess the one that was meant.
const most = 20

// Name returns the error for a name that is none of those known: the names that are close to it, and all there are. A
// long list is left out where a close name is known. what is the kind of thing, such as "order". Further words, such as
// "or name a .yaml file", say what can be given instead.
func Name(what, name string, known []string, more ...string) error {
	near := Near(name, known)
	text := fmt.Sprintf("no %s %q%s", what, name, Meant(near))
	if len(known) > 0 && (len(near) == 0 || len(known) <= most) {
		text += "; there are " + strings.Join(known, ", ")
	}
	return errors.New(strings.Join(append([]string{text}, more...), ", "))
}

// Listed is Name for names that a command lists: where they are many and none is close, it names that command and their
// number.
func Listed(what, name string, known []string, command string, more ...string) error {
	if len(known) <= most || len(Near(name, known)) > 0 {
		return Name(what, name, known, more...)
	}
	text := fmt.Sprintf("no %s %q; %s lists the %d that there are", what, name, command, len(known))
	return errors.New(strings.Join(append([]string{text}, more...), ", "))
}

// Meant asks whether one of these names was meant; "" for none.
func Meant(near []string) string {
	if len(near) == 0 {
		return ""
	}
	return " (did you mean " + strings.Join(near, " or ") + "?)"
}

// distance is how many letters are wrong, missing or too many; two neighbours that changed places count as one.
func distance(typed, name string) int {
	a, b := []rune(typed), []rune(name)
	least := make([][]int, len(a)+1) // by how many letters of each
	for i := range least {
		least[i] = make([]int, len(b)+1)
		for j := range least[i] {
			switch {
			case i == 0 || j == 0:
				least[i][j] = i + j
			case a[i-1] == b[j-1]:
				least[i][j] = least[i-1][j-1]
			default:
				least[i][j] = 1 + min(least[i-1][j-1], least[i-1][j], least[i][j-1])
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					least[i][j] = min(least[i][j], 1+least[i-2][j-2])
				}
			}
		}
	}
	return least[len(a)][len(b)]
}

// Near returns the names that somebody who typed this one may have meant, at most three: the nearest ones, in upper or
// lower case, if about a third of the letters at most is wrong, missing or too many; else those that begin with what
// was typed, if that has at least three letters.
func Near(name string, known []string) (near []string) {
	typed := strings.ToLower(name)
	length := len([]rune(typed))
	if length > 100 { // the distance takes time that grows with the square of the length
		return nil
	}
	least := max(1, (length+2)/3)
	for _, candidate := range known {
		switch d := distance(typed, strings.ToLower(candidate)); {
		case d < least:
			least, near = d, []string{candidate}
		case d == least:
			near = append(near, candidate)
		}
	}
	found := len(near) > 0
	for _, candidate := range known {
		if !found && length >= 3 && strings.HasPrefix(strings.ToLower(candidate), typed) {
			near = append(near, candidate)
		}
	}
	return near[:min(3, len(near))]
}
