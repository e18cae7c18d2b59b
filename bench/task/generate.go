package task

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/parley-debate/parley/bench/puzzle"
	"github.com/parley-debate/parley/bench/task/rowfile"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
	"github.com/parley-debate/parley/internal/bounds"
)

// The ranges of a task's numbers: objects in a generated puzzle, generated puzzles, and questions drawn from a file.
var (
	ObjectsRange   = bounds.Only(3, 5, 7)
	PuzzlesRange   = bounds.From(1, 100_000)
	QuestionsRange = bounds.From(1, rowfile.MaxRows)
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
	return t.generate(count, seed, func() (Question, error) {
		p := puzzle.GenerateDeduction(random, objects)
		return Question{Text: p.Text, Target: p.Target, Truth: answer.Of(p.Target)}, nil
	})
}

// generate completes a task with so many questions that next draws, none of them twice, and with its hash, which does
// not depend on count: more questions are the same task, widened.
func (t Task) generate(count int, seed uint64, next func() (Question, error)) (Task, error) {
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

// GenerateKnights makes puzzles of knights, knaves and spies in the grammar and wording of Wu et al., each with exactly
// one solution, which the search of package puzzle proves. Equal arguments give equal puzzles on every machine; none
// occurs twice, and the first puzzles do not depend on count.
func GenerateKnights(form puzzle.Form, count int, seed uint64) (Task, error) {
	if err := bounds.Check("puzzles", count, PuzzlesRange); err != nil {
		return Task{}, err
	}
	if err := form.Check(); err != nil {
		return Task{}, err
	}
	rule := "roles"
	extract, err := reader.Rule(extractorNames[rule])
	if err != nil {
		return Task{}, err
	}
	t := Task{
		Name: fmt.Sprintf("generated_knights_%d_players", form.Players),
		Source: fmt.Sprintf("generated: knights, %d players, %d spies, %d hints, seed %d, version 1", form.Players,
			form.Spies, form.Hints, seed),
		Rule: rule, Measure: rule, Extract: extract,
	}
	random := rand.New(rand.NewPCG(seed, uint64(form.Players)))
	return t.generate(count, seed, func() (Question, error) {
		p, solution := puzzle.Generate(random, form)
		return knightsQuestion(p.Text(), solution.Sentences(p.Players))
	})
}

// arithmeticNumbers is how many numbers there are in a sum of GenerateArithmetic: from 0 to 29, as in Du et al.
const arithmeticNumbers = 30

// GenerateArithmetic makes sums of the form a+b*c+d-e*f, which Du et al. ask. Equal arguments give equal sums on every
// machine; none occurs twice, and the first sums do not depend on count.
func GenerateArithmetic(count int, seed uint64) (Task, error) {
	if err := bounds.Check("puzzles", count, PuzzlesRange); err != nil {
		return Task{}, err
	}
	const rule = "number"
	extract, err := reader.Rule(rule)
	if err != nil {
		return Task{}, err
	}
	t := Task{
		Name:   "generated_arithmetic",
		Source: fmt.Sprintf("generated: arithmetic, six numbers below %d, seed %d, version 1", arithmeticNumbers, seed),
		Rule:   rule, Extract: extract,
	}
	random := rand.New(rand.NewPCG(seed, arithmeticNumbers))
	return t.generate(count, seed, func() (Question, error) {
		var n [6]int
		for i := range n {
			n[i] = random.IntN(arithmeticNumbers)
		}
		target := strconv.Itoa(n[0] + n[1]*n[2] + n[3] - n[4]*n[5])
		return Question{Text: fmt.Sprintf("%d+%d*%d+%d-%d*%d", n[0], n[1], n[2], n[3], n[4], n[5]), Target: target,
			Truth: extract(target)}, nil
	})
}

// GenerateChess makes questions in the form of BIG-bench's chess_state_tracking, which Du et al. ask: where may a piece
// go after some moves? Equal arguments give equal questions on every machine; none occurs twice, and the first do not
// depend on count.
func GenerateChess(count int, seed uint64) (Task, error) {
	if err := bounds.Check("puzzles", count, PuzzlesRange); err != nil {
		return Task{}, err
	}
	family := familyNamed("chess")
	extract, err := reader.Rule(family.Rule)
	if err != nil {
		return Task{}, err
	}
	t := Task{Name: "generated_chess", Source: fmt.Sprintf("generated: chess, seed %d, version 1", seed),
		Rule: family.Rule, Measure: family.Measure, Extract: extract}
	random := rand.New(rand.NewPCG(seed, 64))
	return t.generate(count, seed, func() (Question, error) {
		c := puzzle.GenerateChess(random)
		return chessQuestion(c.Moves, c.From, c.To), nil
	})
}
