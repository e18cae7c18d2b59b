package puzzle

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Deduction is a puzzle of logical deduction: the order of some objects follows from statements, and one object of
// several is asked for.
type Deduction struct {
	Text   string
	Target string // the letter of the right option, such as "(B)"
}

// GenerateDeduction makes a puzzle in the wording of BIG-Bench Hard: 3, 5 or 7 objects, and statements that allow one
// order only, which is proved by trying all orders.
func GenerateDeduction(random *rand.Rand, objects int) Deduction {
	p := newDeduction(random, objects)
	return Deduction{p.text(), p.target()}
}

// relation is a statement about objects, which are numbered by their true positions.
type relation struct {
	a, b int // object a stands before object b or, if b < 0, at its true position
}

// holds reports whether a statement is true if object i stands at place[i].
func (s relation) holds(place []int) bool {
	if s.b < 0 {
		return place[s.a] == s.a
	}
	return place[s.a] < place[s.b]
}

// deduction is a puzzle under construction.
type deduction struct {
	scene     scene
	items     []string // as listed and lettered
	order     []string // the solution
	relations []relation
	sentences []string // the relations in words
	asked     int      // the position in question
	rank      string   // its name
	onLines   bool     // the options stand on lines of their own
}

func newDeduction(random *rand.Rand, n int) deduction {
	p := deduction{scene: scenes[random.IntN(len(scenes))]}
	p.items = choose(random, p.scene.items, n)
	p.order = choose(random, p.items, n)
	p.relations = drawRelations(random, n)
	for _, s := range p.relations {
		p.sentences = append(p.sentences, p.sentence(random, s))
	}
	p.asked = random.IntN(n)
	p.rank = p.scene.rankOf(random, p.asked, n)
	p.onLines = random.IntN(2) == 0
	return p
}

// choose returns n items of a list in random order.
func choose(random *rand.Rand, list []string, n int) []string {
	out := make([]string, n)
	for i, at := range random.Perm(len(list))[:n] {
		out[i] = list[at]
	}
	return out
}

// drawRelations draws true statements until they allow one order only, and drops those that are not needed.
func drawRelations(random *rand.Rand, n int) []relation {
	var all []relation
	for a := range n {
		all = append(all, relation{a, -1})
		for b := a + 1; b < n; b++ {
			all = append(all, relation{a, b})
		}
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	var statements []relation
	for _, s := range all {
		if statements = append(statements, s); unique(statements, n) {
			break
		}
	}
	for i := 0; i < len(statements); {
		fewer := slices.Delete(slices.Clone(statements), i, i+1)
		if unique(fewer, n) {
			statements = fewer
		} else {
			i++
		}
	}
	return statements
}

// unique reports whether only the true order satisfies all statements, by trying every order.
func unique(statements []relation, n int) bool {
	place, solutions := make([]int, n), 0
	free := make([]bool, n)
	for i := range free {
		free[i] = true
	}
	var try func(object int)
	try = func(object int) {
		if solutions > 1 {
			return
		}
		if object == n {
			if !slices.ContainsFunc(statements, func(s relation) bool { return !s.holds(place) }) {
				solutions++
			}
			return
		}
		for at := range n {
			if free[at] {
				free[at], place[object] = false, at
				try(object + 1)
				free[at] = true
			}
		}
	}
	try(0)
	return solutions == 1
}

// sentence puts a statement into words.
func (p deduction) sentence(random *rand.Rand, s relation) string {
	if s.b < 0 {
		return p.scene.name(p.order[s.a], true) + " " + p.scene.verb + " " + p.scene.the() +
			p.scene.rankOf(random, s.a, len(p.order))
	}
	a, b, link := p.order[s.a], p.order[s.b], p.scene.before
	if random.IntN(2) == 0 {
		a, b, link = b, a, p.scene.after
	}
	return p.scene.name(a, true) + " " + p.scene.verb + " " + link + " " + p.scene.name(b, false)
}

func (p deduction) target() string {
	return fmt.Sprintf("(%c)", 'A'+slices.Index(p.items, p.order[p.asked]))
}

func (p deduction) text() string {
	n := len(p.items)
	var listed, options []string
	for i, item := range p.items {
		listed = append(listed, p.scene.listName(item))
		options = append(options, fmt.Sprintf("(%c) %s %s %s%s", 'A'+i, p.scene.name(item, true), p.scene.verb,
			p.scene.the(), p.rank))
	}
	separator := " "
	if p.onLines {
		separator = "\n"
	}
	return fmt.Sprintf("The following paragraphs each describe a set of %s objects arranged in a fixed order. "+
		"The statements are logically consistent within each paragraph. ", numberWords[n]) +
		fmt.Sprintf(p.scene.lead, numberWords[n]) + ": " + strings.Join(listed[:n-1], ", ") + ", and " + listed[n-1] +
		". " + strings.Join(p.sentences, ". ") + "." + separator + "Options:" + separator +
		strings.Join(options, separator)
}

// name returns an object with its article, at the beginning of a sentence or within it.
func (s scene) name(item string, capital bool) string {
	switch {
	case s.noun == "":
		return item
	case capital:
		return "The " + fmt.Sprintf(s.noun, item)
	}
	return "the " + fmt.Sprintf(s.noun, item)
}

// listName returns an object as the opening lists it.
func (s scene) listName(item string) string {
	if s.noun != "" {
		item = fmt.Sprintf(s.noun, item)
	}
	switch {
	case !s.article:
		return item
	case strings.ContainsRune("aeiou", rune(item[0])):
		return "an " + item
	}
	return "a " + item
}

// the returns the article before the name of a position.
func (s scene) the() string {
	if s.verb == "finished" {
		return ""
	}
	return "the "
}

// rankOf names a position, counted from the nearer end as in BIG-Bench Hard, and now and then from the other end.
func (s scene) rankOf(random *rand.Rand, position, n int) string {
	front := position <= (n-1)/2
	if position > 0 && position < n-1 && random.IntN(20) == 0 && position < len(s.front) && n-1-position < len(s.back) {
		front = !front
	}
	if front {
		return s.front[position]
	}
	return s.back[n-1-position]
}
