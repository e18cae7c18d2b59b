package task

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/internal/bounds"
)

// The ranges of a task's numbers: objects in a generated puzzle, generated puzzles, and questions drawn from a file.
var (
	ObjectsRange   = bounds.Only(3, 5, 7)
	PuzzlesRange   = bounds.From(1, 100_000)
	QuestionsRange = bounds.From(1, maxRows)
)

// Generate makes puzzles of logical deduction in the wording of BIG-Bench Hard: 3, 5 or 7 objects, and statements that
// allow one order only, which is proved by trying all orders. Equal arguments give equal puzzles on every machine. No
// puzzle occurs twice, and the first puzzles do not depend on count, so that a run can be widened.
func Generate(objects, count int, seed uint64) (Task, error) {
	if err := cmp.Or(bounds.Check("objects", objects, ObjectsRange), bounds.Check("puzzles", count,
		PuzzlesRange)); err != nil {
		return Task{}, err
	}
	t := Task{
		Name:   fmt.Sprintf("generated_%d_objects", objects),
		Source: fmt.Sprintf("generated: logical deduction, %d objects, seed %d, version 1", objects, seed),
		Rule:   "choice", Extract: answer.Choice,
	}
	random := rand.New(rand.NewPCG(seed, uint64(objects)))
	return t.generated(count, seed, func() (Question, error) {
		p := newDeduction(random, objects)
		return Question{Text: p.text(), Target: p.target(), Truth: answer.Of(p.target())}, nil
	})
}

// generated completes a task with so many questions that next draws, none of them twice, and with its hash, which does
// not depend on count: more questions are the same task, widened.
func (t Task) generated(count int, seed uint64, next func() (Question, error)) (Task, error) {
	sum := sha256.Sum256([]byte(t.Source))
	t.Hash = hex.EncodeToString(sum[:])
	seen := map[string]bool{}
	for len(t.Questions) < count {
		q, err := next()
		if err != nil {
			return Task{}, fmt.Errorf("puzzle %d: %w", len(t.Questions)+1, err)
		}
		if seen[q.Text] {
			continue
		}
		seen[q.Text] = true
		q.ID = fmt.Sprintf("%s/%d/%d", t.Name, seed, len(t.Questions)+1)
		t.Questions = append(t.Questions, q)
	}
	t.Guess = t.Chance()
	return t, nil
}

// statement is one about objects, which are numbered by their true positions.
type statement struct {
	a, b int // object a stands before object b or, if b < 0, at its true position
}

// holds reports whether a statement is true if object i stands at place[i].
func (s statement) holds(place []int) bool {
	if s.b < 0 {
		return place[s.a] == s.a
	}
	return place[s.a] < place[s.b]
}

// deduction is a puzzle under construction.
type deduction struct {
	scene      scene
	items      []string // as listed and lettered
	order      []string // the solution
	statements []statement
	sentences  []string // the statements in words
	asked      int      // the position in question
	rank       string   // its name
	onLines    bool     // the options stand on lines of their own
}

func newDeduction(random *rand.Rand, n int) deduction {
	p := deduction{scene: scenes[random.IntN(len(scenes))]}
	p.items = draw(random, p.scene.items, n)
	p.order = draw(random, p.items, n)
	p.statements = drawStatements(random, n)
	for _, s := range p.statements {
		p.sentences = append(p.sentences, p.sentence(random, s))
	}
	p.asked = random.IntN(n)
	p.rank = p.scene.rankOf(random, p.asked, n)
	p.onLines = random.IntN(2) == 0
	return p
}

// draw returns n items of a list in random order.
func draw(random *rand.Rand, list []string, n int) []string {
	out := make([]string, n)
	for i, at := range random.Perm(len(list))[:n] {
		out[i] = list[at]
	}
	return out
}

// drawStatements draws true statements until they allow one order only, and drops those that are not needed.
func drawStatements(random *rand.Rand, n int) []statement {
	var all []statement
	for a := range n {
		all = append(all, statement{a, -1})
		for b := a + 1; b < n; b++ {
			all = append(all, statement{a, b})
		}
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	var statements []statement
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
func unique(statements []statement, n int) bool {
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
			if !slices.ContainsFunc(statements, func(s statement) bool { return !s.holds(place) }) {
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
func (p deduction) sentence(random *rand.Rand, s statement) string {
	if s.b < 0 {
		return p.scene.name(p.order[s.a], true) + " " + p.scene.verb + " " + p.scene.the() +
			p.scene.rankOf(random, s.a, len(p.order))
	}
	a, b, relation := p.order[s.a], p.order[s.b], p.scene.before
	if random.IntN(2) == 0 {
		a, b, relation = b, a, p.scene.after
	}
	return p.scene.name(a, true) + " " + p.scene.verb + " " + relation + " " + p.scene.name(b, false)
}

func (p deduction) target() string {
	return fmt.Sprintf("(%c)", 'A'+slices.Index(p.items, p.order[p.asked]))
}

func (p deduction) text() string {
	n := len(p.items)
	var listed, options []string
	for i, item := range p.items {
		listed = append(listed, p.scene.listed(item))
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

// listed returns an object as the opening lists it.
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
