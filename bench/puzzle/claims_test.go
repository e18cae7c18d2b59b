package puzzle

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// of writes facts as the tests do: "0 knight", "1 not knave" as its complement, "2 true".
func of(facts []Fact) (text string) {
	var parts []string
	for _, f := range facts {
		what := map[Said]string{Nothing: f.Roles.String(), SaysTrue: "true", SaysFalse: "false"}[f.Said]
		parts = append(parts, fmt.Sprintf("%d %s", f.Player, what))
	}
	return strings.Join(parts, ", ")
}

// TestReadClaims: claims about roles are read from a reply's sentences, with what they follow from.
func TestReadClaims(t *testing.T) {
	players := []string{"Ann", "Bob", "Cid"}
	for reply, want := range map[string][]string{
		"Ann is a knight.":                         {"-> 0 knight"},
		"ANN MUST BE A SPY, and Bob is not a spy!": {"-> 0 spy, 1 knight or knave"},
		"Bob cannot be a knave or a spy.":          {"-> 1 knight"},
		"Bob can't be lying; Cid isn't truthful.":  {"-> 1 true", "-> 2 false"},
		"Cid's statement must be false.":           {"-> 2 false"},
		"If Ann is a knight, then Bob is a knave.": {"0 knight -> 1 knave"},
		"If Ann is a knight and Cid is a spy then Bob's statement is true, so Bob is a knight.": {
			"0 knight, 2 spy -> 1 knight, 1 true"},
		"If Ann is a knave, this is a contradiction.":        {"0 knave -> "},
		"If Ann is a knave, there is no contradiction.":      nil,
		"Suppose Ann is a knave. Then Bob must be a knight.": {"0 knave -> 1 knight"},
		"Assume that Ann is a spy. Bob is a knave. This contradicts the hint. Therefore, Ann is a knight.": {
			"0 spy -> 1 knave", "0 spy -> ", "-> 0 knight"},
		"Suppose Ann is a spy.\nBob is a knave.": {"-> 1 knave"},
		"Ann says Bob is a knave.":               nil,
		"Bob might be a spy.":                    nil,
		"I agree that Bob is a spy.":             nil,
		"Is Ann a knight? Annabel is a knight.":  nil,
		"":                                       nil,
	} {
		t.Run(reply, func(t *testing.T) {
			var got []string
			for _, c := range newReader(players).Claims(reply) {
				got = append(got, of(c.If)+" -> "+of(c.Then))
			}
			for i := range got {
				got[i] = strings.TrimPrefix(got[i], " ")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q: the claims that it makes (-want +got):\n%s", reply, diff)
			}
		})
	}
	if n := len(newReader(players).Claims(strings.Repeat("Ann is a knight.\n", 1000))); n != maxClaims {
		t.Errorf("%d claims were read, want %v", n, maxClaims)
	}
}

// TestCheck: Ann is a knight, Bob a knave, Cid the spy.
func TestCheck(t *testing.T) {
	p, err := Parse(`---
Player name: Ann
Player statement: Bob is a knave.
---
Player name: Bob
Player statement: Ann is lying.
---
Player name: Cid
Player statement: Ann is a knave.
---
Message from the game manager: I am the game manager and here are some hints for you:
 1. Among all players, there is exactly one spy.
 2. Ann is a knight.
`)
	if err != nil {
		t.Fatal(err)
	}
	solutions, checker := p.Solve(10), NewChecker(p)
	t.Log(solutions)
	for claim, want := range map[string]Verdict{
		"Ann is a knight.":                                     Follows,
		"Ann is a knave.":                                      Fails,
		"Ann is a knight or a spy.":                            Follows,
		"Bob is lying.":                                        Follows,
		"Bob's statement is true.":                             Fails,
		"Cid is lying.":                                        Follows,
		"If Ann is a knave, then Bob is a knight.":             Vacuous,
		"If Ann is a knave, we get a contradiction.":           Follows,
		"If Ann is a knight, then Bob is a knave.":             Follows,
		"If Ann is a knight, that is a contradiction.":         Fails,
		"If Cid is a spy, then Ann is a knave.":                Fails,
		"If Ann is a knight and Bob is a knave, Cid is a spy.": Follows,
	} {
		t.Run(claim, func(t *testing.T) {
			claims := checker.Claims(claim)
			if len(claims) != 1 {
				t.Errorf("%q is one claim: got %d", claim, len(claims))
			} else if got := checker.Check(claims[0]); got != want {
				t.Errorf("%q %s, want that it %s", claim, got, want)
			}
		})
	}
	if len(solutions) != 1 {
		t.Errorf("%d solutions, want 1", len(solutions))
	}
}

// TestMayState: no clause that states something is passed over for its words, in whatever case these are written.
func TestMayState(t *testing.T) {
	r, states := newReader([]string{"Rachel", "Kim"}), 0
	letters := map[rune][]rune{'s': []rune("sSſ"), 'k': []rune("kK\u212a")}
	ends := []string{"is a knight", "must be the spy or knave", "is not a knave", "is lying",
		"cannot be telling the truth", "is truthful", "'s statement is false", "’s claim must be true"}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"rachel", "kim", "olivia"}).Draw(t, "name")
		end := rapid.SampledFrom(ends).Draw(t, "end")
		clause := []rune(strings.NewReplacer(" '", "'", " ’", "’").Replace(name + " " + end))
		for i, c := range clause {
			if cases := letters[c]; cases != nil {
				clause[i] = rapid.SampledFrom(cases).Draw(t, "case")
			} else if rapid.Bool().Draw(t, "upper") {
				clause[i] = unicode.ToUpper(c)
			}
		}
		for _, pattern := range []*regexp.Regexp{r.role, r.truth, r.saying} {
			if !pattern.MatchString(string(clause)) {
				continue
			}
			if states++; !mayState(string(clause)) {
				t.Fatalf("a clause that states something is looked at: %q is passed over", string(clause))
			}
		}
	})
	if states == 0 {
		t.Error("a clause or more states something: got none")
	}
}

func FuzzReadClaims(f *testing.F) {
	f.Add("If Ann is a knight, then Bob is not a spy. Suppose Cid's statement is false. Thus Ann is lying.")
	p := Puzzle{Players: []string{"Ann", "Bob", "Cid"}, Statements: []Statement{{Kind: Different, Set: []int{0, 1}},
		{Kind: SameRole, Set: []int{0, 2}}, {Kind: CountTruth, Set: []int{0}, N: 1}}}
	checker := NewChecker(p)
	f.Fuzz(func(t *testing.T, reply string) {
		for _, c := range checker.Claims(reply) {
			for _, fact := range append(c.If, c.Then...) {
				if fact.Player < 0 || fact.Player > 2 || (fact.Roles == 0) == (fact.Said == Nothing) {
					t.Fatalf("%q: a claim is of one of 3 players and says a role or something else, not both: got "+
						"%+v", reply, c)
				}
			}
			checker.Check(c)
		}
	})
}
