package task

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"parley/bounds"
	"parley/debate/answer"
)

// What the numbers of a task can be: of generated puzzles, and of questions that are drawn.
var (
	ObjectsRange   = bounds.Only(3, 5, 7)
	PuzzlesRange   = bounds.From(1, 100_000)
	QuestionsRange = bounds.From(1, maxRows)
)

// Generate makes puzzles of logical deduction in the wording of BIG-Bench Hard: 3, 5 or 7 objects in an order that the
// statements fix, which is proved by trying all orders. Equal arguments give equal puzzles on every machine; none
// occurs twice, and the first puzzles do not depend on count.
func Generate(objects, count int, seed uint64) (Task, error) {
	if err := cmp.Or(bounds.Check("objects", objects, ObjectsRange), bounds.Check("puzzles", count,
		PuzzlesRange)); err != nil {
		return Task{}, err
	}
	source := fmt.Sprintf("generated: logical deduction, %d objects, seed %d, version 1", objects, seed)
	sum := sha256.Sum256([]byte(source)) // without count: more of them are the same task, with more questions
	t := Task{
		Name: fmt.Sprintf("generated_%d_objects", objects), Source: source, Rule: "choice", Extract: answer.Choice,
		Hash: hex.EncodeToString(sum[:]),
	}
	random, seen := rand.New(rand.NewPCG(seed, uint64(objects))), map[string]bool{}
	for len(t.Questions) < count {
		p := newPuzzle(random, objects)
		text := p.text()
		if seen[text] {
			continue
		}
		seen[text] = true
		t.Questions = append(t.Questions, Question{
			ID: fmt.Sprintf("%s/%d/%d", t.Name, seed, len(t.Questions)+1), Text: text, Target: p.target(),
			Truth: answer.Of(p.target()),
		})
	}
	t.Guess = guess(t.Questions)
	return t, nil
}

// provenance is a statement about objects, which are numbered by their true position.
type fact struct {
	a, b int // a stands before b; if b < 0, a stands at its position
}

func (f fact) holds(place []int) bool {
	if f.b < 0 {
		return place[f.a] == f.a
	}
	return place[f.a] < place[f.b]
}

// puzzle is a question under construction.
type puzzle struct {
	scene  scene
	items  []string // as listed and lettered
	order  []string // the solution
	facts  []fact
	said   []string
	asked  int // position
	newRow bool
	rank   string // of the asked position
}

func newPuzzle(random *rand.Rand, n int) puzzle {
	p := puzzle{scene: scenes[random.IntN(len(scenes))]}
	p.items = draw(random, p.scene.items, n)
	p.order = draw(random, p.items, n)
	p.facts = drawFacts(random, n)
	for _, f := range p.facts {
		p.said = append(p.said, p.say(random, f))
	}
	p.asked = random.IntN(n)
	p.rank = p.scene.rankOf(random, p.asked, n)
	p.newRow = random.IntN(2) == 0
	return p
}

// draw takes n of a list in random order.
func draw(random *rand.Rand, list []string, n int) []string {
	out := make([]string, n)
	for i, at := range random.Perm(len(list))[:n] {
		out[i] = list[at]
	}
	return out
}

// drawFacts draws statements until they allow one order only, and drops those that are not needed.
func drawFacts(random *rand.Rand, n int) []fact {
	var all []fact
	for a := range n {
		all = append(all, fact{a, -1})
		for b := a + 1; b < n; b++ {
			all = append(all, fact{a, b})
		}
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	var facts []fact
	for _, f := range all {
		if facts = append(facts, f); unique(facts, n) {
			break
		}
	}
	for i := 0; i < len(facts); {
		fewer := slices.Delete(slices.Clone(facts), i, i+1)
		if unique(fewer, n) {
			facts = fewer
		} else {
			i++
		}
	}
	return facts
}

// unique reports whether only the true order satisfies all facts, by trying every order.
func unique(facts []fact, n int) bool {
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
			if !slices.ContainsFunc(facts, func(f fact) bool { return !f.holds(place) }) {
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

// say words a fact.
func (p puzzle) say(random *rand.Rand, f fact) string {
	if f.b < 0 {
		return p.scene.name(p.order[f.a], true) + " " + p.scene.verb + " " + p.scene.the() +
			p.scene.rankOf(random, f.a, len(p.order))
	}
	a, b, relation := p.order[f.a], p.order[f.b], p.scene.before
	if random.IntN(2) == 0 {
		a, b, relation = b, a, p.scene.after
	}
	return p.scene.name(a, true) + " " + p.scene.verb + " " + relation + " " + p.scene.name(b, false)
}

func (p puzzle) target() string {
	return fmt.Sprintf("(%c)", 'A'+slices.Index(p.items, p.order[p.asked]))
}

func (p puzzle) text() string {
	n := len(p.items)
	var listed, options []string
	for i, item := range p.items {
		listed = append(listed, p.scene.listed(item))
		options = append(options, fmt.Sprintf("(%c) %s %s %s%s", 'A'+i, p.scene.name(item, true), p.scene.verb,
			p.scene.the(), p.rank))
	}
	separator := " "
	if p.newRow {
		separator = "\n"
	}
	return fmt.Sprintf("The following paragraphs each describe a set of %s objects arranged in a fixed order. "+
		"The statements are logically consistent within each paragraph. ", numberWords[n]) +
		fmt.Sprintf(p.scene.lead, numberWords[n]) + ": " + strings.Join(listed[:n-1], ", ") + ", and " + listed[n-1] +
		". " +
		strings.Join(p.said, ". ") + "." + separator + "Options:" + separator + strings.Join(options, separator)
}

func (s scene) name(item string, capital bool) string {
	switch {
	case s.noun == "":
		return item
	case capital:
		return "The " + fmt.Sprintf(s.noun, item)
	}
	return "the " + fmt.Sprintf(s.noun, item)
}

func (s scene) listed(item string) string {
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

func (s scene) the() string {
	if s.verb == "finished" {
		return ""
	}
	return "the "
}

// rankOf counts a position from the nearer end, as BIG-Bench Hard does; now and then from the other one.
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
