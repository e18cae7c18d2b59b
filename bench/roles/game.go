package roles

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/puzzle"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/debate"
)

// gameOf reads a puzzle from the question or, of a record, from what the agents were asked first; the result is nil if
// its wording is of no known form.
func gameOf(o *outcome.Debate) *puzzle.Puzzle {
	texts := []string{o.Asked}
	rounds := o.Rounds()
	for r, phase := range o.Transcript.Phases {
		if phase == debate.PhaseProposal && r < len(rounds) && len(rounds[r].Turns) > 0 {
			for _, m := range rounds[r].Turns[0].Messages {
				texts = append(texts, m.Content)
			}
		}
	}
	for _, text := range texts {
		if at := strings.Index(text, "Player name:"); at >= 0 {
			if p := gameIn(text[at:]); p != nil {
				return p
			}
		}
	}
	return nil
}

// gameIn reads the puzzle at the beginning of a text, which ends with the manager's message: a hint in the same line,
// or numbered ones below it. What follows, such as a request, is not read.
func gameIn(text string) *puzzle.Puzzle {
	at := strings.Index(text, "Message from the game manager:")
	if at < 0 {
		return nil
	}
	lines := strings.SplitAfter(text[at:], "\n")
	end := at + len(lines[0])
	if strings.HasSuffix(strings.TrimSpace(lines[0]), ":") {
		for i, line := range lines[1:] {
			if !strings.HasPrefix(strings.TrimSpace(line), fmt.Sprint(i+1, ". ")) {
				break
			}
			end += len(line)
		}
	}
	if p, err := puzzle.Parse(text[:end]); err == nil && len(p.Hints) > 0 {
		return &p
	}
	return nil
}

// DifficultyOf measures the puzzle of a debate; the result is nil where it cannot be read or has not one solution.
func DifficultyOf(o *outcome.Debate) *puzzle.Difficulty {
	if p := gameOf(o); p != nil {
		return difficultyOf(*p)
	}
	return nil
}

func difficultyOf(p puzzle.Puzzle) *puzzle.Difficulty {
	if len(p.Solve(2)) != 1 {
		return nil
	}
	d := p.Difficulty()
	return &d
}

// Depth has the debates on puzzles of one difficulty.
type Depth struct {
	Depth   int     `json:"depth"`   // suppositions that have to be held at once: see puzzle.Difficulty
	N       int     `json:"n"`       // debates
	Refuted float64 `json:"refuted"` // mean number of suppositions of this depth that have to be refuted
	Initial Round   `json:"initial"`
	Final   Round   `json:"final"`
}

// depths sums up debates by the depth of their puzzles, ascending. Puzzles whose difficulty is not known are left out.
func depths(played []*dynamics) (list []Depth) {
	by := make(map[int][]*dynamics)
	for _, c := range played {
		if c.difficulty != nil {
			by[c.difficulty.Depth] = append(by[c.difficulty.Depth], c)
		}
	}
	for depth, played := range by {
		d := Depth{Depth: depth, N: len(played)}
		var initial, final []Round
		for _, c := range played {
			d.Refuted += float64(c.difficulty.Refuted) / float64(len(played))
			initial, final = append(initial, c.initial), append(final, c.final)
		}
		d.Initial, d.Final = over(initial, stat.Mean), over(final, stat.Mean)
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b Depth) int { return a.Depth - b.Depth })
	return list
}
