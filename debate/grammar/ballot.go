package grammar

import (
	"fmt"
	"math/bits"
	"strings"
)

// Points is a JSON object that distributes points among candidates, numbered from 0: {"0": 3, "1": 7}. The points add
// up to exactly total. There is one rule for each candidate and each number of points that is left for it and those
// after it, so the grammar grows with the square of total.
func Points(candidates, total int) Value {
	type place struct{ candidate, left int }
	return both(func(r *rules) string {
		known := make(map[place]string)
		var from func(place) string // returns the rule for a candidate and those after it
		from = func(p place) string {
			if p.candidate == candidates-1 {
				return literal(fmt.Sprintf("%d}", p.left))
			}
			if known[p] == "" {
				var ways []string
				for points := range p.left + 1 {
					next := from(place{p.candidate + 1, p.left - points})
					ways = append(ways, literal(fmt.Sprintf(`%d, "%d": `, points, p.candidate+1))+" "+next)
				}
				known[p] = r.name(strings.Join(ways, " | "))
			}
			return known[p]
		}
		if candidates < 1 {
			return `"{}"`
		}
		return `"{\"0\": " ` + from(place{0, total})
	})
}

// distinct is the highest number of candidates for which the grammar of a ranking rules out that one is named twice.
const distinct = 10

// Ranking is a list of different candidates, numbered from 0, best first, with one space between them: 2 0 1. It names
// all candidates, or the given number if that is smaller; both must be at least 1. There is one rule for each set of
// candidates that are already named. For more than 10 candidates those would be too many; then the grammar lets one
// candidate be named twice, and the reader of the ballot has to check. In objects and lists it is a JSON string.
func Ranking(candidates, most int) Value {
	n := min(candidates, most)
	if candidates > distinct {
		return quote(func(r *rules) string {
			one := r.name(strings.Join(numbersBetween(0, candidates-1), " | "))
			return fmt.Sprintf(`%s (" " %s){%d}`, one, one, n-1)
		})
	}
	return quote(func(r *rules) string {
		known := make(map[uint]string)
		var from func(named uint) string // returns the rule for what follows these candidates, a bit each
		from = func(named uint) string {
			if known[named] != "" {
				return known[named]
			}
			var ways []string
			for i := range candidates {
				switch bit := uint(1) << i; {
				case named&bit != 0:
				case bits.OnesCount(named) == n-1:
					ways = append(ways, literal(fmt.Sprint(i)))
				default:
					ways = append(ways, literal(fmt.Sprint(i, " "))+from(named|bit))
				}
			}
			known[named] = r.name(strings.Join(ways, "|"))
			return known[named]
		}
		return from(0)
	})
}

// Approval is a list of one or more different candidates, numbered from 0, in ascending order, with commas between
// them: 0,2. In objects and lists it is a JSON string.
func Approval(candidates int) Value {
	return quote(func(r *rules) string {
		all := "" // lists of candidates from i on
		for i := candidates - 1; i >= 0; i-- {
			one := literal(fmt.Sprint(i))
			if all == "" {
				all = r.name(one)
			} else {
				all = r.name(fmt.Sprintf(`%s ("," %s)? | %s`, one, all, all))
			}
		}
		return all
	})
}

// quote returns a Value whose text needs no escapes in a JSON string.
func quote(expression func(*rules) string) Value {
	return Value{bare: expression, json: func(r *rules) string { return `"\"" ` + expression(r) + ` "\""` }}
}
