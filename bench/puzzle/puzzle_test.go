package puzzle

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/internal/datatest"
)

// naive finds all solutions by trying every assignment, with statements evaluated as their words say.
func naive(p Puzzle) (solutions []Solution) {
	n := len(p.Players)
	assignments := 1
	for range n {
		assignments *= 3
	}
	for a := range assignments {
		s, rest := make(Solution, n), a
		for i := n - 1; i >= 0; i-- {
			s[i], rest = []Role{Knight, Knave, Spy}[rest%3], rest/3
		}
		var said []bool
		fits := true
		for i, statement := range p.Statements {
			said = append(said, naiveTrue(statement, s, said))
			fits = fits && (s[i] == Spy || said[i] == (s[i] == Knight))
		}
		for _, hint := range p.Hints {
			fits = fits && naiveTrue(hint, s, said)
		}
		if fits {
			solutions = append(solutions, s)
		}
	}
	return solutions
}

func naiveTrue(statement Statement, s Solution, said []bool) bool {
	count, ofRole, roles := 0, 0, map[Role]bool{}
	for _, player := range statement.Set {
		roles[s[player]] = true
		if s[player] == statement.Role {
			ofRole++
		}
		if statement.Kind.aboutTruth() && said[player] != statement.Lying {
			count++
		}
	}
	switch statement.Kind {
	case CountRole:
		return ofRole == statement.N
	case CountTruth:
		return count == statement.N
	case SameRole:
		return len(roles) == 1
	case Different:
		return len(roles) > 1
	case SameTruth:
		return count == 0 || count == len(statement.Set)
	case RoleParity:
		return ofRole%2 == 1 == statement.Odd
	case TruthParity:
		return count%2 == 1 == statement.Odd
	default:
		return naiveTrue(statement.Parts[0], s, said) != naiveTrue(statement.Parts[1], s, said)
	}
}

// TestSolve compares with the naive search on puzzles with any number of solutions, and reads each one's text back.
func TestSolve(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	several, none, unique := 0, 0, 0
	for range 600 {
		f := Form{Players: 3 + random.IntN(4), Hints: random.IntN(3)}
		f.Spies = random.IntN(f.Players + 1)
		p := draw(random, f)
		if len(p.Players) != f.Players {
			t.Fatalf("%+v: drew %d players, want %d", f, len(p.Players), f.Players)
		}
		want := naive(p)
		if diff := cmp.Diff(want, p.Solve(1000)); diff != "" {
			t.Fatalf("the solutions are those of a naive search (-want +got):\n%[2]s\n%[1]s", p.Text(), diff)
		}
		switch len(want) {
		case 0:
			none++
		case 1:
			unique++
			if d := p.Difficulty(); d.Depth >= f.Players || d.Depth > 0 && d.Refuted == 0 {
				t.Errorf("a unique puzzle has a depth below its %d players, and what is deep refutes something: "+
					"got %+v of\n%s", f.Players, d, p.Text())
			}
		default:
			several++
		}
		read, err := Parse(p.Text())
		if err != nil {
			t.Fatalf("a puzzle's text is read: got %v, want no error\n%s", err, p.Text())
		}
		if diff := cmp.Diff(p.Text(), read.Text()); diff != "" {
			t.Fatalf("a puzzle is read back from its text (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want, read.Solve(1000)); diff != "" {
			t.Fatalf("a puzzle that is read back has the same solutions (-want +got):\n%s\n%s", diff, p.Text())
		}
	}
	if several < 50 || none < 50 || unique < 50 {
		t.Errorf("%d puzzles with several solutions, %d with none, %d with one: too few to compare", several, none,
			unique)
	}
}

// TestGenerate: puzzles of all sizes have one solution, have as many spies as asked for, and depend on the seed alone.
func TestGenerate(t *testing.T) {
	for players := 3; players <= 9; players++ {
		for _, spies := range []int{0, 1, 2, players} {
			f := Form{Players: players, Spies: spies, Hints: players % 3}
			if err := f.Check(); err != nil {
				t.Fatal(err)
			}
			p, solution := Generate(rand.New(rand.NewPCG(7, uint64(spies))), f)
			found := 0
			for _, role := range solution {
				if role == Spy {
					found++
				}
			}
			if found != spies {
				t.Errorf("%d spies, want %d, in\n%s", found, spies, p.Text())
			}
			if all := p.Solve(3); len(all) != 1 || !slices.Equal(all[0], solution) || len(p.Hints) != 1+f.Hints {
				t.Errorf("%+v: want the solution %v alone and %d hints, got %v and %d of\n%s", f, solution,
					1+f.Hints, all, len(p.Hints), p.Text())
			}
			again, _ := Generate(rand.New(rand.NewPCG(7, uint64(spies))), f)
			if diff := cmp.Diff(p, again); diff != "" {
				t.Errorf("equal seeds give equal puzzles (-want +got):\n%s", diff)
			}
		}
	}
	for _, f := range []Form{{Players: 2}, {Players: 17}, {Players: 4, Spies: 5}, {Players: 4, Spies: -1},
		{Players: 4, Hints: 9}} {
		t.Run(fmt.Sprintf("%+v", f), func(t *testing.T) {
			if f.Check() == nil {
				t.Errorf("%+v was accepted, want an error", f)
			}
		})
	}
}

// TestReleased solves every puzzle released with the paper, from its text alone.
func TestReleased(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(datatest.Public(t, "kks"), "*.jsonl"))
	if err != nil || len(files) < 3 {
		t.Fatalf("found %q, %v; want the puzzles of three sizes or more", files, err)
	}
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		read, depths := 0, map[int]int{}
		for lines := bufio.NewScanner(file); lines.Scan(); read++ {
			var row struct {
				Game     string `json:"text_game"`
				Solution string `json:"text_solution"`
			}
			if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
				t.Fatal(err)
			}
			p, err := Parse(row.Game)
			if err != nil {
				t.Fatalf("%s: puzzle %d is read: got %v, want no error", name, read+1, err)
			}
			if diff := cmp.Diff(row.Game, p.Text()); diff != "" {
				t.Fatalf("%s: puzzle %d is read back from its text (-released +ours):\n%s", name, read+1, diff)
			}
			solutions := p.Solve(2)
			if len(solutions) != 1 || solutions[0].Sentences(p.Players) != row.Solution {
				t.Fatalf("%s: puzzle %d has one solution, %s: got %d, %v",
					name, read+1, row.Solution, len(solutions), solutions)
			}
			depths[p.Difficulty().Depth]++
		}
		if read < 100 {
			t.Errorf("%s: %d puzzles, want at least 100", name, read)
		}
		t.Logf("%s: %d puzzles, by depth of suppositions: %v", filepath.Base(name), read, depths)
	}
}

func TestParseErrors(t *testing.T) {
	game := func(statements ...string) string {
		text := ""
		for i, s := range statements {
			text += fmt.Sprintf("---\nPlayer name: %c\nPlayer statement: %s\n", 'A'+i, s)
		}
		return text
	}
	for text, want := range map[string]string{
		"":                     "players 0",
		game("I am a knight."): "players 1",
		game("B is a knight.", "A is a wizard.", "C is a spy."): "statement of B: a sentence of no known form",
		game("B is lying.", "A is a spy.", "A is a spy."): "statement of A: it is about the truth of a statement " +
			"that is not an earlier one",
		game("X is a spy.", "A is a spy.", "A is a spy."):       `statement of A: "X" is no player`,
		game("B and B are both spies.", "A is a spy.", "I am."): `"B" is named twice`,
		game("Among B and C, there are exactly nine spies.", "A is a spy.",
			"A is a spy."): "a count that is no number from zero to 2",
		game("B is a spy.", "A is a spy.", "A is a spy.") + "---\nhello": "neither a player with a statement",
		game("B is a spy.", "A is a spy.", "A is a spy.") +
			"---\nMessage from the game manager: hint: I am a spy.": `hint 1: "I" is no player`,
		strings.Repeat("x", maxTextBytes+1): "the game has 65537 bytes",
	} {
		t.Run(text, func(t *testing.T) {
			if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%.60q: %v, want %s", text, err, want)
			}
		})
	}
}

// TestSolveStops: of a puzzle without statements, no more solutions are returned than were asked for.
func TestSolveStops(t *testing.T) {
	p := Puzzle{Players: []string{"Ann", "Bob", "Cem"}}
	for limit := range 9 {
		if got := len(p.Solve(limit)); got != limit {
			t.Errorf("asked for at most %d of the solutions: got %d", limit, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	random := rand.New(rand.NewPCG(3, 4))
	for players := range 6 {
		f.Add(draw(random, Form{Players: players + 3, Spies: 1, Hints: players}).Text())
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(p.Text())
		if err != nil || again.Text() != p.Text() {
			t.Fatalf("a puzzle of %q is read back from its text %q as the same: got %v", text, p.Text(), err)
		}
		p.Solve(2)
	})
}

func BenchmarkGenerate(b *testing.B) {
	for _, players := range []int{4, 6, 9, 12, 16} {
		b.Run(fmt.Sprint(players), func(b *testing.B) {
			random := rand.New(rand.NewPCG(1, 1))
			for range b.N {
				p, _ := Generate(random, Form{Players: players, Spies: 1})
				p.Difficulty()
			}
		})
	}
}
